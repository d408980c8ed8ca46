"""The function of notebook 04: `spare_the_oldest`, a rule that says who goes."""

from collections.abc import Mapping
from textwrap import dedent

from preemption.exercises import mistakes
from preemption.exercises.judge import Case, Task


def spare_the_oldest(running: Mapping[str, int]) -> str:
    """Name of the request to evict: of all but the one admitted first, the smallest cache.

    `running` maps the requests, in the order of their admission, to their cached tokens. Of
    equals the last admitted goes. A request that runs alone has nobody to spare it for.
    """
    _, *younger = running
    return min(reversed(younger or [*running]), key=running.__getitem__)


TASKS = (
    Task(
        part="rules",
        reference=spare_the_oldest,
        mistake=mistakes.of_spared,
        cases=(
            Case.of({"a": 100, "b": 300, "c": 200}),
            Case.of({"a": 300, "b": 100, "c": 200}),
            Case.of({"a": 300, "b": 200, "c": 100}),
            Case.of({"c": 100, "b": 100, "a": 100}),
            Case.of({"a": 100, "b": 200, "c": 200}),
            Case.of({"a": 200, "b": 100, "c": 100, "d": 300}),
            Case.of({"only": 5}),
            Case.of({"first": 5, "second": 7}),
            Case.of({"b": 9, "a": 10}),
            Case.of({"a": 0, "b": 0, "c": 10}),
            Case.of({"a": 1, "b": 1001, "c": 200}),
            Case.of({"a": 2, "b": 17, "c": 18, "d": 20}),
            Case.of({"z": 1, "y": 3_000_000_000, "x": 4_000_000_000}),
            Case.of({f"request-{n}": 50 - n for n in range(9)}),
            Case.of({f"request-{n}": 50 + n for n in range(9)}),
            Case.of({f"request-{n}": 50 + abs(n - 40) for n in range(120)}),
        ),
        hints=(
            "Who was admitted first stands first. A dictionary keeps the order in which it was "
            "filled: `list(running)` gives the names.",
            "Leave the first out, unless it is alone. Then look for the fewest tokens among the "
            "others. `min` with a key finds them; of equals it takes the first that it meets.",
            "So turn the names round before `min` looks at them: the last admitted comes first.",
        ),
        solution=dedent("""\
        def spare_the_oldest(running):
            names = list(running)[::-1]
            younger = names[:-1] if len(names) > 1 else names
            return min(younger, key=lambda name: running[name])
        """),
    ),
)
