"""The reader's own machine: a guess first, then the button; or what is missing."""

from playwright.sync_api import expect

from preemption.costs.measure import missing

STARTED, STOPPED = "memory of the device", "stopped before the end"


def test_a_guess_comes_first_and_then_it_measures_or_says_what_is_missing(notebook):
    page = notebook.page
    button = page.get_by_role("button", name="measure (60 s)")
    cell = page.locator(".jp-OutputArea-output").filter(has=button)
    status, box = cell.get_by_role("status"), cell.get_by_label("the choice flips at (GB/s)")
    if missing():
        expect(status).to_contain_text("the extra measure is missing")
    button.click()
    expect(status).to_contain_text("The guess must be above 0 GB/s, not 0.")
    box.fill("0.5")
    box.press("Enter")
    button.click()
    if missing():
        expect(status).to_contain_text("the extra measure is missing")
        return
    stop = page.get_by_role("button", name="stop")
    cell = page.locator(".jp-OutputArea-output").filter(has=stop)
    expect(cell.get_by_role("status")).to_contain_text(STARTED, timeout=60_000)
    stop.click()
    cell = page.locator(".jp-OutputArea-output").filter(has=button)
    expect(cell.get_by_role("status")).to_contain_text(STOPPED, timeout=60_000)
