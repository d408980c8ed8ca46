"""Artists that move: lines, bands, boxes and labels that write themselves into an SVG.

They are matplotlib artists, so a PNG shows them as well. But to draw them at every step of a
drag matplotlib's SVG backend is slow: it measures text, clips paths and collects styles. A few
points and words do without. `svg(height)` gives an artist's markup in pixels, y downwards, in a
figure of that height; `clipped` says whether it ends where its axes end.
"""

import html
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Transform

from preemption.checks import Array
from preemption.figures import style
from preemption.page import theme

Artist: TypeAlias = "Line | Points | Band | Area | Boxes | Label"
Place: TypeAlias = Literal["data", "x", "axes"]  # with "x" only x is data, y a part of the axes
DASHES = (4.0, 2.0)
_HALO_PX = 4
_FAR_BELOW = -1000.0  # where matplotlib, too, draws what has no logarithm
_ANCHORS = {"left": "", "center": ";text-anchor:middle", "right": ";text-anchor:end"}


class Line(Line2D):
    """A curve through a few points; a point that is not finite breaks it.

    `dashes` are lengths on and off, in multiples of the width in pixels. Fill it by `set_data`.
    """

    clipped = True

    def __init__(
        self,
        axes: Axes,
        colour: str,
        *,
        width: float = 3,
        dashes: tuple[float, ...] = (),
        place: Place = "data",
    ) -> None:
        super().__init__([], [], color=colour, linewidth=width, animated=True)
        self.set(solid_capstyle="butt", dash_capstyle="butt", transform=_transform(axes, place))
        self._place = place
        self._css = f"fill:none;stroke:{colour};stroke-width:{width:g}"
        if dashes:
            self.set_linestyle((0, dashes))
            self._css += f";stroke-dasharray:{','.join(f'{width * dash:g}' for dash in dashes)}"
        axes.add_line(self)

    def svg(self, height: float) -> str:
        """Return the curve as one path."""
        steps, pen = [], "M"
        for x, y in _pixels(self, self._place, *self.get_data()):
            if math.isfinite(x) and math.isfinite(y):
                steps.append(f"{pen}{x:.1f} {height - y:.1f}")
                pen = "L"
            else:
                pen = "M"
        return f'<path d="{"".join(steps)}" style="{self._css}"/>'


class Points(Line2D):
    """Markers without a line: discs "o", squares "s" or diamonds "D" of `size` pixels.

    A point that is not finite has none.
    """

    clipped = True

    def __init__(
        self, axes: Axes, colour: str, marker: str, *, size: float = 9, face: str = ""
    ) -> None:
        super().__init__([], [], color=colour, marker=marker, markersize=size, animated=True)
        self.set(linestyle="none", markerfacecolor=face or colour, zorder=3)
        self._css = f"fill:{face or colour};stroke:{colour}"
        r, d = f"{size / 2:g}", f"{size / math.sqrt(2):.1f}"
        self._shape = {
            "o": f"m-{r} 0a{r} {r} 0 1 0 {size:g} 0a{r} {r} 0 1 0-{size:g} 0z",
            "s": f"m-{r}-{r}h{size:g}v{size:g}h-{size:g}z",
            "D": f"m-{d} 0l{d}-{d} {d} {d}-{d} {d}z",
        }[marker]
        if marker == "o" and not face:  # the round ends of a line without length: shorter
            self._css = f"stroke:{colour};stroke-width:{size + 1:g};stroke-linecap:round"
            self._shape = "h0"
        axes.add_line(self)

    def svg(self, height: float) -> str:
        """Return the markers as one path."""
        places = "".join(
            f"M{x:.1f} {height - y:.1f}{self._shape}"
            for x, y in _pixels(self, "data", *self.get_data())
            if math.isfinite(x) and math.isfinite(y)
        )
        return f'<path d="{places}" style="{self._css}"/>'


