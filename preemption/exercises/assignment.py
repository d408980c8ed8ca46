"""Make nbgrader assignments: `python -m preemption.exercises.assignment NOTEBOOK... FOLDER`."""

import argparse
import copy
import json
from pathlib import Path
from typing import Any

from preemption import words
from preemption.exercises.tasks import TASKS

POINTS = 1  # for each function
_META = {"schema_version": 3, "task": False}


def assignment(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook as nbgrader's source version of an assignment.

    The cell of a function holds a solution, which nbgrader leaves out of what students get.
    Below it stands a cell that gives points where `check` says *right*. No cell shows a solution.
    Raises ValueError for a notebook without functions to write.
    """
    made = copy.deepcopy(notebook)
    made["cells"] = []
    for cell in copy.deepcopy(notebook["cells"]):
        made["cells"].append(cell)
        if cell["cell_type"] != "code":
            continue
        cell |= {"outputs": [], "execution_count": None}
        source = "".join(cell["source"])
        name = source.removeprefix("def ").partition("(")[0]
        if source.startswith("def ") and name in TASKS:
            cell["source"] = _with_solution(source, name)
            cell["metadata"]["nbgrader"] = _cell(name, grade=False)
            made["cells"].append(_test(name))
        else:
            lines = source.splitlines(keepends=True)
            cell["source"] = "".join(line for line in lines if not line.startswith("solution("))
    if len(made["cells"]) == len(notebook["cells"]):
        raise ValueError("there is no function to write in this notebook")
    return made


def _with_solution(source: str, name: str) -> str:
    head, _, rest = source.partition("\n")
    _, _, body = TASKS[name].solution.partition("\n")
    checked = rest[rest.index("check(") :]
    return f"{head}\n    ### BEGIN SOLUTION\n{body}    ### END SOLUTION\n\n\n{checked}"


def _test(name: str) -> dict[str, Any]:
    source = f'assert check({name}, "{name}").outcome == "right"'
    metadata = {"nbgrader": _cell(f"test-{name}", grade=True) | {"points": POINTS}}
    shown: dict[str, Any] = {"outputs": [], "execution_count": None, "metadata": metadata}
    return {"cell_type": "code", "id": f"test-{name}", "source": source} | shown


def _cell(grade_id: str, grade: bool) -> dict[str, Any]:
    return _META | {"grade_id": grade_id, "grade": grade, "solution": not grade, "locked": grade}


def main() -> None:
    """Write an assignment named as each notebook below FOLDER, an nbgrader course."""
    parser = argparse.ArgumentParser(prog="python -m preemption.exercises.assignment")
    parser.add_argument("notebook", nargs="+", type=Path)
    parser.add_argument("folder", type=Path, help="nbgrader's course, with or without a source/")
    options = parser.parse_args()
    for path in options.notebook:
        try:
            made = assignment(json.loads(path.read_text(encoding="utf-8")))
            target = options.folder / "source" / path.stem / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(made, indent=1), encoding="utf-8")
        except (OSError, ValueError, KeyError, TypeError) as error:
            parser.error(f"{path}: {error}")
        points = sum(
            cell["metadata"].get("nbgrader", {}).get("points", 0) for cell in made["cells"]
        )
        print(f"{target}: {words.count(points, 'point')}")


if __name__ == "__main__":
    main()
