"""What is wrong with a result, in words that end the sentence "... gave ...:".

Each function takes the result, the right one and the case. It returns None if nothing is
wrong. The words tell the direction, never the formula.
"""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from preemption.costs import BLOCK_TOKENS, recompute_ms, swap_ms
from preemption.exercises.judge import Case

STRATEGIES = ("recompute", "swap")


def of_number(result: Any, right: float, _case: Case) -> str | None:
    """Check a number, right to 1e-9 of its size: a float, int or fraction, of Python or NumPy."""
    number = _number(result)
    if number is None:
        return "the result must be one number."
    if math.isnan(number):
        return "that is not a number."
    if abs(number - right) <= 1e-9 * abs(right):
        return None
    off = "too large" if number > right else "too small"
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
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if type(value) not in (int, float, Fraction):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _text(value: Any) -> str | None:
    """Return a Python or NumPy string as a plain one, and None for all else."""
    if isinstance(value, np.str_):
        value = value.item()
    return value if type(value) is str else None


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


def of_victims(result: Any, right: list[str], case: Case) -> str | None:
    """Check a group of victims; any that costs as little as `right` will do."""
    seqs, needed = case.args
    kinds = (list, tuple, set, frozenset)
    names = [_text(name) or "" for name in result] if type(result) in kinds else [""]
    if any(name not in seqs for name in names) or len(set(names)) < len(names):
        return "the result must be a list of different names from seqs."
    blocks = blocks_of(seqs, names)
    if blocks < needed:
        return f"they hold too few blocks, {blocks} of {needed}."
    if tokens_of(seqs, names) > tokens_of(seqs, right):
        return "too expensive: another choice frees enough blocks for fewer tokens."
    return None


def of_rows(result: Any, right: list[list[str | None]], case: Case) -> str | None:
    """Check the rows of a schedule, as lists or tuples."""
    _, slots = case.args
    if type(result) not in (list, tuple) or any(type(row) not in (list, tuple) for row in result):
        return "the result must be a list of rows, one row per iteration."
    for iteration, (row, due) in enumerate(zip(result, right, strict=False)):
        if len(row) != slots:
            return f"the row of iteration {iteration} must have one entry per slot, {slots}."
        for slot, (entry, name) in enumerate(zip(row, due, strict=True)):
            entry = None if entry is None else _text(entry) or "no name"
            if entry != name:
                state = "held too long" if name is None else "held by the wrong sequence"
                state = "left free" if entry is None else state
                return f"slot {slot} is {state} in iteration {iteration}, both counted from 0."
    if len(result) != len(right):
        return f"{len(result)} rows are too {'many' if len(result) > len(right) else 'few'}."
    return None


def blocks_of(seqs: Mapping[str, int], names: Iterable[str]) -> int:
    """Count the blocks that these sequences hold together, part full ones included."""
    return sum(math.ceil(seqs[name] / BLOCK_TOKENS) for name in names)


def tokens_of(seqs: Mapping[str, int], names: Iterable[str]) -> int:
    """Count the cached tokens of these sequences together."""
    return sum(seqs[name] for name in names)
