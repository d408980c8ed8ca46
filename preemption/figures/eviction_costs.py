"""The two costs of resuming a victim: over the bandwidth of the link, and over its tokens."""

from dataclasses import dataclass

import numpy as np

from preemption import words
from preemption.checks import Array
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.figures.picture import Flip, Picture, Sides
from preemption.page import theme

LOW_GB_PER_S, HIGH_GB_PER_S = 0.1, 1000.0
# The ends of the axis, and between them where the name of swap may stand.
LINKS_GB_PER_S = np.array([LOW_GB_PER_S, 1.0, 100.0, HIGH_GB_PER_S])
MOST_TOKENS = 131_072
_MIDDLE_GB_PER_S = 10.0
# Wide enough for all that the controls can ask for, so that the frame stands still.
_LOW_MS, _HIGH_MS = 1e-4, 1e7
_TOKENS = np.array([1.0, MOST_TOKENS])


@dataclass(frozen=True, eq=False)
class EvictionCosts:
    """Both costs of resuming `tokens` tokens: here, over `LINKS_GB_PER_S`, and per token."""

    tokens: int
    bandwidth_gb_per_s: float
    recompute_ms_per_token: float
    swap_ms_per_token: float
    recompute_ms: float
    swap_ms: float
    swap_over_links_ms: Array
    crossover_gb_per_s: float


class CostCurves(Picture[EvictionCosts]):
    """Both cost curves in two panels, with the crossover, the present point and guesses.

    All axes are logarithmic and every line is straight, so two points draw it. Both panels have
    the same scale of time: what is the same cost stands at the same height.
    """

    def __init__(self) -> None:
        super().__init__(860, 400)
        self.by_link = style.panel(
            self.figure,
            (0.118, 0.13, 0.412, 0.79),
            xlabel="link bandwidth (GB/s)",
            ylabel="cost of the eviction (ms)",
            log=True,
        )
        self.by_tokens = style.panel(
            self.figure,
            (0.62, 0.13, 0.35, 0.79),
            xlabel="cached tokens of the victim",
            log=True,
        )
        link, tokens = self.by_link, self.by_tokens
        link.set_xlim(LOW_GB_PER_S, HIGH_GB_PER_S)
        tokens.set_xlim(*_TOKENS)
        tokens.set_xticks([1, 100, 10_000])
        for axes in (link, tokens):
            axes.set_ylim(_LOW_MS, _HIGH_MS)
            axes.set_yticks(style.decades(_LOW_MS, _HIGH_MS)[1::2])
        self.guesses = Guesses(link, "GB/s", middle=_MIDDLE_GB_PER_S)

        self.sides = Sides(link)
        self.bandwidth_line = quick.upright(link)
        self.recompute_by_link = quick.Line(link, theme.RECOMPUTE)
        self.swap_by_link = quick.Line(link, theme.SWAP, dashes=quick.DASHES)
        self.recompute_by_tokens = quick.Line(tokens, theme.RECOMPUTE)
        self.swap_by_tokens = quick.Line(tokens, theme.SWAP, dashes=quick.DASHES)
        self.crossover = quick.Points(link, theme.INK, "D", size=10, face=theme.PAPER)
        panels = (link, tokens)
        self.recompute_points = [quick.Points(axes, theme.RECOMPUTE, "o") for axes in panels]
        self.swap_points = [quick.Points(axes, theme.SWAP, "s", size=8) for axes in panels]

        self._titles = [quick.title(axes) for axes in panels]
        self._spans = [
            quick.Label(
                link, "recompute cheaper", place="axes", color=theme.RECOMPUTE_TEXT, halo=True
            ),
            quick.Label(
                link, "swap cheaper", place="axes", color=theme.SWAP_TEXT, ha="right", halo=True
            ),
        ]
        for label, x in zip(self._spans, (0.02, 0.98), strict=True):
            label.put(x, 0.93)
        self._flips = Flip(
            link, "GB/s", middle=_MIDDLE_GB_PER_S, away_px=12, fontsize=style.TITLE_PX
        )
        self._on_recompute = quick.Label(link, "recompute", color=theme.RECOMPUTE_TEXT)
        self._on_recompute.shift_px = (0, 7)
        self._on_swap = quick.Label(link, "swap, out and back", color=theme.SWAP_TEXT, halo=True)
        self._on_swap.shift_px = (8, 4)
        self.tokens_line = quick.upright(tokens)
        self._over = [
            quick.Label(tokens, "recompute", color=theme.RECOMPUTE_TEXT, ha="right", halo=True),
            quick.Label(tokens, "swap", color=theme.SWAP_TEXT, ha="right", halo=True),
        ]
        self._parallel = quick.Label(tokens, place="axes", color=theme.MUTED, halo=True)
        self._parallel.put(0.03, 0.04)

    def show(self, answer: EvictionCosts) -> None:
        """Move all that moves; the limits of the axes stay."""
        recompute, crossover = answer.recompute_ms, answer.crossover_gb_per_s
        here = answer.bandwidth_gb_per_s
        self.recompute_by_link.set_data(LINKS_GB_PER_S[[0, -1]], [recompute, recompute])
        self.swap_by_link.set_data(LINKS_GB_PER_S[[0, -1]], answer.swap_over_links_ms[[0, -1]])
        self.bandwidth_line.set_data([here, here], [0, 1])
        self.crossover.set_data([crossover], [recompute])
        for points, cost_ms in (
            (self.recompute_points, recompute),
            (self.swap_points, answer.swap_ms),
        ):
            for point, x in zip(points, (here, answer.tokens), strict=True):
                point.set_data([x], [cost_ms])
        self.tokens_line.set_data([answer.tokens, answer.tokens], [0, 1])
        self.recompute_by_tokens.set_data(_TOKENS, _TOKENS * answer.recompute_ms_per_token)
        self.swap_by_tokens.set_data(_TOKENS, _TOKENS * answer.swap_ms_per_token)
        self.sides.part(crossover)

        self._titles[0].set_text(f"at {words.count(answer.tokens, 'cached token')}")
        self._titles[1].set_text(f"at {words.plain(here)} GB/s")
        self._spans[0].set_visible(crossover > 1)
        self._spans[1].set_visible(crossover < 100)
        early = self._flips.mark(crossover, recompute)
        self._on_recompute.set_horizontalalignment("right" if early else "left")
        self._on_recompute.put(HIGH_GB_PER_S * 0.9 if early else LOW_GB_PER_S * 1.1, recompute)
        at = 2 if early else 1
        self._on_swap.put(LINKS_GB_PER_S[at], answer.swap_over_links_ms[at])
        self._label_lines(answer)

    def _label_lines(self, answer: EvictionCosts) -> None:
        """Name the lines of the right panel: the upper one above it, the lower one below."""
        slopes = (answer.recompute_ms_per_token, answer.swap_ms_per_token)
        low, high = sorted(slopes)
        for label, slope in zip(self._over, slopes, strict=True):
            upper = slope == high
            label.put(
                MOST_TOKENS / (12 if upper else 1.3), slope * MOST_TOKENS / (12 if upper else 40)
            )
            label.shift_px = (-8, 8) if upper else (0, -6)
        same = low == high
        self._over[1].set_visible(not same)
        self._parallel.set_text("the same line: a tie" if same else "parallel: they never cross")
