"""The attention map has a cell for each pair that attends, and a point for each output."""

import re

import pytest

from preemption import AttentionExplorer, attention
from tests.explorers.reading import MAX_BYTES, corners, data, page


@pytest.mark.parametrize("size", range(1, 17))
def test_a_cell_for_each_pair_that_attends_and_a_point_for_each_output(use, size):
    explorer = use(AttentionExplorer, chunk=size)
    drawn = {True: set(), False: set()}
    for same_chunk, boxes in ((True, explorer.picture.computed), (False, explorer.picture.cached)):
        for x, y, *_ in corners(boxes):
            drawn[same_chunk].add((int(y + 0.5), int(x + 0.5)))
    assert drawn[True] | drawn[False] == {(i, j) for i in range(1, 17) for j in range(1, i + 1)}
    assert not drawn[True] & drawn[False]
    assert all((i - 1) // size == (j - 1) // size for i, j in drawn[True])
    assert all((i - 1) // size > (j - 1) // size for i, j in drawn[False])

    right, wrong = data(explorer.picture.right), data(explorer.picture.wrong)
    assert right[:, 1].max() < 1e-12
    assert (wrong[:size, 1] < 1e-12).all()
    assert (wrong[size:, 1] > 0.1).all()
    assert f"With each chunk alone {16 - size} of 16 outputs change" in explorer.verdict
    assert "are equal to those of one pass" in explorer.verdict
    in_one_pass, in_chunks, alone = re.findall(r"pe-number\">(-?\d[^<]+)<", page(explorer))
    assert in_one_pass == in_chunks
    assert (alone == in_chunks) == (size == 16)
    assert len(page(explorer).encode()) < MAX_BYTES


def test_a_cache_that_differs_would_be_told(use, monkeypatch):
    def off(layer, tokens, _chunks):
        outputs, cache = attention.forward(layer, tokens)
        return outputs, attention.KVCache(cache.keys + 1e-9, cache.values)

    explorer = use(AttentionExplorer)
    monkeypatch.setattr(attention, "prefill", off)
    explorer.chunk = 4
    assert "are other than those of one pass" in explorer.verdict
