"""The queue of free blocks in segments, against the pool that knows each block."""

import random
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption.serving import CachingPool, Request, SchedulerConfig, Segments, Seq


def test_blocks_that_hold_nothing_go_first_and_then_the_oldest_segment():
    queue = Segments(5)
    queue.give_back(0, full=3, rest=1, free=2)  # three of the five were handed out
    queue.give_back(1, full=2, rest=0, free=6)
    assert (queue.blank, queue.size, list(queue.left.items())) == (3, 8, [(0, 3), (1, 2)])
    assert queue.found(0, 5) == 3
    assert queue.found(0, 4) == 2
    assert queue.found(1, 4) == 2
    assert queue.found(2, 4) == 0
    assert queue.found(0, 2) == 0
    assert queue.found(1, 1) == 1
    queue.take(1)
    assert (queue.blank, queue.size, queue.left) == (0, 0, {})


@pytest.mark.parametrize(("free", "left", "blank"), [(0, {}, 0), (2, {7: 2}, 0), (4, {7: 3}, 1)])
def test_after_a_shortage_only_the_last_victim_is_left(free, left, blank):
    queue = Segments(9)
    queue.give_back(1, full=2, rest=1, free=0)
    queue.only(7, full=3, free=free)
    assert (queue.left, queue.blank, queue.size) == (left, blank, free)


def queue_of(pool):
    """The pool's queue in segments: how many blank blocks, then requests and their blocks."""
    keys = [pool.keys[block] for block in pool.queue]
    blank, segments = keys.count(None), []
    for order, group in groupby((divmod(key, 1 << 32) for key in keys[blank:]), lambda k: k[0]):
        positions = [position for _, position in group]
        assert positions == list(range(len(positions)))[::-1]
        segments.append((order, len(positions)))
    return blank, segments


@given(st.integers(0, 2**32))
def test_it_is_the_queue_of_the_pool(seed):
    rng = random.Random(seed)
    block_size = rng.choice([1, 2, 4])
    pool = CachingPool(SchedulerConfig(block_size, 25, 64, 8, enable_prefix_caching=True))
    segments = Segments(pool.free)
    seqs = [Seq(Request(i, 0, 1, 1000), i) for i in range(6)]
    for seq in seqs:
        seq.tokens = 1000
    running = set()
    for _ in range(60):
        seq = rng.choice(seqs)
        tokens = seq.computed + rng.randint(1, 9)
        if seq not in running:
            found = segments.found(seq.order, pool.free)
            prefix = pool.find(seq)
            assert found == len(prefix.blocks) == prefix.idle
            tokens = prefix.tokens + rng.randint(1, 9)
            if pool.has_room(tokens, prefix, beside_others=False):
                segments.take(seq.order)
                pool.admit(seq, prefix, tokens)
                seq.computed = tokens
                running.add(seq)
        elif rng.random() < 0.3:
            free = pool.free
            pool.release(seq)
            full, rest = divmod(seq.computed, block_size)
            segments.give_back(seq.order, full=full, rest=rest > 0, free=free)
            seq.computed = 0
            running.remove(seq)
        elif pool.grow(seq, tokens):
            seq.computed = tokens
        segments.drop_handed_out(pool.free)
        assert (segments.blank, list(segments.left.items())) == queue_of(pool)
        assert segments.size == pool.free
