"""Notebooks as committed: executed in order, with outputs, nothing stray, small, well linked."""

import ast
import io
import json
import re
import tokenize
from pathlib import Path

import nbformat
import pytest

from preemption.page.explorer import COVER

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
MAX_BYTES = 2_000_000
MAX_CODE_LINES = 12
HEADINGS = ["## Predict first", "## Check your understanding", "## Summary", "## In practice"]
# Cells that nbval must not compare, each with the reason; a tag not listed here fails.
NBVAL_TAGS: dict[tuple[str, str], str] = {}


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def notebook(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture
def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS][:1] == ["01_preemption"]


def test_valid_and_small(path, notebook):
    nbformat.validate(notebook)
    assert path.stat().st_size < MAX_BYTES


def test_executed_top_to_bottom(code):
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))


def test_no_errors_and_no_stderr(code):
    for cell in code:
        for output in cell.outputs:
            assert output.output_type != "error", cell.id
            assert output.get("name") != "stderr", cell.id


def test_outputs_are_kept(code):
    """Every cell that ends in an expression shows something."""
    for cell in code:
        ends_in_expression = isinstance(ast.parse(cell.source).body[-1], ast.Expr)
        assert cell.outputs or not ends_in_expression, cell.id


def hides(source):
    """Whether a cell has a semicolon outside a text: at its end one hides what the cell shows."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return any(token.type == tokenize.OP and token.string == ";" for token in tokens)


def test_no_cell_hides_what_it_shows(code):
    """The outputs kept in the file, and nbval, would not tell."""
    assert [cell.id for cell in code if hides(cell.source)] == []


def test_a_semicolon_is_found_wherever_it_hides_something():
    assert hides("CostExplorer();")
    assert hides("explorer = CostExplorer()\nexplorer ;  # the picture")
    assert hides("CostExplorer(\n    tokens=1,\n);\n")
    assert not hides('print("a;")  # b;\nCostExplorer()')


def test_widgets_leave_something_to_read_without_a_kernel(code):
    """In JupyterLab, trusted or not, and in an export, which leaves out what a PNG shows."""
    for cell in code:
        for output in cell.outputs:
            if "data" in output:
                assert set(output.data) == {"text/html", "text/plain"}, cell.id
                assert not re.match(r"[A-Z]\w+\(", output.data["text/plain"]), cell.id


def test_metadata_is_bare(path, notebook):
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert dict(notebook.metadata.language_info) == {"name": "python"}
    for cell in notebook.cells:
        assert re.fullmatch(r"[a-z0-9-]+", cell.id), "cells have readable ids"
        assert set(cell.metadata) <= {"tags"}
        for tag in cell.metadata.get("tags", []):
            assert (path.stem, cell.id) in NBVAL_TAGS, f"unexplained tag {tag} in {cell.id}"


def test_code_cells_are_short(code):
    for cell in code:
        lines = [line for line in cell.source.splitlines() if line.strip()]
        assert len(lines) <= MAX_CODE_LINES, cell.id


def test_the_recurring_headings(notebook):
    text = [line for cell in notebook.cells for line in cell.source.splitlines()]
    for heading in HEADINGS:
        assert heading in text, heading
    assert re.match(r"# \d\. [A-Z]", notebook.cells[0].source)
    for mark in ("minutes", "**You will**", "**You need**"):
        assert mark in notebook.cells[0].source


def test_links_inside_the_project_exist(path, notebook):
    for cell in notebook.cells:
        for target in re.findall(r"\]\(([^)]+)\)", cell.source):
            if not target.startswith("https://"):
                file, _, heading = target.partition("#")
                found = path.parent / file
                assert found.exists(), target
                lines = found.read_text().splitlines() if heading else []
                titles = [
                    re.sub(r"\W+", "-", line.lstrip("# ").lower())
                    for line in lines
                    if line[:1] == "#"
                ]
                assert not heading or heading in titles, target


def test_no_path_of_a_machine(path):
    text = json.dumps(json.loads(path.read_text()))
    assert not re.search(r"/(home|root|tmp|work|Users)/", text)


def test_between_a_question_and_what_should_be_seen_stands_a_covered_picture(notebook):
    pictures = None  # what is shown of them since the last question
    for cell in notebook.cells:
        if "### What you should have seen" in cell.source:
            asks_itself = cell.id == "overflow-seen"  # the picture above: it waits for a choice
            assert pictures is None or asks_itself or set(pictures) == {COVER}, cell.id
            pictures = None
        for data in (output.get("data", {}) for output in cell.get("outputs", [])):
            shown = data.get("text/plain", "")
            if re.search(r"^\( \) |____", shown, re.MULTILINE):
                pictures = []
            elif pictures is not None and (shown == COVER or "<img " in data.get("text/html", "")):
                pictures.append(shown)
