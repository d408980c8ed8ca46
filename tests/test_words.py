"""Figures as a reader sees them."""

import re

import pytest

from preemption import words


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (100.0, "100"),
        (10.48576, "10.49"),
        (13107.2, "13,110"),
        (343597.4, "343,600"),
        (0.00026214, "0.0002621"),
        (1e-7, "0.0000001"),
        (0.0, "0"),
        (1e15, "1,000,000,000,000,000"),
    ],
)
def test_four_digits_no_exponent(value, expected):
    assert words.digits(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(25.0, "25"), (2.7, "2.7"), (131_072, "131,072"), (2.62144, "2.62144"), (0.1, "0.1")],
)
def test_plain_is_exact(value, expected):
    assert words.plain(value) == expected


@pytest.mark.parametrize(
    ("n_bytes", "expected"),
    [
        (131_072_000, "131.1 MB"),
        (131_072, "131.1 kB"),
        (17_179_869_184, "17.18 GB"),
        (12, "12 B"),
        (999_949_999, "999.9 MB"),
        (999_950_000, "1 GB"),
    ],
)
def test_sizes(n_bytes, expected):
    assert words.size(n_bytes) == expected


def test_one_and_many():
    assert words.count(1, "token") == "1 token"
    assert words.count(1_000, "token") == "1,000 tokens"
    assert words.count(1, "copy", "copies") == "1 copy"
    assert words.count(2, "copy", "copies") == "2 copies"


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("5", "GB/s", 5),
        (" 5.25 GB/s ", "GB/s", 5.25),
        ("5gb/S", "GB/s", 5),
        ("100ms", "ms", 100),
        ("1,234,567.5", "ms", 1_234_567.5),
        ("-.5e3 %", "%", -500),
        ("3 iterations", "iterations", 3),
        ("9" * words.LONGEST, "ms", 1e40),
    ],
)
def test_a_number_is_read_with_its_unit_or_without(text, unit, number):
    assert words.typed(text, unit) == pytest.approx(number)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The box is empty. Type a number in ms."),
        ("ms", "Type a number in ms, not 'ms'."),
        ("5 GB/s", "Type a number in ms, not '5 GB/s'."),
        ("1,00", "not '1,00'. Type a point before the decimals."),
        ("\N{ARABIC-INDIC DIGIT ONE}", "Type a number in ms"),
        ("1_000", "Type a number in ms"),
        ("nan", "Type a number in ms"),
        ("9" * 41, "…'."),
        ("1" * 10**6 + "x", "…'."),
    ],
)
def test_what_is_no_number_is_told_what_is_wanted(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        words.typed(text, "ms")
