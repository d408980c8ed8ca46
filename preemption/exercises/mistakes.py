"""A result in words: what it is, and what is wrong with it ("... gave ...: ...").

Each function takes the result, the right one and the case. It returns None if nothing is
wrong. The words tell the direction, never the formula.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Set
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from preemption.costs import BLOCK_TOKENS, recompute_ms, swap_ms
from preemption.exercises.judge import Case

STRATEGIES = ("recompute", "swap")
_NUMBERS = (int, float, Fraction, Decimal, np.integer, np.floating)
_SEQUENCES = (list, tuple, deque)


def of_number(result: Any, right: float, _case: Case) -> str | None:
    """Check a number of Python or NumPy, right to 1e-9 of its size: float, fraction, decimal..."""
    number = _number(result)
    if number is None:
        return "the result must be one number."
    if math.isnan(number):
        return "that is not a number."
    if abs(number - right) <= 1e-9 * abs(right):
        return None
    off = "too large" if number > right else "too small"
    if number * right < 0:
        return f"{off}. Its sign is wrong."
    if right and number:
        ratio = abs(number / right)
        for factor in (1e3, 1e6, 1e9):
            if math.isclose(max(ratio, 1 / ratio), factor, rel_tol=1e-3):
                return f"{off}, by a factor of {factor:,.0f}. Look at the units."
        if abs(number - right) < 1e-2 * abs(right):
            return f"close, but {off}. Is it rounded?"
    return f"{off}."


def _number(value: Any) -> float | None:
    """Return a Python or NumPy number as a float, and None for all else, bool included."""
    value = _scalar(value)
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return None
    try:
        # A plain float, whatever methods the value brings along.
        return float.__pos__(value) if isinstance(value, float) else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a decimal's signalling NaN
        return math.nan


def _text(value: Any) -> str | None:
    """Return a string, of Python, NumPy or an enum of strings, as a plain one; else None."""
    value = _scalar(value)
    # By its characters, whatever methods the value brings along.
    return str.__str__(value) if isinstance(value, str) else None


def _scalar(value: Any) -> Any:
    """Return an array without dimensions as the number or string that it holds."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def of_strategy(result: Any, right: str, case: Case) -> str | None:
    """Check a strategy; the case has the arguments of `cheaper`."""
    word = _text(result)
    if word == right:
        return None
    if word not in STRATEGIES:
        return 'the result must be exactly "recompute" or "swap".'
    if swap_ms(*case.args) == recompute_ms(case.args[0]):
        return "here swapping takes as long as recomputing, not less."
    return "the other way takes less time here."


def of_victim(result: Any, right: str, case: Case) -> str | None:
    """Check the name of a victim; the case has the sequences."""
    (seqs,) = case.args
    name = _text(result)
    if name == right:
        return None
    if name not in seqs:
        return "the result must be one of the names."
    if seqs[name] > seqs[right]:
        return "that one has too many tokens; another has fewer."
    return "another name with as few tokens comes first in plain string order."


def of_spared(result: Any, right: str, case: Case) -> str | None:
    """Check the name of a victim that is not the oldest; the case has those who run, in order."""
    (running,) = case.args
    name = _text(result)
    if name == right:
        return None
    if name not in running:
        return "the result must be one of the names."
    if name == next(iter(running)):
        return "that one was admitted first, and is to be spared."
    if running[name] > running[right]:
        return "that one has too many tokens; another has fewer."
    return "another one with as few tokens was admitted later."


def of_victims(result: Any, right: list[str], case: Case) -> str | None:
    """Check a group of victims; any that costs as little as `right` will do."""
    seqs, needed = case.args
    entries = list(result) if isinstance(result, Set) else _entries(result)
    names = [name for name in map(_text, entries or []) if name is not None and name in seqs]
    if entries is None or len(set(names)) < len(entries):
        return "the result must be a list of different names from seqs."
    blocks = blocks_of(seqs, names)
    if blocks < needed:
        return f"they hold too few blocks, {blocks} of {needed}."
    if tokens_of(seqs, names) > tokens_of(seqs, right):
        return "too expensive: another choice frees enough blocks for fewer tokens."
    return None


def of_rows(result: Any, right: list[list[str | None]], case: Case) -> str | None:
    """Check the rows of a schedule, in whatever kind of list."""
    _, slots = case.args
    entries = _entries(result)
    rows = [None] if entries is None else [_entries(row) for row in entries]
    for iteration, (row, due) in enumerate(zip(rows, right, strict=False)):
        if row is None:
            return "the result must be a list of rows, one row per iteration."
        if len(row) != slots:
            return f"the row of iteration {iteration} must have one entry per slot, {slots}."
        for slot, (entry, name) in enumerate(zip(row, due, strict=True)):
            entry = None if entry is None else _text(entry) or "no name"
            if entry != name:
                state = "held too long" if name is None else "held by the wrong sequence"
                state = "left free" if entry is None else state
                return f"slot {slot} is {state} in iteration {iteration}, both counted from 0."
    if len(rows) != len(right):
        return f"{len(rows)} rows are too {'many' if len(rows) > len(right) else 'few'}."
    return None


def _entries(value: Any) -> list[Any] | None:
    """Return what is in a list, a tuple or an array, in its order; None for all else."""
    if isinstance(value, np.ndarray) and value.ndim:
        return list(value.tolist())
    return list(value) if isinstance(value, _SEQUENCES) else None


def blocks_of(seqs: Mapping[str, int], names: Iterable[str]) -> int:
    """Count the blocks that these sequences hold together, part full ones included."""
    return sum(math.ceil(seqs[name] / BLOCK_TOKENS) for name in names)


def tokens_of(seqs: Mapping[str, int], names: Iterable[str]) -> int:
    """Count the cached tokens of these sequences together."""
    return sum(seqs[name] for name in names)
