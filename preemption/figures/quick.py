"""Artists that move: lines, bands, boxes and labels that write themselves into an SVG.

They are matplotlib artists, so a PNG shows them as well. But to draw them at every step of a
drag matplotlib's SVG backend is slow: it measures text, clips paths and collects styles. A few
points and words do without. `svg(height)` gives an artist's markup in pixels, y downwards, in a
figure of that height; `clipped` says whether it ends where its axes end.
"""

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.lines import Line2D
from matplotlib.markers import CARETDOWN, CARETLEFT, CARETRIGHT, CARETUP
from matplotlib.patches import Polygon, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, IdentityTransform, Transform

from preemption.checks import Array
from preemption.figures import style
from preemption.page import theme

Artist: TypeAlias = "Line | Points | Band | Area | Boxes | Names | Label"
Box: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top in pixels
Spot: TypeAlias = tuple[float, float, str, str]  # of an anchor in pixels, how it is aligned, text
Places: TypeAlias = tuple[list[tuple[float, float]], list[tuple[float, float, str]]]
Place: TypeAlias = Literal["data", "x", "axes"]  # with "x" only x is data, y a part of the axes
DASHES = (4.0, 2.0)
LINE = 1.25  # from one baseline to the next, in font sizes
_HALO_PX = 4
_UNSTRETCHED = "vector-effect:non-scaling-stroke"
_FAR_BELOW = -1000.0  # where matplotlib, too, draws what has no logarithm
ARROW_PX = 10
# Which way an arrow points: as matplotlib's marker with its tip there, and as steps of a path.
_TIPS = {"<": CARETLEFT, ">": CARETRIGHT, "^": CARETUP, "v": CARETDOWN}
_ARROWS = {"<": "l10-6v12z", ">": "l-10-6v12z", "^": "l-6 10h12z", "v": "l-6-10h12z"}
_ANCHORS = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}


_Drawn = TypeVar("_Drawn", "Line", "Area")


def _kept(write: Callable[[_Drawn, float], str]) -> Callable[[_Drawn, float], str]:
    """Write an artist again only where it or its axes have moved."""

    @wraps(write)
    def svg(self: _Drawn, height: float) -> str:
        frame = frame_of(self.panel)
        if self.kept is None or self.kept[0] is not frame:
            self.kept = frame, write(self, height)
        return self.kept[1]

    return svg


def _class(css: str) -> str:
    return f'class="{theme.class_of(css)}"'


class Line(Line2D):
    """A curve through a few points; a point that is not finite breaks it.

    `dashes` are lengths on and off, in multiples of the width in pixels. Fill it by `set_data`.
    """

    clipped = stretched = True
    kept: "tuple[Frame, str] | None" = None

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
        self.panel, self._place = axes, place
        css = f"fill:none;stroke:{colour};stroke-width:{width:g};{_UNSTRETCHED}"
        if dashes:
            self.set_linestyle((0, dashes))
            css += f";stroke-dasharray:{','.join(f'{width * dash:g}' for dash in dashes)}"
        self.styles = [css]
        self._class = _class(css)
        axes.add_line(self)

    def set_data(self, *data: Any) -> None:
        """Go through these x and y."""
        self.kept = None
        super().set_data(*data)

    @_kept
    def svg(self, height: float) -> str:
        """Return the curve as one path."""
        steps, pen = [], "M"
        for x, y in pixels(self, self._place, *self.get_data()):
            if math.isfinite(x) and math.isfinite(y):
                steps.append(f"{pen}{x:.1f} {height - y:.1f}")
                pen = "L"
            else:
                pen = "M"
        return f'<path d="{"".join(steps)}" {self._class}/>'


