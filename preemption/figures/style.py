"""What all pictures share: size, axes, type."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from preemption import words
from preemption.checks import Array
from preemption.page import theme

LABEL_PX = 13.5
TITLE_PX = 15.0


def figure(width_px: float, height_px: float) -> Figure:
    """Return an empty figure of this size; at 72 dpi a point is a pixel."""
    return Figure(figsize=(width_px / 72, height_px / 72), dpi=72, facecolor="none")


def panel(
    figure: Figure,
    box: tuple[float, float, float, float],
    *,
    xlabel: str,
    ylabel: str = "",
    log: bool = False,
    log_y: bool = False,
) -> Axes:
    """Add axes in the house style at `box`: left, bottom, width, height in parts of the figure.

    `log` makes both axes logarithmic, `log_y` only the upright one.
    """
    axes = figure.add_axes(box, facecolor="none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(theme.MUTED)
    axes.grid(color=theme.RULE, linewidth=1)
    axes.set_axisbelow(True)
    axes.set_xlabel(xlabel, color=theme.INK, size=LABEL_PX, family=theme.FONT)
    axes.set_ylabel(ylabel, color=theme.INK, size=LABEL_PX, family=theme.FONT)
    if log:
        axes.loglog()
    elif log_y:
        axes.semilogy()
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "linear":
            axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 4, 5, 10]))
        axis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: words.digits(value))
    axes.yaxis.set_major_formatter(lambda value, _: _short(value))
    axes.tick_params(
        color=theme.MUTED, labelcolor=theme.MUTED, labelsize=LABEL_PX, labelfontfamily=theme.FONT
    )
    return axes


def _short(value: float) -> str:
    """Write a tick of an upright axis, where there is no room for more than 100,000."""
    return words.digits(value) if value < 1e6 else f"{words.digits(value / 1e6)}M"


def title(axes: Axes, text: str) -> None:
    """Write a title at the top left of the axes."""
    place = axes.transAxes
    axes.text(0, 1.035, text, transform=place, color=theme.INK, size=TITLE_PX, family=theme.FONT)


def log_limits(values: Array, *, room: float = 1.5) -> tuple[float, float]:
    """Return limits around `values` for a log axis, each 1 or 3 times a power of ten.

    There is room for a label below, and for a factor of `room` above.
    """
    bottom, top = math.log10(np.min(values) / 2), math.log10(np.max(values) * room)
    low, high, half = math.floor(bottom), math.floor(top), math.log10(3)
    return (
        10.0**low * (3 if bottom - low >= half else 1),
        10.0**high * (3 if top - high <= half else 10),
    )


_LEAST_TICK = 1e-4  # beside more digits there is no room for what the axis means


def log_y(axes: Axes, bottom: float, top: float) -> None:
    """Set the limits of an upright log axis, with a tick at each power of ten there is room for."""
    axes.set_ylim(bottom, top)
    ticks = decades(bottom, top)
    axes.set_yticks(ticks[ticks > 0.9 * _LEAST_TICK])


def decades(low: float, high: float) -> Array:
    """Return the powers of ten from `low` to `high`: the ticks of a log axis."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return np.logspace(first, last, last - first + 1)
