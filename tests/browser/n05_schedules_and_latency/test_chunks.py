"""The explorer of a prompt in chunks: its budget drags."""

import pytest
from playwright.sync_api import expect

from preemption import ChunkExplorer, studies, words
from tests.browser.lab import OnPage

BUDGET = "token budget"


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label=BUDGET)
    found.reset(ChunkExplorer().verdict)
    return found


def expect_chunks(explorer, budget, prompt=4_096):
    run = studies.chunked_prefill(prompt, budget)
    expect(explorer.status).to_contain_text(
        f"Budget {words.plain(budget)}: a prompt of {words.count(prompt, 'token')} takes "
        f"{words.count(run.chunks, 'iteration')}"
    )
    gap = f"longest gap {words.digits(run.max_itl_ms, 3)} ms"
    expect(explorer.picture.get_by_text(gap, exact=True)).to_be_visible()
    expect(explorer.box(BUDGET)).to_have_value(f"{budget}")


@pytest.mark.parametrize("to", [0.0, 1.0, 0.4])
def test_the_budget_drags(explorer, to):
    expect_chunks(explorer, 512)
    explorer.drag(BUDGET, to, 15)
    budget = explorer.place(ChunkExplorer.budget)
    assert budget != 512
    expect_chunks(explorer, budget)
