"""The slot chart: a preset, a length of one's own, guesses; and one of the exercises."""

import pytest
from playwright.sync_api import expect

from preemption import SlotExplorer
from preemption.exercises.tasks import TASKS
from tests.browser.lab import OnPage


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label="tokens of A")
    found.reset(SlotExplorer().verdict)
    return found


def test_a_preset_and_a_length_of_ones_own(explorer):
    expect(explorer.status).to_contain_text("5 of 6 places filled, 83.3%. 1 iteration saved.")
    explorer.box("preset").select_option("one long, last in line")
    expect(explorer.status).to_contain_text("No gain here.")
    expect(explorer.box("tokens of F")).to_have_value("8")
    slider = explorer.slider("tokens of F")
    slider.focus()
    slider.press("Home")
    expect(explorer.box("tokens of F")).to_have_value("0")
    expect(explorer.box("preset")).to_have_value("your own")
    explorer.fill("tokens of A", 0)
    expect(explorer.status).to_contain_text("tokens of A must be a whole number from 1 to 8")
    expect(explorer.box("tokens of A")).to_have_value("1")


def test_guesses_of_iterations_are_drawn(notebook, explorer):
    reply = notebook.guess("How many iterations do static groups", "5", "iterations")
    expect(reply).to_contain_text("It is 4 iterations.")
    expect(explorer.picture.get_by_text("your guess: 5", exact=True)).to_be_visible()


def test_an_exercise_typed_and_run_is_right(notebook):
    cell = notebook.page.locator(".jp-CodeCell").filter(has_text="check(utilization)")
    cell.scroll_into_view_if_needed()
    notebook.write(cell, f"{TASKS['utilization'].solution}\n\ncheck(utilization)")
    expect(cell.get_by_role("status")).to_contain_text("Progress: 1 of 2 schedules right.")
