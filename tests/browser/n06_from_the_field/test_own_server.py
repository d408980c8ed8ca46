"""A server of one's own: scrapes pasted into the page."""

from playwright.sync_api import expect

from preemption import studies


def test_scrapes_are_pasted_and_what_is_wrong_is_said(notebook):
    _, second = studies.example_scrapes()
    boxes = notebook.page.get_by_label("second scrape", exact=True)
    shown = notebook.page.locator(".jp-OutputArea-output", has=boxes).first
    shown.scroll_into_view_if_needed()
    status = shown.get_by_role("status")
    expect(status).to_contain_text("36 preemptions per minute")
    box = shown.get_by_label("second scrape", exact=True)
    for text, word in (
        ("hello\n", "no metrics page"),
        (second.replace(" 276.0", " 300.0"), "60 preemptions per minute"),
        (second, "36 preemptions per minute"),
    ):
        box.fill(text)
        box.press("Tab")
        expect(status).to_contain_text(word)
    shown.get_by_label("link", exact=True).select_option("NVMe (PCIe 4.0 x4)")
    expect(status).to_contain_text("over NVMe (PCIe 4.0 x4) takes")
    shown.get_by_label("link", exact=True).select_option("PCIe 4.0 x16")
