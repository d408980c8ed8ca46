"""The cost functions: anchor values, properties, and what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption.costs import (
    cheaper,
    crossover_bandwidth,
    eviction_overhead,
    pick_victim,
    recompute_ms,
    swap_ms,
)

tokens = st.integers(0, 10**7)
sizes = st.floats(1, 1e8)
bandwidths = st.floats(1e6, 1e13)
prefills = st.floats(1e-4, 1e3)


def test_anchor_values():
    assert recompute_ms(1000) == 100
    assert swap_ms(1000, 131_072, 25e9, round_trip=False) == 5.24288
    assert swap_ms(1000, 131_072, 25e9) == 10.48576
    assert crossover_bandwidth(131_072) == 2.62144e9
    assert crossover_bandwidth(131_072, round_trip=False) == 1.31072e9
    assert cheaper(1000, 131_072, 25e9) == "swap"
    assert cheaper(1000, 131_072, 1e9) == "recompute"


@pytest.mark.parametrize("case", [(0, 131_072, 25e9), (1000, 131_072, 2.62144e9)])
def test_a_tie_goes_to_recompute(case):
    assert recompute_ms(case[0]) == swap_ms(*case)
    assert cheaper(*case) == "recompute"


def test_victim_is_the_smallest_and_ties_fall_in_string_order():
    assert pick_victim({"a": 300, "b": 100, "c": 200}) == "b"
    assert pick_victim({"b": 1, "a": 1}) == "a"
    assert pick_victim({"r2": 5, "r10": 5, "R3": 5}) == "R3"
    assert pick_victim({"r2": 5, "r10": 5}) == "r10"
    assert pick_victim({"a": 2**60 + 1, "b": 2**60}) == "b"


def test_overhead_adds_up_the_events():
    assert eviction_overhead([]) == 0
    assert eviction_overhead([(1000, "recompute"), (1000, "swap")]) == pytest.approx(110.48576)
    assert eviction_overhead(event for event in [(10, "recompute")]) == 1


@given(tokens, prefills, st.integers(0, 1000))
def test_recompute_is_linear_in_tokens(n, prefill, factor):
    assert recompute_ms(n * factor, prefill) == pytest.approx(factor * recompute_ms(n, prefill))


@given(tokens, sizes, bandwidths, st.integers(0, 1000))
def test_swap_is_linear_in_tokens_and_twice_one_way(n, size, bandwidth, factor):
    assert swap_ms(n * factor, size, bandwidth) == pytest.approx(
        factor * swap_ms(n, size, bandwidth)
    )
    assert swap_ms(n, size, bandwidth) == 2 * swap_ms(n, size, bandwidth, round_trip=False)


@given(st.lists(st.tuples(tokens, sizes, bandwidths, prefills), min_size=1, max_size=5))
def test_arrays_equal_scalars(rows):
    n, size, bandwidth, prefill = (np.array(column) for column in zip(*rows, strict=True))
    assert recompute_ms(n, prefill).tolist() == [recompute_ms(r[0], r[3]) for r in rows]
    assert swap_ms(n, size, bandwidth).tolist() == [swap_ms(*r[:3]) for r in rows]
    assert crossover_bandwidth(size, prefill).tolist() == [
        crossover_bandwidth(r[1], r[3]) for r in rows
    ]


def test_arrays_broadcast_to_float64():
    result = swap_ms(np.arange(3)[:, None], 131_072, np.array([1e9, 25e9]))
    assert result.shape == (3, 2)
    assert result.dtype == np.float64
    assert isinstance(recompute_ms(np.int32(7)), float)


@given(st.integers(1, 10**7), sizes)
def test_costs_meet_at_the_crossover_and_the_sign_flips_across_it(n, size):
    bandwidth = crossover_bandwidth(size)
    assert swap_ms(n, size, bandwidth) == pytest.approx(recompute_ms(n), rel=1e-9)
    assert cheaper(n, size, bandwidth * (1 - 1e-9)) == "recompute"
    assert cheaper(n, size, bandwidth * (1 + 1e-9)) == "swap"


@given(st.dictionaries(st.text("ABab ", max_size=3), st.integers(0, 3), min_size=1))
def test_victim_is_the_first_of_all_by_size_and_name(seqs):
    assert pick_victim(seqs) == sorted((size, name) for name, size in seqs.items())[0][1]


BAD_VALUES = [-1, -1e-300, math.nan, math.inf, -math.inf]
BAD_TYPES = ["5", b"5", None, True, np.True_, 1j, [1], (1,), {1}, np.array(["a"]), np.array([1j])]
# How to call each numeric parameter alone; the key is the name the message must hold.
CALLS = {
    "tokens": [recompute_ms, lambda x: swap_ms(x, 1, 1), lambda x: cheaper(x, 1, 1)],
    "ms_per_token": [lambda x: recompute_ms(1, x), lambda x: crossover_bandwidth(1, x)],
    "per_token_bytes": [
        lambda x: swap_ms(1, x, 1),
        lambda x: cheaper(1, x, 1),
        crossover_bandwidth,
    ],
    "bandwidth_bytes_per_s": [lambda x: swap_ms(1, 1, x), lambda x: cheaper(1, 1, x)],
}
EACH_CALL = [(name, call) for name, calls in CALLS.items() for call in calls]


@pytest.mark.parametrize(("name", "call"), EACH_CALL)
@pytest.mark.parametrize("bad", BAD_VALUES, ids=str)
def test_bad_values_are_refused_by_name(name, call, bad):
    with pytest.raises(ValueError, match=name) as error:
        call(bad)
    assert str(float(bad)) in str(error.value)
    with pytest.raises(ValueError, match=name):
        call(10**400)


@pytest.mark.parametrize(("name", "call"), EACH_CALL)
@pytest.mark.parametrize("bad", BAD_TYPES, ids=repr)
def test_wrong_types_are_refused_by_name(name, call, bad):
    with pytest.raises(TypeError, match=name) as error:
        call(bad)
    assert repr(bad) in str(error.value)


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf])
def test_one_bad_element_is_refused_like_a_scalar(bad):
    array = np.array([1.0, bad, 2.0])
    calls = [recompute_ms, lambda x: swap_ms(1, 1, x), lambda x: crossover_bandwidth(1, x)]
    for call in calls:
        with pytest.raises(ValueError, match=str(float(bad))):
            call(array)


def test_zero_is_refused_where_it_would_divide():
    with pytest.raises(ValueError, match="bandwidth_bytes_per_s"):
        swap_ms(1, 1, 0)
    with pytest.raises(ValueError, match="ms_per_token"):
        crossover_bandwidth(1, 0)
    with pytest.raises(ValueError, match="bandwidth_bytes_per_s"):
        swap_ms(1, 1, np.array([1.0, 0.0]))


def test_cheaper_takes_no_arrays():
    for position in range(3):
        arguments = [1, 1, 1]
        arguments[position] = np.array([1.0])
        with pytest.raises(TypeError, match="array"):
            cheaper(*arguments)


def test_round_trip_is_a_flag():
    with pytest.raises(TypeError, match="round_trip"):
        swap_ms(1, 1, 1, round_trip="no")


@pytest.mark.parametrize(
    ("seqs", "error"),
    [
        ({}, ValueError),
        ({"a": -1}, ValueError),
        ({"a": 1, "b": math.nan}, ValueError),
        ({"a": "1"}, TypeError),
        ({"a": None}, TypeError),
        ({"a": True}, TypeError),
        ({1: 5}, TypeError),
        ([("a", 1)], TypeError),
        (None, TypeError),
    ],
)
def test_bad_seqs_are_refused(seqs, error):
    with pytest.raises(error, match="seqs"):
        pick_victim(seqs)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        ((1000, "drop"), ValueError),
        ((1000, "Swap"), ValueError),
        ((-1, "swap"), ValueError),
        ((math.nan, "recompute"), ValueError),
        ((1000, None), TypeError),
        ((1000,), TypeError),
        ((1000, "swap", 1), TypeError),
        (1000, TypeError),
        ("ab", TypeError),
        (("1000", "swap"), TypeError),
        ((True, "swap"), TypeError),
    ],
)
def test_one_bad_event_spoils_the_sum(event, error):
    with pytest.raises(error, match=r"event|strategy"):
        eviction_overhead([(1000, "swap"), event])


@pytest.mark.parametrize("bad", [None, 5, "swap", {1: "swap"}])
def test_evictions_must_be_a_list_of_events(bad):
    with pytest.raises(TypeError, match="evictions"):
        eviction_overhead(bad)
