"""The minutes that a notebook states are those that it takes, counted by one rule."""

import math
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WORDS_PER_MINUTE, QUESTION, PICTURE, FUNCTION = 200, 1, 2, 5
MOST_WITHOUT_PARTS = 25


def stated_in(path):
    """Return the minutes that a notebook states at its top."""
    top = nbformat.read(path, as_version=4).cells[0].source
    return int(re.search(r"\*(\d+) minutes", top)[1])


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
    pictures = sum("<img " in data.get("text/html", "") for data in shown)
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
    stated = stated_in(path)
    counted = minutes_of(notebook)
    assert stated == 5 * math.ceil(counted / 5 - 0.2), f"{counted:.1f} minutes counted"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_long_notebook_has_parts_with_minutes_that_add_up(path):
    notebook = nbformat.read(path, as_version=4)
    stated = stated_in(path)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    parts = [int(m) for m in re.findall(r"^## Part \d.* \((\d+) minutes\)$", text, re.MULTILINE)]
    assert parts or stated <= MOST_WITHOUT_PARTS
    assert sum(parts) in (0, stated)


@pytest.mark.parametrize("page", ["README.md", "docs/for-teachers.md"])
def test_the_tables_have_the_minutes_of_the_notebooks(page):
    rows = re.findall(
        r"^\| \[.*/(\w+)\.ipynb\) \| ([\d +]+)", (ROOT / page).read_text(), re.MULTILINE
    )
    tabled = {stem: sum(map(int, minutes.split("+"))) for stem, minutes in rows}
    assert tabled == {path.stem: stated_in(path) for path in NOTEBOOKS}


def test_the_teachers_table_has_every_question_and_function():
    page = (ROOT / "docs" / "for-teachers.md").read_text()
    rows = re.findall(r"^\| (\d) \|[^|]+\|([^|]*)\|([^|]*)\|$", page, re.MULTILINE)
    for path in NOTEBOOKS:
        cells = [c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
        code = "\n".join(cells)
        mine = [row for row in rows if int(row[0]) == int(path.stem[:2])]
        asked, written = (" ".join(row[column] for row in mine) for column in (1, 2))
        assert set(re.findall(r"`(\w+)`", asked)) == set(re.findall(r"lessons\.(\w+)\(", code))
        assert set(re.findall(r"`(\w+)`", written)) == set(
            re.findall(r"^check\((\w+)\)", code, re.M)
        )


@pytest.mark.parametrize("minutes", [45, 90])
def test_a_lesson_plan_fills_its_minutes(minutes):
    page = (ROOT / "docs" / "for-teachers.md").read_text()
    plan = page.partition(f"**{minutes} minutes**")[2].partition("\n\n**")[0]
    taken = [int(m) for m in re.findall(r"^\| (\d+) \|", plan.split("\n## ")[0], re.MULTILINE)]
    assert len(taken) > 3
    assert sum(taken) == minutes
