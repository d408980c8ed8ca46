"""What is right and wrong about an answer typed by hand: a text in, a verdict in words out."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from preemption.costs import BANDWIDTH_BYTES_PER_S, PER_TOKEN_BYTES, recompute_ms, swap_ms

TOKENS = 1000
RECOMPUTE_MS = recompute_ms(TOKENS)
ONE_WAY_MS = swap_ms(TOKENS, PER_TOKEN_BYTES, BANDWIDTH_BYTES_PER_S, round_trip=False)
ROUND_TRIP_MS = swap_ms(TOKENS, PER_TOKEN_BYTES, BANDWIDTH_BYTES_PER_S)

AnswerOutcome: TypeAlias = Literal["not attempted", "not yet", "wrong", "right"]

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class AnswerVerdict:
    """How an answer is, and a sentence on it. "not yet" asks for the same in another form."""

    outcome: AnswerOutcome
    words: str


def check_answer(question: str, text: str) -> AnswerVerdict:
    """Judge an answer as it was typed.

    The questions: `"recompute"`, the time in ms to recompute 1,000 tokens; `"copy"`, the time
    in ms to copy their cache one way over 25 GB/s, to three decimals; `"cheaper"`, the word
    for the cheaper way. Raises ValueError for another question.
    """
    if question not in QUESTIONS:
        raise ValueError(f"question must be one of {', '.join(QUESTIONS)}, not {question!r}")
    text = text.strip()
    if not text:
        return AnswerVerdict("not attempted", "The box is empty. Type your answer.")
    return QUESTIONS[question](text)


def _number(text: str, judge: Callable[[float, str], AnswerVerdict]) -> AnswerVerdict:
    if NUMBER.fullmatch(text):
        return judge(float(text), text)
    if NUMBER.fullmatch(text.replace(",", "")):
        return AnswerVerdict("not yet", "Type a point before the decimals, and no commas.")
    if NUMBER.match(text):
        return AnswerVerdict("not yet", "Type the number alone, in ms, without its unit.")
    return AnswerVerdict("not yet", "Type a number, such as 12.5.")


def _recompute(number: float, _text: str) -> AnswerVerdict:
    if number == RECOMPUTE_MS:
        return AnswerVerdict("right", "Right: 1,000 tokens at 0.1 ms each.")
    if number == RECOMPUTE_MS / 1000:
        return AnswerVerdict("wrong", "That is in seconds. How many ms is it?")
    return AnswerVerdict("wrong", _direction(number, RECOMPUTE_MS))


def _copy(number: float, text: str) -> AnswerVerdict:
    if number == ONE_WAY_MS:
        return AnswerVerdict("right", "Right, and exact. Three decimals are enough.")
    if abs(number - ONE_WAY_MS) <= 0.0005:
        return AnswerVerdict("right", "Right: 131,072,000 bytes at 25 GB/s.")
    if abs(number - ROUND_TRIP_MS) <= 0.02:
        return AnswerVerdict("wrong", "That is out and back. One way is asked.")
    if abs(number - ONE_WAY_MS / 1000) <= 0.00001:
        return AnswerVerdict("wrong", "That is in seconds. How many ms is it?")
    missing = 3 - len(text.partition(".")[2])
    if missing > 0 and number == round(ONE_WAY_MS, 3 - missing):
        more = "One more decimal" if missing == 1 else f"{missing} more decimals"
        return AnswerVerdict("not yet", f"So far so good. {more}, please.")
    if abs(number - ONE_WAY_MS) < 0.01:
        return AnswerVerdict(
            "wrong", f"Close. {_direction(number, ONE_WAY_MS)} Is it rounded well?"
        )
    return AnswerVerdict("wrong", _direction(number, ONE_WAY_MS))


def _cheaper(text: str) -> AnswerVerdict:
    word = text.strip("\"'. ").lower()
    if word == "swap":
        return AnswerVerdict("right", f"Right: {ROUND_TRIP_MS:.2f} ms against {RECOMPUTE_MS:g} ms.")
    if word == "recompute":
        return AnswerVerdict("wrong", "Compare the two: out and back once, or all tokens again.")
    return AnswerVerdict("not yet", "Type one of the two words: recompute or swap.")


def _direction(number: float, right: float) -> str:
    return "Too large." if number > right else "Too small."


QUESTIONS: dict[str, Callable[[str], AnswerVerdict]] = {
    "recompute": lambda text: _number(text, _recompute),
    "copy": lambda text: _number(text, _copy),
    "cheaper": _cheaper,
}
