"""Numbers in the notebooks' texts: each is computed by the package, or a fact with its source."""

import importlib
import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
UNITS = (
    r"ms|s|seconds?|minutes?|hours?|GB/s|TB/s|MB|GB|kB|KB|B|bytes?|bits?|tokens?|TFLOP/s|FLOP"
    r"|cached tokens|blocks?|requests?|iterations?|layers?|heads?|times|%|billion"
)
NUMBER = re.compile(
    rf"(?<![\w.,])\d[\d,]*(?:\.\d+(?![\w.]*\d)|(?:\.\d+)?(?=(?: (?:{UNITS})|%)(?![\w/])))"
)


def text_of(notebook):
    """Return the text cells as a reader sees them: without the addresses of links."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return re.sub(r"\]\([^)]*\)", "]", "\n\n".join(cells))


TEXTS = {path.stem: text_of(nbformat.read(path, as_version=4)) for path in NOTEBOOKS}
PROSE = {name: importlib.import_module(f"tests.notebooks.prose.n{name}") for name in TEXTS}
COMPUTED = [(name, *row) for name, module in PROSE.items() for row in module.COMPUTED]
FACTS = [(name, *row) for name, module in PROSE.items() for row in module.FACTS]


@pytest.mark.parametrize(("notebook", "phrase", "value"), COMPUTED)
def test_the_phrase_is_there_and_agrees(notebook, phrase, value):
    assert phrase in TEXTS[notebook]
    assert re.search(rf"(?<![\d.,]){re.escape(value())}(?![\d]|[.,]\d)", phrase), value()


@pytest.mark.parametrize(("notebook", "phrase", "source"), FACTS)
def test_facts_are_there_with_a_source(notebook, phrase, source):
    assert phrase in TEXTS[notebook]
    assert source.startswith(("https://", "by definition", "example", "measured: "))


@pytest.mark.parametrize("notebook", TEXTS)
def test_no_number_stands_unbound(notebook):
    text = TEXTS[notebook]
    phrases = [row[1] for row in [*COMPUTED, *FACTS] if row[0] == notebook]
    covered = [match.span() for phrase in phrases for match in re.finditer(re.escape(phrase), text)]
    for match in NUMBER.finditer(text):
        start, end = match.span()
        assert any(low <= start and end <= high for low, high in covered), (
            f"{match.group()!r} in ...{text[max(start - 40, 0) : end + 30]!r}"
        )
