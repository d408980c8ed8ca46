"""The explorer of latency under load: rate and pool, and a guess."""

import pytest
from playwright.sync_api import expect

from preemption import LoadExplorer, studies, words
from tests.browser.lab import OnPage

RATE, POOL = "requests/s", "pool (blocks)"


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label=RATE)
    found.reset(LoadExplorer().verdict)
    return found


def expect_load(explorer, rate, pool):
    here = studies.under_load(rate, pool)
    first = studies.preempts_from(studies.sweep(pool))
    expect(explorer.status).to_contain_text(
        f"{words.plain(rate)} requests/s, {words.count(pool, 'block')}: "
        f"{words.count(here.preemptions, 'preemption')},"
    )
    onset = f"preempts from {words.plain(first)}/s"
    expect(explorer.picture.get_by_text(onset, exact=True)).to_be_visible()


def test_load_and_pool(notebook, explorer):
    expect_load(explorer, 4.0, 3_000)
    explorer.drag(RATE, 0.95, 20)
    rate = explorer.place(LoadExplorer.rate)
    assert rate > 8
    expect_load(explorer, rate, 3_000)
    explorer.fill(POOL, 1_500)
    expect_load(explorer, rate, 1_500)
    explorer.fill(POOL, 100)
    expect(explorer.status).to_contain_text("must be a whole number from 1,000 to 10,000")
    reply = notebook.guess("does the server preempt?", "7", "requests/s")
    expect(reply).to_contain_text("right, within 20%")
    shown = explorer.root.get_by_text("your guess: 7 requests/s")
    expect(shown).to_be_visible()


def test_a_pool_drags_and_the_last_picture_is_that_of_the_last_value(explorer):
    explorer.drag(POOL, 0.8, 10)
    pool = explorer.place(LoadExplorer.pool)
    assert pool > 6_000
    expect_load(explorer, 4.0, pool)
