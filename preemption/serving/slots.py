"""Which sequence holds which slot in each iteration: static groups, iteration-level admission.

A schedule is a list of rows, one per iteration, the first being iteration 0. A row holds, per
slot, the name of the sequence that gets its next token there, or None. Every iteration counts
the same: prefill is left out, and so is that a fuller batch takes longer.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypeVar

from preemption.checks import shown, whole

Row: TypeAlias = list[str | None]

T = TypeVar("T")
MOST_CELLS = 10**7  # as many as memory holds


def static_schedule(
    lengths: Mapping[str, int], slots: int, arrivals: Mapping[str, int] | None = None
) -> list[Row]:
    """Rows of a schedule that fills all slots at once and waits for the longest sequence.

    `lengths` maps a name to its output length in tokens, that is in iterations (1 or more).
    `arrivals` maps a name to the iteration in which it is there (0 or more; a missing name
    is there at 0). The line is in order of arrival and, within an iteration, of `lengths`.
    Each group is the next `slots` sequences in line, or the rest. It starts when the last
    group has ended and all its members are there. Raises ValueError for no slot, a length
    below 1, a fraction, or an arrival without a length; TypeError for no mapping, a name that
    is no string, or a value that is no number.
    """
    line, arrives = _line(lengths, slots, arrivals)
    rows: list[Row] = []
    for first in range(0, len(line), slots):
        group = line[first : first + slots]
        idle = arrives[group[-1]] - len(rows)
        rows += [[None] * slots for _ in range(idle)]
        for step in range(max(lengths[name] for name in group)):
            held = [name if step < lengths[name] else None for name in group]
            rows.append(held + [None] * (slots - len(group)))
    return rows


def continuous_schedule(
    lengths: Mapping[str, int], slots: int, arrivals: Mapping[str, int] | None = None
) -> list[Row]:
    """Rows of a schedule that gives a free slot to the next in line in every iteration.

    Also called iteration-level scheduling or continuous batching. The lowest free slot goes
    first. Arguments, line and errors are those of `static_schedule`. No sequence starts or
    ends later than it does there.
    """
    line, arrives = _line(lengths, slots, arrivals)
    waiting, left = deque(line), dict(lengths)
    row: Row = [None] * slots
    rows: list[Row] = []
    while left:
        for slot in range(slots):
            if row[slot] is None and waiting and arrives[waiting[0]] <= len(rows):
                row[slot] = waiting.popleft()
        rows.append(row.copy())
        for slot, name in enumerate(row):
            if name is not None:
                left[name] -= 1
                if left[name] == 0:
                    del left[name]
                    row[slot] = None
    return rows


def utilization(rows: Iterable[Iterable[str | None]]) -> float:
    """Share of all slots in all iterations that hold a sequence, from 0 to 1.

    `rows` is a schedule as above; an iteration in which nothing runs counts as well. Raises
    ValueError for no rows, no slots or rows of different lengths, TypeError for what is no
    schedule. Formula: active sequence-iterations / available sequence-iterations.
    """
    table = [_listed("each of rows", row) for row in _listed("rows", rows)]
    for row in table:
        if not all(isinstance(name, str | None) for name in row):
            raise TypeError(f"rows must hold names or None, not {shown(row)}")
    if len({len(row) for row in table}) != 1 or not table[0]:
        raise ValueError(f"rows must be one or more rows with the same slots, not {shown(table)}")
    held = [name is not None for row in table for name in row]
    return sum(held) / len(held)


def _listed(name: str, value: Iterable[T]) -> list[T]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list, not {shown(value)}")
    return list(value)


def _line(
    lengths: Mapping[str, int], slots: int, arrivals: Mapping[str, int] | None
) -> tuple[list[str], dict[str, int]]:
    """Check the arguments; return the names in line and the iteration of each arrival."""
    whole("slots", slots, least=1)
    arrivals = {} if arrivals is None else arrivals
    for argument, mapping in (("lengths", lengths), ("arrivals", arrivals)):
        if not isinstance(mapping, Mapping) or not all(isinstance(name, str) for name in mapping):
            raise TypeError(f"{argument} must map names to whole numbers, not {shown(mapping)}")
    for name, length in lengths.items():
        whole(f"lengths[{name!r}]", length, least=1)
    arrives = dict.fromkeys(lengths, 0)
    for name, iteration in arrivals.items():
        if name not in arrives:
            raise ValueError(f"arrivals names {name!r}, which has no length")
        whole(f"arrivals[{name!r}]", iteration, least=0)
        arrives[name] = iteration
    cells = slots * (max(arrives.values(), default=0) + sum(lengths.values()))
    if cells > MOST_CELLS:
        raise ValueError(
            f"slots x (the last of arrivals + all lengths) must be {MOST_CELLS:,} or less, not "
            f"{cells:,}"
        )
    return sorted(arrives, key=arrives.__getitem__), arrives
