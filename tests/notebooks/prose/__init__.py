"""Numbers in the notebooks' texts, a module for each notebook, named n and its file name.

COMPUTED: a phrase as it stands in a text cell, and a function that returns the number as the
phrase must hold it. FACTS: a phrase whose number comes from outside, and its source; "example"
marks a number that is an input chosen for the lesson, "measured:" what was measured, and how.
"""

from collections.abc import Callable
from typing import TypeAlias

from preemption import words

Computed: TypeAlias = list[tuple[str, Callable[[], str]]]
Facts: TypeAlias = list[tuple[str, str]]


def ms(cost_ms: float) -> str:
    """Write a time with four digits and its unit."""
    return f"{words.digits(cost_ms)} ms"


def gb_per_s(bytes_per_s: float) -> str:
    """Write a bandwidth with three digits and its unit."""
    return f"{words.digits(bytes_per_s / 1e9, 3)} GB/s"
