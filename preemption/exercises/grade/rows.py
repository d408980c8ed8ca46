"""A row for each submitted notebook: what came of each function, and a note on it."""

import os
import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from preemption.exercises import sandbox
from preemption.exercises.grade.apart import judge_apart
from preemption.exercises.grade.submission import Statement, Submission, needed, read, statements_of
from preemption.exercises.judge import LIMIT_S, Outcome, Task, Verdict
from preemption.exercises.tasks import NOTEBOOKS, TASKS

Mark: TypeAlias = Outcome | Literal["missing", ""]

NOTEBOOK_LIMIT_S = 90.0  # all functions of one notebook, endless ones too
_MEMORY_BYTES = 4_000_000_000
_MOST_WORDS = 600


@dataclass(frozen=True)
class Row:
    """One notebook: whose, which file, an outcome for each task, seconds taken, a note.

    A function that its notebook does not ask for has no outcome; one that it asks for and does
    not hold is missing.
    """

    who: str
    file: str
    outcomes: dict[str, Mark]
    seconds: float
    note: str

    @property
    def cells(self) -> dict[str, str]:
        """The row as text by column, such that no spreadsheet takes any of it for a formula."""
        first = {"who": self.who, "file": self.file, **self.outcomes}
        texts = first | {"seconds": f"{self.seconds:.1f}", "note": self.note}
        return {
            name: f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
            for name, text in ((name, printable(text)) for name, text in texts.items())
        }


COLUMNS = ("who", "file", *TASKS, "seconds", "note")


def submitted(folders: Sequence[Path]) -> list[tuple[str, Path, str]]:
    """Find all notebooks below the folders: whose each is, its path, and that below `who`."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*.ipynb")):
            inside = path.relative_to(folder).parts
            if not path.is_file() or any(part.startswith(".") for part in inside):
                continue
            who, *rest = inside if len(inside) > 1 else (path.stem, path.name)
            found.append((who, path, "/".join(rest)))
    return found


def grade(folders: Sequence[Path], limit_s: float = LIMIT_S) -> Iterator[Row]:
    """Give a row for each notebook below the folders as soon as it is judged, in any order.

    `limit_s` is the time in seconds for all calls of one function. Notebooks that neither are
    named as one with functions to write, nor hold any, get a row without outcomes.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(_row, *each, limit_s) for each in submitted(folders)]
        try:
            for job in as_completed(jobs):
                yield job.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _row(who: str, path: Path, file: str, limit_s: float) -> Row:
    start = time.monotonic()
    work = partial(_in_bounds, path, limit_s)
    try:
        marks, note = sandbox.in_child(work, NOTEBOOK_LIMIT_S, lambda _number: None)
    except sandbox.TooLong:
        marks, note = _unread(path), f"stopped after {NOTEBOOK_LIMIT_S:g} s"
    except EOFError:
        marks, note = _unread(path), "it ended the process that reads it"
    return Row(who, file, marks, time.monotonic() - start, note)


def _in_bounds(path: Path, limit_s: float, _tell: object) -> tuple[dict[str, Mark], str]:
    """Judge a notebook in this process, which then has a limit to its memory."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    try:
        submission = read(path)
    except (OSError, ValueError) as error:
        return _unread(path), f"cannot be read: {error}"[:_MOST_WORDS]
    marks, notes = judge_all(submission, expected(path, submission), limit_s)
    return marks, "; ".join(notes)[:_MOST_WORDS]


def expected(path: Path, submission: Submission | None = None) -> list[Task]:
    """Return the tasks of the notebook that a file is, by its name or by what it holds."""
    defined = {each.defines for each in submission.statements} if submission else set()
    return [
        task
        for stem, tasks in NOTEBOOKS.items()
        if stem in path.stem or defined & {task.name for task in tasks}
        for task in tasks
    ]


def _unread(path: Path) -> dict[str, Mark]:
    asked = {task.name for task in expected(path)}
    return {name: "missing" if name in asked else "" for name in TASKS}


def judge_all(
    submission: Submission, tasks: Sequence[Task], limit_s: float = LIMIT_S
) -> tuple[dict[str, Mark], list[str]]:
    """Judge all functions that a notebook asks for; return an outcome for each, and notes."""
    marks: dict[str, Mark] = dict.fromkeys(TASKS, "")
    notes = [f"{place}: {said}" for place, said in submission.broken.items()]
    for task in tasks:
        written = [each for each in submission.definitions(task.name) if not each.is_stub]
        if len(written) > 1:
            notes.append(f"{task.name} is written {len(written)} times: the last one counts")
        if written:
            verdict, said = _judge(task, submission.statements, limit_s)
            marks[task.name] = verdict.outcome
            notes += [said] if said else []
        else:
            here = submission.definitions(task.name)
            marks[task.name] = "not attempted" if here else "missing"
    if "missing" in marks.values():
        others = {each.defines for each in submission.statements} - TASKS.keys() - {""}
        notes += [f"it also defines {', '.join(sorted(others))}"] if others else []
    return marks, notes if tasks else [*notes, "none of the functions is in it"]


def _judge(task: Task, statements: Sequence[Statement], limit_s: float) -> tuple[Verdict, str]:
    """Judge a function with the others of its notebook, then with right ones in their place."""
    used = needed(task.name, statements)
    first = judge_apart(task, [(each.place, each.source) for each in used], limit_s)
    called = {name for each in used for name in each.uses} & TASKS.keys() - {task.name}
    said = f"{task.name}: {first.words}"
    if first.outcome == "right" or not called:
        return first, "" if first.outcome == "right" else said
    right = [
        statement
        for name in TASKS.keys() - {task.name}
        for statement in statements_of(TASKS[name].solution, "a solution")
    ]
    used = needed(task.name, [*statements, *right])
    second = judge_apart(task, [(each.place, each.source) for each in used], limit_s)
    if second.outcome != "right":
        return second, f"{task.name}: {second.words}"
    return second, f"{task.name}: right once the functions that it calls are"


def printable(text: str) -> str:
    """Return text on one line, without what moves a terminal's cursor."""
    return "".join(char if char.isprintable() else " " for char in text)
