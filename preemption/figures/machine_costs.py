"""The cost of resuming a victim on a real machine: per token, and over the link's bandwidth."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from preemption import words
from preemption.checks import Array
from preemption.costs import Copy, Recompute, crossover_bandwidth_at
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.page import theme

FIRST_TOKEN, LAST_TOKEN = 1.0, 1e6
LOW_GB_PER_S, HIGH_GB_PER_S = 0.1, 1000.0
_MIDDLE_GB_PER_S = 10.0
_TOKENS = np.geomspace(FIRST_TOKEN, LAST_TOKEN, 33)
_LINKS_GB_PER_S = np.geomspace(LOW_GB_PER_S, HIGH_GB_PER_S, 25)
# What a label needs, in pixels.
_LETTER_PX, _LINE_PX, _NEAR_PX = 7.2, 20, 30


class MachineCurves:
    """Both costs in two panels: per token over tokens, and in all over bandwidth.

    Divided by the tokens, a cost in proportion to them is a flat line; where the two curves
    cross, the cheaper way changes.
    """

    def __init__(self) -> None:
        self.figure = style.figure(860, 370)
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
            ylabel="time to resume (ms)",
            log=True,
        )
        tokens, link = self.by_tokens, self.by_link
        tokens.set_xlim(FIRST_TOKEN, LAST_TOKEN)
        tokens.set_xticks(style.decades(FIRST_TOKEN, LAST_TOKEN)[::2])
        link.set_xlim(LOW_GB_PER_S, HIGH_GB_PER_S)
        self.guesses = Guesses(link, "GB/s", middle=_MIDDLE_GB_PER_S)
        self._limits: tuple[float, ...] = ()

        # Swap, recompute, swap: no machine has more than two crossovers, or another order.
        colours = (theme.SWAP, theme.RECOMPUTE, theme.SWAP)
        self.bands = [quick.Band(tokens, colour) for colour in colours]
        self.link_bands = [quick.Band(link, colour) for colour in (theme.RECOMPUTE, theme.SWAP)]
        self.recompute_by_tokens = quick.Line(tokens, theme.RECOMPUTE)
        self.swap_by_tokens = quick.Line(tokens, theme.SWAP, dashes=quick.DASHES)
        self.recompute_by_link = quick.Line(link, theme.RECOMPUTE)
        self.swap_by_link = quick.Line(link, theme.SWAP, dashes=quick.DASHES)
        self.tokens_line, self.link_line = quick.upright(tokens), quick.upright(link)
        self.crossovers = quick.Points(tokens, theme.INK, "D", size=10, face=theme.PAPER)
        self.flip = quick.Points(link, theme.INK, "D", size=10, face=theme.PAPER)
        self.recompute_points, self.swap_points = (
            [quick.Points(axes, colour, marker, size=size) for axes in (tokens, link)]
            for colour, marker, size in ((theme.RECOMPUTE, "o", 9), (theme.SWAP, "s", 8))
        )

        self._titles = [quick.title(axes) for axes in (tokens, link)]
        texts = (theme.SWAP_TEXT, theme.RECOMPUTE_TEXT, theme.SWAP_TEXT)
        self._band_labels = [
            quick.Label(tokens, color=colour, ha="center", place="x", halo=True) for colour in texts
        ]
        self._crossover_labels = [
            quick.Label(tokens, fontweight="bold", halo=True) for _ in range(2)
        ]
        self._on_recompute = quick.Label(tokens, "recompute", color=theme.RECOMPUTE_TEXT, halo=True)
        self._on_swap = quick.Label(tokens, "swap", color=theme.SWAP_TEXT, ha="right", halo=True)
        self._over_recompute = quick.Label(link, "recompute", color=theme.RECOMPUTE_TEXT, halo=True)
        self._over_swap = quick.Label(link, "swap", color=theme.SWAP_TEXT, halo=True)
        self._over_swap.shift_px = (14, 2)
        self._flips = quick.Label(link, fontweight="bold", halo=True)
        self._link_name = quick.Label(link, color=theme.MUTED, place="x", halo=True)
        self.moving: list[quick.Artist] = [
            *self.bands,
            self.tokens_line,
            self.recompute_by_tokens,
            self.swap_by_tokens,
            self.crossovers,
            self.recompute_points[0],
            self.swap_points[0],
            *self.link_bands,
            self.link_line,
            self.recompute_by_link,
            self.swap_by_link,
            self.flip,
            self.recompute_points[1],
            self.swap_points[1],
            *self._titles,
            *self._band_labels,
            self._on_recompute,
            self._on_swap,
            *self._crossover_labels,
            self._over_recompute,
            self._over_swap,
            self._link_name,
            self._flips,
        ]

    def show(
        self,
        tokens: float,
        recompute: Recompute,
        copy: Copy,
        link: str,
        crossovers: Sequence[float],
    ) -> None:
        """Move all that moves to these settings; the limits of the axes stay.

        `link` names the link that `copy` goes over, `crossovers` are what
        `resume.crossover_tokens` finds.
        """
        n = _token_counts(recompute, copy)
        per_recompute, per_swap = np.asarray(recompute.ms(n)) / n, np.asarray(copy.ms(n)) / n
        costs_ms = recompute.ms(tokens), copy.ms(tokens)
        gb_per_s = copy.bandwidth_bytes_per_s / 1e9
        over_links_ms = swap_over_links_ms(tokens, copy)
        flip = crossover_bandwidth_at(recompute, copy, tokens) / 1e9

        self.recompute_by_tokens.set_data(n, per_recompute)
        self.swap_by_tokens.set_data(n, per_swap)
        self.recompute_by_link.set_data([LOW_GB_PER_S, HIGH_GB_PER_S], [costs_ms[0]] * 2)
        self.swap_by_link.set_data(_LINKS_GB_PER_S, over_links_ms)
        self.tokens_line.set_data([tokens, tokens], [0, 1])
        self.link_line.set_data([gb_per_s, gb_per_s], [0, 1])
        for points, cost_ms in zip(
            (self.recompute_points, self.swap_points), costs_ms, strict=True
        ):
            points[0].set_data([tokens], [cost_ms / tokens])
            points[1].set_data([gb_per_s], [cost_ms])
        self.flip.set_data([flip], [costs_ms[0]])
        edge = min(max(flip, LOW_GB_PER_S), HIGH_GB_PER_S)
        self.link_bands[0].span(LOW_GB_PER_S, edge)
        self.link_bands[1].span(edge, HIGH_GB_PER_S)

        self._titles[0].set_text(f"over {link}, {words.digits(gb_per_s)} GB/s")
        self._titles[1].set_text(f"at {words.count(tokens, 'cached token')}")
        self._show_crossovers(recompute, copy, crossovers)
        self._label_curves(n, per_recompute, per_swap)
        self._label_link(link, gb_per_s, flip, costs_ms[0])
        self._over_swap.put(LOW_GB_PER_S, over_links_ms[0])

    def fit(self, tokens: float, recompute: Recompute, copy: Copy) -> bool:
        """Fit the limits of the axes to these settings; return whether they changed."""
        n = _token_counts(recompute, copy)
        per_token = np.concatenate([np.asarray(way.ms(n)) / n for way in (recompute, copy)])
        in_all = np.append(swap_over_links_ms(tokens, copy), recompute.ms(tokens))
        limits = (*style.log_limits(per_token, room=3), *style.log_limits(in_all, room=3))
        if limits == self._limits:
            return False
        self._limits = limits
        for axes, bottom, top in (
            (self.by_tokens, *limits[:2]),
            (self.by_link, *limits[2:]),
        ):
            axes.set_ylim(bottom, top)
            axes.set_yticks(style.decades(bottom, top))
        return True

    def _show_crossovers(self, recompute: Recompute, copy: Copy, found: Sequence[float]) -> None:
        """Mark the crossovers and colour the token counts by the cheaper way."""
        self.crossovers.set_data(found, [recompute.ms(n) / n for n in found])
        edges = [FIRST_TOKEN, *np.clip(found, FIRST_TOKEN, LAST_TOKEN).tolist(), LAST_TOKEN]
        middle = math.sqrt(edges[0] * edges[1])
        first = 0 if copy.ms(middle) < recompute.ms(middle) else 1
        tie = not found and math.isclose(copy.ms(middle), recompute.ms(middle))
        spans = [(LAST_TOKEN, LAST_TOKEN)] * 3
        spans[first : first + len(edges) - 1] = list(pairwise(edges))
        for number, (band, label, (start, end)) in enumerate(
            zip(self.bands, self._band_labels, spans, strict=True)
        ):
            band.span(start, end)
            text = f"{'recompute' if number == 1 else 'swap'} cheaper"
            if tie:
                text = "both cost the same: no crossover"
            elif not found:
                text += " at every count: no crossover"
            label.put(math.sqrt(start * end), 0.93, text)
            label.set_visible(self._width_px(start, end) > _LETTER_PX * len(text))
        self._label_crossovers(found, recompute)

    def _label_crossovers(self, found: Sequence[float], recompute: Recompute) -> None:
        """Name the crossovers, where the curves leave room.

        That is below them, left of the first of two and right of the second; or above them, on
        the other side, if it is too far out. A single one is named above.
        """
        ways = [-1, 1]
        if len(found) == 1:
            n = found[0]
            rises = recompute.ms(2 * n) / (2 * n) > 1.1 * recompute.ms(n) / n
            ways = [-1 if rises else 1]
        for label in self._crossover_labels:
            label.set_visible(False)
        for label, n, way in zip(self._crossover_labels, found, ways, strict=False):
            inside, text = min(n, LAST_TOKEN), words.count(round(n), "token")
            text = text if inside == n else f"▸ {text}"
            edge = LAST_TOKEN if way > 0 else FIRST_TOKEN
            room_px = abs(self._width_px(inside, edge))
            below = len(found) == 2 and room_px > _LETTER_PX * len(text)
            side = way if below or len(found) == 1 else -way
            label.set_horizontalalignment("left" if side > 0 else "right")
            label.shift_px = (8 * side, -24 if below else 12)
            label.put(inside, recompute.ms(n) / n, text)
            label.set_visible(True)

    def _label_curves(self, n: Array, recompute: Array, swap: Array) -> None:
        """Name recompute near its beginning, beside it if it falls, and swap at its end."""
        at, below, above = 3, -_LINE_PX, 8
        falls = self._height_px(self.by_tokens, recompute[2 * at], recompute[0]) > _LINE_PX
        self._on_recompute.put(n[at], recompute[at])
        near = 0 < self._height_px(self.by_tokens, recompute[at], swap[at]) < _NEAR_PX
        self._on_recompute.shift_px = (10, 4) if falls else (0, below if near else above)
        last = self._crossover_labels[1]
        near = 0 < self._height_px(self.by_tokens, swap[-1], recompute[-1]) < _NEAR_PX
        taken = last.get_visible() and last.shift_px[1] > 0
        self._on_swap.put(LAST_TOKEN, swap[-1])
        self._on_swap.shift_px = (-6, below if near or taken else above)

    def _label_link(self, link: str, gb_per_s: float, flip: float, recompute_ms: float) -> None:
        never, early = math.isinf(flip), flip < _MIDDLE_GB_PER_S
        text = f"flips at {words.digits(flip, 3)} GB/s"
        if never:
            text = "no link is fast enough"
        elif flip < LOW_GB_PER_S:
            text = f"◂ {text}"
        elif flip > HIGH_GB_PER_S:
            text = f"{text} ▸"
        # Right of the crossover the space above the lines is free, left of it the one below.
        self._flips.shift_px = (10, 10) if early else (-10, -24)
        self._flips.set_horizontalalignment("left" if early else "right")
        self._flips.put(min(max(flip, LOW_GB_PER_S), HIGH_GB_PER_S), recompute_ms, text)
        self._over_recompute.set_horizontalalignment("right" if early else "left")
        x = HIGH_GB_PER_S * 0.85 if early else LOW_GB_PER_S * 1.15
        self._over_recompute.put(x, recompute_ms)
        self._over_recompute.shift_px = (0, -_LINE_PX if early else 8)
        left = gb_per_s > _MIDDLE_GB_PER_S
        self._link_name.set_horizontalalignment("right" if left else "left")
        self._link_name.shift_px = (-5 if left else 5, 0)
        high = self._height_px(self.by_link, recompute_ms, self.by_link.get_ylim()[1]) < 60
        self._link_name.put(gb_per_s, 0.03 if high else 0.93, link)

    @staticmethod
    def _height_px(axes: Axes, low: float, high: float) -> float:
        """Return how far above `low` `high` stands."""
        (_, y0), (_, y1) = axes.transData.transform([(1, low), (1, high)]).tolist()
        return float(y1 - y0)

    def _width_px(self, start: float, end: float) -> float:
        decades = math.log10(LAST_TOKEN / FIRST_TOKEN)
        return float(self.by_tokens.bbox.width) * math.log10(end / start) / decades


def swap_over_links_ms(tokens: float, copy: Copy) -> Array:
    """Return the time to copy `tokens` in ms over links from 0.1 to 1,000 GB/s."""
    overhead_ms = float(copy.overhead_ms(tokens))
    moving_ms = copy.ms(tokens) - overhead_ms
    slower: Array = copy.bandwidth_bytes_per_s / (1e9 * _LINKS_GB_PER_S)
    return overhead_ms + moving_ms * slower


def _token_counts(recompute: Recompute, copy: Copy) -> Array:
    """Return token counts to draw the curves at, with the places where they bend sharply."""
    bends = [recompute.window or 0.0, copy.model.window or 0.0]
    if recompute.ms_per_token:
        bends.append((recompute.floor_ms - recompute.start_ms) / recompute.ms_per_token)
    return np.union1d(_TOKENS, [n for n in bends if FIRST_TOKEN < n < LAST_TOKEN])