class Points(Line2D):
    """Markers without a line: discs "o", squares "s" or diamonds "D" of `size` pixels.

    A point that is not finite has none; one beyond the axes has an arrow at the edge.
    """

    clipped = True
    stretched = False  # but for discs, which are ends of lines
    _placed: "tuple[Frame, Places] | None" = None  # they are asked for twice

    def __init__(
        self, axes: Axes, colour: str, marker: str, *, size: float = 9, face: str = ""
    ) -> None:
        super().__init__([], [], color=colour, marker=marker, markersize=size, animated=True)
        self.set(linestyle="none", markerfacecolor=face or colour, zorder=3)
        self.panel, self._face = axes, face
        self.styles = [f"fill:{face or colour};stroke:{colour}", f"fill:{colour}"]
        r, d = f"{size / 2:g}", f"{size / math.sqrt(2):.1f}"
        self._shape = {
            "o": f"m-{r} 0a{r} {r} 0 1 0 {size:g} 0a{r} {r} 0 1 0-{size:g} 0z",
            "s": f"m-{r}-{r}h{size:g}v{size:g}h-{size:g}z",
            "D": f"m-{d} 0l{d}-{d} {d} {d}-{d} {d}z",
        }[marker]
        if marker == "o" and not face:  # the round ends of a line without length: shorter
            self.styles[0] = f"stroke:{colour};stroke-width:{size + 1:g};stroke-linecap:round"
            self.styles[0] += f";{_UNSTRETCHED}"
            self._shape, self.stretched = "z", True
        self._class, self._arrow_class = map(_class, self.styles)
        axes.add_line(self)

    def places(self) -> Places:
        """Return the pixels of markers, and of the tips of arrows, each with where it points."""
        frame = frame_of(self.panel)
        if self._placed and self._placed[0] is frame:
            return self._placed[1]
        left, bottom, right, top = frame.box
        inside, beyond = [], []
        for x, y in pixels(self, "data", *self.get_data()):
            if not (math.isfinite(x) and math.isfinite(y)):
                continue
            # At the limit itself rounding decides, so a little beyond it is still there.
            if left - 1 <= x <= right + 1 and bottom - 1 <= y <= top + 1:
                inside.append((x, y))
            else:
                way = "<" if x < left - 1 else ">" if x > right + 1 else "v" if y < bottom else "^"
                beyond.append((min(max(x, left), right), min(max(y, bottom), top), way))
        self._placed = frame, (inside, beyond)
        return inside, beyond

    def set_data(self, *data: Any) -> None:
        """Move the markers to these x and y."""
        self._placed = None
        super().set_data(*data)

    def draw(self, renderer: Any) -> None:
        """Draw as any markers, and arrows for those beyond the axes."""
        super().draw(renderer)
        data, own = self.get_data(), (self.get_marker(), self.get_transform(), self._face)
        for x, y, way in self.places()[1]:
            self.set(data=([x], [y]), marker=_TIPS[way], transform=IdentityTransform())
            self.set_markerfacecolor(self.get_color())
            super().draw(renderer)
        self.set(data=data, marker=own[0], transform=own[1])
        self.set_markerfacecolor(own[2] or self.get_color())

    def svg(self, height: float) -> str:
        """Return the markers as one path, and the arrows as another."""
        inside, beyond = self.places()
        steps = "".join(f"M{x:.1f} {height - y:.1f}{self._shape}" for x, y in inside)
        markers = f'<path d="{steps}" {self._class}/>'
        if not beyond:
            return markers
        steps = "".join(f"M{x:.1f} {height - y:.1f}{_ARROWS[way]}" for x, y, way in beyond)
        return f'{markers}<path d="{steps}" {self._arrow_class}/>'


class Band(Rectangle):
    """A translucent band over the whole height of the axes, from `x0` to `x1`."""

    clipped = stretched = True

    def __init__(self, axes: Axes, colour: str, *, alpha: float = 0.07) -> None:
        super().__init__((0, 0), 0, 1, facecolor=colour, alpha=alpha, lw=0)
        self.set_transform(_transform(axes, "x"))
        self.set_animated(True)
        self.styles = [f"fill:{colour};opacity:{alpha:g}"]
        self._class = _class(*self.styles)
        axes.add_patch(self)

    def span(self, x0: float, x1: float) -> None:
        """Move the band."""
        self.set(x=x0, width=x1 - x0)

    def svg(self, height: float) -> str:
        """Return the band as a path."""
        ends = self.get_x(), self.get_x() + self.get_width()
        (x0, y0), (x1, y1) = pixels(self, "x", ends, (0, 1))
        corner = f"M{x0:.1f} {height - y0:.1f}"
        return f'<path d="{corner}H{x1:.1f}V{height - y1:.1f}H{x0:.1f}z" {self._class}/>'


