"""Figures as a reader sees them."""

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