class Band(Rectangle):
    """A translucent band over the whole height of the axes, from `x0` to `x1`."""

    clipped = True

    def __init__(self, axes: Axes, colour: str, *, alpha: float = 0.07) -> None:
        super().__init__((0, 0), 0, 1, facecolor=colour, alpha=alpha, lw=0)
        self.set_transform(_transform(axes, "x"))
        self.set_animated(True)
        self._css = f"fill:{colour};opacity:{alpha:g}"
        axes.add_patch(self)

    def span(self, x0: float, x1: float) -> None:
        """Move the band."""
        self.set(x=x0, width=x1 - x0)

    def svg(self, height: float) -> str:
        """Return the band as a path."""
        ends = self.get_x(), self.get_x() + self.get_width()
        (x0, y0), (x1, y1) = _pixels(self, "x", ends, (0, 1))
        corner = f"M{x0:.1f} {height - y0:.1f}"
        return f'<path d="{corner}H{x1:.1f}V{height - y1:.1f}H{x0:.1f}z" style="{self._css}"/>'


class Area(Polygon):
    """A translucent area between two curves."""

    clipped = True

    def __init__(self, axes: Axes, colour: str, *, alpha: float = 0.2) -> None:
        super().__init__(np.zeros((1, 2)), facecolor=colour, alpha=alpha, lw=0, animated=True)
        self._css = f"fill:{colour};opacity:{alpha:g}"
        axes.add_patch(self)

    def put(self, low: Sequence[tuple[float, float]], high: Sequence[tuple[float, float]]) -> None:
        """Lie between the points of two curves, each from left to right."""
        self.set_xy(np.array([*low, *reversed(high)], dtype=float))

    def svg(self, height: float) -> str:
        """Return the area as a path."""
        corners = (f"{x:.1f} {height - y:.1f}" for x, y in _pixels(self, "data", *self.get_xy().T))
        return f'<path d="M{"L".join(corners)}z" style="{self._css}"/>'


class Boxes(PolyCollection):
    """Boxes of one colour, with an edge one pixel wide."""

    clipped = True

    def __init__(self, axes: Axes, colour: str, *, edge: str = theme.PAPER) -> None:
        super().__init__([], facecolors=colour, edgecolors=edge, linewidths=1, animated=True)
        self._css = f"fill:{colour};stroke:{edge}"
        self.put([])
        axes.add_collection(self, autolim=False)

    def put(self, boxes: Sequence[tuple[float, float, float, float]] | Array) -> None:
        """Place the boxes: x and y of a corner, width, height."""
        x, y, wide, high = np.array(boxes, dtype=float).reshape(-1, 4).T
        corners = [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]
        self._corners = np.array(corners).transpose(2, 0, 1)

    def draw(self, renderer: Any) -> None:
        """Draw as any polygons; their paths take long to build, so not before."""
        self.set_verts(list(self._corners))
        super().draw(renderer)

    def svg(self, height: float) -> str:
        """Return the boxes as one path."""
        pixels = self.get_transform().transform(self._corners[:, ::2].reshape(-1, 2))
        steps = [
            f"M{x0:.1f} {height - y0:.1f}h{x1 - x0:.1f}v{y0 - y1:.1f}h{x0 - x1:.1f}z"
            for x0, y0, x1, y1 in pixels.reshape(-1, 4).tolist()
        ]
        return f'<path d="{"".join(steps)}" style="{self._css}"/>'


