"""Answers typed by hand: a judge for each question of part 1 of notebook 02.

A judge takes the text as typed, and gives whether it is right and a sentence on it.
"""

import re
from typing import TypeAlias

from preemption.costs import BANDWIDTH_BYTES_PER_S, PER_TOKEN_BYTES, recompute_ms, swap_ms

TOKENS = 1000
RECOMPUTE_MS = recompute_ms(TOKENS)
ONE_WAY_MS = swap_ms(TOKENS, PER_TOKEN_BYTES, BANDWIDTH_BYTES_PER_S, round_trip=False)
ROUND_TRIP_MS = swap_ms(TOKENS, PER_TOKEN_BYTES, BANDWIDTH_BYTES_PER_S)

Reply: TypeAlias = tuple[bool, str]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_EMPTY = "The box is empty. Type your answer."


def time_to_recompute(text: str) -> Reply:
    """Judge the time in ms to recompute 1,000 tokens."""
    number = _number(text)
    if isinstance(number, str):
        return False, number
    if number == RECOMPUTE_MS:
        return True, "Right: 1,000 tokens at 0.1 ms each."
    if number == RECOMPUTE_MS / 1000:
        return False, "That is in seconds. How many ms is it?"
    return False, _direction(number, RECOMPUTE_MS)


def time_of_one_copy(text: str) -> Reply:
    """Judge the time in ms to copy their cache one way over 25 GB/s, to three decimals."""
    number = _number(text)
    if isinstance(number, str):
        return False, number
    if number == ONE_WAY_MS:
        return True, "Right, and exact. Three decimals are enough."
    if abs(number - ONE_WAY_MS) <= 0.0005:
        return True, "Right: 131,072,000 bytes at 25 GB/s."
    if abs(number - ROUND_TRIP_MS) <= 0.02:
        return False, "That is out and back. One way is asked."
    if abs(number - ONE_WAY_MS / 1000) <= 0.00001:
        return False, "That is in seconds. How many ms is it?"
    missing = 3 - len(text.strip().partition(".")[2])
    if missing > 0 and number == round(ONE_WAY_MS, 3 - missing):
        more = "One more decimal" if missing == 1 else f"{missing} more decimals"
        return False, f"So far so good. {more}, please."
    if abs(number - ONE_WAY_MS) < 0.01:
        return False, f"Close. {_direction(number, ONE_WAY_MS)} Is it rounded well?"
    return False, _direction(number, ONE_WAY_MS)


def cheaper_way(text: str) -> Reply:
    """Judge the word for the cheaper way to resume."""
    if not text.strip():
        return False, _EMPTY
    word = text.strip().strip("\"'. ").lower()
    if word == "swap":
        return True, f"Right: {ROUND_TRIP_MS:.2f} ms against {RECOMPUTE_MS:g} ms."
    if word == "recompute":
        return False, "Compare the two: out and back once, or all tokens again."
    return False, "Type one of the two words: recompute or swap."


def _number(text: str) -> float | str:
    """Return the number that was typed, or what to type instead."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    if not text:
        return _EMPTY
    if _NUMBER.fullmatch(text.replace(",", "")):
        return "Type a point before the decimals, and no commas."
    if _NUMBER.match(text):
        return "Type the number alone, in ms, without its unit."
    return "Type a number, such as 12.5."


def _direction(number: float, right: float) -> str:
    return "Too large." if number > right else "Too small."
