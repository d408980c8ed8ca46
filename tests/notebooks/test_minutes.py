"""The minutes that a notebook states are those that it takes, counted by one rule."""

import math
import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
WORDS_PER_MINUTE, QUESTION, PICTURE, FUNCTION = 200, 1, 2, 5
MOST_WITHOUT_PARTS = 25


def minutes_of(notebook):
    """Count minutes: to read, to answer, to look at each picture, to write each function."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    text = re.sub(r"\]\([^)]*\)", "]", " ".join(texts))
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [output.get("data", {}) for cell in code for output in cell.outputs]
    plain = [data.get("text/plain", "") for data in shown if "text/html" in data]
    questions = sum(
        bool(re.search(r"^\( \) |____", asked, re.MULTILINE))
        for text_of_output in plain
        for asked in text_of_output.split("\n\n")
    )
    pictures = sum("image/png" in data for data in shown)
    functions = sum(bool(re.match(r"def ", cell.source)) for cell in code)
    return (
        len(text.split()) / WORDS_PER_MINUTE
        + questions * QUESTION
        + pictures * PICTURE
        + functions * FUNCTION
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_minutes_are_honest(path):
    notebook = nbformat.read(path, as_version=4)
    stated = int(re.search(r"\*(\d+) minutes", notebook.cells[0].source)[1])
    counted = minutes_of(notebook)
    assert stated == 5 * math.ceil(counted / 5 - 0.2), f"{counted:.1f} minutes counted"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_long_notebook_has_parts_with_minutes_that_add_up(path):
    notebook = nbformat.read(path, as_version=4)
    stated = int(re.search(r"\*(\d+) minutes", notebook.cells[0].source)[1])
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    parts = [int(m) for m in re.findall(r"^## Part \d.* \((\d+) minutes\)$", text, re.MULTILINE)]
    assert parts or stated <= MOST_WITHOUT_PARTS
    assert sum(parts) in (0, stated)
