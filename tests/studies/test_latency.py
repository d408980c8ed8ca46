"""A long prompt among decodes, and a load at rising rates: both as the scheduler has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption import serving, studies
from preemption.serving import DEFAULT_COST, Request, SchedulerConfig, crowd
from preemption.studies import DECODES, RATES_PER_S, chunked_prefill, sweep, under_load

BUDGETS = st.integers(2 * DECODES, 10_000)
PROMPTS = st.integers(1, 3_000)


@pytest.mark.parametrize(("prompt", "budget"), [(4_096, 512), (4_096, 64), (300, 8_192), (1, 64)])
def test_iterations_are_those_of_the_scheduler(prompt, budget):
    ours = chunked_prefill(prompt, budget)
    requests = [
        *crowd(DECODES, prompt_tokens=2, output_tokens=300),
        Request("long", 100.0, prompt, 1),
    ]
    config = SchedulerConfig(16, 10_000, budget, DECODES + 1)
    result = serving.simulate(requests, config, serving.RunSettings(log=range(200)))
    ttft = result.ttft_ms["long"]
    assert ours.ttft_ms == pytest.approx(ttft, abs=1e-6)
    log = [
        (i.start_ms - 100, i.start_ms + i.duration_ms - 100, i.prefill_tokens, i.decode_tokens)
        for i in result.log
        if 70 < i.start_ms + i.duration_ms <= 100 + ttft + 1e-6
    ]
    assert len(ours.iterations) == len(log)
    for found, expected in zip(ours.iterations, log, strict=True):
        assert found == pytest.approx(expected, abs=1e-6)


@given(prompt=PROMPTS, budget=BUDGETS)
def test_the_whole_prompt_is_computed_and_no_decode_misses_an_iteration(prompt, budget):
    ours = chunked_prefill(prompt, budget)
    assert sum(found.prefill_tokens for found in ours.iterations) == prompt
    assert ours.chunks == -(-prompt // (budget - DECODES))
    for found, after in zip(ours.iterations, ours.iterations[1:], strict=False):
        assert found.end_ms == after.start_ms
        assert found.prefill_tokens + found.decode_tokens <= budget
    assert {found.decode_tokens for found in ours.iterations} == {DECODES}
    assert ours.iterations[0].end_ms < 0 < ours.iterations[-1].end_ms


@given(prompt=PROMPTS, budgets=st.tuples(BUDGETS, BUDGETS))
def test_a_larger_budget_never_shortens_the_worst_gap(prompt, budgets):
    small, large = (chunked_prefill(prompt, budget) for budget in sorted(budgets))
    slack_ms = prompt * DEFAULT_COST.per_resident_token_ms  # what is resident differs
    assert small.max_itl_ms <= large.max_itl_ms + slack_ms


@given(prompt=PROMPTS, factor=st.integers(2, 8))
def test_more_chunks_take_longer(prompt, factor):
    budget = 2 * DECODES
    small, large = (chunked_prefill(prompt, each) for each in (budget, factor * budget))
    assert large.ttft_ms <= small.ttft_ms
    assert large.chunks <= small.chunks


@pytest.mark.parametrize(
    ("prompt", "budget", "error"),
    [(0, 512, ValueError), (100, 2 * DECODES - 1, ValueError), (1.5, 512, TypeError)],
)
def test_bad_input_to_chunked_prefill(prompt, budget, error):
    with pytest.raises(error):
        chunked_prefill(prompt, budget)


def test_a_load_point_is_a_run_of_the_scheduler():
    rate, blocks = 5.0, 3_000
    table = serving.quantiles("conversation")
    real = serving.azure_shaped(2, 320 / 60 / table["requests_per_s"])
    assert len(real) == studies.LOAD_REQUESTS == 320
    factor = table["requests_per_s"] / rate
    requests = [
        Request(r.id, r.arrival_ms * factor, r.prompt_tokens, r.output_tokens) for r in real
    ]
    result = serving.simulate(requests, SchedulerConfig(16, blocks + 1, 2_048, 256))
    point = under_load(rate, blocks)
    assert (point.requests_per_s, point.preemptions) == (rate, result.preemptions)
    assert point.tokens_per_s == result.tokens_per_s
    assert point.recompute_share == result.recompute_share
    for median, high, times in (
        (point.ttft_p50_ms, point.ttft_p99_ms, result.ttft_ms),
        (point.tpot_p50_ms, point.tpot_p99_ms, result.tpot_ms),
    ):
        below = [sum(value <= mark for value in times.values()) for mark in (median, high)]
        assert below[0] == pytest.approx(0.5 * len(times), abs=1)
        assert below[1] == pytest.approx(0.99 * len(times), abs=1)


def test_the_rates_ask_for_what_they_say():
    requests = studies.requests_at(4.0)
    span_s = (requests[-1].arrival_ms - requests[0].arrival_ms) / 1000
    assert len(requests) / span_s == pytest.approx(4.0, rel=0.02)
    output = sum(request.output_tokens for request in requests)
    assert studies.offered_tokens_per_s(4.0) == pytest.approx(4.0 * output / len(requests))


def test_a_sweep_goes_over_the_cliff():
    points = sweep(3_000)
    assert [point.requests_per_s for point in points] == list(RATES_PER_S)
    first = studies.preempts_from(points)
    before = [point for point in points if point.requests_per_s < first]
    assert before
    assert all(point.preemptions == 0 for point in before)
    assert points[-1].ttft_p99_ms > 20 * before[-1].ttft_p99_ms
    # Below the cliff the server gives what is asked, but for the last requests of the run, which
    # end after the last arrival; above it no more than it can.
    assert before[-1].tokens_per_s == pytest.approx(
        studies.offered_tokens_per_s(before[-1].requests_per_s), rel=0.15
    )
    assert points[-1].tokens_per_s < 0.7 * studies.offered_tokens_per_s(RATES_PER_S[-1])


def test_a_larger_pool_preempts_later():
    firsts = [studies.preempts_from(sweep(blocks)) for blocks in (1_500, 3_000, 6_000)]
    assert firsts == sorted(firsts)
    assert firsts[0] < firsts[-1]
    assert studies.preempts_from(sweep(20_000)) is None


@pytest.mark.parametrize(("rate", "blocks"), [(0.0, 3_000), (-1.0, 3_000), (5.0, 100)])
def test_bad_input_to_a_load(rate, blocks):
    with pytest.raises(ValueError, match=r"above 0|finite|can never fit"):
        under_load(rate, blocks)
