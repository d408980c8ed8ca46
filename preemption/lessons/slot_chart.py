"""Questions on static groups and iteration-level admission."""

from preemption import serving
from preemption.page.questions import NumericGuess

SLOTS = 2
_ABC = {"A": 2, "B": 1, "C": 2}


def iterations_of_static_groups() -> NumericGuess:
    """Ask for the iterations of A, B, C in static groups."""
    return NumericGuess(
        "A generates 2 tokens, B 1, C 2. There are two slots. How many iterations do static "
        "groups need?",
        truth=len(serving.static_schedule(_ABC, SLOTS)),
        unit="iterations",
        because="A and B are the first group. It lasts as long as A; B's slot is idle in the "
        "second iteration. Then C runs alone for two.",
        tolerance=0,
    )


def iterations_with_iteration_level_admission() -> NumericGuess:
    """Ask for the iterations of A, B, C with iteration-level admission."""
    return NumericGuess(
        "The same three sequences, the same two slots. How many iterations does "
        "iteration-level admission need?",
        truth=len(serving.continuous_schedule(_ABC, SLOTS)),
        unit="iterations",
        because="C takes B's slot in the second iteration, beside A, and ends in the third.",
        tolerance=0,
    )
