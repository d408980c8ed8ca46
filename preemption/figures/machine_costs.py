"""The cost of resuming a victim on a real machine, per token: over tokens, and over bandwidth."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from preemption import words
from preemption.checks import Array
from preemption.costs import Strategy
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.figures.picture import Flip, Limits, Picture, Resumed, Sides
from preemption.page import theme

FIRST_TOKEN, LAST_TOKEN = 1.0, 1e6
LOW_GB_PER_S, HIGH_GB_PER_S = 0.1, 1000.0
LINKS_GB_PER_S = np.geomspace(LOW_GB_PER_S, HIGH_GB_PER_S, 25)
_MIDDLE_GB_PER_S = 10.0
_TOKENS = np.geomspace(FIRST_TOKEN, LAST_TOKEN, 33)
# What a label needs, in pixels.
_LETTER_PX, _LINE_PX, _NEAR_PX = 7.2, 20, 30


@dataclass(frozen=True, eq=False)
class Crossing:
    """A crossover in tokens, and what a token costs there, and at twice as many, in ms."""

    tokens: float
    ms_per_token: float
    ms_per_token_at_twice: float


@dataclass(frozen=True, eq=False)
class Measured:
    """Measured points of this machine, and the curves of the published one that comes closest.

    Points are (tokens, ms per token); the curves are over the `token_counts` of the own ones.
    """

    recompute_points: tuple[Array, Array]
    swap_points: tuple[Array, Array]
    closest: str
    closest_recompute_ms_per_token: Array
    closest_swap_ms_per_token: Array


@dataclass(frozen=True, eq=False)
class MachineCosts:
    """What it takes to resume here, over tokens, and over links.

    The costs per token are over `token_counts`, or over `LINKS_GB_PER_S`; the least cost of a swap
    is that of the bytes alone.
    `ways` name the cheaper way below, between and above the crossings, None where it is a tie;
    `most_ahead` is by what factor recomputing is cheaper at most, between two. `measured` is
    there where the device or the link was measured and not published.
    """

    here: Resumed
    crossover_gb_per_s: float
    crossings: tuple[Crossing, ...]
    ways: tuple[Strategy | None, ...]
    most_ahead: float
    token_counts: Array
    recompute_ms_per_token: Array
    swap_ms_per_token: Array
    swap_over_links_ms_per_token: Array
    least_swap_ms_per_token: float
    measured: Measured | None = None


def tokens_to_draw(bends: tuple[float, ...]) -> Array:
    """Return token counts to draw the curves at, with the places where they bend."""
    return np.union1d(_TOKENS, [n for n in bends if FIRST_TOKEN < n < LAST_TOKEN])


class MachineCurves(Picture[MachineCosts]):
    """Both costs per token in two panels: over tokens, and over bandwidth.

    Divided by the tokens, a cost in proportion to them is a flat line; where the two curves
    cross, the cheaper way changes. No number of tokens and no start of copies moves the limits.
    """

    def __init__(self) -> None:
        super().__init__(860, 370)
        self.by_tokens = style.panel(
            self.figure,
            (0.095, 0.15, 0.44, 0.75),
            xlabel="cached tokens of the victim",
            ylabel="time per token (ms)",
            log=True,
        )
        self.by_link = style.panel(
            self.figure,
            (0.675, 0.15, 0.295, 0.75),
            xlabel="link bandwidth (GB/s)",
            ylabel="time per token (ms)",
            log=True,
        )
        tokens, link = self.by_tokens, self.by_link
        tokens.set_xlim(FIRST_TOKEN, LAST_TOKEN)
        tokens.set_xticks(style.decades(FIRST_TOKEN, LAST_TOKEN)[::2])
        link.set_xlim(LOW_GB_PER_S, HIGH_GB_PER_S)
        self.guesses = Guesses(link, "GB/s", middle=_MIDDLE_GB_PER_S)

        # Swap, recompute, swap: no machine has more than two crossovers, or another order.
        colours = (theme.SWAP, theme.RECOMPUTE, theme.SWAP)
        self.bands = [quick.Band(tokens, colour) for colour in colours]
        self.sides = Sides(link)
        self.tokens_line, self.link_line = quick.upright(tokens), quick.upright(link)
        self.closest = [
            quick.Line(tokens, theme.MUTED, width=1.5, dashes=dashes)
            for dashes in ((), quick.DASHES)
        ]
        self.recompute_by_tokens = quick.Line(tokens, theme.RECOMPUTE)
        self.swap_by_tokens = quick.Line(tokens, theme.SWAP, dashes=quick.DASHES)
        self.recompute_by_link = quick.Line(link, theme.RECOMPUTE)
        self.swap_by_link = quick.Line(link, theme.SWAP, dashes=quick.DASHES)
        self.crossovers = quick.Points(tokens, theme.INK, "D", size=10, face=theme.PAPER)
        self.crossover = quick.Points(link, theme.INK, "D", size=10, face=theme.PAPER)
        self.recompute_points, self.swap_points = (
            [quick.Points(axes, colour, marker, size=size) for axes in (tokens, link)]
            for colour, marker, size in ((theme.RECOMPUTE, "o", 9), (theme.SWAP, "s", 8))
        )

        self.measured = [
            quick.Points(tokens, colour, marker, size=7, face=theme.PAPER)
            for colour, marker in ((theme.RECOMPUTE, "o"), (theme.SWAP, "s"))
        ]

        self._titles = [quick.title(axes) for axes in (tokens, link)]
        texts = (theme.SWAP_TEXT, theme.RECOMPUTE_TEXT, theme.SWAP_TEXT)
        self._band_labels = [
            quick.Label(tokens, color=colour, ha="center", place="x", halo=True) for colour in texts
        ]
        self._on_recompute = quick.Label(tokens, "recompute", color=theme.RECOMPUTE_TEXT, halo=True)
        self._on_swap = quick.Label(tokens, "swap", color=theme.SWAP_TEXT, ha="right", halo=True)
        self._crossover_labels = [
            quick.Label(tokens, fontweight="bold", halo=True) for _ in range(2)
        ]
        self._over_recompute = quick.Label(link, "recompute", color=theme.RECOMPUTE_TEXT, halo=True)
        self._over_swap = quick.Label(link, "swap", color=theme.SWAP_TEXT, halo=True)
        self._over_swap.shift_px = (14, 2)
        self._link_name = quick.Label(link, color=theme.MUTED, place="x", halo=True)
        self._flips = Flip(link, "GB/s", middle=_MIDDLE_GB_PER_S)

    def show(self, answer: MachineCosts) -> None:
        """Move all that moves; the limits of the axes stay."""
        tokens, n = answer.here.tokens, answer.token_counts
        gb_per_s = answer.here.copy.bandwidth_bytes_per_s / 1e9
        self.recompute_by_tokens.set_data(n, answer.recompute_ms_per_token)
        self.swap_by_tokens.set_data(n, answer.swap_ms_per_token)
        recompute, swap = answer.here.recompute_ms / tokens, answer.here.swap_ms / tokens
        self.recompute_by_link.set_data([LOW_GB_PER_S, HIGH_GB_PER_S], [recompute] * 2)
        self.swap_by_link.set_data(LINKS_GB_PER_S, answer.swap_over_links_ms_per_token)
        self.tokens_line.set_data([tokens, tokens], [0, 1])
        self.link_line.set_data([gb_per_s, gb_per_s], [0, 1])
        for points, ms_per_token in ((self.recompute_points, recompute), (self.swap_points, swap)):
            points[0].set_data([tokens], [ms_per_token])
            points[1].set_data([gb_per_s], [ms_per_token])
        self.crossover.set_data([answer.crossover_gb_per_s], [recompute])
        self.sides.part(answer.crossover_gb_per_s)

        self._show_measured(answer)
        self._titles[0].set_text(f"over {answer.here.link}, {words.digits(gb_per_s)} GB/s")
        self._titles[1].set_text(f"at {words.count(tokens, 'cached token')}")
        self._show_crossovers(answer)
        self._label_crossovers(answer.crossings)
        self._label_curves(answer)
        self._label_link(answer, gb_per_s, recompute)

    def _limits(self, answer: MachineCosts) -> Limits:
        recompute, least = answer.recompute_ms_per_token, answer.least_swap_ms_per_token
        least_by_link = least * answer.here.copy.bandwidth_bytes_per_s / 1e9 / HIGH_GB_PER_S
        by_link = np.concatenate([recompute, answer.swap_over_links_ms_per_token, [least_by_link]])
        per_token = np.concatenate([recompute, answer.swap_ms_per_token, [least]])
        if found := answer.measured:
            others = (found.closest_recompute_ms_per_token, found.closest_swap_ms_per_token)
            points = (found.recompute_points[1], found.swap_points[1])
            per_token = np.concatenate([per_token, *others, *points])
        return (*style.log_limits(per_token, room=3), *style.log_limits(by_link, room=3))

    def _set_limits(self, low: float, high: float, bottom: float, top: float) -> None:
        style.log_y(self.by_tokens, low, high)
        style.log_y(self.by_link, bottom, top)

    def _show_measured(self, answer: MachineCosts) -> None:
        """Show measured points on the curves, and the closest published machine behind them."""
        n, found = answer.token_counts, answer.measured
        empty = np.array([])
        curves = (
            (found.closest_recompute_ms_per_token, found.closest_swap_ms_per_token)
            if found
            else (empty, empty)
        )
        points = (found.recompute_points, found.swap_points) if found else ((empty, empty),) * 2
        for line, per_token in zip(self.closest, curves, strict=True):
            line.set_data(n[: len(per_token)], per_token)
        for artist, (at, per_token) in zip(self.measured, points, strict=True):
            artist.set_data(at, per_token)

    def _show_crossovers(self, answer: MachineCosts) -> None:
        """Mark the crossovers and colour the token counts by the cheaper way."""
        found, ways = [crossing.tokens for crossing in answer.crossings], answer.ways
        self.crossovers.set_data(found, [crossing.ms_per_token for crossing in answer.crossings])
        edges = [FIRST_TOKEN, *np.clip(found, FIRST_TOKEN, LAST_TOKEN).tolist(), LAST_TOKEN]
        first = 0 if ways[0] == "swap" else 1
        spans = [(LAST_TOKEN, LAST_TOKEN)] * 3
        spans[first : first + len(ways)] = list(pairwise(edges))
        for number, (band, label, (start, end)) in enumerate(
            zip(self.bands, self._band_labels, spans, strict=True)
        ):
            band.span(start, end)
            text = f"{'recompute' if number == 1 else 'swap'} cheaper"
            if ways == (None,):
                text = "both cost the same: no crossover"
            elif not found:
                text += " at every count: no crossover"
            label.put(math.sqrt(start * end), 0.93, text)
            label.set_visible(self._width_px(start, end) > _LETTER_PX * len(text))

    def _label_crossovers(self, found: tuple[Crossing, ...]) -> None:
        """Name the crossovers, where the curves leave room.

        That is below them, left of the first of two and right of the second; or above them, on
        the other side, if it is too far out. A single one is named above.
        """
        ways = [-1, 1]
        if len(found) == 1:
            rises = found[0].ms_per_token_at_twice > 1.1 * found[0].ms_per_token
            ways = [-1 if rises else 1]
        for label in self._crossover_labels:
            label.set_visible(False)
        for label, crossing, way in zip(self._crossover_labels, found, ways, strict=False):
            n = crossing.tokens
            inside, text = min(n, LAST_TOKEN), words.count(round(n), "token")
            text = text if inside == n else f"▸ {text}"
            edge = LAST_TOKEN if way > 0 else FIRST_TOKEN
            room_px = abs(self._width_px(inside, edge))
            below = len(found) == 2 and room_px > _LETTER_PX * len(text)
            side = way if below or len(found) == 1 else -way
            label.set_horizontalalignment("left" if side > 0 else "right")
            label.shift_px = (8 * side, -24 if below else 12)
            label.put(inside, crossing.ms_per_token, text)
            label.set_visible(True)

    def _label_curves(self, answer: MachineCosts) -> None:
        """Name recompute near its beginning, beside it if it falls, and swap at its end."""
        recompute, swap = answer.recompute_ms_per_token, answer.swap_ms_per_token
        at, below, above = 3, -_LINE_PX, 8
        falls = self._height_px(self.by_tokens, recompute[2 * at], recompute[0]) > _LINE_PX
        self._on_recompute.put(answer.token_counts[at], recompute[at])
        near = 0 < self._height_px(self.by_tokens, recompute[at], swap[at]) < _NEAR_PX
        self._on_recompute.shift_px = (10, 4) if falls else (0, below if near else above)
        last = self._crossover_labels[1]
        near = 0 < self._height_px(self.by_tokens, swap[-1], recompute[-1]) < _NEAR_PX
        taken = last.get_visible() and last.shift_px[1] > 0
        self._on_swap.put(LAST_TOKEN, swap[-1])
        self._on_swap.shift_px = (-6, below if near or taken else above)

    def _label_link(self, answer: MachineCosts, gb_per_s: float, recompute: float) -> None:
        early = self._flips.mark(answer.crossover_gb_per_s, recompute)
        if math.isinf(answer.crossover_gb_per_s):
            self._flips.set_text("no link is fast enough")
        self._over_recompute.set_horizontalalignment("right" if early else "left")
        x = HIGH_GB_PER_S * 0.85 if early else LOW_GB_PER_S * 1.15
        self._over_recompute.put(x, recompute)
        self._over_recompute.shift_px = (0, -_LINE_PX if early else 8)
        self._over_swap.put(LOW_GB_PER_S, answer.swap_over_links_ms_per_token[0])
        left = gb_per_s > _MIDDLE_GB_PER_S
        self._link_name.set_horizontalalignment("right" if left else "left")
        self._link_name.shift_px = (-5 if left else 5, 0)
        _, top = self.by_link.get_ylim()
        high = self._height_px(self.by_link, recompute, top) < 60
        self._link_name.put(gb_per_s, 0.03 if high else 0.93, answer.here.link)

    @staticmethod
    def _height_px(axes: Axes, low: float, high: float) -> float:
        """Return how far above `low` `high` stands."""
        (_, y0), (_, y1) = axes.transData.transform([(1, low), (1, high)]).tolist()
        return float(y1 - y0)

    def _width_px(self, start: float, end: float) -> float:
        decades = math.log10(LAST_TOKEN / FIRST_TOKEN)
        return float(self.by_tokens.bbox.width) * math.log10(end / start) / decades
