"""The two costs of resuming a victim: over the bandwidth of the link, and over its tokens."""

import math
from dataclasses import dataclass

import numpy as np

from preemption import words
from preemption.checks import Array
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.figures.picture import Flip, Limits, Picture, Sides
from preemption.page import theme

LOW_GB_PER_S, HIGH_GB_PER_S = 0.1, 1000.0
# The ends of the axis, and between them where the name of swap may stand.
LINKS_GB_PER_S = np.array([LOW_GB_PER_S, 1.0, 100.0, HIGH_GB_PER_S])
_MIDDLE_GB_PER_S = 10.0
_LEAST_TOKENS_SHOWN = 16_000


@dataclass(frozen=True, eq=False)
class EvictionCosts:
    """Both costs of resuming `tokens` tokens, here and over `LINKS_GB_PER_S`."""

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

    Every line is straight here (the left panel has two log axes), so two points draw it.
    """

    def __init__(self) -> None:
        super().__init__(860, 350)
        self.by_link = style.panel(
            self.figure,
            (0.1, 0.15, 0.445, 0.75),
            xlabel="link bandwidth (GB/s)",
            ylabel="time to resume (ms)",
            log=True,
        )
        self.by_tokens = style.panel(
            self.figure, (0.62, 0.15, 0.35, 0.75), xlabel="cached tokens of the victim"
        )
        link, tokens = self.by_link, self.by_tokens
        link.set_xlim(LOW_GB_PER_S, HIGH_GB_PER_S)
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
        self._on_swap = quick.Label(link, "swap, out and back", color=theme.SWAP_TEXT, ha="center")
        self._on_swap.shift_px = (5, 5)
        self._over_recompute = quick.Label(
            tokens, "recompute", color=theme.RECOMPUTE_TEXT, ha="right"
        )
        self._over_swap = quick.Label(tokens, "swap", color=theme.SWAP_TEXT, ha="right")
        tokens.text(
            0.03,
            0.93,
            "two lines through 0: no crossover in tokens",
            transform=tokens.transAxes,
            color=theme.MUTED,
            size=style.LABEL_PX,
            family=theme.FONT,
            bbox={"facecolor": theme.PAPER, "edgecolor": "none", "pad": 2},
        )

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
        right = self.by_tokens.get_xlim()[1]
        self.recompute_by_tokens.set_data([0, right], [0, right * answer.recompute_ms_per_token])
        self.swap_by_tokens.set_data([0, right], [0, right * answer.swap_ms_per_token])
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
        self._on_swap.set_rotation(self._slope_degrees())
        self._label_lines(answer)

    def _limits(self, answer: EvictionCosts) -> Limits:
        recompute, (slowest, *_, fastest) = answer.recompute_ms, answer.swap_over_links_ms
        # Above the flat line there must be room for the words on it.
        right = max(_LEAST_TOKENS_SHOWN, answer.tokens)
        return (
            10.0 ** math.floor(math.log10(min(recompute, fastest))),
            10.0 ** math.ceil(math.log10(max(7 * recompute, slowest))),
            right,
            2 * right * answer.recompute_ms_per_token,
        )

    def _set_limits(self, bottom: float, top: float, right: float, high: float) -> None:
        style.log_y(self.by_link, bottom, top)
        self.by_tokens.set_xlim(0, right)
        self.by_tokens.set_ylim(0, high)

    def _slope_degrees(self) -> float:
        """Angle at which the swap cost falls in the left panel: a decade for each decade."""
        box = self.by_link.get_window_extent()
        bottom, top = self.by_link.get_ylim()
        decades_wide = math.log10(HIGH_GB_PER_S / LOW_GB_PER_S)
        decades_high = math.log10(top / bottom)
        return -math.degrees(math.atan2(box.height / decades_high, box.width / decades_wide))

    def _label_lines(self, answer: EvictionCosts) -> None:
        """Name the lines of the right panel: the upper one above it, the lower one below."""
        right, top = self.by_tokens.get_xlim()[1], self.by_tokens.get_ylim()[1]
        height_px = self.by_tokens.get_window_extent().height
        slopes = [
            (answer.recompute_ms_per_token, self._over_recompute),
            (answer.swap_ms_per_token, self._over_swap),
        ]
        for slope, label in slopes:
            x = min(0.97 * right, 0.8 * top / slope)
            label.put(x, slope * x)
            label.set_horizontalalignment("right")
            label.shift_px = (-4, 7)
        slope, lower = min(slopes, key=lambda each: each[0])
        x = 0.62 * right
        if slope * x / top * height_px > 30:
            lower.put(x, slope * x)
            lower.set_horizontalalignment("left")
            lower.shift_px = (4, -18)