class Label(Text):
    """One line of plain text on its baseline.

    `shift_px` moves it right and up from its place in the axes. With a `halo` of paper around
    its letters it can be read on top of lines.
    """

    clipped = False
    shift_px: tuple[float, float] = (0, 0)

    def __init__(
        self,
        axes: Axes,
        text: str = "",
        *,
        place: Place = "data",
        halo: bool = False,
        **properties: Any,
    ) -> None:
        self._place = place
        defaults: dict[str, Any] = {"fontsize": style.LABEL_PX, "color": theme.INK}
        defaults |= {"transform": _transform(axes, place), "horizontalalignment": "left"}
        defaults |= {"rotation_mode": "anchor", "verticalalignment": "baseline"}
        super().__init__(0, 0, text, animated=True, family=theme.FONT, **(defaults | properties))
        axes.add_artist(self)
        self.set_clip_on(False)
        self._halo = ""
        if halo:
            self.set_path_effects([withStroke(linewidth=_HALO_PX, foreground=theme.PAPER)])
            self._halo = f";paint-order:stroke;stroke:{theme.PAPER};stroke-width:{_HALO_PX}px"

    def put(self, x: float, y: float, text: str | None = None) -> None:
        """Move the label to a place in its axes; change its text too if one is given."""
        self.set_position((x, y))
        if text is not None:
            self.set_text(text)

    def draw(self, renderer: Any) -> None:
        """Draw as any text does, shifted."""
        place, scale = self.get_transform(), renderer.points_to_pixels(1)
        right, up = self.shift_px
        self.set_transform(place + Affine2D().translate(right * scale, up * scale))
        super().draw(renderer)
        self.set_transform(place)

    def svg(self, height: float) -> str:
        """Return the text by its anchor, without measuring it."""
        ((x, y),) = _pixels(self, self._place, *([number] for number in self.get_position()))
        x, y = x + self.shift_px[0], y + self.shift_px[1]
        place = f'x="{x:.1f}" y="{height - y:.1f}"'
        css = f"font-size:{self.get_fontsize():g}px;fill:{to_hex(self.get_color())}"
        css += _ANCHORS[self.get_horizontalalignment()] + self._halo
        if self.get_fontweight() != "normal":
            css += f";font-weight:{self.get_fontweight()}"
        if angle := self.get_rotation():
            place += f' transform="rotate({-angle:.1f} {x:.1f} {height - y:.1f})"'
        return f'<text {place} style="{css}">{html.escape(self.get_text())}</text>'


def title(axes: Axes) -> Label:
    """Add a title at the top left of the axes."""
    label = Label(axes, place="axes", fontsize=style.TITLE_PX)
    label.put(0, 1.035)
    return label


def upright(axes: Axes) -> Line:
    """Add a thin dotted line over the whole height of the axes; its y goes from 0 to 1."""
    return Line(axes, theme.MUTED, width=1, dashes=(1, 2), place="x")


def _transform(axes: Axes, place: Place) -> Transform:
    """Return what matplotlib uses to draw there."""
    if place == "axes":
        return axes.transAxes
    return axes.transData if place == "data" else axes.get_xaxis_transform()


def _pixels(artist: Any, place: Place, xs: Any, ys: Any) -> list[tuple[float, float]]:
    """Return points in pixels of the figure, y upwards: for a few, quicker than a transform."""
    axes, part = artist.axes, ("linear", 0.0, 1.0)
    left, bottom, right, top = axes.bbox.extents.tolist()
    x0, y0, x1, y1 = axes.viewLim.extents.tolist()
    x_axis = part if place == "axes" else (axes.get_xscale(), x0, x1)
    y_axis = (axes.get_yscale(), y0, y1) if place == "data" else part
    x_px, y_px = _scale(*x_axis, left, right - left), _scale(*y_axis, bottom, top - bottom)
    return [(x_px(x), y_px(y)) for x, y in zip(_floats(xs), _floats(ys), strict=True)]


def _floats(numbers: Any) -> list[float]:
    floats: list[float] = np.asarray(numbers, dtype=float).tolist()
    return floats


@lru_cache(maxsize=256)
def _scale(
    kind: str, low: float, high: float, start: float, length: float
) -> Callable[[float], float]:
    """Return the pixel of a number on an axis from `low` to `high`."""
    if kind == "linear":
        return lambda value: start + length * (value - low) / (high - low)
    first, decades = math.log10(low), math.log10(high / low)

    def log_scale(value: float) -> float:
        exponent = _FAR_BELOW if value <= 0 else math.log10(value)
        return start + length * (exponent - first) / decades

    return log_scale
