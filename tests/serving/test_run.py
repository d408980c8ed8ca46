"""A run on its clock: times, the log of a window, and runs that do not end well."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption import serving
from preemption.serving import (
    Request,
    Run,
    RunSettings,
    Scheduler,
    SchedulerConfig,
    simulate_plain,
)
from tests.serving.scheduler_loads import random_load

SMALL = SchedulerConfig(16, 16, 64, 8)
seeds = st.integers(0, 2**32)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_times_add_up(seed):
    requests, config, how = random_load(seed)
    result = simulate_plain(requests, config, replace(how, log=True))
    assert [log.number for log in result.log] == list(range(result.iterations))
    free = [config.usable_blocks, *(log.end.free_blocks for log in result.log[:-1])]
    assert list(result.pool_use) == [
        (log.start_ns, config.usable_blocks - blocks)
        for log, blocks in zip(result.log, free, strict=True)
    ]
    cost, end = how.cost, 0
    link = how.link_gb_per_s
    for log in result.log:
        assert log.start_ns >= end
        end = log.start_ns + log.duration_ns
        tokens = sum(row.tokens for row in log.scheduled)
        assert log.prefill_tokens + log.decode_tokens == tokens
        copies = [event.computed_tokens for event in log.preempted if event.how == "swap"]
        copies = [] if how.copy_out_in_background else copies
        copies += [row.computed_tokens for row in log.scheduled if row.kind == "resumed"]
        assert log.duration_ns == cost.ns(
            tokens, sum(row.computed_tokens for row in log.scheduled)
        ) + sum(
            round(computed * 131_072 / link) + round(1e3 * how.copy_start_us * -(-computed // 16))
            for computed in copies
        )
    assert result.total_ns == end - requests[0].arrival_ns

    # What the time line and the times per request say is what the log says.
    ends = {log.number: (log.start_ns + log.duration_ns) / 1e6 for log in result.log}
    tokens = {request.id: [] for request in requests}
    for log in result.log:
        for name in log.sampled:
            tokens[name].append(ends[log.number])
    for request in requests:
        first, *_, last = [*tokens[request.id], tokens[request.id][-1]]
        assert result.ttft_ms[request.id] == pytest.approx(first - request.arrival_ms, abs=1e-5)
        if request.output_tokens > 1:
            between = (last - first) / (request.output_tokens - 1)
            assert result.tpot_ms[request.id] == pytest.approx(between, abs=1e-5)
    left = [
        *((event.id, log.start_ms, event.how) for log in result.log for event in log.preempted),
        *((name, ends[log.number], "finished") for log in result.log for name in log.finished),
    ]
    admitted = [
        (row.id, log.start_ms)
        for log in result.log
        for row in log.scheduled
        if row.kind != "running"
    ]
    line = result.time_line
    assert [(stay.id, stay.admitted_ms) for stay in line] == admitted
    assert sorted((stay.id, stay.left_ms, stay.end) for stay in line) == sorted(left)


def test_swap_moves_the_cache_and_waits_for_the_link():
    config = SchedulerConfig(16, 8, 64, 8)
    plain = simulate_plain(serving.two(), config)
    swap = simulate_plain(serving.two(), config, RunSettings(resume="swap", log=True))
    assert (swap.preemptions, swap.recomputed_tokens) == (1, 0)
    assert swap.moved_bytes == 2 * 48 * 131_072
    out = next(log for log in swap.log if log.preempted)
    assert out.duration_ns == 9_700_000 + 84 * 48 + round(48 * 131_072 / 25)
    back = next(
        log for log in swap.log if log.start_ns > out.start_ns and log.decided.waiting == ()
    )
    assert back.scheduled[-1] == (1, 1, 48, "resumed", False)
    assert back.duration_ns == 9_700_000 + 84 * 48 + round(48 * 131_072 / 25)
    quiet = simulate_plain(
        serving.two(), config, RunSettings(resume="swap", copy_out_in_background=True)
    )
    assert swap.total_ns - quiet.total_ns == round(48 * 131_072 / 25)
    none = simulate_plain(serving.two(), config, RunSettings(resume="swap", swap_blocks=2))
    assert none == plain
    assert simulate_plain(
        serving.two(), config, RunSettings(resume="swap", swap_blocks=3)
    ) == replace(swap, log=())


def test_the_log_of_a_window_is_a_part_of_the_whole_log():
    whole = simulate_plain(serving.eight(), SMALL, RunSettings(log=True))
    part = simulate_plain(serving.eight(), SMALL, RunSettings(log=range(10, 25)))
    assert part.log == whole.log[10:25]
    assert len(part.log) == 15
    assert replace(part, log=()) == replace(whole, log=()) == simulate_plain(serving.eight(), SMALL)


def test_a_run_can_be_stepped():
    run = Run(Scheduler(SMALL, RunSettings(log=True)), serving.eight())
    assert run.step()
    assert run.result().iterations == len(run.log) == 1
    assert (run.result().outcome, len(run.result().unfinished)) == ("running", 8)
    while run.step():
        pass
    assert run.result() == simulate_plain(serving.eight(), SMALL, RunSettings(log=True))
    assert not run.step()


# ------------------------------------------------------------------ runs that do not end well


def test_a_request_that_never_fits_stalls_an_unguarded_scheduler():
    """`simulate` refuses it; the scheduler alone stalls, and the run says so."""
    requests = [Request("big", 0, 40, 60), Request("late", 1e6, 1, 1)]
    run = Run(Scheduler(SchedulerConfig(16, 5, 64, 8)), requests)
    while run.step():
        pass
    result = run.result()
    assert (result.outcome, result.unfinished) == ("stalled", ("big", "late"))
    assert result.iterations == 26
    assert result.total_ms < 1000
    assert [stay.end for stay in result.time_line] == ["recompute"]


def test_a_request_that_never_fits_goes_in_circles_if_admitted_by_its_first_chunk():
    config = SchedulerConfig(16, 5, 24, 8, scheduler_reserve_full_isl=False)
    run = Run(Scheduler(config), [Request("big", 0, 40, 60)])
    while run.step():
        pass
    assert run.result().outcome == "endless"
    assert run.result().iterations < 40


def test_two_prefills_that_evict_each_other_for_ever_are_noticed():
    # Each fits alone. The larger cache goes, so each is evicted when it gets ahead.
    config = SchedulerConfig(
        1, 11, 2, 2, long_prefill_token_threshold=1, scheduler_reserve_full_isl=False
    )
    requests = [Request("a", 0, 10, 1), Request("b", 0, 10, 1)]
    result = simulate_plain(requests, config, RunSettings(victim="largest cache"))
    assert (result.outcome, result.unfinished) == ("endless", ("a", "b"))
    late = [*requests, Request("c", 1e12, 1, 1)]
    later = simulate_plain(late, config, RunSettings(victim="largest cache"))
    assert later.outcome == "endless"
    assert later.total_ms > 1e12
    assert later.iterations < 3 * result.iterations
    often = [*requests, *(Request(i, 100 + i, 1, 1) for i in range(200))]
    times = [
        log.start_ns
        for log in simulate_plain(often, config, RunSettings(victim="largest cache", log=True)).log
    ]
    assert times == sorted(times)
    assert simulate_plain(requests, config).outcome == "finished"


def test_a_request_ends_at_max_model_len():
    """`simulate` refuses it; vLLM lets it run until its tokens are that many."""
    run = Run(Scheduler(replace(SMALL, max_model_len=20)), [Request("long", 0, 15, 90)])
    while run.step():
        pass
    assert (run.result().outcome, run.result().generated_tokens) == ("finished", 5)


def test_a_run_that_gets_on_only_in_the_queue_goes_in_no_circles():
    # The running requests are the same again, but what waits in swap space has more computed.
    config = SchedulerConfig(
        *(1, 17, 4, 4),
        policy="priority",
        long_prefill_token_threshold=1,
        scheduler_reserve_full_isl=False,
    )
    sizes = [(2, 1, 0), (9, 3, 2), (12, 3, 0), (9, 1, 0)]
    requests = [Request(i, 0, *size) for i, size in enumerate(sizes)]
    how = RunSettings(victim=lambda running: running[0], resume="swap", swap_blocks=8)
    result = simulate_plain(requests, config, how)
    assert (result.outcome, result.iterations) == ("finished", 33)


def test_a_run_that_gets_on_only_in_what_is_cached_goes_in_no_circles():
    # Who runs and who waits is the same again, but other blocks can be found.
    config = SchedulerConfig(
        *(3, 5, 5, 4),
        policy="priority",
        long_prefill_token_threshold=1,
        scheduler_reserve_full_isl=False,
        enable_prefix_caching=True,
    )
    sizes = [(10, 2, 1), (11, 2, 2), (9, 3, 0), (11, 2, 0)]
    requests = [Request(i, 0, *size) for i, size in enumerate(sizes)]
    result = simulate_plain(requests, config, RunSettings(victim=lambda running: running[0]))
    assert (result.outcome, result.iterations) == ("finished", 69)
