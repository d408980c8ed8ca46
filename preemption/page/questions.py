"""Questions: a choice or a number that the reader commits to before the answer opens."""

import asyncio
import math
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import ipywidgets as widgets
import numpy as np
import traitlets

from preemption import words
from preemption.checks import shown
from preemption.page import html
from preemption.page.shown import now_shown

# A kernel may hear a reader's click in one thread while a cell answers in another.
_lock = threading.RLock()
WAITS = "You have committed. The answer opens when you have committed to the other one too."
_LEAST = 1e-50  # and its inverse the most, so that a ratio can be told
_TEXT_S = 0.3  # so long after Enter or a click the text may still come


class _Question(widgets.VBox):  # type: ignore[misc]
    """A question, a control, a button that commits, and the answer, closed until then.

    `value` is what the reader committed to and stays; it is None before and can be observed.
    A subclass says in `_held` what the control holds, in `_show_held` how it shows an answer, in
    `_checked` what may be one, in `_is_right` whether it is right, in `_reply` what the reader is
    told, and in `_asks` and `_answers` what is left without a kernel.
    """

    value = traitlets.Any(None, allow_none=True, read_only=True)

    def __init__(self, question: str, control: widgets.Widget) -> None:
        self._question, self._control = question, control
        self._button = widgets.Button(description="commit", layout={"width": "90px"})
        self._button.on_click(lambda _: self._clicked())
        self._reply_box = widgets.HTML()
        self._opens_with: tuple[_Question, ...] = (self,)
        super().__init__(
            [
                widgets.HTML(html.page(html.element("b", question), styled=True)),
                control,
                self._button,
                self._reply_box,
            ],
            layout={"max_width": "860px", "margin": "0 0 12px"},
        )

    @property
    def answered(self) -> bool:
        """Whether the reader has committed to an answer."""
        return self.value is not None

    def answer(self, value: Any) -> None:
        """Commit to `value`. ValueError or TypeError if it is no answer, or not the first."""
        with _lock:
            self.set_trait("value", self._take(value))

    def _take(self, value: Any) -> Any:
        """Open the answer, and return what `value` of this question becomes."""
        with _lock:
            if self.answered:
                raise ValueError(f"already answered: {self.value}. The first answer stays.")
            value = self._checked(value)
            if all(other.answered for other in self._opens_with if other is not self):
                for question in self._opens_with:
                    question._open_answer(value if question is self else question.value)
            else:
                self._open([WAITS])
            self._button.layout.display = "none"
            self._control.disabled = True
            self._show_held(value)
            return value

    def _open_answer(self, value: Any) -> None:
        self._open(self._reply(value), right=self._is_right(value))

    def commit(self) -> None:
        """Commit to what the control holds; if that is no answer, say so to the reader.

        An error of somebody who observes `value` is told below the answer, which stays.
        """
        with _lock:
            try:
                value = self._take(self._held())
            except (TypeError, ValueError) as error:
                self._open([str(error)])
                return
            try:
                self.set_trait("value", value)
            except Exception as error:
                failed = f"Code that observes this answer failed: {type(error).__name__} ({error})"
                self._reply_box.value += html.page(html.element("p", failed, class_="pe-note"))

    def _clicked(self) -> None:
        self.commit()

    def _open(self, paragraphs: Sequence[str], *, right: bool = False) -> None:
        note = "pe-note pe-right" if right else "pe-note"
        reply = html.element("div", html.paragraphs(paragraphs), class_=note)
        self._reply_box.value = html.status(reply, tag="div", class_="pe")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Add what is left of the question without a kernel: its answer folds open."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        now_shown(self)
        asked = [self._question, *self._asks()]
        question = html.element("p", html.lines(asked))
        answer = html.fold("answer", html.items(self._answers()))
        return bundle | {"text/plain": "\n".join(asked), "text/html": question + answer}


Asked = TypeVar("Asked", bound=_Question)


def together(first: Asked, second: Asked) -> tuple[Asked, Asked]:
    """Let two questions open their answers together, as one would give the other away."""
    first._opens_with = second._opens_with = (first, second)
    return first, second


