"""What small copies cost: the size of a block, and what starting a copy takes."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from preemption import costs, words
from preemption.costs import Copy, Recompute
from preemption.explorers.on_machine import OnMachine
from preemption.figures.block_sizes import BlockCosts, BlockSizes, OverBlocks, blocks_to_draw
from preemption.page.explorer import Words


class BlockExplorer(OnMachine[BlockCosts]):
    """What small copies cost: change the size of a block, and what starting a copy takes."""

    def __init__(self, **start: Any) -> None:
        kind = type(self)
        super().__init__(
            BlockSizes(),
            [kind.model, kind.device, kind.link],
            beside=[kind.block_tokens, kind.launch_us, kind.tokens],
            start=start,
        )

    def _ask(self) -> BlockCosts:
        here = self._resumed()
        recompute, copy, tokens = here.recompute, here.copy, here.tokens
        whole = replace(copy, layout="block")
        return BlockCosts(
            here=here,
            whole_ms=whole.ms(tokens),
            needed_gb_per_s=costs.crossover_bandwidth_at(recompute, copy, tokens) / 1e9,
            crossover_block_tokens=costs.crossover_block_tokens(recompute, copy, tokens),
            per_layer=_over_blocks(recompute, copy, tokens),
            per_block=_over_blocks(recompute, whole, tokens),
        )

    def _say(self, answer: BlockCosts) -> Words:
        here, copy = answer.here, answer.here.copy
        finding = (
            f"{_crossover(answer.crossover_block_tokens)} With one copy per block of all layers "
            f"swap takes {words.digits(answer.whole_ms)} ms."
        )
        return Words(
            verdict=f"{self._costs(here)} In blocks of "
            f"{words.count(copy.block_tokens, 'token')} a cache is "
            f"{words.count(round(float(copy.copies(here.tokens))), 'copy', 'copies')} of whole "
            f"blocks. {finding}",
            alternative=f"Time to resume {self._here()} over {here.link}. Left, over the size of "
            f"a block: recompute is flat at {words.digits(here.recompute_ms)} ms, swap falls. "
            f"{finding} Right, the link that swapping needs: the smaller the block, the faster.",
            table=self._table(here),
            sources=self._list_sources(here),
        )


def _over_blocks(recompute: Recompute, copy: Copy, tokens: int) -> OverBlocks:
    blocks = blocks_to_draw(costs.least_block_tokens(recompute, copy, tokens))
    needed = costs.crossover_bandwidth_at(recompute, copy, tokens, blocks)
    return OverBlocks(
        blocks, np.asarray(copy.over_blocks_ms(tokens, blocks)), np.asarray(needed) / 1e9
    )


def _crossover(block_tokens: float) -> str:
    if math.isinf(block_tokens):
        return "No block is large enough for swap over this link."
    if block_tokens < 1:
        return "Swap is cheaper with blocks of any size."
    return f"The choice flips at blocks of {words.digits(block_tokens, 3)} tokens."
