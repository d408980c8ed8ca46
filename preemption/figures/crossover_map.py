"""The crossover bandwidth of every model on every device, with real links drawn in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preemption import words
from preemption.checks import Array
from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme

HIGH_GB_PER_S = 1000.0
_MANY_DECADES = 9  # a slow machine of the reader's own makes the axis as long
_ROW_PX, _TOP_PX, _BOTTOM_PX = 17.5, 34, 48
_GAP_ROWS, _TICK_ROWS = 3.0, 0.25


@dataclass(frozen=True, eq=False)
class Crossovers:
    """Crossover bandwidths in GB/s, models by devices; which device and link are chosen.

    `at_device` is the chosen device's column, `of_link` the GB/s of the chosen link. Where
    `swap_cheaper` holds, swap is cheaper over it.
    """

    device: str
    link: str
    bits: int
    efficiency_percent: int
    gb_per_s: Array
    at_device: Array
    of_link: float
    swap_cheaper: NDArray[np.bool_]


class CrossoverMap(Picture[Crossovers]):
    """A row for each link and for each model, over one axis of bandwidth.

    A model's row has a tick for each device and a marker for the chosen one: over a link of that
    bandwidth both ways cost the same. A link stands where its copies get to, with a line to its
    nominal bandwidth.
    """

    def __init__(
        self, links: Mapping[str, tuple[float, float]], models: Sequence[str], low_gb_per_s: float
    ) -> None:
        """Draw rows for `links`, by name the achieved and the nominal GB/s, and for `models`.

        The axis begins at `low_gb_per_s`, whatever is chosen.
        """
        self._links = list(links)
        self.link_rows = np.arange(len(links))
        self.model_rows = len(links) - 1 + _GAP_ROWS + np.arange(len(models))
        rows = self.model_rows[-1] + 1
        height_px = _TOP_PX + rows * _ROW_PX + _BOTTOM_PX
        super().__init__(860, height_px)
        self.axes = axes = style.panel(
            self.figure,
            (0.18, _BOTTOM_PX / height_px, 0.785, rows * _ROW_PX / height_px),
            xlabel="link bandwidth (GB/s)",
            log=True,
        )
        axes.set_xlim(low_gb_per_s, HIGH_GB_PER_S)
        decades = style.decades(low_gb_per_s, HIGH_GB_PER_S)
        axes.set_xticks(decades[:: -2 if len(decades) < _MANY_DECADES else -4])
        axes.set_yscale("linear")
        axes.grid(visible=False, axis="y")
        axes.set_ylim(rows - 0.5, -0.5)
        axes.set_yticks([*self.link_rows, *self.model_rows], [*links, *models])
        axes.tick_params(axis="y", length=0, labelcolor=theme.INK, labelsize=style.LABEL_PX)
        # The models stand in the order of their crossovers.
        self.answers = axes.get_yticklabels()[len(links) :]
        for row, (achieved, nominal) in enumerate(links.values()):
            axes.plot([achieved] * 2, [row, rows], color=theme.RULE, linewidth=1.5, zorder=1)
            axes.plot([achieved, nominal], [row] * 2, color=theme.MUTED, linewidth=1, zorder=2)
            axes.plot([achieved], [row], "d", color=theme.MUTED, markersize=7, zorder=2)
            axes.annotate(
                words.digits(achieved, 3),
                (achieved, row),
                xytext=(-8, -4),
                textcoords="offset points",
                ha="right",
                color=theme.MUTED,
                size=style.LABEL_PX,
                family=theme.FONT,
            )

        self.link_line = quick.Line(axes, theme.INK, width=2)
        self.ranges = quick.Line(axes, theme.MUTED, width=1)
        self.ticks = quick.Line(axes, theme.MUTED, width=1.5)
        self.recompute_points = quick.Points(axes, theme.RECOMPUTE, "o", size=10)
        self.swap_points = quick.Points(axes, theme.SWAP, "s", size=9)
        self._sides = [
            quick.Label(axes, "◂ swap cheaper", color=theme.SWAP_TEXT, ha="right", halo=True),
            quick.Label(axes, "recompute cheaper ▸", color=theme.RECOMPUTE_TEXT, halo=True),
        ]
        for label, side in zip(self._sides, (-8, 8), strict=True):
            label.shift_px = (side, -4)
        self._title = quick.title(axes)

    def show(self, answer: Crossovers) -> None:
        """Move all that moves; the limits of the axes stay."""
        values = answer.gb_per_s
        # Each pair of points is a line of its own: what is not finite parts them.
        gap = np.full(len(values), np.nan)
        self.ranges.set_data(
            np.column_stack([values.min(axis=1), values.max(axis=1), gap]).ravel(),
            np.repeat(self.model_rows, 3),
        )
        distinct = np.unique(values, axis=1)
        rows = np.repeat(self.model_rows, distinct.shape[1])
        self.ticks.set_data(
            np.repeat(distinct.ravel(), 3),
            np.column_stack([rows - _TICK_ROWS, rows + _TICK_ROWS, rows * np.nan]).ravel(),
        )
        achieved, swap = answer.of_link, answer.swap_cheaper
        for points, those in ((self.swap_points, swap), (self.recompute_points, ~swap)):
            points.set_data(answer.at_device[those], self.model_rows[those])
        row = self._links.index(answer.link)
        self.link_line.set_data([achieved] * 2, [row, self.model_rows[-1] + 0.5])
        for below, label in enumerate(self._sides):
            label.put(achieved, len(self._links) + below)
        self._sides[1].set_visible(achieved < HIGH_GB_PER_S / 10)
        self._title.set_text(f"{answer.device}; a tick for each device")
