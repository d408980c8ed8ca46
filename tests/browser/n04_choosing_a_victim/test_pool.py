"""The pool: dragged, stepped and played by mouse and keyboard; a load of one's own; guesses."""

import re

import pytest
from playwright.sync_api import expect

from preemption import PoolExplorer
from tests.browser.lab import OnPage


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label="iteration")
    found.reset(PoolExplorer().verdict)
    return found


def at(explorer, iteration):
    """Wait until box, words and picture are those of an iteration."""
    shown = PoolExplorer()
    shown.iteration = iteration
    expect(explorer.box("iteration")).to_have_value(f"{iteration}")
    expect(explorer.status).to_have_text(shown.verdict)
    expect(explorer.root.locator(".pe-picture[role=img]")).to_have_attribute(
        "aria-label", shown._words.alternative
    )


def test_after_a_drag_the_last_picture_is_that_of_the_last_value(explorer):
    explorer.drag("iteration", 0.6, 30)
    place = int(float(explorer.slider("iteration").get_attribute("aria-valuenow")))
    assert place > 40
    at(explorer, place)


def test_a_keyboard_steps_both_ways_and_plays_to_the_end(explorer):
    page = explorer.page
    explorer.fill("iteration", 80)
    at(explorer, 80)
    on = explorer.root.get_by_role("button", name="step on")
    on.focus()
    page.keyboard.press("Enter")
    at(explorer, 81)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    at(explorer, 80)
    explorer.slider("iteration").press("ArrowRight")
    at(explorer, 81)
    explorer.fill("steps per second", 10)
    play = explorer.root.get_by_role("button", name="play")
    play.focus()
    page.keyboard.press("Enter")
    at(explorer, 87)
    expect(play).to_be_visible()


def test_play_is_paused_by_its_button(explorer):
    explorer.fill("steps per second", 10)
    explorer.root.get_by_role("button", name="play").click()
    expect(explorer.box("iteration")).to_have_value(re.compile(r"^[3-9]|\d\d"))
    explorer.root.get_by_role("button", name="pause").click()
    expect(explorer.root.get_by_role("button", name="play")).to_be_visible()
    explorer.page.wait_for_timeout(500)  # a step may be on its way
    held = explorer.box("iteration").input_value()
    explorer.page.wait_for_timeout(500)
    assert explorer.box("iteration").input_value() == held
    at(explorer, int(held))


def test_a_load_of_ones_own(explorer):
    area = explorer.box("requests")
    area.fill("a, 0, 60, 30\nb, soon, 1, 1")
    area.blur()
    expect(explorer.status).to_contain_text("Line 2 is left out: Type a number in ms, not 'soon'.")
    expect(explorer.box("load")).to_have_value("your own")
    expect(area).to_have_value(re.compile("b, soon, 1, 1$"))
    expect(explorer.root.locator(".pe-picture[role=img]")).to_have_attribute(
        "aria-label", re.compile("a holds 4")
    )
    explorer.box("load").select_option("a long wait")
    expect(explorer.box("blocks")).to_have_value("13")
    expect(area).to_have_value(re.compile("^0, 0, 30, 60"))


def test_how_much_is_left_opens_when_both_are_answered(notebook):
    reply = notebook.guess("still be found after 5 iterations", "3", "blocks")
    expect(reply).to_contain_text("when you have committed to the other one too")
    notebook.guess("still be found after 50 iterations", "1", "blocks")
    expect(reply).to_contain_text("It is 5 blocks.")


def test_two_ways_are_scrubbed_together(notebook):
    found = OnPage(notebook.page, 2, label="iteration")
    two = PoolExplorer(beside=True, other="swap")
    two.iteration = 39
    expect(found.status).to_have_text(two.verdict)
    found.root.get_by_role("button", name="step on").click()
    two.iteration = 40
    expect(found.status).to_have_text(two.verdict)
