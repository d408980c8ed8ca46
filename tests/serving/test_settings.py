"""What a run is set up with: bad settings are refused, and what an iteration costs."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption import costs
from preemption.serving import IterationCost, RunSettings, SchedulerConfig

SMALL = SchedulerConfig(16, 16, 64, 8)


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("block_size", 0, ValueError, "block_size must be 1 or more, not 0"),
        ("num_gpu_blocks", 1, ValueError, "num_gpu_blocks must be 2 or more, not 1"),
        ("max_num_batched_tokens", 0, ValueError, "max_num_batched_tokens must be 1 or more"),
        ("max_num_batched_tokens", 7, ValueError, r"\(7\) must not be less than max_num_seqs \(8"),
        ("max_num_seqs", -1, ValueError, "max_num_seqs must be 1 or more, not -1"),
        ("max_model_len", 1, ValueError, "max_model_len must be 2 or more, not 1"),
        ("max_model_len", 4.5, TypeError, "max_model_len must be a whole number, not 4.5"),
        ("policy", "sjf", ValueError, 'policy must be "fcfs" or "priority", not \'sjf\''),
        ("enable_chunked_prefill", 1, TypeError, "enable_chunked_prefill must be True or False"),
        ("enable_prefix_caching", "yes", TypeError, "enable_prefix_caching must be True or False"),
        ("scheduler_reserve_full_isl", None, TypeError, "must be True or False, not None"),
        ("long_prefill_token_threshold", -1, ValueError, "threshold must be 0 or more, not -1"),
        ("watermark", 1.0, ValueError, "watermark must be below 1, not 1.0"),
        ("watermark", -0.1, ValueError, "watermark must be finite and 0 or more, not -0.1"),
    ],
)
def test_a_bad_setting_is_refused(name, value, error, message):
    with pytest.raises(error, match=message):
        replace(SMALL, **{name: value})


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match=r"without chunked prefill .* \(64\) must not be less"):
        replace(SMALL, enable_chunked_prefill=False, max_model_len=65)
    with pytest.raises(ValueError, match=r"threshold \(100\) must not be more than max_model_len"):
        replace(SMALL, long_prefill_token_threshold=100, max_model_len=99)


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"victim": "oldest"}, ValueError, "victim must be one of 'last admitted'"),
        ({"victim": 1}, TypeError, "victim must be a rule's name or a function"),
        ({"resume": "offload"}, ValueError, 'resume must be "recompute", "swap" or "cheaper"'),
        ({"link_gb_per_s": 0}, ValueError, "link_gb_per_s must be finite and above 0, not 0"),
        ({"link_gb_per_s": math.nan}, ValueError, "link_gb_per_s must be finite and above 0"),
        ({"link_gb_per_s": "fast"}, TypeError, "link_gb_per_s must be a number, not 'fast'"),
        ({"copy_start_us": -1}, ValueError, "copy_start_us must be finite and 0 or more, not -1"),
        ({"copy_start_us": math.inf}, ValueError, "copy_start_us must be finite and 0 or more"),
        ({"swap_blocks": -1}, ValueError, "swap_blocks must be 0 or more, not -1"),
        ({"copy_out_in_background": 1}, TypeError, "copy_out_in_background must be True or False"),
        ({"cost": 9.7}, TypeError, r"cost must be an IterationCost, not 9\.7"),
        ({"log": range(0, 10, 2)}, ValueError, "log must be True, False or a range"),
        ({"log": 5}, ValueError, "log must be True, False or a range of iterations, not 5"),
    ],
)
def test_a_bad_argument_is_refused(how, error, message):
    with pytest.raises(error, match=message):
        RunSettings(**how)


@pytest.mark.parametrize(
    ("points", "error", "message"),
    [
        ((), ValueError, r"at least one pair \(tokens, ms\), not none"),
        (5, TypeError, r"must be pairs \(tokens, ms\), not 5"),
        (((1, 2, 3),), TypeError, "must be pairs"),
        (((0, 1.0),), ValueError, "tokens of a point must be 1 or more, not 0"),
        (((1.5, 1.0),), TypeError, r"tokens of a point must be a whole number, not 1\.5"),
        (((1, 0),), ValueError, "ms of a point must be finite and above 0, not 0"),
        (((1, math.nan),), ValueError, "ms of a point must be finite and above 0"),
        (((1, 1e300),), ValueError, "ms of a point must be from"),
        (((10**9, 1),), ValueError, "tokens of a point must be 1,000,000 or less, not"),
        (((5, 1), (5, 2)), ValueError, r"must rise, not go from \(5, 1\) to \(5, 2\)"),
        (((5, 2), (6, 1)), ValueError, "must rise"),
    ],
)
def test_bad_points_are_refused(points, error, message):
    with pytest.raises(error, match=message):
        IterationCost(points)


@pytest.mark.parametrize("wrong", [-1, math.inf, 1e300])
def test_a_bad_cost_of_reading_is_refused(wrong):
    with pytest.raises(ValueError, match="per_resident_token_ms must be"):
        IterationCost(per_resident_token_ms=wrong)


def test_an_iteration_takes_what_was_measured():
    cost = IterationCost()
    profile = costs.PROFILES["Llama-3-8B on A100"]
    for tokens, ms in profile.points:
        same = [other for count, other in profile.points if count == tokens]
        assert cost.computing_ns(tokens) == round(1e6 * sum(same) / len(same))
        assert ms == pytest.approx(sum(same) / len(same), rel=0.02)


@given(st.integers(0, 20_000), st.integers(0, 10**7))
def test_between_points_lies_a_line_and_the_last_one_goes_on(tokens, resident):
    cost = IterationCost()
    points = dict(cost.points)
    low = max((each for each in points if each <= tokens), default=1)
    if low == 4_096:
        low = 2_048
    high = min(each for each in points if each > low)
    ms = points[low] + (points[high] - points[low]) * (max(tokens, 1) - low) / (high - low)
    found = cost.computing_ns(tokens)
    assert found == pytest.approx(1e6 * ms, abs=0.6 + 0.5 * max(0, tokens - 4_096))
    assert cost.ns(tokens, resident) == found + 84 * resident
    assert cost.computing_ns(tokens + 1) >= found


def test_one_point_is_a_time_for_any_number_of_tokens():
    assert {IterationCost(((7, 2.5),)).computing_ns(n) for n in (0, 1, 7, 8, 10**9)} == {2_500_000}
