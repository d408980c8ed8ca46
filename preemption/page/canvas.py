"""The two layers of a picture: a still one, drawn once, and what moves, sent at each change.

The still layer (axes, ticks, grid) is drawn by matplotlib. The artists that move write themselves
as a small SVG that lies over it.
"""

import io
import itertools
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from typing import Any, Protocol, TypeAlias
from uuid import uuid4

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image  # matplotlib needs it too

from preemption.page import theme
from preemption.page.html import Html

_PNG_DPI = 144
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_Base: Any = RendererSVG  # its methods have no types
Box: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top in pixels
_salts = itertools.count()
# A kernel may hear one control in one thread and the next in another; matplotlib knows only one.
LOCK = threading.RLock()


_CLASS = re.compile(r'class="(pe-\d+)"')


class Moving(Protocol):
    """An artist that moves; animated, so that matplotlib leaves it out of the still layer."""

    clipped: bool
    stretched: bool

    @property
    def styles(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def axes(self) -> Any: ...  # noqa: D102
    def get_visible(self) -> bool: ...  # noqa: D102
    def set_visible(self, b: bool) -> None: ...  # noqa: D102
    def svg(self, height: float) -> str: ...  # noqa: D102


class View(Protocol):
    """Where the panels of a picture are: its size in pixels, a box for each of the axes."""

    size: tuple[float, float]

    @property
    def shown(self) -> Sequence[Moving]: ...  # noqa: D102
    def box(self, axes: Any) -> Box: ...  # noqa: D102
    def stretch(self, axes: Any) -> str: ...  # noqa: D102


class Picture(Protocol):
    """What a figure module hands over: a figure in pixels at 72 dpi, and which artists move.

    `answers` are still ones that a cover hides too.
    """

    @property
    def figure(self) -> Figure: ...  # noqa: D102
    @property
    def moving(self) -> Sequence[Moving]: ...  # noqa: D102
    @property
    def answers(self) -> Sequence[Artist]: ...  # noqa: D102
    def arrange(self, *, narrow: bool) -> None: ...  # noqa: D102
    def wrote(self, texts: Sequence[Box], *, narrow: bool) -> None: ...  # noqa: D102
    def viewed(self, *, narrow: bool) -> AbstractContextManager[View]: ...  # noqa: D102


class _Renderer(_Base):  # type: ignore[misc]
    """Draws SVG, and notes where it writes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.texts: list[Box] = []
        super().__init__(*args, **kwargs)

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, *args: Any, **kw: Any
    ) -> None:
        """Write as ever."""
        wide, high, below = self.get_text_width_height_descent(s, prop, ismath=False)
        up = self.height - y
        box = (x, up - below, x + wide, up + high - below)
        if angle:  # upright
            box = (x - high + below, up, x + below, up + wide)
        self.texts.append(box)
        super().draw_text(gc, x, y, s, prop, angle, *args, **kw)


class Canvas:
    """Draws the layers of one picture as SVG, or the whole of it as PNG."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        # Not as in a kernel before: what it has drawn may stand in the page still.
        self._id = f"pe{uuid4().hex[:6]}"
        for text in picture.figure.findobj(Text):
            text.set_parse_math(False)  # a name may hold a $
        # Each picture names its clip paths differently: several stand in one page.
        self._rc: Any = {"svg.fonttype": "none", "svg.hashsalt": f"pe{next(_salts)}"}

    def still_svg(self) -> Html:
        """Return the axes and all else that does not move, for a narrow page and a wide one."""
        return self._both(self._still)

    def moving_svg(self) -> Html:
        """Return the moving artists alone, in the same way; draw the still layer first.

        Their styles are classes, which `styles` says once.
        """
        return self._both(self._moving)

    def styles(self) -> Html:
        """Return the styles of all that moves."""
        found = dict.fromkeys(css for artist in self._picture.moving for css in artist.styles)
        rules = "".join(f".{theme.class_of(css)}{{{css}}}" for css in found)
        return Html(f"<style>{theme.with_variables(rules)}</style>")

    def whole_svg(self) -> Html:
        """Return both layers in one."""
        return self._both(self._whole)

    def _both(self, draw: Callable[[bool], str]) -> Html:
        return Html(
            "".join(
                draw(narrow).replace("<svg", f'<svg class="{kind}"', 1)
                for narrow, kind in ((True, "pe-narrow"), (False, "pe-wide"))
            )
        )

    def _whole(self, narrow: bool) -> str:
        still = self._still(narrow)
        moving = _CLASS.sub(lambda name: f'style="{theme.css_of(name[1])}"', self._moving(narrow))
        moving = theme.with_variables(moving)
        return f"{still[: still.rindex('</svg>')]}{moving}</svg>"

    def _still(self, narrow: bool) -> str:
        buffer = io.StringIO()
        with LOCK, mpl.rc_context(self._rc):
            self._picture.arrange(narrow=narrow)
            width, height = map(float, self._picture.figure.bbox.size)
            renderer = _Renderer(width, height, buffer, image_dpi=72, metadata=_NO_METADATA)
            self._picture.figure.draw(renderer)
            renderer.finalize()
        self._picture.wrote(renderer.texts, narrow=narrow)
        svg = re.sub(r' id="\w+_\d+"', "", buffer.getvalue())  # nothing refers to these
        return theme.with_variables(svg[svg.index("<svg") :])

    def _moving(self, narrow: bool) -> str:
        parts: list[str] = []
        with LOCK, self._picture.viewed(narrow=narrow) as view:
            height = view.size[1]
            for axes, artists in groupby(view.shown, key=lambda a: a.axes if a.clipped else None):
                own = list(artists)
                markup = "".join([a.svg(height) for a in own if not a.stretched])
                if axes:
                    shape = f"{self._id}-{len(parts)}"
                    if narrow:
                        stretched = f'<use href="#{shape}" transform="{view.stretch(axes)}"/>'
                    else:
                        paths = "".join([artist.svg(height) for artist in own if artist.stretched])
                        stretched = f'<g id="{shape}">{paths}</g>'
                    left, bottom, right, top = view.box(axes)
                    wide = (left, height - top, right - left, top - bottom)
                    x, y, w, h = (f"{px:.1f}" for px in wide)
                    box = f'x="{x}" y="{y}" width="{w}" height="{h}" viewBox="{x} {y} {w} {h}"'
                    markup = f'<svg role="none" {box}>{stretched}{markup}</svg>'
                parts.append(markup)
        return f'<svg viewBox="0 0 {view.size[0]:g} {height:g}">{"".join(parts)}</svg>'

    def png(self, cover: str = "") -> bytes:
        """Return the whole picture, on paper; or its frame alone, with the words `cover` on it."""
        buffer, figure = io.BytesIO(), self._picture.figure
        with LOCK:
            shown: list[Any] = [*self._picture.moving, *self._picture.answers]
            hidden = [artist for artist in shown if cover and artist.get_visible()]
            for artist in hidden:
                artist.set_visible(False)
            words = figure.text(
                *(0.5, 0.5),
                cover,
                ha="center",
                color=theme.INK,
                size=15,
                family=theme.FONT,
                bbox={"facecolor": theme.PAPER, "edgecolor": theme.MUTED, "pad": 12},
            )
            try:
                options = {"compress_level": 0}
                figure.savefig(
                    buffer, format="png", dpi=_PNG_DPI, facecolor=theme.PAPER, pil_kwargs=options
                )
            finally:
                words.remove()
                text: Any
                for text in figure.findobj(Text):
                    text._renderer = None  # it would keep the pixels of the whole picture
                for artist in hidden:
                    artist.set_visible(True)
        # A palette makes it a third as large, and a notebook holds many.
        small = io.BytesIO()
        with Image.open(buffer) as image:
            colours = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            colours.save(small, format="png")
        return small.getvalue()

    def _size(self) -> tuple[float, float]:
        width, height = self._picture.figure.get_size_inches() * 72
        return float(width), float(height)
