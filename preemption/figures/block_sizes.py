"""What small copies cost: time per token, and the link that swapping needs, over block size."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from preemption import words
from preemption.checks import Array
from preemption.figures import quick, style
from preemption.figures.picture import Flip, Limits, Picture, Resumed, Sides
from preemption.page import theme

FIRST_BLOCK, LAST_BLOCK = 1, 256
LOW_GB_PER_S, HIGH_GB_PER_S = 0.1, 1000.0
_STEEP = 1 + np.array([0.0003, 0.003, 0.01, 0.03, 0.06])
_BLOCKS = np.geomspace(FIRST_BLOCK, LAST_BLOCK, 33)
_DOTS = (1.5, 1.0)
_MIDDLE_BLOCK, _LINE_PX = 16, 20


@dataclass(frozen=True, eq=False)
class OverBlocks:
    """Swap over block sizes in tokens: the time per token, and the link at the crossover."""

    block_tokens: Array
    ms_per_token: Array
    needed_gb_per_s: Array


@dataclass(frozen=True, eq=False)
class BlockCosts:
    """What it takes to resume with the present blocks, and over block sizes.

    `whole_ms` is what swap takes with one copy per block of all layers, `span_ms_per_token` the
    least and the most that a token takes at any number of tokens and start of copies.
    """

    here: Resumed
    whole_ms: float
    needed_gb_per_s: float
    crossover_block_tokens: float
    span_ms_per_token: tuple[float, float]
    per_layer: OverBlocks
    per_block: OverBlocks


def blocks_to_draw(least_block_tokens: float) -> Array:
    """Return sizes to draw the curves at: more of them where the link at the crossover rises."""
    steep = least_block_tokens * _STEEP
    return np.union1d(_BLOCKS, steep[(steep > FIRST_BLOCK) & (steep < LAST_BLOCK)])


class BlockSizes(Picture[BlockCosts]):
    """Recompute, and swap with a copy per layer or per block, for blocks of 1 to 256 tokens.

    No number of tokens and no start of copies moves the limits of the time.
    """

    def __init__(self) -> None:
        super().__init__(860, 350)
        self.by_time = self._panel((0.112, 0.16, 0.433, 0.74), "time per token (ms)", every=1)
        self.by_link = self._panel((0.645, 0.16, 0.325, 0.74), "crossover link (GB/s)", every=2)
        time, link = panels = self.by_time, self.by_link

        self.sides = [Sides(axes) for axes in panels]
        self.block_lines = [quick.upright(axes) for axes in panels]
        self.link_line = quick.Line(link, theme.INK, width=1.5)
        self.per_block, self.needed_per_block = (
            quick.Line(axes, theme.SWAP, width=2, dashes=_DOTS) for axes in panels
        )
        self.recompute = quick.Line(time, theme.RECOMPUTE)
        self.per_layer, self.needed_per_layer = (
            quick.Line(axes, theme.SWAP, dashes=quick.DASHES) for axes in panels
        )
        self.crossover = quick.Points(time, theme.INK, "D", size=10, face=theme.PAPER)
        self.recompute_point = quick.Points(time, theme.RECOMPUTE, "o")
        self.swap_point, self.needed_point = (
            quick.Points(axes, theme.SWAP, "s", size=8) for axes in panels
        )

        self._titles = [quick.title(axes) for axes in panels]
        self._on_recompute = quick.Label(time, "recompute", color=theme.RECOMPUTE_TEXT, halo=True)
        self._on_recompute.shift_px = (0, 8)
        self._on_layers = [
            quick.Label(axes, text, color=theme.SWAP_TEXT, halo=True)
            for axes, text in zip(
                panels, ("swap, a copy per layer", "a copy per layer"), strict=True
            )
        ]
        self._on_blocks = [
            quick.Label(axes, text, color=theme.SWAP_TEXT, ha="right", halo=True)
            for axes, text in zip(
                panels, ("swap, a copy per block", "a copy per block"), strict=True
            )
        ]
        self._flips = Flip(time, "tokens", middle=_MIDDLE_BLOCK)
        self._link_name = quick.Label(link, halo=True)
        self._link_name.shift_px = (4, 6)

    def show(self, answer: BlockCosts) -> None:
        """Move all that moves; the limits of the axes stay."""
        here, tokens = answer.here.copy.block_tokens, answer.here.tokens
        recompute, swap = answer.here.recompute_ms / tokens, answer.here.swap_ms / tokens
        for over, times, needed in (
            (answer.per_layer, self.per_layer, self.needed_per_layer),
            (answer.per_block, self.per_block, self.needed_per_block),
        ):
            times.set_data(over.block_tokens, over.ms_per_token)
            needed.set_data(over.block_tokens, over.needed_gb_per_s)
        self.recompute.set_data([FIRST_BLOCK, LAST_BLOCK], [recompute] * 2)
        gb_per_s = answer.here.copy.bandwidth_bytes_per_s / 1e9
        self.link_line.set_data([FIRST_BLOCK, LAST_BLOCK], [gb_per_s] * 2)
        for line in self.block_lines:
            line.set_data([here] * 2, [0, 1])
        self.recompute_point.set_data([here], [recompute])
        self.swap_point.set_data([here], [swap])
        self.needed_point.set_data([here], [answer.needed_gb_per_s])

        flip = answer.crossover_block_tokens
        self.crossover.set_data([flip], [recompute])
        for sides in self.sides:
            sides.part(flip)
        self._flips.mark(flip, recompute)
        self._flips.set_visible(FIRST_BLOCK <= flip <= LAST_BLOCK)

        self._titles[0].set_text(f"{words.count(tokens, 'token')} over {answer.here.link}")
        self._titles[1].set_text("the link that swapping needs")
        self._link_name.put(FIRST_BLOCK, gb_per_s, answer.here.link)
        self._on_recompute.put(FIRST_BLOCK * 1.1, recompute)
        self._name_layers(answer.per_layer)
        self._name_blocks(answer.per_block)

    def _limits(self, answer: BlockCosts) -> Limits:
        both = answer.per_layer, answer.per_block
        needed = np.concatenate([[LOW_GB_PER_S], *(over.needed_gb_per_s for over in both)])
        lowest, _ = style.log_limits(needed[np.isfinite(needed)])
        return (*style.log_limits(np.array(answer.span_ms_per_token), room=3), lowest)

    def _set_limits(self, bottom: float, top: float, lowest: float) -> None:
        style.log_y(self.by_time, bottom, top)
        style.log_y(self.by_link, lowest, HIGH_GB_PER_S)

    def _panel(self, box: tuple[float, float, float, float], ylabel: str, every: int) -> Axes:
        axes = style.panel(self.figure, box, xlabel="block size (tokens)", ylabel=ylabel, log=True)
        axes.set_xlim(FIRST_BLOCK, LAST_BLOCK)
        axes.set_xticks(2.0 ** np.arange(0, 9, every))
        return axes

    def _name_layers(self, over: OverBlocks) -> None:
        """Name the curves of many copies where they fall."""
        _, top = self.by_link.get_ylim()
        falls = int(np.argmax(over.needed_gb_per_s < top / 10))
        late = over.block_tokens[falls] > _MIDDLE_BLOCK * 2
        on_time, on_link = self._on_layers
        on_time.put(over.block_tokens[4], over.ms_per_token[4])
        on_time.shift_px = (8, 6)
        on_link.set_horizontalalignment("right" if late else "left")
        on_link.shift_px = (-10 if late else 10, 4)
        self._name_link(on_link, over, falls)

    def _name_blocks(self, over: OverBlocks) -> None:
        """Name the curves of few copies where they end."""
        on_time, on_link = self._on_blocks
        on_time.put(over.block_tokens[-1], over.ms_per_token[-1])
        on_time.shift_px = on_link.shift_px = (-10, -_LINE_PX)
        self._name_link(on_link, over, -1)

    def _name_link(self, label: quick.Label, over: OverBlocks, at: int) -> None:
        bottom, top = self.by_link.get_ylim()
        label.put(over.block_tokens[at], over.needed_gb_per_s[at])
        label.set_visible(bottom < over.needed_gb_per_s[at] < top)
