"""Checks of arguments: what passes, and errors that say what came and what is allowed."""

import numpy as np
import pytest

from preemption.checks import choice, flag, instance, numbers, scalar, shown, whole


@pytest.mark.parametrize("value", [2, 2.0, np.int8(2), np.float32(2)])
def test_numbers_become_floats(value):
    for check in (numbers, scalar):
        assert check("n", value) == 2
        assert type(check("n", value)) is float


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.float32, np.float64])
def test_arrays_become_float64_and_are_not_the_ones_that_came(kind):
    came = np.array([1, 2], dtype=kind)
    checked = numbers("n", came)
    assert checked.dtype == np.float64
    assert checked.tolist() == [1, 2]
    assert not np.shares_memory(checked, came)


@pytest.mark.parametrize(
    ("value", "positive", "said"),
    [
        (-1, False, "n must be finite and 0 or more, not -1.0"),
        (0, True, "n must be finite and above 0, not 0.0"),
        (float("nan"), False, "n must be finite and 0 or more, not nan"),
        (10**400, True, r"n must be at most 1e\+50, not 10+\.\.\.0+"),
        (-(10**400), False, "n must be finite and 0 or more, not -inf"),
        (1e51, False, r"n must be from 0 to 1e\+50, not 1e\+51"),
        (1e-51, True, r"n must be from 1e-50 to 1e\+50, not 1e-51"),
    ],
)
def test_numbers_out_of_range(value, positive, said):
    for check in (numbers, scalar):
        with pytest.raises(ValueError, match=f"^{said}$"):
            check("n", value, positive=positive)


def test_the_bad_one_of_an_array_is_named():
    with pytest.raises(ValueError, match=r"^n must be from 0 to 1e\+50, not 1e\+51$"):
        numbers("n", np.array([1, 1e51]))
    with pytest.raises(ValueError, match=r"^n must be finite and above 0, not 0\.0$"):
        numbers("n", np.array([1, 0, 2]), positive=True)


@pytest.mark.parametrize("value", ["2", None, True, np.True_, 2j, [2], np.timedelta64(2, "s")])
def test_what_is_no_number(value):
    with pytest.raises(TypeError, match="n must be a number or a NumPy array of numbers, not "):
        numbers("n", value)
    with pytest.raises(TypeError, match="n must be a number, not "):
        scalar("n", value)


def test_a_scalar_is_no_array():
    with pytest.raises(TypeError, match=r"^n must be a number, not array\(\[2\]\)$"):
        scalar("n", np.array([2]))


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers(value):
    assert whole("n", value, least=3) == 3
    assert type(whole("n", value)) is int
    with pytest.raises(ValueError, match="n must be 4 or more, not 3"):
        whole("n", value, least=4)
    with pytest.raises(ValueError, match="n must be 2 or less, not 3"):
        whole("n", value, least=1, most=2)


def test_what_is_counted_is_no_more_than_a_float_keeps():
    assert whole("n", 2**53, least=0) == 2**53
    with pytest.raises(ValueError, match="n must be 9,007,199,254,740,992 or less, not 9007199254"):
        whole("n", 2**53 + 1, least=0)
    assert whole("seed", 10**400) == 10**400


@pytest.mark.parametrize("value", [3.0, "3", True, np.True_, None, np.float64(3)])
def test_what_is_no_whole_number(value):
    with pytest.raises(TypeError, match="n must be a whole number, not "):
        whole("n", value)


def test_flags():
    assert flag("f", True) is flag("f", np.True_) is True
    for bad in (0, 1, None, "no"):
        with pytest.raises(TypeError, match="f must be True or False, not "):
            flag("f", bad)


def test_choices():
    assert choice("way", "swap", ["recompute", "swap"]) == "swap"
    for bad in ("Swap", None, ["swap"], np.array(["swap", "swap"])):
        with pytest.raises(ValueError, match='way must be "recompute" or "swap", not '):
            choice("way", bad, ["recompute", "swap"])


def test_instances():
    instance("n", True, int)
    with pytest.raises(TypeError, match="n must be a str, not 5"):
        instance("n", 5, str)
    with pytest.raises(TypeError, match="n must be an int, not '5'"):
        instance("n", "5", int)


def test_what_is_long_or_deep_is_shown_short():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "[[[[[...]]]]]"
    assert shown(10**5000) == "<int, too long to be shown>"
    assert len(shown(list(range(10**6)))) < 50
    assert len(shown("x" * 10**6)) < 300
    assert shown("swap") == "'swap'"
