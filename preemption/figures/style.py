"""What all pictures share: size, axes, type."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from preemption import theme, words

LABEL_PX = 13.5
TITLE_PX = 15.0
_TICKS = FuncFormatter(lambda value, _: words.digits(value))


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
) -> Axes:
    """Add axes in the house style at `box`: left, bottom, width, height in parts of the figure."""
    axes = figure.add_axes(box, facecolor="none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(theme.MUTED)
    axes.grid(color=theme.RULE, linewidth=1)
    axes.set_axisbelow(True)
    axes.set_xlabel(xlabel, color=theme.INK, size=LABEL_PX, family=theme.FONT)
    axes.set_ylabel(ylabel, color=theme.INK, size=LABEL_PX, family=theme.FONT)
    if log:
        axes.loglog()
    for axis in (axes.xaxis, axes.yaxis):
        if not log:
            axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 4, 5, 10]))
        axis.set_major_formatter(_TICKS)
        axis.set_minor_locator(NullLocator())
    axes.tick_params(
        color=theme.MUTED, labelcolor=theme.MUTED, labelsize=LABEL_PX, labelfontfamily=theme.FONT
    )
    return axes
