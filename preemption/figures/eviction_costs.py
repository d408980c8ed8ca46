"""The two costs of resuming a victim: over the bandwidth of the link, and over its tokens."""

import math

import numpy as np

from preemption import costs, words
from preemption.checks import Array, Values
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.page import theme

LOW_GB_PER_S, HIGH_GB_PER_S = 0.1, 1000.0
_MIDDLE_GB_PER_S = 10.0
_LEAST_TOKENS_SHOWN = 16_000
_ENDS_GB_PER_S = np.array([LOW_GB_PER_S, HIGH_GB_PER_S])


class CostCurves:
    """Both cost curves in two panels, with the crossover, the present point and guesses.

    Every line is straight here (the left panel has two log axes), so two points draw it.
    """

    def __init__(self) -> None:
        self.figure = style.figure(860, 350)
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
        self._limits: tuple[float, ...] = ()
        self.guesses = Guesses(link, "GB/s", middle=_MIDDLE_GB_PER_S)

        self.recompute_band = quick.Band(link, theme.RECOMPUTE)
        self.swap_band = quick.Band(link, theme.SWAP)
        self.recompute_by_link = quick.Line(link, theme.RECOMPUTE)
        self.swap_by_link = quick.Line(link, theme.SWAP, dashes=quick.DASHES)
        self.recompute_by_tokens = quick.Line(tokens, theme.RECOMPUTE)
        self.swap_by_tokens = quick.Line(tokens, theme.SWAP, dashes=quick.DASHES)
        self.bandwidth_line = quick.upright(link)
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
        self._flips = quick.Label(link, fontweight="bold", fontsize=style.TITLE_PX, halo=True)
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
        self.moving: list[quick.Artist] = [
            # All of one panel together: so they share what clips them.
            self.recompute_band,
            self.swap_band,
            self.bandwidth_line,
            self.recompute_by_link,
            self.swap_by_link,
            self.crossover,
            self.recompute_points[0],
            self.swap_points[0],
            self.recompute_by_tokens,
            self.swap_by_tokens,
            self.recompute_points[1],
            self.swap_points[1],
            *self._titles,
            *self._spans,
            self._flips,
            self._on_recompute,
            self._on_swap,
            self._over_recompute,
            self._over_swap,
        ]

    def show(self, tokens: float, bandwidth_gb_per_s: float, ms_per_token: float) -> None:
        """Move all that moves to these settings; the limits of the axes stay."""
        crossover = costs.crossover_bandwidth(costs.PER_TOKEN_BYTES, ms_per_token) / 1e9
        recompute = costs.recompute_ms(tokens, ms_per_token)
        swap = costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, bandwidth_gb_per_s * 1e9)

        self.recompute_by_link.set_data(_ENDS_GB_PER_S, [recompute, recompute])
        self.swap_by_link.set_data(_ENDS_GB_PER_S, _swap_ms(tokens, _ENDS_GB_PER_S))
        self.bandwidth_line.set_data([bandwidth_gb_per_s, bandwidth_gb_per_s], [0, 1])
        self.crossover.set_data([crossover], [recompute])
        for point, x in zip(self.recompute_points, (bandwidth_gb_per_s, tokens), strict=True):
            point.set_data([x], [recompute])
        for point, x in zip(self.swap_points, (bandwidth_gb_per_s, tokens), strict=True):
            point.set_data([x], [swap])
        ends = np.array([0.0, self.by_tokens.get_xlim()[1]])
        self.recompute_by_tokens.set_data(ends, costs.recompute_ms(ends, ms_per_token))
        self.swap_by_tokens.set_data(ends, _swap_ms(ends, bandwidth_gb_per_s))

        edge = min(max(crossover, LOW_GB_PER_S), HIGH_GB_PER_S)
        self.recompute_band.span(LOW_GB_PER_S, edge)
        self.swap_band.span(edge, HIGH_GB_PER_S)
        self._put_labels(tokens, bandwidth_gb_per_s, ms_per_token, crossover, recompute)

    def fit(self, tokens: float, ms_per_token: float) -> bool:
        """Fit the limits of the axes to these settings; return whether they changed."""
        recompute = costs.recompute_ms(tokens, ms_per_token)
        slowest, fastest = _swap_ms(tokens, _ENDS_GB_PER_S).tolist()
        bottom = 10.0 ** math.floor(math.log10(min(recompute, fastest)))
        # Above the flat line there must be room for the words on it.
        top = 10.0 ** math.ceil(math.log10(max(7 * recompute, slowest)))
        right = max(_LEAST_TOKENS_SHOWN, tokens)
        limits = (bottom, top, right, 2 * costs.recompute_ms(right, ms_per_token))
        if limits == self._limits:
            return False
        self._limits = limits
        self.by_link.set_ylim(bottom, top)
        self.by_link.set_yticks(10.0 ** np.arange(math.log10(bottom), math.log10(top) + 0.5))
        self.by_tokens.set_xlim(0, limits[2])
        self.by_tokens.set_ylim(0, limits[3])
        return True

    def _put_labels(
        self,
        tokens: float,
        bandwidth_gb_per_s: float,
        ms_per_token: float,
        crossover: float,
        recompute: float,
    ) -> None:
        self._titles[0].set_text(f"at {words.count(tokens, 'cached token')}")
        self._titles[1].set_text(f"at {words.plain(bandwidth_gb_per_s)} GB/s")
        self._spans[0].set_visible(crossover > 1)
        self._spans[1].set_visible(crossover < 100)

        # Right of the crossover the space above the lines is free, left of it the one below.
        early = crossover < _MIDDLE_GB_PER_S
        self._flips.shift_px = (12, 12) if early else (-12, -24)
        self._flips.set_horizontalalignment("left" if early else "right")
        off = "◂ " if crossover < LOW_GB_PER_S else ""
        self._flips.put(
            max(crossover, LOW_GB_PER_S),
            recompute,
            f"{off}flips at {words.digits(crossover, 3)} GB/s",
        )
        self._on_recompute.set_horizontalalignment("right" if early else "left")
        self._on_recompute.put(HIGH_GB_PER_S * 0.9 if early else LOW_GB_PER_S * 1.1, recompute)
        x = 10 * _MIDDLE_GB_PER_S if early else 0.1 * _MIDDLE_GB_PER_S
        self._on_swap.put(x, costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, x * 1e9))
        self._on_swap.set_rotation(self._slope_degrees())
        self._label_lines(bandwidth_gb_per_s, ms_per_token)

    def _slope_degrees(self) -> float:
        """Angle at which the swap cost falls in the left panel: a decade for each decade."""
        box = self.by_link.get_window_extent()
        bottom, top = self.by_link.get_ylim()
        decades_wide = math.log10(HIGH_GB_PER_S / LOW_GB_PER_S)
        decades_high = math.log10(top / bottom)
        return -math.degrees(math.atan2(box.height / decades_high, box.width / decades_wide))

    def _label_lines(self, bandwidth_gb_per_s: float, ms_per_token: float) -> None:
        """Name the lines of the right panel: the upper one above it, the lower one below."""
        right, top = self.by_tokens.get_xlim()[1], self.by_tokens.get_ylim()[1]
        height_px = self.by_tokens.get_window_extent().height
        ends = [
            (costs.recompute_ms(right, ms_per_token), self._over_recompute),
            (
                costs.swap_ms(right, costs.PER_TOKEN_BYTES, bandwidth_gb_per_s * 1e9),
                self._over_swap,
            ),
        ]
        lower_ms, lower = min(ends, key=lambda end: end[0])
        for end_ms, label in ends:
            x = right * min(0.97, 0.8 * top / end_ms)
            label.put(x, end_ms * x / right)
            label.set_horizontalalignment("right")
            label.shift_px = (-4, 7)
        x = 0.62 * right
        y = lower_ms * x / right
        if y / top * height_px > 30:
            lower.put(x, y)
            lower.set_horizontalalignment("left")
            lower.shift_px = (4, -18)


def _swap_ms(tokens: Values, gb_per_s: Values) -> Array:
    return np.asarray(costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, gb_per_s * 1e9))
