"""Rules, levers and links: the loads come one by one, until they are stopped."""

import re

import pytest
from playwright.sync_api import expect

from preemption import SideBySideExplorer
from tests.browser.lab import OnPage

POOL = "pool (tokens)"


@pytest.fixture(params=[0, 1], ids=["rules", "levers"])
def explorer(notebook, request):
    return OnPage(notebook.page, request.param, label=POOL)


def test_all_loads_come(explorer):
    expect(explorer.status).to_contain_text(", 20 loads:", timeout=60_000)
    expect(explorer.root.get_by_role("progressbar", name="loads")).to_have_attribute("value", "20")


def test_a_change_starts_anew_and_can_be_stopped(explorer):
    explorer.fill(POOL, 40_000)
    expect(explorer.status).to_contain_text(re.compile("one load:|More loads"))
    explorer.root.get_by_role("button", name="stop").click()
    go_on = explorer.root.get_by_role("button", name="go on")
    expect(go_on).to_be_visible()
    go_on.click()
    expect(explorer.status).to_contain_text("40,000 tokens of pool, 20 loads:", timeout=60_000)


def test_the_last_picture_is_that_of_the_last_value(explorer):
    explorer.drag(POOL, 0.3, 8)
    pool = explorer.place(SideBySideExplorer.pool)
    expect(explorer.status).to_contain_text(f"{pool:,} tokens of pool, 20 loads:", timeout=60_000)
