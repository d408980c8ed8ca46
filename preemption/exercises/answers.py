"""Answers typed by hand: a judge for each question of part 1 of notebook 02.

A judge takes the text as typed, and gives whether it is right and a sentence on it. It raises
ValueError for a text that is no answer: an empty box, no number, none of the words.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

from preemption import costs, words

Reply: TypeAlias = tuple[bool, str]
WAYS = ("recompute", "swap")


@dataclass(frozen=True)
class Eviction:
    """A request to resume, and the machine that it runs on."""

    tokens: int
    ms_per_token: float
    per_token_bytes: int
    bandwidth_bytes_per_s: float

    @property
    def recompute_ms(self) -> float:
        """Time to recompute the cache."""
        return costs.recompute_ms(self.tokens, self.ms_per_token)

    @property
    def one_way_ms(self) -> float:
        """Time of one copy of the cache."""
        return self.round_trip_ms / 2

    @property
    def round_trip_ms(self) -> float:
        """Time to copy the cache out and back."""
        return costs.swap_ms(self.tokens, self.per_token_bytes, self.bandwidth_bytes_per_s)

    @property
    def cheaper(self) -> str:
        """The way that takes less time; the evictions here have no tie."""
        return "swap" if self.round_trip_ms < self.recompute_ms else "recompute"


LESSON = Eviction(1_000, costs.MS_PER_TOKEN, costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S)
# One copy is faster than recomputing here, and two are slower.
UNSEEN = Eviction(2_000, ms_per_token=0.2, per_token_bytes=800_000, bandwidth_bytes_per_s=5e9)


def time_to_recompute(text: str) -> Reply:
    """Judge the time in ms to recompute 1,000 tokens."""
    right = LESSON.recompute_ms
    return _time(text, right, "Right: 1,000 tokens at 0.1 ms each.")


def time_of_one_copy(text: str) -> Reply:
    """Judge the time in ms to copy their cache one way over 25 GB/s, to three decimals."""
    right = LESSON.one_way_ms
    number = words.typed(text, "ms")
    if number == right:
        return True, "Right, and exact. Three decimals are enough."
    if abs(number - right) <= 0.0005:
        return True, "Right: 131,072,000 bytes at 25 GB/s."
    missing = 3 - len(words.plain(number).partition(".")[2])
    if missing > 0 and number == round(right, 3 - missing):
        more = "One more decimal" if missing == 1 else f"{missing} more decimals"
        return False, f"So far so good. {more}, please."
    if abs(number - right) < 0.01:
        return False, f"Close. {_direction(text, number, right)} Is it rounded well?"
    return _time(text, right, "", {LESSON.round_trip_ms: "That is out and back. One way is asked."})


def cheaper_way(text: str) -> Reply:
    """Judge the word for the cheaper way to resume it."""
    return _way(text, LESSON)


def time_to_swap_unseen(text: str) -> Reply:
    """Judge the time in ms to swap on the machine that no notebook has shown."""
    said = "Right: 1.6 GB at 5 GB/s, out and back."
    one_way = {UNSEEN.one_way_ms: "That is one way. Out and back is asked."}
    return _time(text, UNSEEN.round_trip_ms, said, one_way)


def cheaper_way_unseen(text: str) -> Reply:
    """Judge the word for the cheaper way there."""
    return _way(text, UNSEEN)


def _way(text: str, eviction: Eviction) -> Reply:
    word = text.strip().strip("\"'. ").lower()
    if word not in WAYS:
        wanted = f"Type one of the two words: {' or '.join(WAYS)}."
        raise ValueError(wanted if word else f"The box is empty. {wanted}")
    if word != eviction.cheaper:
        return False, "Compare the two: out and back once, or all tokens again."
    ms = {"recompute": eviction.recompute_ms, "swap": eviction.round_trip_ms}
    less, more = sorted(ms.values())
    return True, f"Right: {words.digits(less)} ms against {words.digits(more)} ms."


def _time(text: str, right: float, said: str, slips: dict[float, str] | None = None) -> Reply:
    """Judge a time in ms; `slips` are usual wrong answers, and what to say of each."""
    number = words.typed(text, "ms")
    if number == right:
        return True, said
    seconds = "That is in seconds. How many ms is it?"
    for slip, sentence in ((slips or {}) | {right / 1000: seconds}).items():
        if math.isclose(number, slip, rel_tol=2e-3):
            return False, sentence
    return False, _direction(text, number, right)


def _direction(text: str, number: float, right: float) -> str:
    if number <= 0:
        return "Too small: a copy or a prefill takes some time."
    if number < right:
        return "Too small."
    return "Too large. Decimals follow a point, not a comma." if "," in text else "Too large."
