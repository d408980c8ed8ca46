"""Controls above a picture in two layers and the words about it; and pictures that do not move.

Picture and words travel in one message, made from one answer of the model.
"""

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

import ipywidgets as widgets

from preemption.page import canvas, html
from preemption.page.canvas import LOCK, Canvas
from preemption.page.controls import Controls, Setting
from preemption.page.questions import NumericGuess, numeric
from preemption.page.shown import now_shown

Bundle: TypeAlias = dict[str, Any]  # data by MIME type
Answer = TypeVar("Answer")
Asked = TypeVar("Asked", contravariant=True)

COVER = "Commit to your guess above, then run this cell."
SETTLE_S = 0.3  # a drag counts as ended after this long without a change

_LAYER = {"grid_area": "1 / 1 / 2 / 2", "width": "100%", "margin": "0"}


class Picture(canvas.Picture, Protocol[Asked]):
    """A picture of an answer of the model."""

    def fit(self, answer: Asked) -> bool:
        """Fit the limits of the axes to an answer; return whether they have changed."""

    def show(self, answer: Asked) -> None:
        """Move all that moves; the limits of the axes stay."""


@dataclass(frozen=True)
class Words:
    """What is said about a picture: its finding, the same for those who cannot see it, a table.

    `table`, and `sources`, below all else, are made by `page.html`.
    """

    verdict: str
    alternative: str
    table: str = ""
    sources: str = ""


