"""Notebook 02 in its states: untouched, solved, one function broken, out of order, a new kernel."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from preemption.exercises import display
from preemption.exercises.tasks import TASKS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "02_try_it_yourself.ipynb"
FUNCTIONS = [name for name, task in TASKS.items() if task.part == "functions"]
STRETCH = [name for name, task in TASKS.items() if task.part == "stretch tasks"]
STUB = "    # Write the body here.\n    ...\n"
SOLUTIONS = {name: TASKS[name].solution for name in FUNCTIONS + STRETCH}


@pytest.fixture(autouse=True)
def fresh_progress(monkeypatch):
    monkeypatch.setattr(display, "_outcomes", {})


def read():
    return nbformat.read(NOTEBOOK, as_version=4)


def filled(functions):
    """Return the notebook with these functions written into their cells, by name."""
    notebook = read()
    for name, code in functions.items():
        (cell,) = (cell for cell in notebook.cells if cell.source.startswith(f"def {name}("))
        stub, separator, call = cell.source.partition(f"\n\ncheck({name})")
        assert stub.endswith(STUB), "each task is a stub"
        assert (separator, call) == (f"\n\ncheck({name})", ""), "each stub is checked"
        cell.source = f"{code}\n\ncheck({name})"
    return notebook


def code_of(notebook, *, tasks_only=False):
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return [code for code in sources if code.startswith("def ")] if tasks_only else sources


def outcomes(sources):
    """Run cells in one namespace; return it and the outcome that each task has in the end."""
    names = {}
    for source in sources:
        exec(source, names)
    return dict(display._outcomes)


def texts(cells):
    """Return all plain text that executed cells show or print."""
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    assert all(output.output_type != "error" for output in shown)
    return "\n".join(output.get("text") or output.data["text/plain"] for output in shown)


def test_each_task_has_a_text_a_stub_hints_and_a_solution():
    sources = [cell.source for cell in read().cells]
    for name in FUNCTIONS + STRETCH:
        (at,) = (i for i, source in enumerate(sources) if source.startswith(f"def {name}("))
        header = sources[at].splitlines()[0]
        assert header == TASKS[name].solution.splitlines()[0]
        assert f"`{header.removeprefix('def ').removesuffix(':')}`" in sources[at - 1]
        assert sources[at + 1] == f'hint("{name}")\nsolution("{name}")'


def test_untouched_nothing_is_attempted():
    shown = texts(read().cells)
    for name in FUNCTIONS + STRETCH:
        assert f"{name}: not attempted. Write its body, then check it again." in shown
    assert "0 of 5 functions right\n  recompute_ms: not attempted" in shown
    assert "0 of 3 stretch tasks right\n  crossover_bandwidth: not attempted" in shown


def test_untouched_hints_and_solutions_are_folded():
    for cell in read().cells:
        if cell.source.startswith("hint("):
            for output in cell.outputs:
                outside = re.sub(
                    r"(?s)<style>.*?</style>|<details>.*?</details>", "", (output.data["text/html"])
                )
                assert outside == '<div class="pe"></div>'


MORE = [
    "import asyncio, itertools; asyncio.get_running_loop().is_running()",
    "def swap_ms(*args): return sum(itertools.count())\ncheck(swap_ms)",
    "def cheaper(*args): return input()\nresult = check(cheaper)",
    "result",
]


def test_in_a_real_kernel_solved_and_then_endless_or_asking():
    notebook = filled(SOLUTIONS)
    solved = len(notebook.cells)
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in MORE]
    place = {"metadata": {"path": NOTEBOOK.parent}}
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources=place).execute()

    shown = texts(notebook.cells[:solved])
    for name in FUNCTIONS + STRETCH:
        assert f"{name}: right. All {len(TASKS[name].cases)} calls came out right." in shown
    assert "5 of 5 functions right\n  recompute_ms: right" in shown
    assert "3 of 3 stretch tasks right\n  crossover_bandwidth: right" in shown
    assert "not attempted" not in shown

    loop, endless, asking, again = (texts([cell]) for cell in notebook.cells[solved:])
    assert loop == "True"
    assert endless.startswith("swap_ms: wrong. swap_ms(1000, 131072, 25e9) was stopped after 2 s.")
    assert "no one to answer input()" in asking
    assert again == asking


def test_a_new_process_has_forgotten_the_progress():
    exec("\n".join(code_of(filled(SOLUTIONS))), {})
    assert set(display._outcomes.values()) == {"right"}
    code = f"{code_of(read())[0]}\nprogress()"
    new = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert new.stdout.startswith("0 of 5 functions right\n  recompute_ms: not attempted")


@pytest.mark.parametrize("broken", FUNCTIONS)
@pytest.mark.parametrize(
    ("body", "outcome"),
    [("return 'x'", "wrong"), ("return 1 / 0", "raises"), ("...", "not attempted")],
)
def test_one_function_broken_alone(broken, body, outcome):
    header = SOLUTIONS[broken].splitlines()[0]
    notebook = filled(SOLUTIONS | {broken: f"{header}\n    {body}\n"})
    imports, *cells = code_of(notebook)
    functions = [cell for cell in cells if cell.startswith(tuple(f"def {f}(" for f in FUNCTIONS))]
    found = outcomes([imports, *functions])
    assert found == dict.fromkeys(FUNCTIONS, "right") | {broken: outcome}


def test_cells_out_of_order(capsys):
    imports, *cells = code_of(filled(SOLUTIONS))
    found = outcomes([imports, *reversed(cells)])
    assert found == dict.fromkeys(SOLUTIONS, "right")
    exec(f"{imports}\nprogress()", {})
    assert "5 of 5 functions right" in capsys.readouterr().out


def test_all_cells_twice():
    cells = code_of(filled(SOLUTIONS))
    assert outcomes(cells + cells[1:]) == dict.fromkeys(SOLUTIONS, "right")


def test_the_notebook_names_the_error_of_a_cell_run_before_the_imports():
    with pytest.raises(NameError) as caught:
        exec(code_of(read(), tasks_only=True)[0], {})
    message = f"NameError: {caught.value}"
    assert any(f"`{message}`" in cell.source for cell in read().cells)
