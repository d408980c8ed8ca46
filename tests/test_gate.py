"""The gate proves itself: faults planted in copies of notebook 01 and of the package are found.

All faults stand in one copy of the project, each in a notebook or a cell of its own beside a
healthy one. One run of pytest shows which are caught; those that stop a kernel take one beside it,
as little else as waiting happens there.
"""

import copy
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
CELL_TIMEOUT_S = 3  # where a kernel stops; each of these cells takes an instant
CURVES = "tests/explorers/test_eviction_costs.py::test_curves_hold_the_models_data[10.0-1000-25.0]"


def notebook_01():
    return nbformat.read(ROOT / "notebooks" / "01_preemption.ipynb", as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def cell(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == name)


# Faults in a file, found without running it: each takes a notebook.


def healthy(notebook):
    assert cell(notebook, "anchor-numbers").outputs


def cleared_outputs(notebook):
    for each in code(notebook):
        each.outputs, each.execution_count = [], None


def one_output_gone(notebook):
    cell(notebook, "anchor-numbers").outputs = []


def out_of_order(notebook):
    code(notebook)[2].execution_count = 9


def stderr(notebook):
    warning = nbformat.v4.new_output("stream", name="stderr", text="a warning\n")
    cell(notebook, "anchor-numbers").outputs.append(warning)


def widget_state(notebook):
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}


def unexplained_tag(notebook):
    cell(notebook, "anchor-numbers").metadata["tags"] = ["nbval-skip"]


def changed_number_in_a_text(notebook):
    text = cell(notebook, "should-have-seen")
    assert "10.49 ms" in text.source
    text.source = text.source.replace("10.49 ms", "10.48 ms")


FILE_FAULTS = {
    cleared_outputs: {"test_executed_top_to_bottom", "test_outputs_are_kept"},
    one_output_gone: {"test_outputs_are_kept"},
    out_of_order: {"test_executed_top_to_bottom"},
    stderr: {"test_no_errors_and_no_stderr"},
    widget_state: {"test_metadata_is_bare"},
    unexplained_tag: {"test_metadata_is_bare"},
    changed_number_in_a_text: {
        "test_the_phrase_is_there_and_agrees",
        "test_no_number_stands_unbound",
    },
    healthy: set(),
}


# Faults that show when a cell runs: each takes a copy of a cell with its outputs.


def healthy_cell(printing):
    assert printing.outputs


def changed_number(printing):
    assert "10.49" in printing.outputs[0].text
    printing.outputs[0].text = printing.outputs[0].text.replace("10.49", "10.48")


def callback_raises(printing):
    printing.source = (
        "explorer = CostExplorer()\n"
        "explorer.picture.show = lambda *_: 1 / 0\n"
        "explorer.bandwidth_gb_per_s = 1.0"
    )
    printing.outputs = []


def new_stderr(printing):
    printing.source += "\nimport sys; print('warning', file=sys.stderr)"


def changed_verdict(explorer):
    explorer.outputs[0].data["text/plain"] = "swap is cheaper"


def changed_alternative(explorer):
    data = explorer.outputs[0].data
    assert 'alt="Commit to your guess' in data["text/html"]
    data["text/html"] = data["text/html"].replace("Commit to", "Keep")


def other_pixels(explorer):
    """No fault: another matplotlib may have drawn the picture."""
    data = explorer.outputs[0].data
    data["text/html"] = re.sub('base64,[^"]+', "base64,AAAA", data["text/html"])


def never_ends(printing):
    printing.source += "\nwhile True: pass"


def kernel_dies(printing):
    printing.source += "\nimport os; os._exit(1)"


