"""Servers below one another, what each does to everybody beside one another, over many loads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import MaxNLocator

from preemption.figures import quick, style
from preemption.figures.picture import Limits, Picture
from preemption.page import theme
from preemption.studies import Measures, Spread, spread

# Title, unit, limits, which end is better, the figure, and the factor to the unit.
_PANELS = (
    ("first token, p99", "s", (0.3, 300.0), min, "ttft_p99_ms", 1e-3),
    ("per token, p99", "ms", (0.0, 80.0), min, "tpot_p99_ms", 1.0),
    ("throughput", "tokens/s", (0.0, 2_000.0), max, "tokens_per_s", 1.0),
    ("computed twice", "%", (-2.0, 50.0), min, "recompute_share", 100.0),
)
_ROUND = MaxNLocator(2, steps=[1, 2, 4, 5, 10])


@dataclass(frozen=True)
class SideBySide:
    """The figures of each server in each load that has been served; the first is the one to beat.

    `of` is how many loads there will be.
    """

    runs: Mapping[str, Sequence[Measures]]
    of: int

    @property
    def loads(self) -> int:
        """How many loads have been served."""
        return len(next(iter(self.runs.values())))

    def spread(self, name: str, figure: str) -> Spread:
        """Return a figure of a server over the loads."""
        return spread([getattr(each, figure) for each in self.runs[name]])

    def wins(self, name: str) -> int:
        """Return in how many loads a server has a lower p99 to the first token than the first."""
        first = next(iter(self.runs.values()))
        return sum(
            ours.ttft_p99_ms < theirs.ttft_p99_ms
            for ours, theirs in zip(self.runs[name], first, strict=True)
        )


class SideBySideRows(Picture[SideBySide]):
    """A row for each server: the median over the loads, on a line from the 5th to the 95th percent.

    A dotted line goes through the first, the one to beat; the best median is a diamond. `fitted`
    axes fit the figures; others stand still.
    """

    def __init__(self, *, fitted: bool = False) -> None:
        super().__init__(860, 330)
        self.fits = fitted
        self.panels, self.bases, self.lines, self.medians, self.best = [], [], [], [], []
        for i, (title, unit, *_) in enumerate(_PANELS):
            axes = style.panel(self.figure, (0.215 + 0.199 * i, 0.2, 0.17, 0.65), xlabel=unit)
            if unit == "s":
                axes.semilogx()
                axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
                axes.minorticks_off()
            style.title(axes, title)
            self.panels.append(axes)
            self.bases.append(quick.Line(axes, theme.MUTED, width=1.5, dashes=(1, 2)))
            self.lines.append(quick.Line(axes, theme.INK, width=3))
            self.medians.append(quick.Points(axes, theme.INK, "o", size=8))
            self.best.append(quick.Points(axes, theme.RIGHT, "D", size=11))

    def show(self, answer: SideBySide) -> None:
        """Move all that moves to these servers."""
        for i, (*_, better, figure, factor) in enumerate(_PANELS):
            rows = [answer.spread(name, figure) for name in answer.runs]
            places = np.arange(len(rows))
            ends = factor * np.array([(row.low, row.high, np.nan) for row in rows]).ravel()
            self.lines[i].set_data(ends, np.repeat(places, 3))
            medians = [factor * row.median for row in rows]
            self.medians[i].set_data(medians, places)
            best = better(range(len(rows)), key=medians.__getitem__)
            self.best[i].set_data([medians[best]], [best])
            self.bases[i].set_data([medians[0]] * 2, [-0.5, len(rows) - 0.5])

    def _limits(self, answer: SideBySide) -> Limits:
        panels = [limits for _, _, limits, *_ in _PANELS]
        if self.fits:
            panels = [_around(answer, *panel) for panel in _PANELS]
        return (tuple(answer.runs), *panels)  # type: ignore[arg-type]

    def _set_limits(self, names: tuple[str, ...], *panels: tuple[float, float]) -> None:
        for i, (axes, limits) in enumerate(zip(self.panels, panels, strict=True)):
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_yticks(range(len(names)), names if i == 0 else [""] * len(names))
            axes.set_xlim(*limits)
            if axes.get_xscale() == "log":
                axes.set_xticks(style.decades(*limits))
            elif _PANELS[i][1] == "tokens/s":
                axes.set_xticks([0, limits[1] / 2, limits[1]])


def _around(
    answer: SideBySide,
    _title: str,
    unit: str,
    limits: tuple[float, float],
    _better: object,
    figure: str,
    factor: float,
) -> tuple[float, float]:
    """Return limits of a panel around its figures, at round numbers."""
    ends = factor * np.array([answer.spread(name, figure) for name in answer.runs])
    if unit == "s":
        return style.log_limits(ends)
    low, high = limits
    most = float(_ROUND.tick_values(0, max(float(np.max(ends)), 1.0))[-1])
    return most * low / high, most
