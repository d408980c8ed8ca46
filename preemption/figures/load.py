"""Latency and throughput of a server over the rate at which requests arrive, over 20 seeds."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from preemption import words
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.studies import RATES_PER_S, LoadPoint, Onset, Range, offered_tokens_per_s

_TTFT_MS, _TPOT_MS, _TOKENS_PER_S = (50.0, 500_000.0), (0.0, 180.0), (0.0, 2_000.0)
_RATES = (RATES_PER_S[0] - 0.2, RATES_PER_S[-1] + 0.8)
_NAMED_AT = 6.0


@dataclass(frozen=True)
class Load:
    """A pool at one rate of arrivals, and at each of `RATES_PER_S`.

    `preempts` and `cliff` say from which of these on it does; `machine` are the points of the
    pool that the whole machine has.
    """

    pool: int
    here: LoadPoint
    points: Sequence[LoadPoint]
    preempts: Onset
    cliff: Onset
    machine: Sequence[LoadPoint]


class LoadCurves(Picture[Load]):
    """Four panels: both latencies and the throughput over the rate, latency over throughput.

    Each curve is a median over the seeds, in the area from the lowest to the highest. The limits
    are the same for every pool, so that pools can be compared.
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
        self._points: Sequence[LoadPoint] = ()
        self.guesses = Guesses(self.ttft, "requests/s", middle=6.5, bottom=0.64)

        self.bands = {
            begins: [quick.Band(axes, theme.INK) for axes in over_rate]
            for begins in ("preempts", "cliff")
        }
        self.rate_lines = [quick.upright(axes) for axes in over_rate]
        self.curves = {
            "ttft_p50_ms": _Curve(self.ttft, theme.PREFILL, theme.PREFILL_TEXT),
            "ttft_p99_ms": _Curve(self.ttft, theme.PREFILL, theme.PREFILL_TEXT, p99=True),
            "tpot_p50_ms": _Curve(self.tpot, theme.DECODE, theme.DECODE),
            "tpot_p99_ms": _Curve(self.tpot, theme.DECODE, theme.DECODE, p99=True),
        }
        self.asked = quick.Line(self.output, theme.MUTED, width=1.5, dashes=(1, 2))
        self.asked.set_data(RATES_PER_S, [offered_tokens_per_s(rate) for rate in RATES_PER_S])
        self.delivered = _Curve(self.output, theme.INK, theme.INK)
        self.hooks = {
            "ttft_p50_ms": _Curve(self.hook, theme.PREFILL, theme.PREFILL_TEXT),
            "ttft_p99_ms": _Curve(self.hook, theme.PREFILL, theme.PREFILL_TEXT, p99=True),
        }
        self.machine = {
            key: quick.Line(axes, theme.INK, width=1.5, dashes=(4, 1.5, 1, 1.5))
            for key, axes in (("ttft_p99_ms", self.ttft), ("tokens_per_s", self.output))
        }
        self._asked = quick.Label(self.output, "asked for", color=theme.MUTED, ha="right")
        self._asked.put(_NAMED_AT, offered_tokens_per_s(_NAMED_AT))
        self._asked.shift_px = (-8, 2)
        self._machine = quick.Label(self.ttft, "whole machine", ha="right", halo=True)
        self._machine.shift_px = (0, -22)
        self.delivered.name.shift_px = (0, -30)
        self.delivered.name.set_horizontalalignment("right")
        self.onsets = {
            begins: quick.Label(self.ttft, fontweight="bold", halo=True, ha="right", place="axes")
            for begins in self.bands
        }

    def show(self, answer: Load) -> None:
        """Move all that moves to the curves and the present point."""
        here = answer.here
        if answer.points is not self._points:
            self._show_pool(answer)
        for key, curve in self.curves.items():
            curve.point.set_data([here.requests_per_s], [getattr(here, key).median])
        self.delivered.point.set_data([here.requests_per_s], [here.tokens_per_s.median])
        for key, curve in self.hooks.items():
            curve.point.set_data([here.tokens_per_s.median], [getattr(here, key).median])
        for line in self.rate_lines:
            line.set_data([here.requests_per_s] * 2, [0, 1])

    def _show_pool(self, answer: Load) -> None:
        """Move the curves, which depend on the pool alone."""
        self._points = points = answer.points
        rates = [point.requests_per_s for point in points]
        output = [point.tokens_per_s for point in points]
        for key, curve in self.curves.items():
            curve.show(rates, [getattr(point, key) for point in points], key[5:8])
        self.delivered.show(rates, output, "delivered")
        for key, curve in self.hooks.items():
            at = [each.median for each in output]
            curve.show(at, [getattr(point, key) for point in points], key[5:8])
        for key, line in self.machine.items():
            line.set_data(rates, [getattr(point, key).median for point in answer.machine])
        self._machine.put(rates[-1], answer.machine[-1].ttft_p99_ms.median)
        self._mark("preempts", answer.preempts, 0.92, "first preemption")
        self._mark("cliff", answer.cliff, 0.83, "cliff")

    def _mark(self, begins: str, onset: Onset, y: float, what: str) -> None:
        """Shade all rates from the first on, and say what begins there."""
        for artist in (*self.bands[begins], self.onsets[begins]):
            artist.set_visible(onset.first is not None)
        if onset.first is not None:
            for band in self.bands[begins]:
                band.span(onset.first, _RATES[1])
            self.onsets[begins].put(0.99, y, f"{what}: {between(onset)}")


class _Curve:
    """A median in its area, a point on it, and its name at the right end."""

    def __init__(self, axes: Axes, colour: str, text: str, *, p99: bool = False) -> None:
        self.area = quick.Area(axes, colour)
        self.line = quick.Line(axes, colour, dashes=quick.DASHES if p99 else ())
        self.point = quick.Points(axes, colour, "s" if p99 else "o", size=8 if p99 else 9)
        self.name = quick.Label(axes, color=text, halo=True)
        self.name.shift_px = (7, 2 if p99 else -10)  # so that they never lie on each other

    def show(self, xs: Sequence[float], ys: Sequence[Range], name: str) -> None:
        """Move to these places."""
        low, median, high = ([each[i] for each in ys] for i in range(3))
        self.area.put(list(zip(xs, low, strict=True)), list(zip(xs, high, strict=True)))
        self.line.set_data(xs, median)
        self.name.put(xs[-1], median[-1], name)


def between(onset: Onset) -> str:
    """Write where something begins: "4.5 to 6/s"; "from 8/s" if not in all loads."""
    assert onset.first is not None
    first = words.plain(onset.first)
    if onset.all is None:
        return f"from {first}/s"
    return f"{first}/s" if onset.all == onset.first else f"{first} to {words.plain(onset.all)}/s"
