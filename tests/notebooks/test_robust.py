"""Notebooks read in other ways: before the imports, again and backwards, in another folder."""

import copy
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def errors(cells):
    return [
        (cell.id, output.ename, output.evalue)
        for cell in cells
        for output in cell.outputs
        if output.output_type == "error"
    ]


# What takes most of the time and is tested elsewhere: pictures to save, long tracebacks. It leaves
# no name behind.
SPEED_UP = """
exec("from preemption import live; live.Canvas.png = lambda canvas: b''", {})
get_ipython().run_line_magic("xmode", "Minimal")
"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_run_early_and_a_second_time_backwards_in_another_folder(path, tmp_path):
    shutil.copy(path, tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    tmp_path.chmod(0o555)
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    early, first, again = (copy.deepcopy(code) for _ in range(3))
    speed_up = nbformat.v4.new_code_cell(SPEED_UP)
    notebook.cells = [speed_up, *early[1:], *first, *reversed(again)]
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    tmp_path.chmod(0o755)

    assert errors([speed_up]) == []
    assert {name for _, name, _ in errors(early)} == {"NameError"}
    assert errors(first) == errors(again) == []
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_says_what_to_do_about_it(path):
    cells = nbformat.read(path, as_version=4).cells
    advice = cells[1].source
    for part in ("`NameError`", "Run All Above Selected Cell", "restart", "start anew"):
        assert part in advice