class Explorer(widgets.VBox, Generic[Answer]):  # type: ignore[misc]
    """Controls, a picture in two layers and the words about it: the base of all explorers.

    A subclass has settings as class attributes and hands its picture and the settings that get a
    control to `__init__`. At each change `_ask` asks the model once, the picture draws the answer,
    and `_say` puts it into words. Controls in `beside` stand in a second column where there is
    room, `buttons` below them; `start` holds settings that start, and are reset, elsewhere than at
    their default. From
    code, setting an attribute raises what goes wrong; while a reader moves a control it is shown
    in the status line. Either way the settings stay as they were.
    """

    def __init__(
        self,
        picture: Picture[Answer],
        controls: Sequence[Setting[Any]],
        note: str = "",
        *,
        beside: Sequence[Setting[Any]] = (),
        start: Mapping[str, Any] | None = None,
        buttons: Sequence[widgets.Widget] = (),
    ) -> None:
        self.picture, self._canvas = picture, Canvas(picture)
        settings = inspect.getmembers_static(type(self), lambda member: isinstance(member, Setting))
        self._known: dict[str, Setting[Any]] = {
            name: setting.as_of_now() for name, setting in settings
        }
        self._start = {name: self._checked(name, value) for name, value in (start or {}).items()}
        self.settings = self._defaults()
        self._cover = ""
        self._error, self._stale = "", True  # stale: the still layer has to be drawn
        self._room, self._longest = html.Html(), 0
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
                *buttons,
                widgets.GridBox([self._still, self._moving], layout=layers),
                self._sources,
                widgets.HTML(html.page(html.paragraphs([note]))),
            ],
            layout={"max_width": "860px", "width": "100%"},
        )
        self.add_class("pe-explorer")
        self._apply(self.settings)

    def _column(self, settings: Sequence[Setting[Any]]) -> widgets.Widget:
        """Return the controls of these settings below one another, their labels in line."""
        label_width = f"{max(len(setting.label) for setting in settings)}ch"
        rows = {
            setting.name: self._known[setting.name].row(
                partial(self._reader_sets, setting.name), label_width
            )
            for setting in settings
        }
        self._rows |= rows
        layout = {"flex": "1 1 390px", "align_self": "flex-start", "min_width": "0"}
        return widgets.VBox(list(rows.values()), layout=layout)

    def _ask(self) -> Answer:
        """Ask the model about the present settings; called once for each change."""
        raise NotImplementedError

    def _say(self, answer: Answer) -> Words:
        """Say what the picture of this answer shows."""
        raise NotImplementedError

    @property
    def verdict(self) -> str:
        """What the picture shows at the present settings."""
        return self._words.verdict

    def covered(self) -> Self:
        """Let a saved notebook show a cover instead of the picture, which answers a question.

        Once its cell has run the picture is there. Returns the explorer.
        """
        self._cover = COVER
        return self

    def finding(self) -> "Still":
        """Return the present picture as one that does not move."""
        with LOCK:
            return Still(self.picture, self._words.alternative)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse a name that is hardly that of a setting, instead of keeping it without a use."""
        known = name.startswith("_") or hasattr(type(self), name) or name in vars(self)
        if not known and (near := get_close_matches(name, type(self)._names())):
            raise AttributeError(f"there is no setting {name!r}; do you mean {near[0]!r}?")
        super().__setattr__(name, value)

    @classmethod
    def _names(cls) -> list[str]:
        every = (each for kind in cls.__mro__ for each in vars(kind).items())
        return [name for name, value in every if isinstance(value, Setting)]

    def change(self, **settings: Any) -> None:
        """Set several settings at once, or none of them if one is refused."""
        self._set(settings)

    def reset(self) -> None:
        """Go back to the defaults."""
        with LOCK:
            self._apply(self._defaults())

    def settle(self) -> None:
        """Fit the axes to the present settings, as when a drag has ended."""
        with LOCK:
            if self._settling:
                self._settling.cancel()
                self._settling = None
            self._draw(self._answer, fit=True)

    def _defaults(self) -> dict[str, Any]:
        return {name: setting.default for name, setting in self._known.items()} | self._start

    def _checked(self, name: str, value: object) -> Any:
        if name not in self._known:
            raise ValueError(f"there is no setting {name!r}, only {', '.join(self._known)}")
        return self._known[name].checked(value)

    def _set(self, changes: Mapping[str, object], *, fit: bool = True) -> None:
        checked = {name: self._checked(name, value) for name, value in changes.items()}
        with LOCK:
            self._apply(self._with(checked), fit=fit)

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with these changes, and whatever follows from them."""
        return self.settings | changes

    def _apply(self, settings: dict[str, Any], *, fit: bool = True) -> None:
        """Show `settings`; if that fails, keep the old ones and raise."""
        before, self.settings = self.settings, settings
        self._error = ""
        try:
            self._draw(self._ask(), fit=fit)
        except Exception:
            self.settings = before
            raise
        finally:
            for name, row in self._rows.items():
                row.show(self.settings[name])

    def _draw(self, answer: Answer, *, fit: bool) -> None:
        if fit and self.picture.fit(answer):
            self._stale = True
        self.picture.show(answer)
        words = self._say(answer)
        if fit and len(words.verdict) > self._longest:
            # Room for words that grow in a drag, so that what is below them stands still.
            self._longest, self._stale = len(words.verdict), True
            self._room = html.room(words.table, words.verdict)
        if self._stale:
            self._draw_still()
        svg = self._canvas.moving_svg()
        self._answer, self._words, self._svg = answer, words, svg
        self._publish()

    def _when_answered(self, guesses: Sequence[NumericGuess], draw: Callable[[], None]) -> None:
        """Let `draw` draw numeric guesses, those that are answered and each as it is answered."""
        for guess in guesses:
            guess.observe(lambda _: self._from_reader(draw), "value")
        if any(guess.answered for guess in guesses):
            draw()

    def _draw_guesses(
        self, guesses: Sequence[NumericGuess], show: Callable[[list[tuple[float, str]]], None]
    ) -> None:
        """Let `show` draw numeric guesses, (value, subject)."""
        guesses = numeric(guesses)

        def draw() -> None:
            show([(guess.value, guess.subject) for guess in guesses if guess.answered])
            self._draw(self._answer, fit=False)

        self._when_answered(guesses, draw)

    def _draw_still(self) -> None:
        still = self._canvas.still_svg()
        self._still.value = html.page(
            self._canvas.styles(), html.picture(still), self._room, styled=True, aria_hidden="true"
        )
        self._stale = False

    def _publish(self) -> None:
        error = html.element("strong", self._error, class_="pe-note") if self._error else ""
        self._moving.value = html.page(
            html.picture(self._svg, self._words.alternative),
            self._words.table,
            html.status(error, " " if error else "", self.verdict),
        )
        self._sources.value = self._words.sources

    def _reader_sets(self, name: str, value: object, dragging: bool) -> None:
        """Take a value from a control; it cannot raise, since nobody would see it."""
        with LOCK:
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
        with LOCK:
            try:
                action()
            except Exception as error:
                self._error = str(error)
                self._publish()

    def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
        """Add what is left of the explorer without a kernel: its picture and its verdict."""
        bundle = super()._repr_mimebundle_(**kwargs)
        now_shown(self)
        with LOCK:
            if self._cover:
                return _with_fallback(
                    bundle, self._cover, self._canvas.png(self._cover), self._cover
                )
            png = self._canvas.png()
            return _with_fallback(bundle, self.verdict, png, self._words.alternative)


class Still(widgets.HTML):  # type: ignore[misc]
    """A picture that does not move, with a sentence for those who cannot see it."""

    def __init__(self, picture: canvas.Picture, alternative: str) -> None:
        drawn, self._alternative = Canvas(picture), alternative
        svg = drawn.whole_svg()
        self._png = drawn.png()
        super().__init__(
            html.page(html.picture(svg, alternative), styled=True),
            layout={"max_width": "860px", "width": "100%", "margin": "0"},
        )
        self._cover = ""

    def covered(self) -> Self:
        """Let a saved notebook show a sentence instead of the picture, which answers a question.

        Once its cell has run the picture is there. Returns the picture.
        """
        self._cover = COVER
        return self

    def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
        bundle: Bundle = super()._repr_mimebundle_(**kwargs)
        alternative = self._alternative
        now_shown(self)
        if self._cover:
            return bundle | {
                "text/plain": self._cover,
                "text/html": html.paragraphs([self._cover]),
            }
        return _with_fallback(bundle, alternative, self._png, alternative)


def _with_fallback(bundle: dict[str, Any], text: str, png: bytes, alternative: str) -> Bundle:
    """Add to a widget's MIME bundle what a saved notebook shows of it without a kernel.

    Not as image/png: nbconvert would leave the alternative out.
    """
    return bundle | {"text/plain": text, "text/html": html.saved_picture(png, alternative)}