IN_A_PICTURE = (changed_verdict, changed_alternative, other_pixels)
HARMLESS = (healthy_cell, other_pixels)
# By notebook: a kernel that hangs or dies cannot run other cells.
RUN_FAULTS = {
    "runs/goes_on": [
        *(healthy_cell, changed_number, callback_raises, new_stderr),
        *IN_A_PICTURE,
    ],
    "stops/hangs": [healthy_cell, never_ends],
    "stops/dies": [healthy_cell, kernel_dies],
}
BEFORE = {"runs/goes_on": ("imports", "ask-flip-1000", "ask-flip-10000")}


def a_print():
    shown = nbformat.v4.new_output("stream", name="stdout", text="1\n")
    return nbformat.v4.new_code_cell("print(1)", outputs=[shown], execution_count=1)


def write_run_faults(project):
    for name, faults in RUN_FAULTS.items():
        notebook = notebook_01()
        before = [cell(notebook, needed) for needed in BEFORE.get(name, ())]
        of_fault = []
        for fault in faults:
            kind = "explorer" if fault in IN_A_PICTURE else "anchor-numbers"
            faulty = copy.deepcopy(cell(notebook, kind)) if before else a_print()
            faulty.id = fault.__name__.replace("_", "-")
            fault(faulty)
            of_fault.append(faulty)
        notebook.cells = before + of_fault
        path = project / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook, path)


def write_file_faults(project):
    for fault in FILE_FAULTS:
        notebook = notebook_01()
        fault(notebook)
        nbformat.write(notebook, project / "notebooks" / f"{fault.__name__}.ipynb")
        prose = project / "tests" / "notebooks" / "prose"
        shutil.copy(prose / "n01_preemption.py", prose / f"n{fault.__name__}.py")


def bend_a_curve(project):
    path = project / "preemption" / "figures" / "eviction_costs.py"
    text = path.read_text()
    right = "self.recompute_by_link.set_data(LINKS_GB_PER_S[[0, -1]], [recompute, recompute])"
    assert right in text
    path.write_text(text.replace(right, right.replace("recompute])", "1.01 * recompute])")))


def start_pytest(project, *arguments):
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider"),
            *arguments,
        ],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Plant all faults in a copy of the project; return the ids of failed and passed tests."""
    project = tmp_path_factory.mktemp("faulty")
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("preemption", "tests", "notebooks", "docs"):
        shutil.copytree(ROOT / name, project / name, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", project)
    write_file_faults(project)
    write_run_faults(project)
    bend_a_curve(project)
    runs = [
        start_pytest(project, f"--nbval-cell-timeout={CELL_TIMEOUT_S}", "stops"),
        start_pytest(
            project,
            *("tests/notebooks/test_hygiene.py", "tests/notebooks/test_prose.py", "runs"),
            *("tests/page/test_explorer.py::test_defaults", CURVES),
        ),
    ]
    failed, passed = set(), set()
    for run in runs:
        said, _ = run.communicate(timeout=170)
        found = re.findall(r"^(PASSED|FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
        assert found, said
        failed |= {test for result, test in found if result != "PASSED"}
        passed |= {test for result, test in found if result == "PASSED"}
    return failed, passed - failed


@pytest.mark.parametrize("fault", FILE_FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_in_the_file_is_found(results, fault):
    mark = re.compile(rf"::(\w+)\[{fault.__name__}[-\]]")
    failed, passed = ({m[1] for m in map(mark.search, tests) if m} for tests in results)
    assert failed == FILE_FAULTS[fault]
    assert passed


@pytest.mark.parametrize(
    ("name", "number", "fault"),
    [(name, number, fault) for name, run in RUN_FAULTS.items() for number, fault in enumerate(run)],
)
def test_a_fault_in_a_run_is_found(results, name, number, fault):
    failed, passed = results
    test = f"{name}.ipynb::Cell {len(BEFORE.get(name, ())) + number}"
    assert test in (passed if fault in HARMLESS else failed)


def test_a_curve_that_differs_from_the_model_is_found(results):
    failed, passed = results
    assert CURVES in failed
    assert "tests/page/test_explorer.py::test_defaults" in passed
