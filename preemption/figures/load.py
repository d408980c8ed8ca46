"""Latency and throughput of a server over the rate at which requests arrive."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from matplotlib.axes import Axes

from preemption import words
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.studies import RATES_PER_S, LoadPoint, offered_tokens_per_s

_TTFT_MS, _TPOT_MS, _TOKENS_PER_S = (50.0, 200_000.0), (0.0, 120.0), (0.0, 1_600.0)
_RATES = (RATES_PER_S[0] - 0.2, RATES_PER_S[-1] + 0.8)
_NAMED_AT = 6.0


@dataclass(frozen=True)
class Load:
    """A pool at one rate of arrivals, and at each of `RATES_PER_S`.

    `preempts_from` is the lowest of these at which it preempts, None if there is none.
    """

    pool: int
    here: LoadPoint
    points: Sequence[LoadPoint]
    preempts_from: float | None


class LoadCurves(Picture[Load]):
    """Four panels: both latencies and the throughput over the rate, latency over throughput.

    The limits are the same for every pool, so that pools can be compared.
    """

    def __init__(self) -> None:
        super().__init__(860, 560)
        rate, tokens = "requests per second", "output tokens per second"
        left, right, top, bottom = 0.1, 0.605, 0.6, 0.1
        panels = (
            ((left, top), "time to first token", rate, "ms", True),
            ((right, top), "time per output token", rate, "ms", False),
            ((left, bottom), "throughput", rate, tokens, False),
            ((right, bottom), "first token over throughput", tokens, "ms", True),
        )
        self.ttft, self.tpot, self.output, self.hook = (
            style.panel(
                self.figure, (*corner, 0.37, 0.335), xlabel=xlabel, ylabel=ylabel, log_y=log_y
            )
            for corner, _, xlabel, ylabel, log_y in panels
        )
        over_rate = (self.ttft, self.tpot, self.output)
        for axes, limits in zip(over_rate, (_TTFT_MS, _TPOT_MS, _TOKENS_PER_S), strict=True):
            axes.set(xlim=_RATES, ylim=limits)
        self.hook.set(xlim=_TOKENS_PER_S, ylim=_TTFT_MS)
        for axes in (self.ttft, self.hook):
            axes.set_yticks(style.decades(*_TTFT_MS))
        for axes, (_, title, *_) in zip((*over_rate, self.hook), panels, strict=True):
            style.title(axes, title)
        self.guesses = Guesses(self.ttft, "requests/s", middle=6.5, bottom=0.74)

        self.bands = [quick.Band(axes, theme.INK) for axes in over_rate]
        self.rate_lines = [quick.upright(axes) for axes in over_rate]
        self.curves = {
            "ttft": _pair(self.ttft, theme.PREFILL),
            "tpot": _pair(self.tpot, theme.DECODE),
            "hook": _pair(self.hook, theme.PREFILL),
        }
        self.asked = quick.Line(self.output, theme.MUTED, width=1.5, dashes=(1, 2))
        self.asked.set_data(RATES_PER_S, [offered_tokens_per_s(rate) for rate in RATES_PER_S])
        self.tokens_per_s = quick.Line(self.output, theme.INK)
        self.points = {
            "ttft": _points(self.ttft, theme.PREFILL),
            "tpot": _points(self.tpot, theme.DECODE),
            "hook": _points(self.hook, theme.PREFILL),
        }
        self.output_point = quick.Points(self.output, theme.INK, "o")
        self._names = {
            "ttft": _names(self.ttft, theme.PREFILL_TEXT),
            "tpot": _names(self.tpot, theme.DECODE),
            "hook": _names(self.hook, theme.PREFILL_TEXT),
        }
        for name in chain.from_iterable(self._names.values()):
            name.shift_px = (7, -4)
        self._asked = quick.Label(self.output, "asked for", color=theme.MUTED, ha="right")
        self._asked.put(_NAMED_AT, offered_tokens_per_s(_NAMED_AT))
        self._asked.shift_px = (-8, 2)
        self._output = quick.Label(self.output, "delivered", ha="right", halo=True)
        self._output.shift_px = (0, -26)
        self._onset = quick.Label(self.ttft, fontweight="bold", halo=True, place="x")

    def show(self, answer: Load) -> None:
        """Move all that moves to the curves and the present point."""
        here, points, first_rate = answer.here, answer.points, answer.preempts_from
        for panel, x, latency in (
            ("ttft", "requests_per_s", "ttft"),
            ("tpot", "requests_per_s", "tpot"),
            ("hook", "tokens_per_s", "ttft"),
        ):
            at = [getattr(point, x) for point in points]
            for percentile, curve, point, name in zip(
                ("p50", "p99"),
                self.curves[panel],
                self.points[panel],
                self._names[panel],
                strict=True,
            ):
                key = f"{latency}_{percentile}_ms"
                ms = [getattr(point, key) for point in points]
                curve.set_data(at, ms)
                point.set_data([getattr(here, x)], [getattr(here, key)])
                name.put(at[-1], ms[-1])
        rates = [point.requests_per_s for point in points]
        self.tokens_per_s.set_data(rates, [point.tokens_per_s for point in points])
        self.output_point.set_data([here.requests_per_s], [here.tokens_per_s])
        self._output.put(rates[-1], points[-1].tokens_per_s)
        for artist in (*self.bands, self._onset):
            artist.set_visible(first_rate is not None)
        for line in self.rate_lines:
            line.set_data([here.requests_per_s] * 2, [0, 1])
        if first_rate is not None:
            for band in self.bands:
                band.span(first_rate, _RATES[1])
            early = first_rate <= _NAMED_AT
            self._onset.set_horizontalalignment("left" if early else "right")
            self._onset.shift_px = (6 if early else -6, 0)
            self._onset.put(first_rate, 0.92, f"preempts from {words.plain(first_rate)}/s")


def _pair(axes: Axes, colour: str) -> list[quick.Line]:
    """Add the curves of the median and of the 99th percentile."""
    return [quick.Line(axes, colour), quick.Line(axes, colour, dashes=quick.DASHES)]


def _points(axes: Axes, colour: str) -> list[quick.Points]:
    return [quick.Points(axes, colour, "o"), quick.Points(axes, colour, "s", size=8)]


def _names(axes: Axes, colour: str) -> list[quick.Label]:
    return [quick.Label(axes, name, color=colour, halo=True) for name in ("p50", "p99")]
