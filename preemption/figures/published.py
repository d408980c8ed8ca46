"""A published result beside the model's: a panel for each measure, with the spread of the seeds."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.studies import Series

_ROW_PX, _ABOVE_PX, _HIGH_PX = 270.0, 42.0, 160.0


class PublishedBesideModel(Picture[None]):
    """Published figures as squares on a dashed line, the model's as points with their spread.

    `over` names the axis of the settings. The upright axes begin at 0.
    """

    def __init__(self, over: str, series: Sequence[Series]) -> None:
        rows = math.ceil(len(series) / 2)
        super().__init__(860, rows * _ROW_PX)
        width = 0.9 if len(series) == 1 else 0.38
        self.panels = []
        for i, each in enumerate(series):
            row, column = divmod(i, 2)
            bottom = 1 - (row + (_ABOVE_PX + _HIGH_PX) / _ROW_PX) / rows
            box = (0.08 + 0.52 * column, bottom, width, _HIGH_PX / _ROW_PX / rows)
            axes = style.panel(self.figure, box, xlabel=over)
            style.title(axes, each.measure)
            _draw(axes, each)
            self.panels.append(axes)


def _draw(axes: Axes, series: Series) -> None:
    places = range(len(series.settings))
    low, median, high = zip(*series.model, strict=True)
    given = [(x, y) for x, y in zip(places, series.published, strict=True) if y is not None]
    axes.set_xlim(-0.3, len(places) - 0.7)
    axes.set_ylim(0, 1.2 * max(*high, *(y for _, y in given)))
    axes.set_xticks(places, [each.replace(" ", "\n", 1) for each in series.settings])
    axes.grid(visible=False, axis="x")
    axes.vlines(places, low, high, color=theme.DECODE, linewidth=6, alpha=0.35)
    axes.plot(places, median, color=theme.DECODE, linewidth=2, marker="o", markersize=7)
    axes.plot(
        *zip(*given, strict=True),
        color=theme.INK,
        linewidth=2,
        dashes=quick.DASHES,
        marker="s",
        markersize=7,
    )
    (x, y), at = given[-1], len(places) - 1
    up = y > median[x]
    for name, colour, place, above in (
        ("published", theme.INK, (x, y), up),
        ("model", theme.DECODE, (at, median[at]), not up),
    ):
        label = quick.Label(axes, name, color=colour, ha="right", halo=True)
        label.shift_px = (12, 10 if above else -22)
        label.put(*place)
