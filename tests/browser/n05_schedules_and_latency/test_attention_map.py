"""The attention map: the numbers stay when the chunk size slides."""

from playwright.sync_api import expect

from preemption import AttentionExplorer
from tests.browser.lab import OnPage

CHUNK = "chunk size (tokens)"


def test_the_numbers_stay_when_the_chunk_size_slides(notebook):
    explorer = OnPage(notebook.page, label=CHUNK)
    explorer.reset(AttentionExplorer().verdict)
    whole, chunked, alone = (
        explorer.root.get_by_role("row", name=name).get_by_role("cell")
        for name in ("in one pass", "in chunks, with the cache", "each chunk alone")
    )
    before = whole.inner_text()
    slider = explorer.slider(CHUNK)
    slider.focus()
    for key, changed in (("Home", 15), ("ArrowRight", 14), ("End", 0)):
        slider.press(key)
        expect(explorer.status).to_contain_text(f"With each chunk alone {changed} of 16 outputs")
        expect(explorer.status).to_contain_text("are equal to those of one pass")
        assert whole.inner_text() == chunked.inner_text() == before
        assert (alone.inner_text() == before) == (changed == 0)
