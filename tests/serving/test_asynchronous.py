"""Asynchronous scheduling: what is known when, and needless preemptions."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption import serving
from preemption.serving import Request, RunSettings, SchedulerConfig, simulate, simulate_plain
from tests.serving.scheduler_loads import random_load

SMALL = SchedulerConfig(16, 5, 64, 8, enable_prefix_caching=True, async_scheduling=True)


def test_a_token_is_known_one_iteration_later_and_at_the_time_it_was_computed():
    request, config = Request("a", 0, 8, 3), replace(SMALL, num_gpu_blocks=9)
    late = simulate([request], config, RunSettings(log=True))
    early = simulate([request], replace(config, async_scheduling=False), RunSettings(log=True))
    assert [len(each.sampled) for each in late.log] == [0, 1, 1, 1]
    assert [len(each.sampled) for each in early.log] == [1, 1, 1]
    assert late.log[-1].duration_ns == 0
    assert late.first_token_ns == early.first_token_ns
    assert late.finished_ns == early.finished_ns


def test_a_request_whose_last_token_is_under_way_can_be_preempted_and_ends_while_it_waits():
    requests = [Request(0, 0, 31, 30), Request(1, 0, 20, 2)]
    result = simulate(requests, SMALL, RunSettings(log=True))
    assert [event.id for event in result.log[2].preempted] == [1]
    assert result.log[2].finished == (1,)
    assert result.log[2].end.waiting == ()
    assert (result.lost_tokens, result.recomputed_tokens) == (21, 0)
    assert [(stay.id, stay.end) for stay in result.time_line] == [
        (0, "finished"),
        (1, "recompute"),
    ]


def test_the_fast_engine_leaves_asynchronous_scheduling_to_the_plain_one():
    assert not serving.covers([], SMALL, RunSettings())
    assert serving.covers([], replace(SMALL, async_scheduling=False), RunSettings())


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=60, deadline=None)
def test_tokens_add_up_and_everybody_ends(seed, caching):
    requests, config, how = random_load(seed, enable_prefix_caching=caching, async_scheduling=True)
    result = simulate_plain(requests, config, how)
    if result.outcome != "finished":
        return
    ends = [min(r.prompt_tokens + r.output_tokens, config.max_model_len or 10**9) for r in requests]
    useful = sum(end - 1 for end in ends)
    redone = result.recomputed_tokens - result.skipped_tokens
    assert result.scheduled_tokens == useful + redone
    assert result.generated_tokens == sum(
        end - r.prompt_tokens for end, r in zip(ends, requests, strict=True)
    )
    assert result.unfinished == ()


def test_wrong_type():
    with pytest.raises(TypeError, match="async_scheduling"):
        replace(SMALL, async_scheduling="yes")
