"""What a run is set up with: bad settings are refused, and what an iteration costs."""

import math
from dataclasses import replace

import pytest

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


def test_a_bad_cost_is_refused():
    with pytest.raises(ValueError, match="floor_ms must be finite and above 0, not 0"):
        IterationCost(floor_ms=0)
    with pytest.raises(ValueError, match="per_token_ms must be finite and 0 or more, not -1"):
        IterationCost(per_token_ms=-1)
    assert IterationCost().whole_ns == (9_700_000, 7_730_000, 66_100, 84)
    assert IterationCost().ns(1, 0) == 9_700_000
    assert IterationCost().ns(1024, 1000) == 7_730_000 + 1024 * 66_100 + 84_000
