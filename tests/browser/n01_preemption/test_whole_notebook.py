"""Notebook 01 as a whole, after all that was done in it, and restarted."""

from preemption import CostExplorer
from tests.browser.everyone import ForEveryone
from tests.browser.lab import OnPage


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
