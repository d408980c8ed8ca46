"""Notebooks read in other ways: before the imports, again and backwards, in another folder."""

import shutil
from pathlib import Path

import nbformat
import pytest

from preemption.exercises import display

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def errors(cells, names):
    """Run cells one after the other in a namespace; return the id and the error of each failure."""
    found = []
    for cell in cells:
        try:
            exec(cell.source, names)
        except Exception as error:
            found.append((cell.id, repr(error)))
    return found


@pytest.mark.usefixtures("published_only")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_run_early_and_a_second_time_backwards_in_another_folder(path, tmp_path, monkeypatch):
    monkeypatch.setattr(display, "_outcomes", {})
    shutil.copy(path, tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o555)
    names = {}
    early = errors(code[1:], names)
    first = errors(code, names)
    again = errors(reversed(code), names)
    tmp_path.chmod(0o755)

    assert early
    assert all(error.startswith("NameError") for _, error in early)
    assert first == again == []
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_says_what_to_do_about_it(path):
    cells = nbformat.read(path, as_version=4).cells
    advice = next(cell.source for cell in cells if cell.id == "how-to-read")
    for part in ("`NameError`", "Run All Above Selected Cell", "restart", "start anew"):
        assert part in advice
