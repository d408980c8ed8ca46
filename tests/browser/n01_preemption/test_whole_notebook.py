"""Notebook 01 as a whole, after all that was done in it, and restarted."""

from playwright.sync_api import expect

from preemption import CostExplorer
from tests.browser.everyone import ForEveryone
from tests.browser.lab import OnPage


def test_a_link_to_a_document_opens_it(notebook):
    page = notebook.page
    page.get_by_role("link", name="the measurement").click()
    tab = page.locator(".lm-DockPanel .lm-TabBar-tab", has_text="how-far-to-believe.md")
    expect(tab).to_be_visible()
    expect(page.get_by_text("For those who maintain it, and those who want").first).to_be_attached()
    tab.locator(".lm-TabBar-tabCloseIcon").click()
    expect(tab).to_have_count(0)


def test_after_a_restart_the_cells_run_again_and_predictions_start_anew(notebook):
    page = notebook.page
    notebook.restart_and_run_all()
    asked = page.locator(".jp-OutputArea-output", has_text="Is evicting a cache free").first
    assert not any(radio.is_checked() for radio in asked.get_by_role("radio").all())
    found = OnPage(page)
    found.expect(1000, 25)
    found.drag("link bandwidth (GB/s)", 0.2, 10)
    found.expect(1000, found.place(CostExplorer.bandwidth_gb_per_s))


class TestForEveryone(ForEveryone):
    pass
