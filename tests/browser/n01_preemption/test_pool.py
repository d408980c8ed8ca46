"""The small pool of notebook 01: played by keyboard until it is full, and a victim chosen."""

import pytest
from playwright.sync_api import expect

from preemption import OverflowExplorer
from tests.browser.lab import OnPage


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label="who goes")
    found.reset(OverflowExplorer().verdict)
    return found


def test_it_plays_until_it_is_full_and_waits_for_a_choice(explorer):
    shown = OverflowExplorer()
    explorer.fill("steps per second", 10)
    explorer.root.get_by_role("button", name="play").focus()
    explorer.page.keyboard.press("Enter")
    shown.iteration = shown._scale().high
    expect(explorer.status).to_have_text(shown.verdict)
    expect(explorer.root.get_by_role("button", name="play")).to_be_visible()
    # With a list closed, JupyterLab takes the arrows to go to another cell.
    explorer.box("who goes").focus()
    for key in ("Space", "ArrowDown", "Enter"):
        explorer.page.keyboard.press(key)
    expect(explorer.box("who goes")).to_have_value("A")
    shown.victim = "A"
    expect(explorer.status).to_have_text(shown.verdict)
    expect(explorer.box("iteration")).to_have_value(f"{shown.iteration}")
    explorer.root.get_by_role("button", name="step on").press("Enter")
    shown.iteration += 1
    expect(explorer.status).to_have_text(shown.verdict)


def test_the_slider_is_dragged(explorer):
    explorer.drag("iteration", 1.0, 10)
    expect(explorer.status).to_contain_text("Choose who goes.")
