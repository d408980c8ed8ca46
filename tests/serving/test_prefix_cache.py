"""The pool whose free blocks can be found again: who holds what, which block goes next."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption import serving
from preemption.serving import (
    CachingPool,
    Request,
    Run,
    RunSettings,
    Scheduler,
    SchedulerConfig,
    Seq,
    simulate_plain,
)
from tests.serving.scheduler_loads import random_load, sharing

seeds = st.integers(0, 2**32)


def pool_of(blocks, **settings):
    return CachingPool(
        SchedulerConfig(4, blocks + 1, 64, 8, enable_prefix_caching=True, **settings)
    )


def seq_of(order, prompt=40, **prefix):
    return Seq(Request(order, 0, prompt, 40, **prefix), order)


def fill(pool, seq, tokens):
    """Let a request grow, and compute what it has."""
    assert pool.grow(seq, tokens)
    seq.computed = tokens


def drop(pool, seq):
    released = pool.release(seq)
    seq.computed = 0
    return released


# ------------------------------------------------------------------ the pool, by hand


def test_blocks_are_handed_out_from_the_front():
    pool, seq = pool_of(5), seq_of(0)
    fill(pool, seq, 9)
    assert seq.table == [1, 2, 3]
    assert list(pool.queue) == [4, 5]
    assert [pool.keys[block] is not None for block in range(6)] == [False, True, True, *[False] * 3]


def test_what_is_given_back_goes_tail_first_to_the_end_and_the_rest_block_to_the_front():
    pool, seq = pool_of(5), seq_of(0)
    fill(pool, seq, 9)
    assert drop(pool, seq) == (3, 3, 2)
    assert list(pool.queue) == [3, 4, 5, 2, 1]
    assert (seq.table, seq.blocks, seq.keyed) == ([], 0, 0)


def test_what_is_given_back_first_goes_first():
    pool, old, young = pool_of(6), seq_of(0), seq_of(1)
    fill(pool, old, 8)
    fill(pool, young, 8)
    drop(pool, young)
    drop(pool, old)
    assert list(pool.queue) == [5, 6, 4, 3, 2, 1]
    other = seq_of(2)
    fill(pool, other, 13)
    assert other.table == [5, 6, 4, 3]
    assert pool.overwritten == [4, 3]
    assert pool.find(young).blocks == ()
    assert pool.find(old).blocks == (1, 2)


def test_a_victim_finds_what_is_left_from_its_first_block_on():
    pool, seq = pool_of(4), seq_of(0)
    fill(pool, seq, 16)
    seq.tokens = 17
    drop(pool, seq)
    assert pool.find(seq) == ((1, 2, 3, 4), 16, 4, ())
    fill(pool, seq_of(1), 1)
    assert pool.overwritten == [4]
    assert pool.find(seq) == ((1, 2, 3), 12, 3, ())


def test_the_last_known_token_is_always_computed_again():
    pool, seq = pool_of(4), seq_of(0, prompt=8)
    fill(pool, seq, 8)
    drop(pool, seq)
    assert pool.find(seq).tokens == 4
    seq.tokens = 9
    assert pool.find(seq).tokens == 8


def test_a_common_prefix_is_shared_and_the_block_behind_it_is_not():
    pool = pool_of(8)
    first, second = (seq_of(i, prefix_group="a", prefix_tokens=10) for i in range(2))
    fill(pool, first, 16)
    prefix = pool.find(second)
    assert prefix == ((1, 2), 8, 0, ())
    pool.admit(second, prefix, 13)
    assert second.table == [1, 2, 5, 6]
    assert [pool.holders[block] for block in (1, 2, 3, 5)] == [2, 2, 1, 1]
    second.computed = 13
    assert drop(pool, second) == (4, 2, 3)
    assert list(pool.queue) == [6, 7, 8, 5]
    others = seq_of(2, prefix_group="b", prefix_tokens=10), seq_of(3)
    assert [pool.find(other).tokens for other in others] == [0, 0]


def test_a_shorter_common_prefix_shares_fewer_blocks():
    pool = pool_of(8)
    fill(pool, seq_of(0, prefix_group=1, prefix_tokens=12), 16)
    assert pool.find(seq_of(1, prefix_group=1, prefix_tokens=11)).tokens == 8
    assert pool.find(seq_of(2, prefix_group=1, prefix_tokens=40)).tokens == 12


def test_the_block_that_got_a_key_first_is_used():
    pool = pool_of(8)
    first, second, third = (seq_of(i, prompt=8, prefix_group=0, prefix_tokens=8) for i in range(3))
    for seq in (first, second):
        pool.admit(seq, pool.find(seq), 8)
        seq.computed = 8
    assert (first.table, second.table) == ([1, 2], [1, 3])  # the second computes its last block
    third.tokens = 9
    assert pool.find(third).blocks == (1, 2)
    drop(pool, first)
    assert pool.find(third).blocks == (1, 2)
    assert pool.find(third).idle == 1


def test_idle_blocks_count_as_needed():
    pool, seq = pool_of(4), seq_of(0)
    fill(pool, seq, 12)
    drop(pool, seq)
    fill(pool, seq_of(1), 2)
    prefix = pool.find(seq)
    assert (prefix.tokens, prefix.idle, pool.free) == (12, 3, 3)
    assert pool.has_room(12, prefix, beside_others=True)
    assert not pool.has_room(13, prefix, beside_others=True)


def test_a_cache_in_swap_space_is_not_looked_up():
    pool, seq = pool_of(4), seq_of(0)
    fill(pool, seq, 12)
    pool.release(seq)
    assert pool.find(seq).tokens == 0


def test_keys_of_a_turn_that_was_taken_away_are_found_though_never_computed():
    """The defect of vLLM that `p17_priority_phantom` shows."""
    pool, seq = pool_of(4), seq_of(0)
    fill(pool, seq, 6)
    assert pool.grow(seq, 16)
    drop(pool, seq)
    assert pool.find(seq) == ((1, 2, 3, 4), 16, 4, (2, 3, 4))
    fill(pool, seq_of(1), 1)
    assert pool.find(seq).never_computed == (2, 3)


# ------------------------------------------------------------------ properties


def load_of(seed, **given):
    rng = random.Random(seed)
    requests, config, how = random_load(seed, enable_prefix_caching=True, **given)
    if rng.random() < 0.4 and config.enable_chunked_prefill:
        config = replace(config, long_prefill_token_threshold=rng.randint(1, 5), max_model_len=None)
    return sharing(rng, requests) if rng.random() < 0.6 else requests, config, how


def check_pool(scheduler):
    """References and keys are conserved, and every block is in exactly one place."""
    pool = scheduler.pool
    tables = [seq.table for seq in scheduler.running]
    held = Counter(block for table in tables for block in table)
    assert all(len(set(table)) == len(table) for table in tables)
    assert [held[block] for block in range(len(pool.holders))] == pool.holders
    assert sorted([*held, *pool.queue]) == list(range(1, len(pool.holders)))
    assert pool.free == len(pool.queue)
    keyed = {block: key for block, key in enumerate(pool.keys) if key is not None}
    assert keyed == {block: key for key, same in pool.index.items() for block in same}
    assert sum(map(len, pool.index.values())) == len(keyed)
    assert pool.never_computed <= keyed.keys()
    # Blocks that nobody can find are handed out first.
    findable = [pool.keys[block] is not None for block in pool.queue]
    assert findable == sorted(findable)
    for seq in scheduler.running:
        assert seq.blocks == len(seq.table) == pool.blocks_for(seq.computed)
        assert seq.keyed == seq.computed // pool.block_size
        keys = [*pool.keys_of(seq, 0, seq.keyed)]
        assert [pool.keys[block] for block in seq.table] == keys + [None] * (
            len(seq.table) - seq.keyed
        )
    assert all(seq.table == [] for _, seq in scheduler.waiting)


def give_back(queue, table, full, held_by_others):
    """The queue after a request has given its blocks back, stated anew."""
    own = [block for block in table if block not in held_by_others]
    ends = [block for block in own if table.index(block) < full]
    return [*(block for block in own if block not in ends), *queue, *reversed(ends)]


class Checked(Scheduler):
    """Checks the pool around every change, and what each block holds."""

    def __init__(self, *given):
        super().__init__(*given)
        self.written = {}  # block -> key of what was computed into it

    def preempt(self, seq, asker, n, decision):
        pool = self.pool
        others = {b for each in self.running if each is not seq for b in each.table}
        expected = give_back(list(pool.queue), list(seq.table), seq.keyed, others)
        super().preempt(seq, asker, n, decision)
        assert list(pool.queue) == expected

    def schedule(self):
        decision = super().schedule()
        for seq, prefix in decision.admitted.items():
            assert seq.table[: len(prefix.blocks)] == list(prefix.blocks)
        return decision

    def update(self, decision):
        pool, tables = self.pool, {seq: list(seq.table) for seq in decision.scheduled}
        expected = list(pool.queue)
        for seq, n in decision.scheduled.items():
            first, done = seq.computed, seq.computed + n
            if seq in decision.admitted and not decision.admitted[seq].blocks:
                first = 0  # also what is copied back from swap space is written
            full = slice(first // pool.block_size, done // pool.block_size)
            keys = pool.keys_of(seq, full.start, full.stop)
            self.written.update(zip(seq.table[full], keys, strict=True))
        for seq, prefix in decision.admitted.items():
            keys = pool.keys_of(seq, 0, len(prefix.blocks))
            for block, key in zip(prefix.blocks, keys, strict=True):
                good = self.written.get(block) == key
                assert good != (block in prefix.never_computed)
        super().update(decision)
        for i, seq in enumerate(decision.finished):
            others = [*self.running, *decision.finished[i + 1 :]]
            held = {b for each in others for b in tables.get(each, each.table)}
            full = (seq.tokens - 1) // pool.block_size
            expected = give_back(expected, tables[seq], full, held)
        assert list(pool.queue) == expected
        check_pool(self)


@settings(max_examples=300)
@given(seeds)
def test_every_block_is_in_one_place_and_holds_what_its_key_says(seed):
    requests, config, how = load_of(seed)
    run = Run(Checked(config, how), requests)
    while run.step():
        pass
    if run.outcome == "finished":
        assert run.scheduler.pool.free == config.usable_blocks


@settings(max_examples=300)
@given(seeds)
def test_scheduled_is_useful_plus_recomputed_less_skipped(seed):
    requests, config, how = load_of(seed)
    result = simulate_plain(requests, config, how)
    assert min(result.lost_tokens, result.found_tokens, result.skipped_tokens) >= 0
    assert result.recomputed_tokens <= result.lost_tokens
    if result.outcome == "finished":
        useful = sum(r.prompt_tokens + r.output_tokens - 1 for r in requests)
        saved = result.skipped_tokens - result.recomputed_tokens
        assert result.scheduled_tokens == useful - saved
        assert result.lost_tokens + result.skipped_tokens == (
            result.recomputed_tokens + result.found_tokens
        )
    else:
        assert config.long_prefill_token_threshold


def test_the_random_loads_find_and_lose_enough():
    seen = Counter()
    for seed in range(300):
        requests, config, how = load_of(seed)
        result = simulate_plain(requests, config, how)
        seen["finds"] += result.found_tokens > 0
        seen["recomputes"] += 0 < result.recomputed_tokens < result.lost_tokens
        seen["skips"] += result.skipped_tokens > 0
        seen["swaps"] += result.moved_tokens > 0
    assert min(seen.values()) > 20


@settings(max_examples=100)
@given(seeds)
def test_under_fcfs_and_vllms_victim_nothing_is_found_that_was_never_computed(seed):
    requests, config, how = load_of(seed, policy="fcfs")
    run = Run(Scheduler(config, replace(how, victim=None)), requests)
    while run.step():
        assert not run.scheduler.pool.never_computed


@settings(max_examples=60)
@given(seeds)
def test_with_enough_memory_and_distinct_prompts_caching_changes_nothing(seed):
    requests, config, how = random_load(seed)
    size = sum(request.prompt_tokens + request.output_tokens for request in requests)
    config = replace(config, num_gpu_blocks=size + len(requests) + 1, watermark=0.0)
    caching = replace(config, enable_prefix_caching=True)
    assert simulate_plain(requests, caching, how) == simulate_plain(requests, config, how)


def test_without_caching_a_prefix_means_nothing():
    rng = random.Random(1)
    for seed in range(50):
        requests, config, how = random_load(seed)
        ours, plain = (
            replace(simulate_plain(load, config, how), requests=())
            for load in (sharing(rng, requests), requests)
        )
        assert ours == plain


def test_caching_saves_work_after_a_preemption():
    config = SchedulerConfig(16, 8, 64, 8)
    plain = simulate_plain(serving.two(), config)
    caching = simulate_plain(
        serving.two(), replace(config, enable_prefix_caching=True), RunSettings(log=True)
    )
    assert (plain.lost_tokens, plain.recomputed_tokens, plain.found_tokens) == (48, 48, 0)
    assert (caching.lost_tokens, caching.recomputed_tokens, caching.found_tokens) == (48, 16, 32)
    (found,) = [each for iteration in caching.log for each in iteration.found]
    assert found == (1, 32, (3, 4))
    assert sum(len(iteration.overwritten) for iteration in caching.log) == 3


def test_a_run_in_circles_is_noticed_with_caching_too():
    config = SchedulerConfig(
        1,
        11,
        2,
        2,
        long_prefill_token_threshold=1,
        scheduler_reserve_full_isl=False,
        enable_prefix_caching=True,
    )
    requests = [Request("a", 0, 10, 1), Request("b", 0, 10, 1)]
    result = simulate_plain(requests, config, RunSettings(victim="largest cache"))
    assert result.outcome in ("finished", "endless")
    assert result.iterations < 1000


@pytest.mark.parametrize("serve", [simulate_plain, serving.simulate])
def test_both_take_a_common_prefix(serve):
    requests = [Request(i, 0, 40, 5, prefix_group="system", prefix_tokens=32) for i in range(4)]
    config = SchedulerConfig(16, 40, 256, 8, enable_prefix_caching=True)
    result = serve(requests, config)
    assert (result.found_tokens, result.skipped_tokens, result.recomputed_tokens) == (96, 96, 0)
