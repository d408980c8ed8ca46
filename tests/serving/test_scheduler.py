"""The scheduler against the rules it states, and what follows from them."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption import serving
from preemption.serving import Run, RunSettings, Scheduler, SchedulerConfig, simulate_plain
from tests.serving.scheduler_audit import Audit
from tests.serving.scheduler_loads import random_load

seeds = st.integers(0, 2**32)


# ------------------------------------------------------------------ the rules, one by one


@pytest.mark.parametrize("threshold", [0, 3])
@settings(max_examples=150, deadline=None)
@given(seeds)
def test_every_decision_keeps_to_the_rules(threshold, seed):
    requests, config, how = random_load(seed, max_model_len=None)
    config = replace(config, long_prefill_token_threshold=threshold)
    result = simulate_plain(requests, config, replace(how, log=True))
    audit = Audit(requests, config, how)
    for log in result.log:
        audit.check(log)

    useful = sum(request.prompt_tokens + request.output_tokens - 1 for request in requests)
    events = [event for log in result.log for event in log.preempted]
    lost = sum(event.computed_tokens for event in events if event.how == "recompute")
    assert (result.lost_tokens, result.preemptions) == (lost, len(events))
    if result.outcome == "finished":
        assert result.unfinished == ()
        assert result.scheduled_tokens - useful == lost == result.recomputed_tokens
        assert result.generated_tokens == sum(request.output_tokens for request in requests)
        assert result.moved_bytes == 131_072 * 2 * sum(
            event.computed_tokens for event in events if event.how == "swap"
        )
    else:
        assert (result.outcome, threshold) == ("endless", 3)


# ------------------------------------------------------------------ what follows from the rules


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_the_oldest_is_never_evicted_under_last_admitted(seed):
    requests, config, how = random_load(seed, policy="fcfs")
    result = simulate_plain(requests, config, replace(how, victim="last admitted", log=True))
    assert result.outcome == "finished"
    for log in result.log:
        alive = [*log.decided.running, *log.decided.waiting]
        assert min(alive, default=None) not in [event.id for event in log.preempted]


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_with_enough_memory_all_rules_and_ways_to_resume_give_the_same_run(seed):
    requests, config, how = random_load(seed)
    size = sum(request.prompt_tokens + request.output_tokens for request in requests)
    config = replace(config, num_gpu_blocks=size + len(requests) + 1, watermark=0.0)
    plain = simulate_plain(requests, config, RunSettings(cost=how.cost, log=True))
    assert plain.preemptions == plain.recomputed_tokens == plain.moved_bytes == 0
    assert simulate_plain(requests, config, replace(how, log=True)) == plain


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_over_an_infinitely_fast_link_no_token_is_computed_twice(seed):
    requests, config, how = random_load(seed)
    how = replace(how, resume="swap", link_gb_per_s=math.inf, copy_start_us=0.0, swap_blocks=None)
    result = simulate_plain(requests, config, how)
    assert (result.outcome, result.recomputed_tokens) == ("finished", 0)
    useful = sum(request.prompt_tokens + request.output_tokens - 1 for request in requests)
    assert result.scheduled_tokens == useful


# ------------------------------------------------------------------ small examples, by hand


def test_two_requests_collide():
    config = SchedulerConfig(16, 8, 64, 8)
    result = simulate_plain(serving.two(), config, RunSettings(log=True))
    assert (result.preemptions, result.recomputed_tokens) == (1, 48)
    assert result.iterations == 63
    log = next(log for log in result.log if log.preempted)
    assert log.preempted[0] == (1, 48, 49, 3, 1, 1, 0, "recompute", 3, 0)
    assert (log.blocks, log.decided.waiting, log.decode_tokens) == ({0: 4}, (1,), 1)
    first = result.log[0]
    assert (first.prefill_tokens, first.duration_ns) == (64, 11_200_000)


def test_cheaper_turns_where_the_copies_cost_what_the_prefill_does():
    # 48 tokens add 47 / 63 of the 1.5 ms between the first two points; in this time 2 x 48 x
    # 131,072 B go over 11.2443 GB/s, or one way over half of it.
    config = SchedulerConfig(16, 8, 64, 8)

    def moved(link, **how):
        how = RunSettings(resume="cheaper", link_gb_per_s=link, **how)
        return simulate_plain(serving.two(), config, how).moved_bytes

    assert moved(11.244) == 0
    assert moved(11.245) == 2 * 48 * 131_072
    assert moved(5.622, copy_out_in_background=True) == 0
    assert moved(5.623, copy_out_in_background=True) == 2 * 48 * 131_072
    # Over an infinite link only starting is left: of 3 x 16 tokens, out and back.
    assert moved(math.inf, copy_start_us=186.5) == 2 * 48 * 131_072
    assert moved(math.inf, copy_start_us=186.6) == 0


def test_a_rule_of_ones_own_sees_the_batch():
    seen = []

    def rule(running):
        seen.append(
            [
                (c.request.id, c.order, c.generated_tokens, c.cached_tokens, c.blocks)
                for c in running
            ]
        )
        return running[0]

    result = simulate_plain(serving.two(), SchedulerConfig(16, 8, 64, 8), RunSettings(victim=rule))
    assert seen[0] == [(0, 0, 17, 48, 3), (1, 1, 17, 48, 3)]
    assert result.preemptions == len(seen)


def test_a_rule_that_returns_nobody_is_refused():
    with pytest.raises(ValueError, match="must return one of the running requests, not None"):
        simulate_plain(
            serving.two(), SchedulerConfig(16, 8, 64, 8), RunSettings(victim=lambda _: None)
        )


def test_a_rule_that_tries_to_sort_what_it_is_given_fails_and_evicts_nobody_else():
    config = SchedulerConfig(16, 8, 64, 8)
    given = []

    def rule(running):
        given.append(running)
        return sorted(running, key=lambda c: -c.order)[0]

    result = simulate_plain(serving.two(), config, RunSettings(victim=rule))
    assert result == simulate_plain(serving.two(), config)
    assert {type(running) for running in given} == {tuple}
    for serve in (simulate_plain, serving.simulate):
        with pytest.raises(AttributeError, match="'tuple' object has no attribute 'sort'"):
            serve(serving.two(), config, RunSettings(victim=lambda running: running.sort()))


def test_a_variation_overrides_one_of_the_two_steps():
    class Impatient(Scheduler):
        """Admits only into an empty batch: static batching."""

        def admit_waiting(self, decision):
            if not self.running:
                super().admit_waiting(decision)

    requests, config = serving.eight(), SchedulerConfig(16, 64, 64, 4)
    run = Run(Impatient(config, RunSettings(log=True)), requests)
    while run.step():
        pass
    result = run.result()
    assert (result.outcome, result.preemptions) == ("finished", 0)
    assert result.total_ns > simulate_plain(requests, config).total_ns
    for log in result.log:
        kinds = {row.kind for row in log.scheduled}
        assert kinds in ({"running"}, {"new"})
