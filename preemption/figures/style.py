"""What all pictures share: size, axes, and labels that are quick to draw."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from matplotlib.transforms import Affine2D

from preemption import theme, words

LABEL_PX = 13.5
TITLE_PX = 15.0
_ANCHORS = {"center": "middle", "right": "end"}
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


class Label(Text):
    """One line of plain text on its baseline that an SVG gets unmeasured, which makes it quick.

    `shift_px` moves it right and up from its place in the axes.
    """

    shift_px: tuple[float, float] = (0, 0)

    def __init__(self, axes: Axes, text: str = "", **properties: Any) -> None:
        defaults: dict[str, Any] = {"fontsize": LABEL_PX, "color": theme.INK}
        defaults |= {"transform": axes.transData, "horizontalalignment": "left"}
        defaults |= {"rotation_mode": "anchor", "verticalalignment": "baseline"}
        super().__init__(0, 0, text, animated=True, family=theme.FONT, **(defaults | properties))
        axes.add_artist(self)
        self.set_clip_on(False)

    def put(self, x: float, y: float, text: str | None = None) -> None:
        """Move the label to a place in its axes; change its text too if one is given."""
        self.set_position((x, y))
        if text is not None:
            self.set_text(text)

    def draw(self, renderer: Any) -> None:
        """Draw as any text does, but write it straight into an SVG."""
        if isinstance(renderer, RendererSVG):
            self._write(renderer)
            return
        place, scale = self.get_transform(), renderer.points_to_pixels(1)
        right, up = self.shift_px
        self.set_transform(place + Affine2D().translate(right * scale, up * scale))
        super().draw(renderer)
        self.set_transform(place)

    def _write(self, renderer: Any) -> None:
        if not self.get_visible():
            return
        x, y = self.get_transform().transform(self.get_position()) + self.shift_px
        y = renderer.height - y
        style = f"font-size: {self.get_fontsize():g}px; fill: {to_hex(self.get_color())}"
        if self.get_fontweight() != "normal":
            style += f"; font-weight: {self.get_fontweight()}"
        if self.get_horizontalalignment() != "left":
            style += f"; text-anchor: {_ANCHORS[self.get_horizontalalignment()]}"
        attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "style": style}
        if angle := self.get_rotation():
            attributes["transform"] = f"rotate({-angle:.1f} {x:.1f} {y:.1f})"
        renderer.writer.element("text", self.get_text(), attrib=attributes)
