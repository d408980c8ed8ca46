"""Offloading: what is stored and loaded, how long copies take, what is refused."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption.serving import (
    HostPool,
    Link,
    Request,
    Run,
    RunSettings,
    SchedulerConfig,
    scheduler_for,
    simulate,
    simulate_plain,
)
from tests.serving.scheduler_loads import random_load, sharing

SMALL = SchedulerConfig(16, 16, 256, 8, host_blocks=64)
TWO = [Request(0, 0, 96, 40), Request(1, 0, 96, 40)]


def test_a_victim_gets_its_prompt_back_and_computes_what_it_had_generated():
    result = simulate(TWO, SMALL)
    assert (result.preemptions, result.lost_tokens) == (1, 112)
    assert (result.loaded_tokens, result.recomputed_tokens) == (96, 16)
    assert result.moved_tokens == 12 * 16 + 96


def test_with_generated_blocks_too_only_the_partly_filled_one_is_computed_again():
    result = simulate(TWO, replace(SMALL, offload_prompt_only=False))
    assert (result.loaded_tokens, result.recomputed_tokens) == (112, 0)


def test_without_room_on_the_host_nothing_comes_back():
    result = simulate(TWO, replace(SMALL, host_blocks=5))
    assert (result.loaded_tokens, result.recomputed_tokens) == (0, 112)


def test_the_log_says_what_is_stored_and_loaded():
    log = simulate(TWO, SMALL, RunSettings(log=True)).log
    assert [tuple(each) for each in log[0].stores] == [(0, 6, 96), (1, 6, 96)]
    (load,) = [(each, load) for each in log for load in each.loads]
    assert tuple(load[1]) == (1, 6, 96)
    assert load[0].decided.loading == load[0].end.loading == (1,)
    waits, back = log[load[0].number + 1 :][:2]
    assert (waits.scheduled, waits.decided.loading) == ((), (1,))
    assert (back.decided.loading, back.scheduled[-1].computed_tokens) == ((), 96)
    assert sum(bool(each.stores) for each in log) == 1


def test_copies_in_one_direction_follow_one_another():
    link = Link(10)
    assert [link(True, 3, 100), link(True, 1, 100), link(False, 2, 100)] == [130, 140, 120]
    assert link(True, 1, 500) == 510


def test_a_request_alone_waits_for_its_load():
    """The same prompt again, once the pool has overwritten it: nothing else is to be done."""
    common = {"prefix_group": 0, "prefix_tokens": 96}
    requests = [Request(0, 0, 96, 4, **common), Request(2, 10_000, 96, 4, **common)]
    for speed in (1.0, 2.0):
        result = simulate(requests, SMALL, RunSettings(link_gb_per_s=speed, log=True))
        load = next(each for each in result.log if each.arrived == (2,))
        first = next(each for each in result.log if each.scheduled and each.number > load.number)
        assert first.scheduled[0].tokens == 1
        assert first.start_ns - load.start_ns == 96 * 131_072 / speed


def test_the_last_blocks_of_the_request_first_seen_are_dropped_first():
    host = HostPool(4)
    for key, rank in ((10, (2, 0)), (11, (2, -1)), (20, (1, 0)), (21, (1, -1))):
        host.add(key)
        host.give_rank(key, rank)
        host.end_copy(key, load=False)
    host.begin_reading(20)
    assert host.make_room(2, set())
    assert host.slots.keys() == {10, 20}
    assert host.free == [3, 1]
    assert not host.make_room(4, set())
    assert host.slots.keys() == {10, 20}


@pytest.mark.parametrize("seed", range(20))
def test_what_is_dropped_is_what_sorting_all_blocks_would_drop(seed):
    rng, host = random.Random(seed), HostPool(12)
    for key in range(300):
        keep = set(rng.sample(sorted(host.slots), min(2, len(host.slots))))
        droppable = sorted(
            (slot.rank, key)
            for key, slot in host.slots.items()
            if slot.written and not slot.readers and key not in keep
        )
        missing, before = rng.randint(0, 4), host.slots.keys() - ()
        lacking = max(0, missing - (host.size - len(host.slots)))
        dropped = {key for _, key in droppable[:lacking]}
        if made := host.make_room(missing, keep):
            assert before - host.slots.keys() == dropped
        assert made == (len(droppable) >= lacking)
        if len(host.slots) < host.size:
            host.add(key)
            host.give_rank(key, (rng.randrange(6), rng.randrange(6)))
        for key, slot in host.slots.items():
            what = rng.randrange(8)
            if what == 0:
                host.give_rank(key, (rng.randrange(6), rng.randrange(6)))
            elif what == 1 and slot.written:
                host.begin_reading(key)
            elif what < 5 and (slot.readers or not slot.written):
                host.end_copy(key, load=slot.readers > 0)


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_tokens_add_up_and_no_block_is_lost_or_held_twice(seed, caching, prompt_only):
    rng = random.Random(seed)
    requests, config, how = random_load(
        seed,
        enable_prefix_caching=caching,
        host_blocks=rng.choice([1, 5, 20, 200]),
        offload_prompt_only=prompt_only,
    )
    how = replace(how, resume="recompute", log=False, victim=None)
    requests = sharing(rng, requests)
    run = Run(scheduler_for(config, how), requests)
    for _ in range(20_000):
        more = run.step()
        scheduler = run.scheduler
        pool, host = scheduler.pool, scheduler.host
        holders = [*scheduler.running, *scheduler.aside]
        tables = [block for seq in holders for block in seq.table]
        assert all(len(set(seq.table)) == len(seq.table) == seq.blocks for seq in holders)
        assert set(tables).isdisjoint(pool.queue)
        assert len(set(tables)) + len(pool.queue) == config.usable_blocks
        assert pool.free == len(pool.queue)
        used = [slot.number for slot in host.slots.values()] + host.free
        assert sorted(used) == list(range(host.used))
        assert host.used <= config.host_blocks
        if not more:
            break
    result = run.result()
    if result.outcome == "finished":
        longest = config.max_model_len or 10**9
        useful = sum(min(r.prompt_tokens + r.output_tokens, longest) - 1 for r in requests)
        assert result.scheduled_tokens == useful + result.recomputed_tokens - result.skipped_tokens
        assert result.unfinished == ()


def test_what_was_loaded_can_be_found_even_while_its_request_waits_for_more_room():
    waited = 0
    for seed in range(100):
        rng = random.Random(seed)
        requests, config, how = random_load(
            seed, enable_prefix_caching=True, host_blocks=200, offload_prompt_only=False
        )
        how = replace(how, resume="recompute", log=False, victim=None)
        scheduler = scheduler_for(config, how)
        looked_at, loaded, admit = set(), scheduler.loaded, scheduler.admit

        def look_at(seq, prefix, decision, looked_at=looked_at, loaded=loaded, admit=admit):
            admitted = admit(seq, prefix, decision)
            if seq in loaded and not admitted:
                looked_at.add(seq)
            else:
                looked_at.discard(seq)
            return admitted

        scheduler.admit = look_at
        run = Run(scheduler, sharing(rng, requests))
        for _ in range(2_000):
            if not run.step():
                break
            for seq in looked_at.intersection(scheduler.aside, scheduler.loaded):
                waited += 1
                full = seq.table[: seq.computed // config.block_size]
                assert all(scheduler.pool.keys[block] is not None for block in full)
    assert waited > 10


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"host_blocks": -1}, ValueError, "host_blocks"),
        ({"host_blocks": 1.5}, TypeError, "host_blocks"),
        ({"host_blocks": 0, "offload_prompt_only": False}, ValueError, "needs host_blocks"),
        ({"offload_prompt_only": "no"}, TypeError, "offload_prompt_only"),
        ({"async_scheduling": True}, ValueError, "not modelled"),
    ],
)
def test_wrong_settings_are_refused(change, error, says):
    with pytest.raises(error, match=says):
        replace(SMALL, **change)


def test_the_lessons_swap_does_not_go_with_a_host():
    with pytest.raises(ValueError, match="resume 'swap' does not go with host_blocks"):
        simulate_plain(TWO, SMALL, RunSettings(resume="swap"))
