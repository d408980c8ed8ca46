"""The cliff: the rate, who goes, and how they come back."""

import pytest
from playwright.sync_api import expect

from preemption import CliffExplorer
from tests.browser.lab import OnPage

LINK, RATE = "link bandwidth (GB/s)", "requests/s"


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label=LINK)
    found.reset(CliffExplorer().verdict)
    return found


def test_a_drag_of_the_rate_runs_all_pools_again(explorer):
    explorer.drag(RATE, 0.9, 6)
    here = CliffExplorer()
    here.rate = explorer.place(CliffExplorer.rate)
    assert here.rate > 7
    expect(explorer.status).to_have_text(here.verdict)


def test_how_they_come_back_and_a_bad_number(explorer):
    here = CliffExplorer()
    explorer.box("how they come back").select_option("swap")
    explorer.fill(LINK, 2)
    here.change(way="swap", link=2.0)
    expect(explorer.status).to_have_text(here.verdict)
    explorer.fill(LINK, 0)
    expect(explorer.status).to_contain_text("must be a number from 1 to 100, not 0")
    expect(explorer.status).to_contain_text(here.verdict)
