"""What a notebook calls beside an exercise: check, hint, solution, progress.

Each shows its words at once: as HTML in a notebook, as plain text in a terminal. The same
calls in the same order show the same words.
"""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Any

from IPython.core.getipython import get_ipython

from preemption.exercises.judge import Outcome, Task
from preemption.exercises.stand_ins import judge_alone
from preemption.exercises.tasks import TASKS
from preemption.page import theme

_NOTES = {"right": "pe-note pe-right", "not attempted": "pe-note pe-open"}
# Said before anything is tried; elsewhere such a loop is stopped too.
_IN_A_BROWSER = (
    " A loop inside C code, such as sum(itertools.count()), cannot be stopped in a browser: where "
    "[*] stays beside a cell, choose Kernel > Restart Kernel and run the cells again."
)
_REFERENCES = {name: task.reference for name, task in TASKS.items()}

_outcomes: dict[str, Outcome] = {}


@dataclass(frozen=True)
class Checked:
    """What `check` found: the task's name, the outcome, and words on it in plain text."""

    name: str
    outcome: Outcome
    words: str = field(repr=False)
    _shown_in: int | None = field(repr=False)

    @property
    def message(self) -> str:
        """All of it in one plain text."""
        return f"{self.name}: {self.outcome}. {self.words}"

    def _ipython_display_(self) -> None:
        """Show the result where a cell ends with it, unless this very cell has shown it."""
        if _cell_number() != self._shown_in:
            _show_result(self)


def check(function: Callable[..., Any], name: str | None = None) -> Checked:
    """Check a function against a task, show what came of it, and return that.

    `name` is the task, by default the function's own name. Raises TypeError for what is no
    function and ValueError for an unknown task.
    """
    if not callable(function):
        raise TypeError(f"check takes the function itself, as in check(swap_ms), not {function!r}")
    task = _task(_own_name(function) if name is None else name)
    verdict = judge_alone(task, function, _REFERENCES)
    _outcomes[task.name] = verdict.outcome
    words = verdict.words
    if verdict.outcome == "not attempted" and sys.platform == "emscripten":
        words += _IN_A_BROWSER
    result = Checked(task.name, verdict.outcome, words, _cell_number())
    _show_result(result)
    return result


def hint(name: str, level: int = 1) -> None:
    """Show hints for a task: in a terminal those up to `level`, in a notebook all, folded.

    Raises ValueError for an unknown task or level.
    """
    hints = _task(name).hints
    if level not in range(1, len(hints) + 1):
        raise ValueError(f"level must be from 1 to {len(hints)}, not {level!r}")
    lines = [f"Hint {number}. {words}" for number, words in enumerate(hints[:level], 1)]
    if level < len(hints):
        lines.append(f'More: hint("{name}", {level + 1})')
    folds = (
        _fold(f"Hint {number} of {len(hints)} for {name}", _with_code(words))
        for number, words in enumerate(hints, 1)
    )
    _show("\n".join(lines), "".join(folds))


def solution(name: str) -> None:
    """Show a solution of a task, in a notebook folded. Raises ValueError for an unknown task."""
    code = _task(name).solution
    _show(code, _fold(f"A solution of {name}", _code(code)))


def progress(part: str = "functions") -> None:
    """Show how many tasks of a part are right, and how each stands.

    The parts: `"functions"`, `"stretch tasks"`, `"rules"`, `"schedules"`. Counts what was checked
    since the kernel started. Raises ValueError for another part.
    """
    line = _progress_line(part)
    lines = [f"{name}: {outcome}" for name, outcome in _standing(part).items()]
    _show("\n".join([line, *(f"  {words}" for words in lines)]), _list(line, lines))


def _task(name: str) -> Task:
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(TASKS)}")
    return TASKS[name]


def _own_name(function: Callable[..., Any]) -> str:
    """Return the name of a function: for a lambda, what its notebook calls it."""
    name = str(getattr(function, "__name__", type(function).__name__))
    names = getattr(function, "__globals__", None)
    known = names if isinstance(names, dict) else {}
    given = (task for task in TASKS if known.get(task) is function)
    return name if name in TASKS else next(given, name)


def _standing(part: str) -> dict[str, Outcome]:
    tasks = [task for task in TASKS.values() if task.part == part]
    if not tasks:
        parts = ", ".join(dict.fromkeys(task.part for task in TASKS.values()))
        raise ValueError(f"there is no part {part!r}; the parts are {parts}")
    return {task.name: _outcomes.get(task.name, "not attempted") for task in tasks}


def _progress_line(part: str) -> str:
    outcomes = list(_standing(part).values())
    return f"{outcomes.count('right')} of {len(outcomes)} {part} right"


def _show_result(result: Checked) -> None:
    line = f"Progress: {_progress_line(TASKS[result.name].part)}."
    _show(f"{result.message}\n{line}", _note(result, line))


def _cell_number() -> int | None:
    shell = get_ipython()
    return None if shell is None else shell.execution_count


def _show(text: str, html: str) -> None:
    shell = get_ipython()
    if shell is None:
        print(text)
    else:
        html = f'{theme.STYLE}<div class="pe">{html}</div>'
        shell.display_pub.publish({"text/plain": text, "text/html": html})


# The markup.


def _note(result: Checked, line: str) -> str:
    note = f'<div class="{_NOTES.get(result.outcome, "pe-note")}" role="status" aria-live="polite">'
    words = f"<strong>{result.name}: {result.outcome}.</strong> {escape(result.words)}"
    return f"{note}<p>{words}</p><p>{line}</p></div>"


def _list(title: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p><strong>{escape(title)}</strong></p><ul>{items}</ul>"


def _with_code(words: str) -> str:
    return "<p>" + re.sub("`(.+?)`", r"<code>\1</code>", escape(words)) + "</p>"


def _code(code: str) -> str:
    return f"<pre><code>{escape(code)}</code></pre>"


def _fold(title: str, html: str) -> str:
    return f"<details><summary>{escape(title)}</summary><div>{html}</div></details>"
