"""Notebook 05: its two exercises, untouched and solved, and the example in plain Python."""

import ast
from pathlib import Path

import nbformat
import pytest

from preemption.exercises import display
from preemption.exercises.tasks import TASKS
from preemption.page.explorer import COVER

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_schedules_and_latency.ipynb"
NAMES = [name for name, task in TASKS.items() if task.part == "schedules"]
STUB = "    # Write the body here.\n    ...\n"


@pytest.fixture(autouse=True)
def fresh_progress(monkeypatch):
    monkeypatch.setattr(display, "_outcomes", {})


@pytest.fixture(scope="module")
def cells():
    return nbformat.read(NOTEBOOK, as_version=4).cells


def source(cells, cell_id):
    (found,) = (cell.source for cell in cells if cell.id == cell_id)
    return found


def test_each_task_has_a_text_a_stub_hints_and_a_solution(cells):
    sources = [cell.source for cell in cells]
    assert NAMES == ["utilization", "continuous_schedule"]
    for name in NAMES:
        (at,) = (i for i, code in enumerate(sources) if code.startswith(f"def {name}("))
        header = TASKS[name].solution.splitlines()[0]
        assert sources[at] == f"{header}\n{STUB}\n\ncheck({name})"
        assert f"`{header.removeprefix('def ').removesuffix(':')}`" in sources[at - 1]
        assert sources[at + 1] == f'hint("{name}")\nsolution("{name}")'


def test_solved_both_are_right(cells):
    names = {}
    exec(source(cells, "imports"), names)
    for cell in cells:
        for name in NAMES:
            if cell.source.startswith(f"def {name}("):
                exec(f"{TASKS[name].solution}\n\ncheck({name})", names)
    assert display._outcomes == dict.fromkeys(NAMES, "right")


def test_the_plain_example_needs_nothing_but_python(cells, capsys):
    code = source(cells, "plain-python")
    assert "== 0.625" in code
    assert "== 5 / 6" in code
    assert not [n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Import | ast.ImportFrom)]
    exec(code, {})
    assert capsys.readouterr().out == "4 and 3 iterations\n"


def test_no_picture_stands_open_before_its_finding(cells):
    covered = {"slot-explorer", "chunk-explorer", "attention-explorer", "load-explorer"}
    shown = {
        cell.id: output.data["text/plain"]
        for cell in cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "<img " in output.get("data", {}).get("text/html", "")
    }
    assert {name for name, text in shown.items() if text == COVER} == covered
    ids = [cell.id for cell in cells]
    for name in covered:
        subject = name.removesuffix("-explorer")
        stem = {"slot": "seen-slots", "chunk": "seen-chunks"}.get(subject, f"seen-{subject}")
        finding = ids.index(f"{subject}-finding")
        assert ids.index(name) < ids.index(stem) < finding
    assert set(shown) == covered | {name.replace("explorer", "finding") for name in covered}
