"""The explorer of latency under load: rate and pool, and a guess."""

import re

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
    low, _, high = here.preemptions
    counted = f"{low:g} to {high:g}" if high > low else f"{low:g}"
    expect(explorer.status).to_contain_text(
        f"{words.plain(rate)} requests/s, {words.count(pool, 'block')}: {counted} preemptions,"
    )
    first = studies.first_preemption(studies.sweep(pool)).first
    onset = re.compile(f"^first preemption: (from )?{words.plain(first)}( |/)")
    expect(explorer.picture.get_by_text(onset)).to_be_visible()


def test_load_and_pool(notebook, explorer):
    expect_load(explorer, 4.0, 3_000)
    explorer.drag(RATE, 0.95, 20)
    rate = explorer.place(LoadExplorer.rate)
    assert rate > 8
    expect_load(explorer, rate, 3_000)
    explorer.fill(POOL, 1_500)
    expect_load(explorer, rate, 1_500)
    explorer.fill(POOL, 100)
    expect(explorer.status).to_contain_text("must be a whole number from 1,000 to 26,674")
    reply = notebook.guess("does the server preempt?", "5", "requests/s")
    expect(reply).to_contain_text("You guessed 5 requests/s: right.")
    shown = explorer.picture.get_by_text("your guess for 3,000 blocks: 5 requests/s")
    expect(shown).to_be_visible()


def test_a_pool_drags_and_the_last_picture_is_that_of_the_last_value(explorer):
    explorer.drag(POOL, 0.8, 10)
    pool = explorer.place(LoadExplorer.pool)
    assert pool > 6_000
    expect_load(explorer, 4.0, pool)
