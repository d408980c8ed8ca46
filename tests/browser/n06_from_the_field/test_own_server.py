"""A server of one's own: scrapes pasted into the page."""

from playwright.sync_api import expect

from preemption import studies
from tests.browser.lab import OnPage


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


def test_levers_are_served_load_by_load_and_refuse_what_never_fits(notebook):
    levers = OnPage(notebook.page, label="prompt (tokens)")
    expect(levers.status).to_contain_text(", 20 loads:", timeout=60_000)
    expect(levers.status).to_contain_text("A model, with measured times of Llama-3-8B")
    levers.fill("pool (tokens)", 9_000)
    expect(levers.status).to_contain_text("they would never fit")
    expect(levers.box("pool (tokens)")).to_have_value("40016")
    levers.fill("prompt (tokens)", 600)
    expect(levers.status).to_contain_text("of 600 + 218.8 tokens on average", timeout=60_000)