class Area(Polygon):
    """A translucent area between two curves."""

    clipped = stretched = True
    kept: "tuple[Frame, str] | None" = None

    def __init__(self, axes: Axes, colour: str, *, alpha: float = 0.2) -> None:
        super().__init__(np.zeros((1, 2)), facecolor=colour, alpha=alpha, lw=0, animated=True)
        self.styles = [f"fill:{colour};opacity:{alpha:g}"]
        self._class = _class(*self.styles)
        self.panel = axes
        axes.add_patch(self)

    def put(self, low: Sequence[tuple[float, float]], high: Sequence[tuple[float, float]]) -> None:
        """Lie between the points of two curves, each from left to right."""
        self.kept = None
        self.set_xy(np.array([*low, *reversed(high)], dtype=float))

    @_kept
    def svg(self, height: float) -> str:
        """Return the area as a path."""
        corners = (f"{x:.1f} {height - y:.1f}" for x, y in pixels(self, "data", *self.get_xy().T))
        return f'<path d="M{"L".join(corners)}z" {self._class}/>'


class Boxes(PolyCollection):
    """Boxes of one colour, with an edge one pixel wide."""

    clipped = stretched = True

    def __init__(self, axes: Axes, colour: str, *, edge: str = theme.PAPER) -> None:
        super().__init__([], facecolors=colour, edgecolors=edge, linewidths=1, animated=True)
        self.styles = [f"fill:{colour};stroke:{edge};{_UNSTRETCHED}"]
        self._class = _class(*self.styles)
        self.put([])
        self.panel = axes
        axes.add_collection(self, autolim=False)

    def put(self, boxes: Sequence[tuple[float, float, float, float]] | Array) -> None:
        """Place the boxes: x and y of a corner, width, height."""
        self.boxes = _floats(boxes)

    def draw(self, renderer: Any) -> None:
        """Draw as any polygons; their paths take long to build, so not before."""
        self.set_verts(
            [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in self.boxes]
        )
        super().draw(renderer)

    def svg(self, height: float) -> str:
        """Return the boxes as one path."""
        x_px, y_px = frame_of(self.panel).scales("data")
        steps, at = [], (0.0, 0.0)
        for x, y, wide, high in self.boxes:
            left, bottom = x_px(x), y_px(y)
            along, up = x_px(x + wide) - left, bottom - y_px(y + high)
            start = round(left, 1), round(height - bottom, 1)  # steps add up to no error
            move = f"m{start[0] - at[0]:.1f} {start[1] - at[1]:.1f}"
            steps.append(f"{move}h{along:.1f}v{up:.1f}h{-along:.1f}z")
            at = start
        return f'<path d="{"".join(steps)}" {self._class}/>'