class Choice(_Question):
    """A question with options, each with its feedback; nothing is chosen at first."""

    def __init__(
        self, question: str, feedback: Mapping[str, str], *, right: str, because: str = ""
    ) -> None:
        if right not in feedback:
            raise ValueError(f"the right option must be one of {list(feedback)}, not {right!r}")
        self._of_option, self._right, self._because = dict(feedback), right, because
        layout = {"width": "auto", "margin": "0"}
        super().__init__(
            question, widgets.RadioButtons(options=list(feedback), value=None, layout=layout)
        )

    def _held(self) -> Any:
        if self._control.value is None:
            raise ValueError("Choose an option first.")
        return self._control.value

    def _checked(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self._of_option:
            raise ValueError(
                f"the answer must be one of {list(self._of_option)}, not {shown(value)}"
            )
        return value

    def _show_held(self, value: str) -> None:
        self._control.value = value

    def _is_right(self, value: str) -> bool:
        return value == self._right

    def _reply(self, value: str) -> list[str]:
        if self._is_right(value):
            reply = [f"{value}: right. {self._of_option[value]}"]
        else:
            reply = [f"{value}: not quite. {self._of_option[value]}"]
            reply.append(f"The right answer: {self._right}. {self._of_option[self._right]}")
        return [*reply, self._because] if self._because else reply

    def _asks(self) -> list[str]:
        return [f"( ) {option}" for option in self._of_option]

    def _answers(self) -> list[str]:
        marks = {True: "right", False: "not quite"}
        lines = [
            f"{option}: {marks[option == self._right]}. {feedback}"
            for option, feedback in self._of_option.items()
        ]
        return [*lines, self._because] if self._because else lines


class _Typed(_Question):
    """A question whose control is a box to type into. Enter commits to what it holds."""

    def __init__(self, question: str, label: str, width: str) -> None:
        # The box tells its text when Enter is pressed or the focus leaves it. Key by key it would
        # fall behind a quick typist, and Enter would commit to half of the text.
        box = widgets.Text(
            description=label,
            continuous_update=False,
            style={"description_width": "initial"},
            layout={"width": width},
        )
        self._entered: asyncio.TimerHandle | None = None
        self._text_came_s = -math.inf
        box.on_msg(self._on_enter)
        box.observe(self._on_text, "value")
        super().__init__(question, box)

    def _on_enter(self, _box: widgets.Text, content: dict[str, Any], _buffers: Any) -> None:
        if content.get("event") == "submit" and not self._control.disabled:
            self._commit_soon()

    def _clicked(self) -> None:
        """Commit to the text that left the box with the click; another thread may hear it later."""
        if time.monotonic() - self._text_came_s < _TEXT_S:
            self.commit()
        else:
            self._commit_soon()

    def _commit_soon(self) -> None:
        """Commit once the text is here: it is still to come, or as before and will not."""
        if self._entered:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no event loop, so nothing will come: a script or a test
            self.commit()
        else:
            self._entered = loop.call_later(_TEXT_S, self._commit_entered)

    def _on_text(self, _change: dict[str, Any]) -> None:
        self._text_came_s = time.monotonic()
        if self._entered:
            self._commit_entered()

    def _commit_entered(self) -> None:
        entered, self._entered = self._entered, None
        if entered:
            entered.cancel()
            self.commit()


class NumericGuess(_Typed):
    """A question for a number above 0 in `unit`; right if within `tolerance` of `truth`.

    `tolerance` is relative: 0.1 is 10%; with 0 only a whole number may be guessed. Where the truth
    differs from run to run it is a pair, the lowest and the highest, and a guess between the two
    is right. No guess may be above `most`. `subject` says in a picture what the guess is for.
    """

    def __init__(
        self,
        question: str,
        *,
        truth: float | tuple[float, float],
        unit: str,
        because: str,
        subject: str = "",
        tolerance: float = 0.1,
        most: float = sys.float_info.max,
    ) -> None:
        self._truth, self._unit, self._tolerance, self._most = truth, unit, tolerance, most
        self._because, self.subject = because, subject
        super().__init__(question, f"your guess ({unit})", "260px")

    def _held(self) -> float:
        return words.typed(self._control.value, self._unit)

    def _checked(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise TypeError(f"the guess must be a number in {self._unit}, not {shown(value)}")
        if not 0 < value <= sys.float_info.max:
            raise ValueError(f"the guess must be above 0 {self._unit} and finite, not {value}")
        if not _LEAST <= value <= 1 / _LEAST:
            raise ValueError(f"the guess must be from {_LEAST} to {1 / _LEAST}, not {value}")
        number = float(value)
        came = f"not {words.plain(number)}"
        if number > self._most:
            most = f"{words.plain(self._most)} {self._unit}"
            raise ValueError(f"the guess must be at most {most}, {came}")
        if not self._tolerance and not number.is_integer():
            raise ValueError(f"the guess must be a whole number, {came}")
        return number

    def _show_held(self, value: float) -> None:
        self._control.value = words.plain(value)

    def _is_right(self, value: float) -> bool:
        # To the three digits in which the truth is told, so that no reply contradicts itself.
        ratio = self._ratio(value)
        off = abs(float(f"{ratio:.3g}") - 1)
        return off <= self._tolerance * (1 + 1e-9) if self._tolerance else ratio == 1

    def _ratio(self, value: float) -> float:
        """Return how many times the truth a guess is; of a pair the nearer one, or 1 between."""
        low, high = self._ends
        return value / min(max(value, low), high)

    @property
    def _ends(self) -> tuple[float, float]:
        return self._truth if isinstance(self._truth, tuple) else (self._truth, self._truth)

    def _reply(self, value: float) -> list[str]:
        ratio = self._ratio(value)
        if self._is_right(value):
            within = f", within {words.digits(100 * self._tolerance, 2)}%"
            between = ratio == 1 and isinstance(self._truth, tuple)
            found = f"right{within if self._tolerance and not between else ''}"
        else:
            factor = max(ratio, 1 / ratio)
            times = words.digits(factor, 3 if factor < 2 else 2)
            found = f"{times} times too {'high' if ratio > 1 else 'low'}"
        return [f"You guessed {self._told(words.plain(value))}: {found}.", *self._answers()]

    def _asks(self) -> list[str]:
        return [f"____ {self._unit}"]

    def _answers(self) -> list[str]:
        truths = dict.fromkeys(words.digits(truth, 3) for truth in self._ends)
        return [f"It is {self._told(' to '.join(truths))}. {self._because}"]

    def _told(self, number: str) -> str:
        """Write a number with the unit: 5 blocks, 1 block, 1 ms."""
        counts = number == "1" and self._unit in ("blocks", "iterations")
        return f"{number} {self._unit.removesuffix('s') if counts else self._unit}"


def numeric(guesses: object) -> list[NumericGuess]:
    """Return a list of numeric questions. TypeError for anything else."""
    if not isinstance(guesses, Sequence):
        raise TypeError(f"guesses must be a list of numeric questions, not {shown(guesses)}")
    for guess in guesses:
        if not isinstance(guess, NumericGuess):
            raise TypeError(f"each of the guesses must be a numeric question, not {shown(guess)}")
    return list(guesses)


class TypedAnswer(_Typed):
    """A question answered in a box, as often as it takes; `value` is the last right answer.

    `judge` takes the text as typed and gives whether it is right, and a sentence on it.
    `label` names the box. `right` is a right answer, for readers without a kernel.
    """

    def __init__(
        self, question: str, *, label: str, judge: Callable[[str], tuple[bool, str]], right: str
    ) -> None:
        self._judge, self._label, self._right = judge, label, right
        self._judged = ""
        super().__init__(question, label, "320px")
        self._button.description = "check"

    def _take(self, value: str) -> str | None:
        self._judged = self._control.value = value
        right, sentence = self._judge(value)
        self._open([sentence], right=right)
        return value if right else self.value

    def _on_text(self, change: dict[str, Any]) -> None:
        super()._on_text(change)
        if self._control.value != self._judged:
            self.commit()

    def _held(self) -> str:
        text: str = self._control.value
        return text

    def _asks(self) -> list[str]:
        return [f"{self._label}: ____"]

    def _answers(self) -> list[str]:
        return [f"{self._right}. {self._judge(self._right)[1]}"]


class Quiz(widgets.VBox):  # type: ignore[misc]
    """Several questions below one another; `questions` holds them in order."""

    def __init__(self, questions: Sequence[Choice]) -> None:
        self.questions = list(questions)
        super().__init__(self.questions)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Add what is left of the questions without a kernel."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        now_shown(self)
        parts = [question._repr_mimebundle_() for question in self.questions]
        plain, folded = ([part[kind] for part in parts] for kind in ("text/plain", "text/html"))
        return bundle | {"text/plain": "\n\n".join(plain), "text/html": "".join(folded)}
