"""Two minutes of load over time: each control serves it anew."""

import pytest
from playwright.sync_api import expect

from preemption import LiveExplorer
from tests.browser.lab import OnPage

POOL, LINK = "pool (tokens)", "link bandwidth (GB/s)"


@pytest.fixture
def explorer(notebook):
    start = LiveExplorer().verdict
    found = OnPage(notebook.page, 1, label=LINK)
    found.reset(start)
    return found


def test_a_drag_of_the_pool_serves_the_load_again(explorer):
    explorer.drag(POOL, 0.9, 6)
    here = LiveExplorer()
    here.pool = explorer.place(LiveExplorer.pool)
    assert here.pool > 60_000
    expect(explorer.status).to_have_text(here.verdict)
    peak = int(here._answer.over_time.running.max())
    expect(explorer.picture.get_by_text(f"at most {peak}", exact=True).first).to_be_visible()


def test_who_goes_how_they_come_back_and_a_bad_number(explorer):
    here = LiveExplorer()
    explorer.box("who goes").select_option("smallest cache")
    explorer.box("how they come back").select_option("swap")
    explorer.fill(LINK, 3)
    here.change(rule="smallest cache", way="swap", link=3.0)
    expect(explorer.status).to_have_text(here.verdict)
    explorer.fill(LINK, 1)
    expect(explorer.status).to_contain_text("must be a number from 2 to 100, not 1")
    expect(explorer.status).to_contain_text(here.verdict)
