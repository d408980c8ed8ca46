"""A run block by block: every block in one place, and what became of each preemption."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from preemption import serving
from preemption.serving import (
    Request,
    RunSettings,
    SchedulerConfig,
    frames_of,
    pauses,
    simulate_plain,
)
from tests.serving.scheduler_loads import random_load

LOG = RunSettings(log=True)
TIGHT = SchedulerConfig(16, 16, 64, 8)
CACHING = replace(TIGHT, enable_prefix_caching=True)


@pytest.mark.parametrize("host_blocks", [0, 1_000])
@pytest.mark.parametrize("caching", [False, True])
def test_every_block_is_in_one_place(caching, host_blocks):
    loading = 0
    for seed in range(40):
        requests, config, how = random_load(
            seed, enable_prefix_caching=caching, host_blocks=host_blocks
        )
        how = replace(how, log=True, resume="recompute" if host_blocks else how.resume)
        found = frames_of(requests, config, how)
        assert (
            tuple(frame.iteration for frame in found) == simulate_plain(requests, config, how).log
        )
        for frame in found:
            decided = frame.iteration.decided
            assert len(frame.owner) == len(frame.left) == config.usable_blocks
            free = [block for block, who in enumerate(frame.owner) if who is None]
            assert sorted(frame.free_queue) == free
            assert len(free) == decided.free_blocks
            assert all(frame.owner[block] is None for block, who in enumerate(frame.left) if who)
            if not caching:
                held = Counter(who for who in frame.owner if who is not None)
                for name in decided.loading:
                    assert held.pop(name) > 0
                    loading += 1
                assert held == frame.iteration.blocks
    assert (loading > 0) == (host_blocks > 0 and not caching)


def test_a_victims_tail_is_overwritten_first():
    found = frames_of(serving.eight(), CACHING, LOG)
    first = next(frame for frame in found if frame.iteration.preempted)
    victim = first.iteration.preempted[0].id
    left = [[block for block, who in enumerate(frame.left) if who == victim] for frame in found]
    shrinking = left[first.iteration.number : first.iteration.number + 12]
    assert shrinking[0]
    for now, then in itertools.pairwise(shrinking):
        assert set(then) <= set(now)
    queue = [block for block in first.free_queue if first.left[block] == victim]
    assert sorted(queue) == sorted(shrinking[0])
    gone = [block for now, then in itertools.pairwise(shrinking)
            for block in queue if block in now and block not in then]  # fmt: skip
    assert gone == queue[: len(gone)]
    assert gone


def test_what_is_left_of_a_common_prefix_is_its_first_requests():
    requests = [
        Request(name, 100.0 * i, 40, 2, prefix_group="g", prefix_tokens=32)
        for i, name in enumerate("ab")
    ]
    last = frames_of(requests, CACHING, LOG)[-1]
    assert {who for who in last.owner if who} == {"b"}
    assert set(last.left) == {None}
    alone = frames_of([*requests, Request("c", 500.0, 5, 1)], CACHING, LOG)[-1]
    assert Counter(alone.left)["a"] == 2


def test_pauses_are_the_stays_and_the_prefills():
    result = simulate_plain(serving.eight(), TIGHT, LOG)
    found = pauses(result.log)
    assert len(found) == result.preemptions == 3
    for pause in found:
        stays = [stay for stay in result.time_line if stay.id == pause.id]
        gaps = [b.admitted_ms - a.left_ms for a, b in itertools.pairwise(stays)]
        assert pytest.approx(pause.waited_ms) in gaps
        back = result.log[pause.resumed_in]
        assert pause.recompute_ms == pytest.approx(back.duration_ms)
        assert pause.copy_ms == 0


def test_a_swap_is_copied_out_and_back_and_nothing_is_computed_again():
    how = replace(LOG, resume="swap", link_gb_per_s=1.0)
    for pause in pauses(simulate_plain(serving.eight(), TIGHT, how).log, how):
        assert pause.recompute_ms == 0
        assert pause.copy_ms > 5


def test_a_load_from_the_host_is_a_part_of_its_own_of_the_pause():
    """In the iterations of the load nobody waits for memory."""
    config, how = replace(TIGHT, host_blocks=100), replace(LOG, link_gb_per_s=1.0)
    result = simulate_plain(serving.eight(), config, how)
    for pause in pauses(result.log, how):
        gaps = [
            b.admitted_ms - a.left_ms
            for a, b in itertools.pairwise(s for s in result.time_line if s.id == pause.id)
        ]
        assert any(pause.waited_ms + pause.copy_ms == pytest.approx(gap) for gap in gaps)
    loaded = sum(load.tokens for each in result.log for load in each.loads)
    assert loaded == result.loaded_tokens > 0
    copy_ms = sum(pause.copy_ms for pause in pauses(result.log, how))
    assert copy_ms == pytest.approx(how.link_ns(loaded) / 1e6)


def test_phases_of_those_that_load_are_pauses():
    log = simulate_plain(serving.eight(), replace(TIGHT, host_blocks=100), LOG).log
    paused = [phase for phase in serving.phases(log) if phase.kind == "paused"]
    for each in log:
        for name in each.decided.loading:
            assert any(p.id == name and p.first <= each.number <= p.last for p in paused)
    assert any(each.decided.loading for each in log)


def test_a_victim_in_chunks_takes_several_iterations():
    config = replace(TIGHT, max_num_batched_tokens=16, max_num_seqs=8)
    result = simulate_plain(serving.eight(), config, LOG)
    pause = max(pauses(result.log), key=lambda pause: pause.recompute_ms)
    assert pause.recompute_ms > 1.5 * result.log[pause.resumed_in].duration_ms


def test_frames_need_the_whole_log():
    with pytest.raises(ValueError, match="log=True, not False"):
        frames_of(serving.eight(), TIGHT)
    with pytest.raises(ValueError, match="can never fit"):
        frames_of([Request(0, 0.0, 400, 1)], TIGHT, LOG)


@pytest.mark.parametrize("resume", ["recompute", "swap"])
def test_phases_say_of_each_request_in_each_iteration_what_it_does(resume):
    for seed in range(30):
        requests, config, how = random_load(seed)
        log = [
            f.iteration for f in frames_of(requests, config, replace(how, log=True, resume=resume))
        ]
        said = {}
        for phase in serving.phases(log):
            assert phase.first <= phase.last
            for number in range(phase.first, phase.last + 1):
                assert (phase.id, number) not in said
                said[phase.id, number] = phase.kind
        gone = set()
        for iteration in log:
            number, running = iteration.number, {row.id for row in iteration.scheduled}
            gone |= {event.id for event in iteration.preempted}
            for name in iteration.decided.waiting:
                assert said.pop((name, number)) == ("paused" if name in gone else "queues")
            for name in running:
                kind = said.pop((name, number))
                assert kind == "runs" or (kind == "recomputes" and name in gone)
        assert said == {}


def test_phases_recompute_as_long_as_pauses_say():
    for caching in (False, True):
        config = CACHING if caching else TIGHT
        log = [frame.iteration for frame in frames_of(serving.eight(), config, LOG)]
        found = [phase for phase in serving.phases(log) if phase.kind == "recomputes"]
        for pause, phase in zip(
            sorted(pauses(log), key=lambda p: p.resumed_in), found, strict=True
        ):
            assert phase.first == pause.resumed_in
            took = sum(each.duration_ms for each in log[phase.first : phase.last + 1])
            assert took == pytest.approx(pause.recompute_ms)