class Label(Text):
    """Plain text on its baseline.

    It wants to stand at its place in the axes, moved right and up by `shift_px`; `place_labels`
    finds the `spot` where nothing else is in the way, "" if there is none. It is left out where
    it is wider than `span`, two places on the x axis. With a `halo` of paper around its letters
    it can be read on top of lines.
    """

    clipped = stretched = False
    shift_px: tuple[float, float] = (0, 0)
    span: tuple[float, float] | None = None
    spot: Spot | None = None

    def __init__(
        self,
        axes: Axes,
        text: str = "",
        *,
        place: Place = "data",
        halo: bool = False,
        **properties: Any,
    ) -> None:
        self.panel, self._place = axes, place
        defaults: dict[str, Any] = {"fontsize": style.LABEL_PX, "color": theme.INK}
        defaults |= {"transform": _transform(axes, place), "horizontalalignment": "left"}
        defaults |= {"verticalalignment": "baseline"}
        super().__init__(0, 0, text, animated=True, family=theme.FONT, **(defaults | properties))
        axes.add_artist(self)
        self.set_clip_on(False)
        self.size_px = float(self.get_fontsize())
        css = f"font-size:{self.size_px:g}px;fill:{to_hex(self.get_color())}"
        if halo:
            self.set_path_effects([withStroke(linewidth=_HALO_PX, foreground=theme.PAPER)])
            css += f";paint-order:stroke;stroke:{theme.PAPER};stroke-width:{_HALO_PX}px"
        self.bold = self.get_fontweight() == "bold"
        if self.bold:
            css += ";font-weight:bold"
        self.styles = [css]
        self._class = _class(css)

    def put(self, x: float, y: float, text: str | None = None) -> None:
        """Move the label to a place in its axes; change its text too if one is given."""
        self.set_position((x, y))
        self.spot = None
        if text is not None:
            self.set_text(text)

    def wanted(self) -> tuple[float, float]:
        """Return the pixel of its place in the axes."""
        (x, y), (x_px, y_px) = self.get_position(), frame_of(self.panel).scales(self._place)
        return x_px(x), y_px(y)

    def has_room(self) -> bool:
        """Return whether it is as narrow as its `span`."""
        if self.span is None:
            return True
        (x0, _), (x1, _) = pixels(self, "x", self.span, (0, 0))
        return abs(x1 - x0) >= text_px(self.get_text(), self.size_px, bold=self.bold)

    @property
    def is_title(self) -> bool:
        """Whether it stands above its axes."""
        return self._place == "axes" and self.get_position()[1] > 1

    def _where(self) -> Spot:
        if self.spot:
            return self.spot
        (x, y), (right, up) = self.wanted(), self.shift_px
        return x + right, y + up, self.get_horizontalalignment(), self.get_text()

    def draw(self, renderer: Any) -> None:
        """Draw as any text does, at its spot."""
        before = self.get_transform(), self.get_position(), self.get_horizontalalignment()
        scale = renderer.points_to_pixels(1)
        x, y, align, text = self._where()
        if not self.spot:  # in pixels of the renderer already
            right, up = (shift * (scale - 1) for shift in self.shift_px)
            x, y, scale = x + right, y + up, 1
        said = self.get_text()
        self.set(transform=Affine2D().scale(scale), position=(x, y), ha=align, text=text)
        super().draw(renderer)
        self.set(transform=before[0], position=before[1], ha=before[2], text=said)

    def svg(self, height: float) -> str:
        """Return the text by its anchor, without measuring it."""
        x, y, align, text = self._where()
        if not text:
            return ""
        place = f'x="{x:.1f}" y="{height - y:.1f}"'
        said = _escaped(text)
        if "\n" in text:
            high = LINE * self.size_px
            rows = [f'<tspan x="{x:.1f}" dy="{high:.1f}">{row}</tspan>' for row in said.split("\n")]
            place, said = f'y="{height - y - high * len(rows):.1f}"', "".join(rows)
        return f"<text {place}{_ANCHORS[align]} {self._class}>{said}</text>"


_escaped = lru_cache(maxsize=1024)(html.escape)


class Names(Text):
    """Short texts, each in the middle of a box of its own, so that they need no placing."""

    clipped = stretched = False

    def __init__(self, axes: Axes, *, size_px: float) -> None:
        self.panel, self._size_px = axes, size_px
        self.places: list[tuple[float, float, str]] = []
        super().__init__(0, 0, animated=True, family=theme.FONT, fontsize=size_px, color=theme.INK)
        self.set(horizontalalignment="center", verticalalignment="center_baseline")
        self.styles = [f"font-size:{size_px:g}px;fill:{theme.INK};text-anchor:middle"]
        self._class = _class(*self.styles)
        axes.add_artist(self)
        self.set(transform=axes.transData, clip_on=False)

    def put(self, places: Sequence[tuple[float, float, str]]) -> None:
        """Write these texts: x and y of its middle, and the text."""
        self.places = list(places)

    def draw(self, renderer: Any) -> None:
        """Draw one after another."""
        for x, y, text in self.places:
            self.set(position=(x, y), text=text)
            super().draw(renderer)

    def svg(self, height: float) -> str:
        """Return the texts as one group."""
        if not self.places:
            return ""
        frame, base = frame_of(self.panel), height + 0.36 * self._size_px
        written = "".join(
            f'<text x="{frame.x_px(x):.1f}" y="{base - frame.y_px(y):.1f}">{_escaped(text)}</text>'
            for x, y, text in self.places
        )
        return f"<g {self._class}>{written}</g>"


