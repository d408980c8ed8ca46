"""The pool of blocks: growing, giving back, and the room that an admission needs."""

from hypothesis import given
from hypothesis import strategies as st

from preemption.serving import BlockPool, Request, SchedulerConfig, Seq


def pool_of(blocks, **settings):
    return BlockPool(SchedulerConfig(16, blocks + 1, 64, 8, **settings))


def seqs(count):
    return [Seq(Request(i, 0, 100, 100), i) for i in range(count)]


def test_the_null_block_is_never_handed_out():
    pool, (seq,) = pool_of(3), seqs(1)
    assert pool.free == 3
    assert not pool.grow(seq, 49)
    assert pool.grow(seq, 48)
    assert (pool.free, seq.blocks) == (0, 3)


def test_growing_gives_all_that_is_needed_or_nothing():
    pool, (first, second) = pool_of(5), seqs(2)
    assert pool.grow(first, 17)
    assert (first.blocks, pool.free) == (2, 3)
    assert pool.grow(first, 32)
    assert (first.blocks, pool.free) == (2, 3)
    assert not pool.grow(second, 49)
    assert (second.blocks, pool.free) == (0, 3)
    pool.release(first)
    assert (first.blocks, pool.free) == (0, 5)
    assert pool.grow(second, 49)


def test_an_admission_leaves_the_watermark_free_beside_others():
    pool = pool_of(19, watermark=0.15)  # int(0.15 * 20) blocks
    nothing = pool.find(seqs(1)[0])
    assert (nothing.blocks, nothing.tokens, nothing.idle) == ((), 0, 0)
    assert pool.has_room(16 * 19, nothing, beside_others=False)
    assert not pool.has_room(16 * 19 + 1, nothing, beside_others=False)
    assert pool.has_room(16 * 16, nothing, beside_others=True)
    assert not pool.has_room(16 * 16 + 1, nothing, beside_others=True)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 200)), max_size=60))
def test_no_block_is_lost_or_held_twice(steps):
    pool, requests = pool_of(20), seqs(4)
    for i, tokens in steps:
        seq, before = requests[i], (requests[i].blocks, pool.free)
        if tokens == 0:
            pool.release(seq)
        elif not pool.grow(seq, tokens):
            assert (seq.blocks, pool.free) == before
            assert pool.blocks_for(tokens) - seq.blocks > pool.free
        else:
            assert seq.blocks == max(before[0], pool.blocks_for(tokens))
        assert pool.free >= 0
        assert pool.free + sum(each.blocks for each in requests) == 20
