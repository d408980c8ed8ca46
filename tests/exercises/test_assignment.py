import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from preemption import words
from preemption.exercises.assignment import assignment
from preemption.exercises.grade.rows import grade
from preemption.exercises.tasks import NOTEBOOKS, TASKS
from tests.exercises.submissions import PATCH

FOLDER = Path(__file__).parents[2] / "notebooks"
WITH_FUNCTIONS = [p for p in sorted(FOLDER.glob("*.ipynb")) if p.stem.split("_", 1)[1] in NOTEBOOKS]


def names_of(path):
    return [task.name for task in NOTEBOOKS[path.stem.split("_", 1)[1]]]


def command(*arguments, cwd=None):
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


@pytest.mark.parametrize("path", WITH_FUNCTIONS, ids=lambda path: path.stem)
def test_each_function_of_a_notebook_gives_a_point(path):
    made = assignment(json.loads(path.read_text()))
    made = nbformat.reads(json.dumps(made), as_version=4)
    nbformat.validate(made)
    meta = {cell.id: cell.metadata.get("nbgrader", {}) for cell in made.cells}
    names = names_of(path)
    assert [m["grade_id"] for m in meta.values() if m.get("solution")] == names
    assert [m["grade_id"] for m in meta.values() if m.get("grade")] == [f"test-{n}" for n in names]
    assert sum(m.get("points", 0) for m in meta.values()) == len(names)
    code = "\n".join(cell.source for cell in made.cells if cell.cell_type == "code")
    assert "solution(" not in code
    for name in names:
        assert f'hint("{name}")' in code
        (cell,) = [cell for cell in made.cells if cell.source.startswith(f"def {name}(")]
        assert TASKS[name].solution.split("\n", 1)[1] in cell.source
        compile(cell.source, name, "exec")


def test_one_command_makes_all_assignments(tmp_path):
    made = command("preemption.exercises.assignment", *WITH_FUNCTIONS, tmp_path)
    said = [line.split(".ipynb: ")[1] for line in made.stdout.splitlines()]
    assert said == ["8 points", "1 point", "2 points"], made.stderr
    assert sorted(path.stem for path in (tmp_path / "source").iterdir()) == [
        path.stem for path in WITH_FUNCTIONS
    ]


def test_what_makes_no_assignment_is_said(tmp_path):
    module = "preemption.exercises.assignment"
    no_functions = command(module, FOLDER / "01_preemption.ipynb", tmp_path)
    assert no_functions.returncode == 2
    assert "no function to write" in no_functions.stderr
    (tmp_path / "broken.ipynb").write_text("{}")
    for name in ("broken.ipynb", "missing.ipynb"):
        assert name in command(module, tmp_path / name, tmp_path).stderr
    assert not (tmp_path / "source").exists()


def students(names):
    """Return by who: the functions in place of the stubs, and the points nbgrader is to give."""
    right = {name: TASKS[name].solution for name in names}
    first = names[0]
    head = right[first].partition("\n")[0]
    wrong = f"{head}\n    return 0\n"
    return {
        "complete": (right, len(names)),
        "partial": ({first: right[first]}, 1),
        "wrong": (right | {first: wrong}, len(names) - 1),
        "untouched": ({}, 0),
        "endless": (right | {first: f"{head}\n    while True: pass\n"}, len(names) - 1),
        "eases_the_test": ({first: wrong}, 0),
        # The kernel that a submission runs in is its own.
        "patches_the_judge": ({first: f"{PATCH}\n{wrong}"}, len(names)),
    }


def hand_in(released, who, functions):
    made = nbformat.reads(released, as_version=4)
    for cell in made.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in functions:
            cell.source = f"{functions[name]}\n\ncheck({name})"
        elif who == "eases_the_test" and name.startswith("test-"):
            cell.source = "assert True"
    return nbformat.writes(made)


@pytest.mark.skipif(
    importlib.util.find_spec("nbgrader") is None, reason="nbgrader is not installed"
)
@pytest.mark.parametrize("path", WITH_FUNCTIONS, ids=lambda path: path.stem)
def test_nbgrader_releases_and_grades_it(path, tmp_path):
    stem, names = path.stem, names_of(path)
    made = command("preemption.exercises.assignment", path, tmp_path)
    assert made.stdout.endswith(f": {words.count(len(names), 'point')}\n"), made.stderr
    made = command("nbgrader", "generate_assignment", stem, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    released = (tmp_path / "release" / stem / path.name).read_text()
    assert not any(TASKS[name].solution.split("\n", 1)[1] in released for name in names)
    due = students(names)
    for who, (functions, _) in due.items():
        submitted = tmp_path / "submitted" / who / stem / path.name
        submitted.parent.mkdir(parents=True)
        submitted.write_text(hand_in(released, who, functions))
    graded = command("nbgrader", "autograde", stem, cwd=tmp_path)
    assert graded.returncode == 0, graded.stderr
    exported = command("nbgrader", "export", cwd=tmp_path)
    assert exported.returncode == 0, exported.stderr
    lines = [line.split(",") for line in (tmp_path / "grades.csv").read_text().splitlines()]
    who, score = (lines[0].index(column) for column in ("student_id", "score"))
    points = {line[who]: float(line[score]) for line in lines[1:]}
    assert points == {who: points for who, (_, points) in due.items()}
    # What nbgrader cannot see, the table does: it reads nbgrader's folder as it is.
    rows = {row.who: list(row.outcomes.values()) for row in grade([tmp_path / "submitted"])}
    counted = {who: outcomes.count("right") for who, outcomes in rows.items()}
    assert counted == points | {"patches_the_judge": 0}
