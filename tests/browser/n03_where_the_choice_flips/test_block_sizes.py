"""The explorer of block sizes, as the notebook makes it."""

from playwright.sync_api import expect

from preemption import BlockExplorer
from tests.browser.lab import OnPage

LAUNCH = "copy start (µs)"


def test_dearer_copies_move_the_flip(notebook):
    explorer = OnPage(notebook.page, label=LAUNCH)  # the first that has it
    explorer.reset(BlockExplorer(model="OPT-13B", device="A100 40 GB SXM").verdict)
    expect(explorer.status).to_contain_text("flips at blocks of 9.47 tokens")
    explorer.fill(LAUNCH, 20)
    expect(explorer.status).to_contain_text("flips at blocks of 31.6 tokens")
    expect(explorer.picture.get_by_text("flips at 31.6 tokens", exact=True)).to_be_visible()
