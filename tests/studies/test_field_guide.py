"""The field guide: complete, one page for each use from the same data."""

import re
from dataclasses import fields
from html import unescape
from pathlib import Path

import nbformat
import pytest

from preemption import studies
from preemption.serving import FAULTS
from preemption.studies import FIELD_GUIDE, GuideRow
from tests.studies.guide import GUIDE, guide

ROOT = Path(__file__).parents[2]


def test_each_fault_of_the_gallery_has_its_row():
    assert list(FIELD_GUIDE)[: len(FAULTS)] == list(FAULTS)
    assert len(FIELD_GUIDE) > len(FAULTS)


@pytest.mark.parametrize("name", FIELD_GUIDE)
def test_a_row_is_complete_and_has_sources(name):
    row = FIELD_GUIDE[name]
    assert all(getattr(row, field.name) for field in fields(GuideRow))
    for called, url in row.sources:
        assert called
        assert re.fullmatch(r"https://[\w./-]+", url)
    for text in (row.symptom, row.metric, row.log, row.cause, row.trade_off):
        assert text[-1] == "."
        assert text.count("`") % 2 == 0
    for text in (row.vllm, row.sglang, row.tensorrt_llm):
        assert text[-1] != "."
        assert text.count("`") % 2 == 0


def test_metrics_are_those_that_a_scrape_is_read_by():
    published = {name for names in studies.NAMES.values() for each in names for name in each}
    published |= {"process_start_time_seconds"}
    for row in FIELD_GUIDE.values():
        for name in re.findall(r"`((?:vllm|sglang):\w+|process_\w+)`", row.metric):
            assert name in published


def test_the_page_and_the_notebook_are_made_from_the_same_data():
    assert GUIDE.read_text(encoding="utf-8") == guide()
    assert guide().endswith(studies.field_guide())
    notebook = nbformat.read(ROOT / "notebooks" / "06_from_the_field.ipynb", as_version=4)
    shown = [
        unescape(re.sub("<[^>]*>", "", output.data["text/html"]))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if cell.id == "field-guide"
    ]
    assert len(shown) == 1
    for row in FIELD_GUIDE.values():
        for said in (row.title, row.symptom, row.metric, row.log, row.cause, row.vllm, row.sglang):
            assert said.replace("`", "") in shown[0]
        assert all(name in shown[0] for name, _ in row.sources)
