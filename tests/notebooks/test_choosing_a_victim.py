"""Notebook 04: its exercise, untouched and solved, and the reader's rule as a row of the table."""

from pathlib import Path

import nbformat
import pytest

from preemption.exercises import display
from preemption.exercises.tasks import NOTEBOOKS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04_choosing_a_victim.ipynb"
(TASK,) = NOTEBOOKS["choosing_a_victim"]
STUB = "    # Write the body here.\n    ...\n"


@pytest.fixture
def cells(monkeypatch):
    monkeypatch.setattr(display, "_outcomes", {})
    return {cell.id: cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells}


def test_the_task_has_a_text_a_stub_hints_and_a_solution(cells):
    header = TASK.solution.splitlines()[0]
    assert cells["spare"] == f"{header}\n{STUB}\n\ncheck({TASK.name})"
    assert f"`{header.removeprefix('def ').removesuffix(':')}`" in cells["spare-text"]
    assert cells["spare-help"] == f'hint("{TASK.name}")\nsolution("{TASK.name}")'
    example = TASK.cases[0]
    assert f"`{TASK.name}({example.args[0]!r})`".replace("'", '"') in cells["spare-text"]
    assert f'is `"{TASK.reference(*example.args)}"`' in cells["spare-text"]


@pytest.mark.parametrize("solved", [False, True])
def test_the_rule_is_a_row_and_changes_no_output(cells, solved, capsys):
    names = {}
    exec(cells["imports"], names)
    source = f"{TASK.solution}\n\ncheck({TASK.name})" if solved else cells["spare"]
    exec(source, names)
    assert display._outcomes == {TASK.name: "right" if solved else "not attempted"}
    exec(cells["own-rule"], names)
    assert "120 of 120 outputs unchanged" in capsys.readouterr().out
    runs = names["mine"]._answer.runs
    assert (runs["my rule"] == runs["last admitted"]) == (not solved)
    assert runs["my rule"][0].preemptions > 0
