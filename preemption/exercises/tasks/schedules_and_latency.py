"""The functions of notebook 05: `utilization` and `continuous_schedule`."""

from textwrap import dedent

from preemption import serving
from preemption.exercises import mistakes
from preemption.exercises.judge import Case, Task

TASKS = (
    Task(
        part="schedules",
        reference=serving.utilization,
        mistake=mistakes.of_number,
        cases=(
            Case.of([["A", "B"], ["A", None], ["C", None], ["C", None]]),
            Case.of([["A", "B"], ["A", "C"], [None, "C"]]),
            Case.of([["A", "B"]]),
            Case.of([["A"]]),
            Case.of([[None, None], ["A", None]]),
            Case.of([[None, None, None]]),
            Case.of([["A", "B", "C", None], [None, None, None, "D"], ["E", None, None, "D"]]),
            Case.of([["first", None, "second"]] + [[None, "third", None]] * 6),
            Case.of([["A", "B", "C", "D", "E", "F", None, None], ["A"] + [None] * 7]),
        ),
        hints=(
            "It is a share: what is used, divided by what is there.",
            "Each row offers one place per slot. How many places do all rows offer together, "
            "and how many of them hold a name?",
            "Count the entries that are not None, and divide by the number of all entries.",
        ),
        solution=dedent("""\
        def utilization(rows):
            entries = [entry for row in rows for entry in row]
            return sum(entry is not None for entry in entries) / len(entries)
        """),
    ),
    Task(
        part="schedules",
        reference=serving.continuous_schedule,
        mistake=mistakes.of_rows,
        cases=(
            Case.of({"A": 2, "B": 1, "C": 2}, 2),
            Case.of({"A": 1, "B": 2, "C": 3}, 1),
            Case.of({"A": 3, "B": 1}, 4),
            Case.of({"z": 1, "y": 1, "x": 2, "w": 1, "v": 1}, 2),
            Case.of({"A": 2, "B": 2, "C": 2, "D": 2}, 2),
            Case.of({"A": 5, "B": 1, "C": 1, "D": 2, "E": 1, "F": 4}, 3),
            Case.of({"A": 1}, 1),
            Case.of({"A": 102, "B": 101, "C": 1}, 2),
            Case.of({f"request-{n}": 1 + n % 4 for n in range(9)}, 2),
            Case.of({f"r{n}": 1 + n % 4 for n in range(30)}, 24),
        ),
        hints=(
            "Go iteration by iteration: first fill the free slots from the line, then write "
            "the row down, then take out who has ended.",
            "Or slot by slot: a sequence holds one slot for all of its iterations. Which slot "
            "is free first for the next in line? On a tie, the lowest.",
            "Keep one list per slot. Give each sequence to the shortest list, length times. "
            "Then read the lists side by side, with None where one has ended.",
        ),
        solution=dedent("""\
        def continuous_schedule(lengths, slots):
            ran = [[] for _ in range(slots)]
            for name, length in lengths.items():
                min(ran, key=len).extend([name] * length)
            return [[s[i] if i < len(s) else None for s in ran] for i in range(max(map(len, ran)))]
        """),
    ),
)
