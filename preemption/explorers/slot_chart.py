"""Slots and how many tokens each sequence generates: static groups, iteration-level admission."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from preemption import words
from preemption.figures.slot_chart import Schedule, Schedules, SlotChart
from preemption.page.controls import Select, Whole
from preemption.page.explorer import Explorer, Words
from preemption.page.questions import NumericGuess, numeric
from preemption.serving import Row, continuous_schedule, static_schedule, utilization

_NAMES = "ABCDEF"
_EXAMPLE, _OWN = "A, B, C", "own"
PRESETS = {
    name: {"slots": slots} | dict(zip(_NAMES.lower(), lengths, strict=True))
    for name, slots, lengths in (
        (_EXAMPLE, 2, (2, 1, 2, 0, 0, 0)),
        ("one long, first in line", 2, (8, 1, 1, 1, 1, 1)),
        ("one long, last in line", 2, (1, 1, 1, 1, 1, 8)),
        ("equal lengths", 2, (3, 3, 3, 3, 3, 3)),
        ("all fit at once", 4, (5, 2, 1, 3, 0, 0)),
    )
}
_LENGTHS = range(9)


def _tokens_of(name: str) -> Whole:
    low = int(name == "A")
    return Whole(
        f"tokens of {name}",
        default=PRESETS[_EXAMPLE][name.lower()],
        low=low,
        high=_LENGTHS[-1],
        places=_LENGTHS[low:],
    )


class SlotExplorer(Explorer[Schedules]):
    """Set the slots and how many tokens each sequence generates; see both schedules.

    `preset` is one of the dropdown's names, or "own" for your own numbers; `slots` is 1 to 4, `a`
    to `f` are the tokens of the sequences A to F; all but `a` may be 0, which leaves the sequence
    out. `guesses` are two numeric questions about the iterations of A, B, C: in static groups and
    with iteration-level admission.
    """

    preset = Select(
        "preset",
        options=[*((name, name) for name in PRESETS), ("your own", _OWN)],
        default=_EXAMPLE,
    )
    slots = Whole("slots", default=2, low=1, high=4, places=range(1, 5))
    a, b, c, d, e, f = map(_tokens_of, _NAMES)

    def __init__(self, guesses: Sequence[NumericGuess] = ()) -> None:
        self._guesses, kind = numeric(guesses), type(self)
        super().__init__(
            SlotChart(_NAMES),
            [kind.preset, kind.slots, kind.a, kind.b],
            beside=[kind.c, kind.d, kind.e, kind.f],
        )
        self._when_answered(self._guesses, self.change)

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Let a preset set the numbers that are not given, and the numbers name the preset."""
        settings = self.settings | PRESETS.get(changes.get("preset", _OWN), {}) | changes
        found = (name for name, preset in PRESETS.items() if preset.items() <= settings.items())
        return settings | {"preset": next(found, _OWN)}

    def _ask(self) -> Schedules:
        tokens = {name: self.settings[name.lower()] for name in _NAMES}
        lengths = {name: length for name, length in tokens.items() if length}
        static, continuous = (
            schedule(lengths, self.slots) for schedule in (static_schedule, continuous_schedule)
        )
        example = self.preset == _EXAMPLE
        guesses = [guess.value if example else None for guess in self._guesses] or [None, None]
        return Schedules(
            Schedule(static, utilization(static), guesses[0]),
            Schedule(continuous, utilization(continuous), guesses[1]),
        )

    def _say(self, answer: Schedules) -> Words:
        static, continuous = answer.static, answer.continuous
        saved = len(static.rows) - len(continuous.rows)
        gain = f"{words.count(saved, 'iteration')} saved" if saved else "No gain here"
        return Words(
            verdict=f"Static groups: {static}. Iteration-level admission: {continuous}. {gain}.",
            alternative="Two schedules, a row for each slot. Static groups: "
            f"{_by_slot(static.rows)}. Iteration-level admission: {_by_slot(continuous.rows)}.",
        )


def _by_slot(rows: Sequence[Row]) -> str:
    """Say slot by slot who holds it, one after the other, for how many iterations."""
    slots = []
    for number, slot in enumerate(zip(*rows, strict=True), 1):
        stays = [f"{name or 'idle'} {len(list(stay))}" for name, stay in groupby(slot)]
        slots.append(f"slot {number}: {', '.join(stays)}")
    return "; ".join(slots)
