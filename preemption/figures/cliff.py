"""Preemptions, work done twice and the wait for a first token, over the size of the pool."""

from collections.abc import Sequence
from dataclasses import dataclass

from preemption import words
from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.studies import LATE_MS, Measures

_MOST_PREEMPTIONS, _TTFT_MS = 300.0, (50.0, 300_000.0)


@dataclass(frozen=True)
class Cliff:
    """What a load meets in pools that increase.

    `preempts` and `late` are the largest of them in which a request is preempted, and in which one
    in a hundred waits over 3 s for its first token; None: in none of them.
    """

    pools_tokens: Sequence[int]
    points: Sequence[Measures]
    preempts: int | None
    late: int | None


class CliffCurves(Picture[Cliff]):
    """Three panels over the pool; each mark is a run, and between two of them nothing is known."""

    def __init__(self, pools_tokens: Sequence[int]) -> None:
        super().__init__(860, 330)
        low, high = pools_tokens[0], pools_tokens[-1]
        edge = (high - low) / 30
        self.panels = []
        for left, title, ylabel in (
            (0.075, "preemptions", ""),
            (0.405, "computed twice", "% of all computed tokens"),
            (0.745, "first token, p99", "ms"),
        ):
            axes = style.panel(
                self.figure,
                (left, 0.2, 0.245, 0.65),
                xlabel="pool (tokens)",
                ylabel=ylabel,
                log_y=ylabel == "ms",
            )
            axes.set_xlim(low - edge, high + edge)
            style.title(axes, title)
            self.panels.append(axes)
        preemptions, twice, ttft = self.panels
        preemptions.set_ylim(-5, _MOST_PREEMPTIONS)
        twice.set_ylim(-0.8, 50)
        style.log_y(ttft, *_TTFT_MS)
        self.bands = [quick.Band(axes, theme.INK) for axes in self.panels]
        colours = (theme.INK, theme.RECOMPUTE, theme.PREFILL)
        self.lines = [
            quick.Line(axes, colour, width=1.5, dashes=(1, 2))
            for axes, colour in zip(self.panels, colours, strict=True)
        ]
        self.marks = [
            quick.Points(axes, colour, marker, size=7)
            for axes, colour, marker in zip(self.panels, colours, "oDs", strict=True)
        ]
        self.late_line = quick.Line(ttft, theme.MUTED, width=1.5, dashes=(4, 2))
        self.late_line.set_data(ttft.get_xlim(), [LATE_MS, LATE_MS])
        self._late = quick.Label(ttft, f"{words.plain(LATE_MS)} ms", color=theme.MUTED, ha="right")
        self._late.put(high, LATE_MS)
        self._late.shift_px = (0, 4)
        self._preempts = quick.Label(preemptions, fontweight="bold", halo=True)

    def show(self, answer: Cliff) -> None:
        """Move all that moves to these runs."""
        pools = list(answer.pools_tokens)
        columns: tuple[list[float], ...] = (
            [point.preemptions for point in answer.points],
            [100 * point.recompute_share for point in answer.points],
            [point.ttft_p99_ms for point in answer.points],
        )
        for line, mark, values in zip(self.lines, self.marks, columns, strict=True):
            line.set_data(pools, values)
            mark.set_data(pools, values)
        for axes, band in zip(self.panels, self.bands, strict=True):
            band.set_visible(answer.preempts is not None)
            if answer.preempts is not None:
                band.span(axes.get_xlim()[0], answer.preempts)
        self._preempts.set_visible(answer.preempts is not None)
        if answer.preempts is not None:
            place = (answer.pools_tokens[0], 0.92 * _MOST_PREEMPTIONS)
            self._preempts.put(*place, f"up to {words.plain(answer.preempts)}")
