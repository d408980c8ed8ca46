"""What small copies cost: time to resume, and the link that swapping needs, over block size."""

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes

from preemption import words
from preemption.checks import Array
from preemption.costs import Copy, Recompute, crossover_bandwidth_at, crossover_block_tokens
from preemption.figures import quick, style
from preemption.page import theme

FIRST_BLOCK, LAST_BLOCK = 1, 256
LOW_GB_PER_S, HIGH_GB_PER_S = 0.1, 1000.0
_BLOCKS = np.geomspace(FIRST_BLOCK, LAST_BLOCK, 33)
_STEEP = 1 + np.array([0.0003, 0.003, 0.01, 0.03, 0.06])
_DOTS = (1.5, 1.0)
_MIDDLE_BLOCK, _LINE_PX = 16, 20


class BlockSizes:
    """Recompute, and swap with a copy per layer or per block, for blocks of 1 to 256 tokens."""

    def __init__(self) -> None:
        self.figure = style.figure(860, 350)
        self.by_time = self._panel((0.112, 0.16, 0.433, 0.74), "time to resume (ms)", every=1)
        self.by_link = self._panel((0.645, 0.16, 0.325, 0.74), "break-even link (GB/s)", every=2)
        time, link = panels = self.by_time, self.by_link
        self._limits: tuple[float, ...] = ()

        self.recompute_bands = [quick.Band(axes, theme.RECOMPUTE) for axes in panels]
        self.swap_bands = [quick.Band(axes, theme.SWAP) for axes in panels]
        self.block_lines = [quick.upright(axes) for axes in panels]
        self.recompute = quick.Line(time, theme.RECOMPUTE)
        self.per_layer, self.needed_per_layer = (
            quick.Line(axes, theme.SWAP, dashes=quick.DASHES) for axes in panels
        )
        self.per_block, self.needed_per_block = (
            quick.Line(axes, theme.SWAP, width=2, dashes=_DOTS) for axes in panels
        )
        self.link_line = quick.Line(link, theme.INK, width=1.5)
        self.flip = quick.Points(time, theme.INK, "D", size=10, face=theme.PAPER)
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
        self._flips = quick.Label(time, fontweight="bold", halo=True)
        self._link_name = quick.Label(link, halo=True)
        self._link_name.shift_px = (4, 6)
        self.moving: list[quick.Artist] = [
            self.recompute_bands[0],
            self.swap_bands[0],
            self.block_lines[0],
            self.per_block,
            self.recompute,
            self.per_layer,
            self.flip,
            self.recompute_point,
            self.swap_point,
            self.recompute_bands[1],
            self.swap_bands[1],
            self.block_lines[1],
            self.link_line,
            self.needed_per_block,
            self.needed_per_layer,
            self.needed_point,
            *self._titles,
            self._on_recompute,
            *self._on_layers,
            *self._on_blocks,
            self._flips,
            self._link_name,
        ]

    def show(self, tokens: float, recompute: Recompute, copy: Copy, link: str) -> None:
        """Move all that moves to these settings; the limits of the axes stay.

        `copy` goes over `link`, layer by layer; both layouts are drawn.
        """
        recompute_ms = recompute.ms(tokens)
        layouts = (
            (copy, self.per_layer, self.needed_per_layer, self._on_layers),
            (replace(copy, layout="block"), self.per_block, self.needed_per_block, self._on_blocks),
        )
        for way, times, needed, labels in layouts:
            blocks, times_ms, needed_gb_per_s = over_blocks(tokens, recompute_ms, way)
            times.set_data(blocks, times_ms)
            needed.set_data(blocks, needed_gb_per_s)
            self._name(labels, blocks, times_ms, needed_gb_per_s)
        self.recompute.set_data([FIRST_BLOCK, LAST_BLOCK], [recompute_ms] * 2)
        gb_per_s = copy.bandwidth_bytes_per_s / 1e9
        self.link_line.set_data([FIRST_BLOCK, LAST_BLOCK], [gb_per_s] * 2)
        for line in self.block_lines:
            line.set_data([copy.block_tokens] * 2, [0, 1])
        self.recompute_point.set_data([copy.block_tokens], [recompute_ms])
        self.swap_point.set_data([copy.block_tokens], [copy.ms(tokens)])
        needed_here = crossover_bandwidth_at(recompute, copy, tokens) / 1e9
        self.needed_point.set_data([copy.block_tokens], [needed_here])

        flip = crossover_block_tokens(recompute, copy, tokens)
        self.flip.set_data([flip], [recompute_ms])
        edge = min(max(flip, FIRST_BLOCK), LAST_BLOCK)
        for bands, start, end in (
            (self.recompute_bands, FIRST_BLOCK, edge),
            (self.swap_bands, edge, LAST_BLOCK),
        ):
            for band in bands:
                band.span(start, end)

        self._titles[0].set_text(f"{words.count(tokens, 'token')} over {link}")
        self._titles[1].set_text("the link that swapping needs")
        self._link_name.put(FIRST_BLOCK, gb_per_s, link)
        self._label_flip(flip, recompute_ms)

    def fit(self, tokens: float, recompute: Recompute, copy: Copy) -> bool:
        """Fit the limits of the axes to these settings; return whether they changed."""
        recompute_ms = recompute.ms(tokens)
        both = [
            over_blocks(tokens, recompute_ms, way) for way in (copy, replace(copy, layout="block"))
        ]
        times_ms = np.concatenate([[recompute_ms], *(times_ms for _, times_ms, _ in both)])
        needed = np.concatenate([needed for _, _, needed in both] + [[LOW_GB_PER_S]])
        lowest, _ = style.log_limits(needed[np.isfinite(needed)])
        limits = (*style.log_limits(times_ms, room=3), lowest)
        if limits == self._limits:
            return False
        self._limits = limits
        for axes, low, high in (
            (self.by_time, limits[0], limits[1]),
            (self.by_link, lowest, HIGH_GB_PER_S),
        ):
            axes.set_ylim(low, high)
            axes.set_yticks(style.decades(low, high))
        return True

    def _panel(self, box: tuple[float, float, float, float], ylabel: str, every: int) -> Axes:
        axes = style.panel(self.figure, box, xlabel="block size (tokens)", ylabel=ylabel, log=True)
        axes.set_xlim(FIRST_BLOCK, LAST_BLOCK)
        axes.set_xticks(2.0 ** np.arange(0, 9, every))
        return axes

    def _name(
        self, labels: list[quick.Label], blocks: Array, times_ms: Array, needed_gb_per_s: Array
    ) -> None:
        """Name the curves of one layout: many copies where they fall, few where they end."""
        bottom, top = self.by_link.get_ylim()
        if labels is self._on_layers:
            falls = int(np.argmax(needed_gb_per_s < top / 10))
            late = blocks[falls] > _MIDDLE_BLOCK * 2
            labels[1].set_horizontalalignment("right" if late else "left")
            places = ((4, (8, 6)), (falls, (-10 if late else 10, 4)))
        else:
            places = ((-1, (-10, -_LINE_PX)), (-1, (-10, -_LINE_PX)))
        curves = times_ms, needed_gb_per_s
        for label, curve, (index, shift_px) in zip(labels, curves, places, strict=True):
            label.put(blocks[index], curve[index])
            label.shift_px = shift_px
        labels[1].set_visible(bottom < labels[1].get_position()[1] < top)

    def _label_flip(self, flip: float, recompute_ms: float) -> None:
        early = flip < _MIDDLE_BLOCK
        self._flips.set_visible(FIRST_BLOCK <= flip <= LAST_BLOCK)
        # Right of the crossover the space above the lines is free, left of it the one below.
        self._flips.set_horizontalalignment("left" if early else "right")
        self._flips.shift_px = (10, 10) if early else (-10, -24)
        self._flips.put(flip, recompute_ms, f"flips at {words.digits(flip, 3)} tokens")
        self._on_recompute.put(FIRST_BLOCK * 1.1, recompute_ms)


def over_blocks(tokens: float, recompute_ms: float, copy: Copy) -> tuple[Array, Array, Array]:
    """Return block sizes, ms to copy `tokens` in such blocks, and the break-even link in GB/s.

    The link is infinite where starting the copies alone takes as long as to recompute.
    """
    launches_ms = float(copy.overhead_ms(tokens)) - copy.fixed_ms
    moving_ms = copy.ms(tokens) - launches_ms - copy.fixed_ms
    whole_ms = launches_ms * copy.block_tokens  # in blocks of one token
    blocks, left_ms = _BLOCKS, recompute_ms - copy.fixed_ms
    if left_ms > 0:  # more points where the link rises steeply
        steep = whole_ms / left_ms * _STEEP
        blocks = np.union1d(_BLOCKS, steep[(steep > FIRST_BLOCK) & (steep < LAST_BLOCK)])
    overhead_ms = copy.fixed_ms + whole_ms / blocks
    with np.errstate(divide="ignore"):
        needed = moving_ms * copy.bandwidth_bytes_per_s / 1e9 / (recompute_ms - overhead_ms)
    return (
        blocks,
        overhead_ms + moving_ms,
        np.where(recompute_ms > overhead_ms, needed, np.inf),
    )
