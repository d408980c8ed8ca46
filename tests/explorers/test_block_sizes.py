"""The curves over block sizes are the model's data."""

import numpy as np
import pytest

from preemption import costs, words
from preemption.costs import Copy
from tests.explorers.machines import DEEPSEEK, data, name, vars_of


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"block_tokens": 1},
        {"launch_us": 0},
        {"launch_us": 50, "tokens": 1},
        {"tokens": 1_000_000, "block_tokens": 256},
        {"model": "Qwen3-0.6B", "device": "MI300X", "link": "NVMe (PCIe 4.0 x4)"},
        DEEPSEEK,
    ],
    ids=name,
)
def test_the_block_curves_are_the_models(use, settings):
    explorer = use("blocks", settings)
    drawn, recompute, copy, tokens = (
        explorer.picture,
        explorer.recompute,
        explorer.copy,
        explorer.tokens,
    )
    assert data(drawn.recompute)[1].tolist() == [recompute.ms(tokens) / tokens] * 2
    for layout, times, needed in (
        ("layer", drawn.per_layer, drawn.needed_per_layer),
        ("block", drawn.per_block, drawn.needed_per_block),
    ):
        blocks, ms = data(times)
        assert (blocks[0], blocks[-1]) == (1, 256)
        for block, found, link in zip(blocks[::4], ms[::4], data(needed)[1][::4], strict=True):
            way = Copy(**(vars_of(copy) | {"block_tokens": float(block), "layout": layout}))
            assert found == pytest.approx(way.ms(tokens) / tokens)
            expected = costs.crossover_bandwidth_at(recompute, way, tokens) / 1e9
            assert link == pytest.approx(expected, rel=1e-6)
    assert [values.tolist() for values in data(drawn.swap_point)] == [
        [copy.block_tokens],
        [copy.ms(tokens) / tokens],
    ]
    copies = words.count(round(copy.copies(tokens)), "copy", "copies")
    assert f"a cache is {copies} of whole blocks." in explorer.verdict
    flip = costs.crossover_block_tokens(recompute, copy, tokens)
    assert data(drawn.crossover)[0].tolist() == [flip]
    if 1 <= flip < np.inf:
        assert f"flips at blocks of {words.digits(flip, 3)} tokens" in explorer.verdict
    elif flip < 1:
        assert "Swap is cheaper with blocks of any size." in explorer.verdict
    else:
        assert "No block is large enough" in explorer.verdict
