"""The gate proves itself: faults planted in copies of notebook 01 and of the package are found.

Each fault stands in a notebook of its own beside a healthy one, in a copy of the project, so
that a single run of pytest shows which are caught.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
CELL_TIMEOUT_S = 5


def copy_project(folder):
    """Copy what pytest needs, without notebooks."""
    ignore = shutil.ignore_patterns("__pycache__", "*.ipynb")
    for name in ("preemption", "tests", "notebooks"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "environment.yml"):
        shutil.copy(ROOT / name, folder)
    return folder


def run_pytest(folder, *arguments):
    """Return the ids of failed and of passed tests of a run in `folder`."""
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=170
    )
    results = re.findall(r"^(PASSED|FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    assert results, done.stdout + done.stderr
    failed = {test for result, test in results if result != "PASSED"}
    return failed, {test for result, test in results if result == "PASSED"} - failed


def notebook_01():
    return nbformat.read(ROOT / "notebooks" / "01_preemption.ipynb", as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def cell(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == name)


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


FILE_FAULTS = {
    cleared_outputs: ["test_executed_top_to_bottom", "test_outputs_are_kept"],
    one_output_gone: ["test_outputs_are_kept"],
    out_of_order: ["test_executed_top_to_bottom"],
    stderr: ["test_no_errors_and_no_stderr"],
    widget_state: ["test_metadata_is_bare"],
    unexplained_tag: ["test_metadata_is_bare"],
    healthy: [],
}


@pytest.fixture(scope="module")
def hygiene(tmp_path_factory):
    """Run the tests of the files alone, over one notebook for each fault."""
    project = copy_project(tmp_path_factory.mktemp("files"))
    for path in (ROOT / "notebooks").glob("*.ipynb"):  # the notebooks link to one another
        shutil.copy(path, project / "notebooks")
    for fault in FILE_FAULTS:
        notebook = notebook_01()
        fault(notebook)
        nbformat.write(notebook, project / "notebooks" / f"{fault.__name__}.ipynb")
    return run_pytest(project, "tests/notebooks/test_hygiene.py")


@pytest.mark.parametrize("fault", FILE_FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_in_the_file_is_found(hygiene, fault):
    failed, passed = hygiene
    mark = f"[{fault.__name__}]"
    found = {test.split("::")[1].removesuffix(mark) for test in failed if test.endswith(mark)}
    assert found == set(FILE_FAULTS[fault])
    assert any(test.endswith(mark) for test in passed)


def changed_number(notebook):
    output = cell(notebook, "anchor-numbers").outputs[0]
    output.text = output.text.replace("10.49", "10.48")


def callback_raises(notebook):
    cell(notebook, "anchor-numbers").source = (
        "explorer = CostExplorer()\n"
        "explorer._curves.show = lambda *_: 1 / 0\n"
        "explorer.bandwidth_gb_per_s = 1.0"
    )
    cell(notebook, "anchor-numbers").outputs = []


def new_stderr(notebook):
    cell(notebook, "anchor-numbers").source += "\nimport sys; print('warning', file=sys.stderr)"


def never_ends(notebook):
    cell(notebook, "anchor-numbers").source += "\nwhile True: pass"


def kernel_dies(notebook):
    cell(notebook, "anchor-numbers").source += "\nimport os; os._exit(1)"


def changed_verdict(notebook):
    cell(notebook, "explorer").outputs[0].data["text/plain"] = "swap is cheaper"


RUN_FAULTS = [
    changed_number,
    changed_verdict,
    callback_raises,
    new_stderr,
    never_ends,
    kernel_dies,
    healthy,
]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Execute the imports and the cells with faults, one notebook for each fault."""
    project = copy_project(tmp_path_factory.mktemp("run"))
    for fault in RUN_FAULTS:
        notebook = notebook_01()
        fault(notebook)
        kept = ("imports", "ask-flip-1000", "ask-flip-10000", "explorer", "anchor-numbers")
        notebook.cells = [each for each in notebook.cells if each.id in kept]
        nbformat.write(notebook, project / "notebooks" / f"{fault.__name__}.ipynb")
    return run_pytest(project, "notebooks", f"--nbval-cell-timeout={CELL_TIMEOUT_S}")


@pytest.mark.parametrize("fault", RUN_FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_in_a_run_is_found(executed, fault):
    failed, passed = executed
    name = f"{fault.__name__}.ipynb"
    assert any(name in test for test in failed) == (fault is not healthy)
    assert any(name in test for test in passed)


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_changed_number_in_a_text_is_found(tmp_path):
    project = copy_project(tmp_path)
    notebook = notebook_01()
    text = cell(notebook, "should-have-seen")
    text.source = text.source.replace("10.49 ms", "10.48 ms")
    nbformat.write(notebook, project / "notebooks" / "01_preemption.ipynb")
    failed, passed = run_pytest(project, "tests/notebooks/test_prose.py")
    assert any("test_the_phrase_is_there_and_agrees" in test for test in failed)
    assert any("test_no_number_stands_unbound" in test for test in failed)
    assert passed


def test_a_curve_that_differs_from_the_model_is_found(tmp_path):
    project = copy_project(tmp_path)
    edit(
        project / "preemption" / "figures" / "cost_curves.py",
        "self.recompute_by_link.set_data(_ENDS_GB_PER_S, [recompute, recompute])",
        "self.recompute_by_link.set_data(_ENDS_GB_PER_S, [recompute, 1.01 * recompute])",
    )
    failed, passed = run_pytest(
        project, "tests/test_live.py", "-k", "10.0-1000-25.0 or test_defaults"
    )
    assert any("test_curves_hold_the_models_data" in test for test in failed)
    assert any("test_defaults" in test for test in passed)
