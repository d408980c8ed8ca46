"""Static and iteration-level slot schedules: the worked example, properties, bad input."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption.serving import continuous_schedule, static_schedule, utilization

ABC = {"A": 2, "B": 1, "C": 2}
SCHEDULES = [static_schedule, continuous_schedule]


@st.composite
def loads(draw, max_arrival=8):
    names = draw(st.lists(st.text("abcd", max_size=2), unique=True, max_size=8))
    lengths = {name: draw(st.integers(1, 6)) for name in names}
    late = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    arrivals = {name: draw(st.integers(0, max_arrival)) for name in late}
    return lengths, draw(st.integers(1, 4)), arrivals


def spans(rows):
    """First and last iteration of each name."""
    found = {}
    for iteration, row in enumerate(rows):
        for name in row:
            if name is not None:
                found.setdefault(name, []).append(iteration)
    return {name: (iterations[0], iterations[-1]) for name, iterations in found.items()}


def test_the_worked_example():
    static = static_schedule(ABC, 2)
    assert static == [["A", "B"], ["A", None], ["C", None], ["C", None]]
    assert utilization(static) == 5 / 8 == 0.625
    continuous = continuous_schedule(ABC, 2)
    assert continuous == [["A", "B"], ["A", "C"], [None, "C"]]
    assert utilization(continuous) == 5 / 6


def test_a_static_group_waits_for_its_last_member_and_a_free_slot_does_not():
    arrivals = {"B": 3, "C": 1}
    assert static_schedule(ABC, 2, arrivals) == [
        [None, None],
        ["A", "C"],
        ["A", "C"],
        ["B", None],
    ]
    assert continuous_schedule(ABC, 2, arrivals) == [
        ["A", None],
        ["A", "C"],
        [None, "C"],
        ["B", None],
    ]


def test_iterations_without_work_are_rows_and_count():
    for schedule in SCHEDULES:
        rows = schedule({"A": 1}, 1, {"A": 3})
        assert rows == [[None], [None], [None], ["A"]]
        assert utilization(rows) == 0.25


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_nothing_to_do_is_no_rows(schedule):
    assert schedule({}, 2) == []


@pytest.mark.parametrize("schedule", SCHEDULES)
@given(load=loads())
def test_each_sequence_gets_its_iterations_in_one_slot_after_its_arrival(schedule, load):
    lengths, slots, arrivals = load
    rows = schedule(lengths, slots, arrivals)
    assert all(len(row) == slots for row in rows)
    for name, length in lengths.items():
        places = [(i, row.index(name)) for i, row in enumerate(rows) if name in row]
        first, slot = places[0]
        assert places == [(first + step, slot) for step in range(length)]
        assert first >= arrivals.get(name, 0)
        assert all(row.count(name) <= 1 for row in rows)


@pytest.mark.parametrize("schedule", SCHEDULES)
@given(load=loads())
def test_sequences_start_in_line(schedule, load):
    lengths, slots, arrivals = load
    begun = spans(schedule(lengths, slots, arrivals))
    line = sorted(lengths, key=lambda name: arrivals.get(name, 0))
    starts = [begun[name][0] for name in line]
    assert starts == sorted(starts)


@given(load=loads())
def test_iteration_level_admission_leaves_no_slot_free_while_a_sequence_waits(load):
    lengths, slots, arrivals = load
    rows = continuous_schedule(lengths, slots, arrivals)
    begun = spans(rows)
    for iteration, row in enumerate(rows):
        if None in row:
            assert all(
                begun[name][0] <= iteration or arrivals.get(name, 0) > iteration for name in lengths
            )


@given(load=loads())
def test_no_sequence_starts_or_ends_later_than_in_the_static_schedule(load):
    lengths, slots, arrivals = load
    static = static_schedule(lengths, slots, arrivals)
    continuous = continuous_schedule(lengths, slots, arrivals)
    early, late = spans(continuous), spans(static)
    for name in lengths:
        assert early[name][0] <= late[name][0]
        assert early[name][1] <= late[name][1]
    assert len(continuous) <= len(static)
    if lengths:
        assert utilization(continuous) >= utilization(static)


@given(groups=st.integers(1, 4), slots=st.integers(1, 4), length=st.integers(1, 5))
def test_equal_lengths_in_full_groups_show_no_gain(groups, slots, length):
    lengths = {f"r{number}": length for number in range(groups * slots)}
    rows = continuous_schedule(lengths, slots)
    assert rows == static_schedule(lengths, slots)
    assert utilization(rows) == 1


def test_rows_share_no_list_and_arguments_stay_as_they_were():
    lengths, arrivals = dict(ABC), {"B": 4}
    for schedule in SCHEDULES:
        rows = schedule(lengths, 2, arrivals)
        assert len({id(row) for row in rows}) == len(rows)
    assert lengths == ABC
    assert arrivals == {"B": 4}


def test_numpy_integers_are_whole_numbers():
    for schedule in SCHEDULES:
        assert schedule({"A": np.int64(2)}, np.int32(1), {"A": np.int8(0)}) == [["A"], ["A"]]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("bad", [0, -1])
def test_bad_numbers_are_refused_by_name(schedule, bad):
    with pytest.raises(ValueError, match="slots") as error:
        schedule(ABC, bad)
    assert repr(bad) in str(error.value)
    with pytest.raises(ValueError, match=r"lengths\['B'\]"):
        schedule({"A": 1, "B": bad}, 2)
    if bad != 0:
        with pytest.raises(ValueError, match=r"arrivals\['A'\]"):
            schedule(ABC, 2, {"A": bad})


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "bad",
    ["2", None, True, np.True_, [1], 1j, 1.5, 2.0, Fraction(1, 2), float("nan")],
    ids=repr,
)
def test_wrong_types_are_refused_by_name(schedule, bad):
    with pytest.raises(TypeError, match="slots"):
        schedule(ABC, bad)
    with pytest.raises(TypeError, match=r"lengths\['B'\]"):
        schedule({"A": 1, "B": bad}, 2)
    with pytest.raises(TypeError, match=r"arrivals\['A'\]"):
        schedule(ABC, 2, {"A": bad})


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("bad", [[("A", 1)], {None: 1}, {1: 1}, "A"], ids=repr)
def test_names_must_be_strings_in_a_mapping(schedule, bad):
    with pytest.raises(TypeError, match="lengths"):
        schedule(bad, 2)
    with pytest.raises(TypeError, match="arrivals"):
        schedule(ABC, 2, bad)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_arrival_without_a_length_is_refused(schedule):
    with pytest.raises(ValueError, match="'D'"):
        schedule(ABC, 2, {"D": 1})


@pytest.mark.parametrize("rows", [[], [[]], [["A"], ["A", None]]])
def test_utilization_needs_rows_of_one_width(rows):
    with pytest.raises(ValueError, match="rows"):
        utilization(rows)
