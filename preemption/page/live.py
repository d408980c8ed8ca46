"""The picture that moves: controls, a picture in two layers, words below it.

The still layer (axes, ticks, grid) is drawn once; at each change only the artists that move
write themselves again, as a small SVG that lies over it. Picture and words travel in one message.
"""

import asyncio
import base64
import html
import inspect
import io
import itertools
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Protocol, TypeAlias

import ipywidgets as widgets
import matplotlib as mpl
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

from preemption.page import theme
from preemption.page.controls import Controls, Setting

Bundle: TypeAlias = tuple[dict[str, Any], dict[str, Any]]  # data and metadata by MIME type

SETTLE_S = 0.3  # a drag counts as ended after this long without a change
_PNG_DPI = 144
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_Renderer: Any = RendererSVG  # its methods have no types
_salts = itertools.count()
# A kernel may hear one control in one thread and the next in another; matplotlib knows only one.
_lock = threading.RLock()

_LAYER = {"grid_area": "1 / 1 / 2 / 2", "width": "100%", "margin": "0"}


class Moving(Protocol):
    """An artist that moves; animated, so that matplotlib leaves it out of the still layer."""

    clipped: bool

    @property
    def axes(self) -> Any: ...  # noqa: D102
    def get_visible(self) -> bool: ...  # noqa: D102
    def svg(self, height: float) -> str: ...  # noqa: D102


class Picture(Protocol):
    """What a figure module hands over: a figure in pixels at 72 dpi, and which artists move."""

    @property
    def figure(self) -> Figure: ...  # noqa: D102
    @property
    def moving(self) -> Sequence[Moving]: ...  # noqa: D102


@dataclass(frozen=True)
class Words:
    """What is said about a picture: its finding, the same for those who cannot see it, a table.

    `sources_html`, below all else, says where the figures come from.
    """

    verdict: str
    alternative: str
    table_html: str = ""
    sources_html: str = ""


