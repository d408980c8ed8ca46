"""The map follows its lists."""

from playwright.sync_api import expect

from preemption import CrossoverMapExplorer


def test_the_map_follows_its_lists(notebook):
    page = notebook.page
    root = page.locator(".jp-OutputArea-output", has=page.get_by_text("sources of all figures"))
    root.get_by_label("device", exact=True).select_option("H100 SXM")
    counterpart = CrossoverMapExplorer(device="H100 SXM")
    expect(root.get_by_role("status")).to_have_text(counterpart.verdict)
    root.get_by_text("sources of all figures").click()
    expect(root.get_by_text("NVIDIA H100 datasheet and whitepaper")).to_be_visible()
