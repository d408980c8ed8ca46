"""The two layers of a picture: a still one, drawn once, and what moves, sent at each change.

The still layer (axes, ticks, grid) is drawn by matplotlib. The artists that move write themselves
as a small SVG that lies over it.
"""

import io
import itertools
import re
import threading
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Protocol

import matplotlib as mpl
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.text import Text

from preemption.page import theme
from preemption.page.html import Html

_PNG_DPI = 144
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_Renderer: Any = RendererSVG  # its methods have no types
_salts = itertools.count()
# A kernel may hear one control in one thread and the next in another; matplotlib knows only one.
LOCK = threading.RLock()


class Moving(Protocol):
    """An artist that moves; animated, so that matplotlib leaves it out of the still layer."""

    clipped: bool

    @property
    def axes(self) -> Any: ...  # noqa: D102
    def get_visible(self) -> bool: ...  # noqa: D102
    def set_visible(self, b: bool) -> None: ...  # noqa: D102
    def svg(self, height: float) -> str: ...  # noqa: D102


class Picture(Protocol):
    """What a figure module hands over: a figure in pixels at 72 dpi, and which artists move."""

    @property
    def figure(self) -> Figure: ...  # noqa: D102
    @property
    def moving(self) -> Sequence[Moving]: ...  # noqa: D102


class Canvas:
    """Draws the layers of one picture as SVG, or the whole of it as PNG."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        for text in picture.figure.findobj(Text):
            text.set_parse_math(False)  # a name may hold a $
        # Each picture names its clip paths differently: several stand in one page.
        self._rc: Any = {"svg.fonttype": "none", "svg.hashsalt": f"pe{next(_salts)}"}

    def still_svg(self) -> Html:
        """Return the axes and all else that does not move."""
        width, height = self._size()
        buffer = io.StringIO()
        with LOCK, mpl.rc_context(self._rc):
            renderer = _Renderer(width, height, buffer, image_dpi=72, metadata=_NO_METADATA)
            self._picture.figure.draw(renderer)
            renderer.finalize()
        svg = re.sub(r' id="\w+_\d+"', "", buffer.getvalue())  # nothing refers to these
        return Html(theme.with_variables(svg[svg.index("<svg") :]))

    def moving_svg(self) -> Html:
        """Return the moving artists alone."""
        width, height = self._size()
        shown = [artist for artist in self._picture.moving if artist.get_visible()]
        parts = []
        for axes, artists in groupby(shown, key=lambda a: a.axes if a.clipped else None):
            markup = "".join(artist.svg(height) for artist in artists)
            if axes:
                left, bottom, wide, high = axes.bbox.bounds
                x, y, w, h = (f"{px:.1f}" for px in (left, height - bottom - high, wide, high))
                box = f'x="{x}" y="{y}" width="{w}" height="{h}" viewBox="{x} {y} {w} {h}"'
                markup = f'<svg role="none" {box}>{markup}</svg>'
            parts.append(markup)
        svg = f'<svg viewBox="0 0 {width:g} {height:g}">{"".join(parts)}</svg>'
        return Html(theme.with_variables(svg))

    def whole_svg(self) -> Html:
        """Return both layers in one."""
        still = self.still_svg()
        return Html(f"{still[: still.rindex('</svg>')]}{self.moving_svg()}</svg>")

    def png(self, cover: str = "") -> bytes:
        """Return the whole picture, on paper; or its frame alone, with the words `cover` on it."""
        buffer, figure = io.BytesIO(), self._picture.figure
        with LOCK:
            hidden = [artist for artist in self._picture.moving if cover and artist.get_visible()]
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
                figure.savefig(buffer, format="png", dpi=_PNG_DPI, facecolor=theme.PAPER)
            finally:
                words.remove()
                for artist in hidden:
                    artist.set_visible(True)
        return buffer.getvalue()

    def _size(self) -> tuple[float, float]:
        width, height = self._picture.figure.get_size_inches() * 72
        return float(width), float(height)
