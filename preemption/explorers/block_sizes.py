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
            span_ms_per_token=self._span(recompute, copy),
            per_layer=_over_blocks(recompute, copy, tokens),
            per_block=_over_blocks(recompute, whole, tokens),
        )

    def _span(self, recompute: Recompute, copy: Copy) -> tuple[float, float]:
        """Return the least and the most ms per token within the settings' range."""
        kind = type(self)
        n = np.array([kind.tokens.low, self.tokens, kind.tokens.high], float)
        dearest = replace(copy, layout="layer", block_tokens=1, launch_us=kind.launch_us.high)
        ways = (recompute, replace(copy, launch_us=0, fixed_ms=0), dearest)
        ms_per_token = np.array([np.asarray(way.ms(n)) / n for way in ways])
        return float(ms_per_token.min()), float(ms_per_token.max())

    def _say(self, answer: BlockCosts) -> Words:
        here, copy = answer.here, answer.here.copy
        crossover = _crossover(answer.crossover_block_tokens)
        per_token = [ms / here.tokens for ms in (here.recompute_ms, answer.whole_ms)]
        whole = "With one copy per block of all layers swap takes"
        return Words(
            verdict=f"{self._costs(here)} In blocks of "
            f"{words.count(copy.block_tokens, 'token')} a cache is "
            f"{words.count(round(float(copy.copies(here.tokens))), 'copy', 'copies')} of whole "
            f"blocks. {crossover} {whole} {words.digits(answer.whole_ms)} ms.",
            alternative=f"{self._event()}, per token, over {here.link}. Left, over the "
            f"size of a block: recompute is flat at {words.digits(per_token[0])} ms, swap falls. "
            f"{crossover} {whole} {words.digits(per_token[1])} ms. Right, the link that swapping "
            f"needs: the smaller the block, the faster.",
            table=self._table(here),
            sources=self._list_sources(here),
        )


def _over_blocks(recompute: Recompute, copy: Copy, tokens: int) -> OverBlocks:
    blocks = blocks_to_draw(costs.least_block_tokens(recompute, copy, tokens))
    needed = costs.crossover_bandwidth_at(recompute, copy, tokens, blocks)
    return OverBlocks(
        blocks, np.asarray(copy.over_blocks_ms(tokens, blocks)) / tokens, np.asarray(needed) / 1e9
    )


def _crossover(block_tokens: float) -> str:
    if math.isinf(block_tokens):
        return "No block is large enough for swap over this link."
    if block_tokens < 1:
        return "Swap is cheaper with blocks of any size."
    return f"The choice flips at blocks of {words.digits(block_tokens, 3)} tokens."