@lru_cache(maxsize=4096)
def text_px(text: str, size_px: float, *, bold: bool = False) -> float:
    """Return how wide a line of text is in the font of a PNG; a page's own is narrower."""
    return size_px * sum(_advance(letter, bold) for letter in text)


@lru_cache(maxsize=512)
def _advance(letter: str, bold: bool) -> float:
    properties = FontProperties(family=theme.FONT, weight="bold" if bold else "normal")
    font = get_font(findfont(properties))
    font.set_size(100, 72)
    advance: float = font.load_char(ord(letter)).linearHoriAdvance
    return advance / 65536 / 100


def arrowed(text: str, x: float, low: float, high: float) -> str:
    """Put an arrow at the side of a text that names an `x` below `low` or above `high`."""
    return text.join(("◂ " if x < low else "", " ▸" if x > high else ""))


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


Scale: TypeAlias = Callable[[float], float]  # the pixel of a number on an axis


@dataclass(frozen=True, eq=False)
class Frame:
    """Where points of axes stand in a figure, in pixels: `box`, and a scale for each axis.

    `x_part` and `y_part` are scales for parts of the axes.
    """

    box: Box
    x_px: Scale
    y_px: Scale
    x_part: Scale
    y_part: Scale

    def scales(self, place: Place) -> tuple[Scale, Scale]:
        """Return the scales of x and y of what has this place."""
        if place == "data":
            return self.x_px, self.y_px
        return self.x_part if place == "axes" else self.x_px, self.y_part


# Of axes while a layer is drawn, so that it is not looked up for each of its artists.
FRAMES: dict[Axes, Frame] = {}


def frame_of(axes: Axes) -> Frame:
    """Return where points of these axes stand now."""
    if axes in FRAMES:
        return FRAMES[axes]
    left, bottom, right, top = map(float, axes.bbox.extents)
    x0, y0, x1, y1 = map(float, axes.viewLim.extents)
    wide, high = right - left, top - bottom
    return Frame(
        (left, bottom, right, top),
        _of_axis(axes.xaxis, x0, x1, left, wide),
        _of_axis(axes.yaxis, y0, y1, bottom, high),
        _scale("linear", 0.0, 1.0, left, wide),
        _scale("linear", 0.0, 1.0, bottom, high),
    )


def pixels(artist: Any, place: Place, xs: Any, ys: Any) -> list[tuple[float, float]]:
    """Return points in pixels of the figure, y upwards: for a few, quicker than a transform."""
    x_px, y_px = frame_of(artist.axes).scales(place)
    return [(x_px(x), y_px(y)) for x, y in zip(_floats(xs), _floats(ys), strict=True)]


def _floats(numbers: Any) -> Any:
    return numbers.tolist() if isinstance(numbers, np.ndarray) else numbers


def _of_axis(axis: Any, low: float, high: float, start: float, length: float) -> Scale:
    kind, forward = axis.get_scale(), axis.get_transform().transform_non_affine
    if kind in ("linear", "log"):
        return _scale(kind, low, high, start, length)
    even = _scale("linear", float(forward(low)), float(forward(high)), start, length)
    return lru_cache(maxsize=4096)(lambda value: even(float(forward(value))))


@lru_cache(maxsize=256)
def _scale(kind: str, low: float, high: float, start: float, length: float) -> Scale:
    """Return the scale of an axis from `low` to `high`."""
    if kind == "linear":
        per_unit = length / (high - low)
        return lambda value: start + per_unit * (value - low)
    first, per_decade = math.log10(low), length / math.log10(high / low)

    def log_scale(value: float) -> float:
        exponent = _FAR_BELOW if value <= 0 else math.log10(value)
        return start + per_decade * (exponent - first)

    return log_scale
