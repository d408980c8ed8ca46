"""Settings: what is kept, and what is said of a value that is not allowed."""

import numpy as np
import pytest

from preemption.page.controls import Number, Select, Whole

BITS = Select("bits", options=[("16 bit", 16), ("8 bit", 8)], default=16)
TRIP = Select("waits", options=[("out and back", True), ("back only", False)], default=True)


@pytest.mark.parametrize("value", [7, 7.0, np.int64(7), np.float32(7)])
def test_a_number_is_kept_as_its_setting_has_it(value):
    whole, number = (kind("n", default=1, low=1, high=9) for kind in (Whole, Number))
    assert (whole.checked(value), type(whole.checked(value))) == (7, int)
    assert (number.checked(value), type(number.checked(value))) == (7.0, float)


def test_a_whole_number_has_no_half():
    with pytest.raises(ValueError, match=r"n must be a whole number from 1 to 9, not 1\.5"):
        Whole("n", default=1, low=1, high=9).checked(1.5)
    assert Number("n", default=1, low=1, high=9).checked(1.5) == 1.5


@pytest.mark.parametrize(
    "bad",
    ["9" * 20_000, 10**20_000, -(10**300), ["9" * 20_000]],
    ids=["text", "high", "low", "list"],
)
def test_a_long_value_is_told_in_short(bad):
    for setting in (Whole("n", default=1, low=1, high=9), Number("n", default=1, low=1, high=9)):
        with pytest.raises(
            (ValueError, TypeError), match=r"must be a .*number from 1 to 9"
        ) as told:
            setting.checked(bad)
        assert len(str(told.value)) < 300


def test_names_with_commas_in_them_are_told_apart():
    setting = Select("load", options=["one", "eight, late"], default="one")
    with pytest.raises(ValueError, match=r"load must be one of 'one', 'eight, late', not 'two'"):
        setting.checked("two")


def test_an_option_is_chosen_by_its_value():
    assert BITS.checked(8) == 8
    assert TRIP.checked(False) is False
    assert Select("model", options=["a", "b"], default="a").checked("b") == "b"


@pytest.mark.parametrize("bad", ["16 bit", 4, True, None, [16], 16.5])
def test_another_value_is_refused_with_those_allowed(bad):
    with pytest.raises(ValueError, match=r"bits must be one of 16 \(16 bit\), 8 \(8 bit\), not"):
        BITS.checked(bad)


@pytest.mark.parametrize("bad", ["back only", 1, 0, None])
def test_a_flag_is_no_number(bad):
    with pytest.raises(ValueError, match=r"True \(out and back\), False \(back only\), not"):
        TRIP.checked(bad)


def test_the_dropdown_shows_labels_and_tells_values():
    heard = []
    row = TRIP.row(lambda value, dragging: heard.append((value, dragging)), "9ch")
    assert [label for label, _ in row.list.options] == ["out and back", "back only"]
    row.list.value = False
    assert heard == [(False, False)]
    row.show(True)
    assert row.list.label == "out and back"
    assert len(heard) == 1


def test_the_dropdown_is_as_wide_as_its_longest_name():
    row = Select("fault", options=[(40 * "n", 1), ("n", 2)], default=2).row(print, "5ch")
    assert row.list.layout.width == "calc(5ch + max(250px, 42ch))"
