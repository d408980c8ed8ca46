"""A long prompt among decodes, and a load at rising rates: both as the scheduler has it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption import serving, studies
from preemption.serving import Request, RunSettings, SchedulerConfig, crowd
from preemption.studies import (
    CHUNK_COST,
    DECODES,
    RATES_PER_S,
    chunked_prefill,
    sweep,
    under_load,
)
from tests.studies.write import row

BUDGETS = st.integers(2 * DECODES, 10_000)
PROMPTS = st.integers(1, 3_000)


@pytest.mark.parametrize(("prompt", "budget"), [(4_096, 512), (4_096, 64), (300, 8_192), (1, 64)])
def test_iterations_are_those_of_the_scheduler(prompt, budget):
    ours = chunked_prefill(prompt, budget)
    # All decode after one iteration, and the prompt arrives as the fifth begins.
    ns = CHUNK_COST.computing_ns
    arrival_ms = (ns(2 * DECODES) + 3 * ns(DECODES)) / 1e6
    requests = [
        *crowd(DECODES, prompt_tokens=2, output_tokens=300),
        Request("long", arrival_ms, prompt, 1),
    ]
    config = SchedulerConfig(16, 10_000, budget, DECODES + 1)
    result = serving.simulate(requests, config, RunSettings(cost=CHUNK_COST, log=range(200)))
    ttft = result.ttft_ms["long"]
    assert ours.ttft_ms == pytest.approx(ttft, abs=1e-6)
    log = [
        (i.start_ms, i.start_ms + i.duration_ms, i.prefill_tokens, i.decode_tokens)
        for i in result.log[1 : 4 + ours.chunks]
    ]
    assert len(ours.iterations) == len(log)
    for found, (start, end, *tokens) in zip(ours.iterations, log, strict=True):
        expected = (start - arrival_ms, end - arrival_ms, *tokens)
        assert found == pytest.approx(expected, abs=1e-6)


def test_a_chunk_takes_what_was_measured():
    # Eight iterations of 512 tokens, and one of 256 for the rest and 32 decodes.
    ours = chunked_prefill(4_096, 512)
    last_ms = 19.5 + (34.6 - 19.5) * 32 / 256
    assert ours.ttft_ms == pytest.approx(8 * 34.6 + last_ms, abs=1e-3)
    assert ours.max_itl_ms == pytest.approx(34.6)
    assert chunked_prefill(4_096, 8_192).ttft_ms == pytest.approx(273 + 32 * 129 / 2048, abs=1e-3)


@given(prompt=PROMPTS, budget=BUDGETS)
def test_the_whole_prompt_is_computed_and_no_decode_misses_an_iteration(prompt, budget):
    ours = chunked_prefill(prompt, budget)
    assert sum(found.prefill_tokens for found in ours.iterations) == prompt
    assert ours.chunks == -(-prompt // (budget - DECODES))
    for found, after in zip(ours.iterations, ours.iterations[1:], strict=False):
        assert found.end_ms == after.start_ms
        assert found.prefill_tokens + found.decode_tokens <= budget
    assert {found.decode_tokens for found in ours.iterations} == {DECODES}
    assert [found.prefill_tokens > 0 for found in ours.iterations[:4]] == [False] * 3 + [True]
    assert ours.iterations[3].start_ms == 0


@given(prompt=PROMPTS, budgets=st.tuples(BUDGETS, BUDGETS))
def test_a_larger_budget_never_shortens_the_worst_gap(prompt, budgets):
    small, large = (chunked_prefill(prompt, budget) for budget in sorted(budgets))
    assert small.max_itl_ms <= large.max_itl_ms + 1e-6


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


def test_a_load_point_is_a_spread_over_runs_of_the_scheduler():
    rate, blocks = 5.03, 3_000
    table = serving.quantiles("conversation")
    results = []
    for seed in range(20):
        real = serving.azure_shaped(seed, 320 / 60 / table["requests_per_s"])
        assert len(real) == studies.LOAD_REQUESTS == 320
        factor = table["requests_per_s"] / rate
        requests = [
            Request(r.id, r.arrival_ms * factor, r.prompt_tokens, r.output_tokens) for r in real
        ]
        results.append(serving.simulate(requests, SchedulerConfig(16, blocks + 1, 2_048, 256)))
    point = under_load(rate, blocks)
    assert point.requests_per_s == rate
    preemptions = [result.preemptions for result in results]
    assert point.preempting == sum(count > 0 for count in preemptions)
    assert 0 < point.preempting < 20
    waits = [list(result.ttft_ms.values()) for result in results]
    assert point.late == sum(np.percentile(each, 99) > 3_000 for each in waits)
    for spread, values in (
        (point.preemptions, preemptions),
        (point.tokens_per_s, [result.tokens_per_s for result in results]),
        (point.recompute_share, [result.recompute_share for result in results]),
        (point.ttft_p50_ms, [np.percentile(each, 50) for each in waits]),
        (point.ttft_p99_ms, [np.percentile(each, 99) for each in waits]),
        (point.tpot_p50_ms, [np.median(list(r.tpot_ms.values())) for r in results]),
        (point.tpot_p99_ms, [np.percentile(list(r.tpot_ms.values()), 99) for r in results]),
    ):
        assert spread == pytest.approx((min(values), np.median(values), max(values)))


@pytest.mark.parametrize(
    ("rate", "blocks"), [(2.0, 1_000), (6.0, 3_000), (9.0, 10_000), (9.0, studies.POOLS[-1])]
)
def test_the_table_holds_what_is_simulated(rate, blocks):
    simulated = studies.simulated(rate, blocks)
    assert row(blocks, under_load(rate, blocks)) == row(blocks, simulated)


def test_the_table_has_all_pools_at_all_rates():
    studies.under_load.cache_clear()
    before = studies.requests_at.cache_info()
    for blocks in studies.POOLS:
        assert [point.requests_per_s for point in sweep(blocks)] == list(RATES_PER_S)
    assert studies.requests_at.cache_info() == before  # nothing was simulated


def test_the_rates_ask_for_what_they_say():
    requests = studies.requests_at(4.0, seed=2)
    span_s = (requests[-1].arrival_ms - requests[0].arrival_ms) / 1000
    assert len(requests) / span_s == pytest.approx(4.0, rel=0.02)
    loads = [request for seed in range(20) for request in studies.load_requests(seed)]
    output = sum(request.output_tokens for request in loads)
    assert studies.offered_tokens_per_s(4.0) == pytest.approx(4.0 * output / len(loads))


def test_a_sweep_goes_over_the_cliff_after_the_first_preemption():
    points = sweep(3_000)
    assert [point.requests_per_s for point in points] == list(RATES_PER_S)
    preempts, cliff = studies.first_preemption(points), studies.cliff(points)
    for onset, counts in (
        (preempts, [point.preempting for point in points]),
        (cliff, [point.late for point in points]),
    ):
        assert counts == sorted(counts)
        for rate, least in zip(onset, (1, 20), strict=True):
            at = RATES_PER_S.index(rate)
            assert counts[at] >= least > counts[at - 1]
    assert preempts.first < cliff.first
    assert preempts.all < cliff.all
    before = points[RATES_PER_S.index(preempts.first) - 1]
    assert before.preemptions.high == 0
    assert points[-1].ttft_p99_ms.low > 10 * before.ttft_p99_ms.high
    # Below the cliff the server gives what is asked, but for the last requests of the run, which
    # end after the last arrival; above it no more than it can.
    assert before.tokens_per_s.median == pytest.approx(
        studies.offered_tokens_per_s(before.requests_per_s), rel=0.15
    )
    assert points[-1].tokens_per_s.high < 0.7 * studies.offered_tokens_per_s(RATES_PER_S[-1])


def test_a_larger_pool_preempts_later():
    firsts = [studies.first_preemption(sweep(blocks)).first for blocks in (1_500, 3_000, 6_000)]
    assert firsts == sorted(firsts)
    assert firsts[0] < firsts[-1]
    assert studies.first_preemption(sweep(10_000)).all is None
    assert studies.first_preemption(sweep(studies.POOLS[-1])) == (None, None)


def test_the_whole_machine():
    # 90% of 80 GB less 16 GB of weights, in blocks of 16 x 131,072 B.
    assert studies.machine_blocks() == int((72e9 - 16.06e9) / 2_097_152)


@pytest.mark.parametrize(("rate", "blocks"), [(0.0, 3_000), (-1.0, 3_000), (5.0, 100)])
def test_bad_input_to_a_load(rate, blocks):
    with pytest.raises(ValueError, match=r"above 0|finite|can never fit"):
        under_load(rate, blocks)