class Canvas:
    """Draws the layers of one picture as SVG, or the whole of it as PNG."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        # Each picture names its clip paths differently: several stand in one page.
        self._rc: Any = {"svg.fonttype": "none", "svg.hashsalt": f"pe{next(_salts)}"}

    def still_svg(self) -> str:
        """Return the axes and all else that does not move."""
        width, height = self._size()
        buffer = io.StringIO()
        with _lock, mpl.rc_context(self._rc):
            renderer = _Renderer(width, height, buffer, image_dpi=72, metadata=_NO_METADATA)
            self._picture.figure.draw(renderer)
            renderer.finalize()
        svg = re.sub(r' id="\w+_\d+"', "", buffer.getvalue())  # nothing refers to these
        return theme.with_variables(svg[svg.index("<svg") :])

    def moving_svg(self) -> str:
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
        return theme.with_variables(svg)

    def png(self) -> bytes:
        """Return the whole picture, on paper."""
        buffer = io.BytesIO()
        with _lock:
            self._picture.figure.savefig(buffer, format="png", dpi=_PNG_DPI, facecolor=theme.PAPER)
        return buffer.getvalue()

    def _size(self) -> tuple[float, float]:
        width, height = self._picture.figure.get_size_inches() * 72
        return float(width), float(height)


class Explorer(widgets.VBox):  # type: ignore[misc]
    """Controls above a picture in two layers and the words about it: the base of all explorers.

    A subclass has settings as class attributes, hands its picture and the settings that get a
    control to `__init__`, and says in `_show` and `_fit` what to draw. Controls in `beside` stand
    in a second column where there is room; `start` holds settings that start, and are reset,
    elsewhere than at their default. From code, setting an attribute raises what goes wrong; while
    a reader moves a control it is shown in the status line. Either way the settings stay as they
    were.
    """

    def __init__(
        self,
        picture: Picture,
        controls: Sequence[Setting[Any]],
        note: str = "",
        *,
        beside: Sequence[Setting[Any]] = (),
        start: Mapping[str, Any] | None = None,
    ) -> None:
        self._canvas = Canvas(picture)
        settings = inspect.getmembers_static(type(self), lambda member: isinstance(member, Setting))
        self._known: dict[str, Setting[Any]] = {
            name: setting.as_of_now() for name, setting in settings
        }
        self._start = {name: self._checked(name, value) for name, value in (start or {}).items()}
        self.settings = self._defaults()
        self._error, self._stale = "", True  # stale: the still layer has to be drawn
        self._settling: asyncio.TimerHandle | None = None
        self._still, self._moving = widgets.HTML(layout=_LAYER), widgets.HTML(layout=_LAYER)
        self._sources = widgets.HTML()
        self._rows: dict[str, Controls] = {}
        columns = [self._column(column) for column in (controls, beside) if column]
        reset = widgets.Button(description="reset", layout={"width": "auto"})
        reset.on_click(lambda _: self._from_reader(self.reset))
        layers = {"grid_template_columns": "minmax(0, 1fr)", "width": "100%", "margin": "0"}
        super().__init__(
            [
                widgets.Box(
                    [*columns, reset],
                    layout={
                        "align_items": "flex-end",
                        "flex_flow": "row wrap",
                        "max_width": "860px" if beside else "700px",
                    },
                ),
                widgets.GridBox([self._still, self._moving], layout=layers),
                self._sources,
                widgets.HTML(f'<div class="pe"><p>{html.escape(note)}</p></div>'),
            ],
            layout={"max_width": "860px"},
        )
        self._apply(self.settings)

    def _column(self, settings: Sequence[Setting[Any]]) -> widgets.Widget:
        """Return the controls of these settings below one another, their labels in line."""
        label_width = f"{max(len(setting.label) for setting in settings)}ch"
        rows = {
            setting.name: setting.row(partial(self._reader_sets, setting.name), label_width)
            for setting in settings
        }
        self._rows |= rows
        layout = {"flex": "1 1 auto", "align_self": "flex-start"}
        return widgets.VBox(list(rows.values()), layout=layout)

    def _show(self) -> Words:
        """Move the moving artists to the present settings and say what they show."""
        raise NotImplementedError

    def _fit(self) -> bool:
        """Fit the axes to the present settings; return whether the still layer has changed."""
        raise NotImplementedError

    @property
    def verdict(self) -> str:
        """What the picture shows at the present settings."""
        return self._words.verdict

    def change(self, **settings: Any) -> None:
        """Set several settings at once, or none of them if one is refused."""
        self._set(settings)

    def reset(self) -> None:
        """Go back to the defaults."""
        with _lock:
            self._apply(self._defaults())

    def settle(self) -> None:
        """Fit the axes to the present settings, as when a drag has ended."""
        with _lock:
            if self._settling:
                self._settling.cancel()
                self._settling = None
            self._draw(fit=True)

    def _defaults(self) -> dict[str, Any]:
        return {name: setting.default for name, setting in self._known.items()} | self._start

    def _checked(self, name: str, value: object) -> Any:
        if name not in self._known:
            raise ValueError(f"there is no setting {name!r}, only {', '.join(self._known)}")
        return self._known[name].checked(value)

    def _set(self, changes: Mapping[str, object], *, fit: bool = True) -> None:
        checked = {name: self._checked(name, value) for name, value in changes.items()}
        with _lock:
            self._apply(self._with(checked), fit=fit)

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with these changes, and whatever follows from them."""
        return self.settings | changes

    def _apply(self, settings: dict[str, Any], *, fit: bool = True) -> None:
        """Show `settings`; if that fails, keep the old ones and raise."""
        before, self.settings = self.settings, settings
        self._error = ""
        try:
            self._draw(fit=fit)
        except Exception:
            self.settings = before
            raise
        finally:
            for name, row in self._rows.items():
                row.show(self.settings[name])

    def _draw(self, *, fit: bool) -> None:
        if fit and self._fit():
            self._stale = True
        self._words = self._show()
        self._svg = self._canvas.moving_svg()
        if self._stale:
            self._draw_still()
        self._send()

    def _draw_guesses(
        self, guesses: Sequence[Any], show: Callable[[list[tuple[float, str]]], None]
    ) -> None:
        """Let `show` draw numeric guesses, (value, subject), once they are answered."""

        def draw() -> None:
            show([(guess.value, guess.subject) for guess in guesses if guess.answered])
            self._draw_still()

        for guess in guesses:
            guess.observe(lambda _: self._from_reader(draw), "value")
        if any(guess.answered for guess in guesses):
            draw()

    def _draw_still(self) -> None:
        svg = self._canvas.still_svg()
        self._still.value = f'{theme.STYLE}<div class="pe" aria-hidden="true">{svg}</div>'
        self._stale = False

    def _send(self) -> None:
        error = self._error
        if error:
            error = f'<strong class="pe-note">{html.escape(error)}</strong> '
        self._moving.value = (
            f'<div class="pe">{_named(self._svg, self._words.alternative)}'
            f"{self._words.table_html}"
            f'<p role="status" aria-live="polite">{error}{html.escape(self.verdict)}</p></div>'
        )
        self._sources.value = self._words.sources_html

    def _reader_sets(self, name: str, value: object, dragging: bool) -> None:
        """Take a value from a control; it cannot raise, since nobody would see it."""
        with _lock:
            self._from_reader(lambda: self._set({name: value}, fit=not dragging))
            self._rows[name].show(self.settings[name])
            if dragging:
                self._settle_soon()

    def _settle_soon(self) -> None:
        if self._settling:
            self._settling.cancel()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no event loop, so no later: a script or a test
            self._from_reader(self.settle)
        else:
            self._settling = loop.call_later(SETTLE_S, self._from_reader, self.settle)

    def _from_reader(self, action: Callable[[], None]) -> None:
        with _lock:
            try:
                action()
            except Exception as error:
                self._error = str(error)
                self._send()

    def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
        """Add what is left of the explorer without a kernel: its picture and its verdict."""
        bundle = super()._repr_mimebundle_(**kwargs)
        with _lock:
            return _with_fallback(bundle, self.verdict, self._canvas, self._words.alternative)


def _named(svg: str, alternative: str) -> str:
    """Give an SVG the text that is read out in its place."""
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alternative)}"', 1)


class Still(widgets.HTML):  # type: ignore[misc]
    """A picture that does not move, with a sentence for those who cannot see it."""

    def __init__(self, picture: Picture, alternative: str) -> None:
        self._canvas, self._alternative = Canvas(picture), alternative
        super().__init__(
            f'{theme.STYLE}<div class="pe">{_named(self._canvas.still_svg(), alternative)}</div>',
            layout={"max_width": "860px", "width": "100%", "margin": "0"},
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
        bundle, alternative = super()._repr_mimebundle_(**kwargs), self._alternative
        return _with_fallback(bundle, alternative, self._canvas, alternative)


def _with_fallback(bundle: dict[str, Any], text: str, canvas: Canvas, alternative: str) -> Bundle:
    """Add to a widget's MIME bundle what a saved notebook shows of it without a kernel."""
    png = base64.b64encode(canvas.png()).decode()
    return bundle | {"text/plain": text, "image/png": png}, {"image/png": {"alt": alternative}}
