"""Notebook 05 in a real JupyterLab: its explorers by mouse and keyboard, guesses, an exercise."""

from functools import cache

import pytest
from playwright.sync_api import expect

from preemption import AttentionExplorer, ChunkExplorer, LoadExplorer, SlotExplorer, studies, words
from preemption.exercises.tasks import TASKS
from tests.browser.accessibility import ForEveryone
from tests.browser.lab import OnPage

BUDGET, CHUNK, RATE, POOL = "token budget", "chunk size (tokens)", "requests/s", "pool (blocks)"
# The explorers as the notebook makes them, by a control that only they have.
AT_FIRST = {
    "tokens of A": SlotExplorer,
    BUDGET: ChunkExplorer,
    CHUNK: AttentionExplorer,
    RATE: LoadExplorer,
}


@pytest.fixture(scope="module")
def notebook(run):
    return run("05_schedules_and_latency.ipynb")


class TestForEveryone(ForEveryone):
    pass


@cache
def verdict_at_first(label):
    return AT_FIRST[label]().verdict


def reset(notebook, label):
    explorer = OnPage(notebook.page, label=label)
    explorer.reset(verdict_at_first(label))
    return explorer


def fill(explorer, label, value):
    explorer.box(label).fill(str(value))
    explorer.box(label).press("Enter")


def value_at(explorer, label, setting):
    """Return the number at which a slider stands, whatever has come of it so far."""
    return setting.places[round(float(explorer.slider(label).get_attribute("aria-valuenow")))]


def expect_chunks(explorer, budget, prompt=4_096):
    run = studies.chunked_prefill(prompt, budget)
    expect(explorer.status).to_contain_text(
        f"Budget {words.plain(budget)}: a prompt of {words.count(prompt, 'token')} takes "
        f"{words.count(run.chunks, 'iteration')}"
    )
    gap = f"longest gap {words.digits(run.max_itl_ms, 3)} ms"
    expect(explorer.picture.get_by_text(gap, exact=True)).to_be_visible()
    expect(explorer.box(BUDGET)).to_have_value(f"{budget}")


def expect_load(explorer, rate, pool):
    here = studies.under_load(rate, pool)
    first = studies.preempts_from(studies.sweep(pool))
    expect(explorer.status).to_contain_text(
        f"{words.plain(rate)} requests/s, {words.count(pool, 'block')}: "
        f"{words.count(here.preemptions, 'preemption')},"
    )
    onset = f"preempts from {words.plain(first)}/s"
    expect(explorer.picture.get_by_text(onset, exact=True)).to_be_visible()


def commit(notebook, question, guess, unit):
    asked = notebook.page.locator(".jp-OutputArea-output", has_text=question).first
    asked.scroll_into_view_if_needed()
    asked.get_by_label(f"your guess ({unit})").fill(guess)
    notebook.page.keyboard.press("Tab")
    notebook.page.keyboard.press("Enter")
    return asked.get_by_role("status")


def test_a_preset_and_a_length_of_ones_own(notebook):
    explorer = reset(notebook, "tokens of A")
    expect(explorer.status).to_contain_text("5 of 6 places filled, 83.3%. 1 iteration saved.")
    explorer.box("preset").select_option("one long, last in line")
    expect(explorer.status).to_contain_text("No gain here.")
    expect(explorer.box("tokens of F")).to_have_value("8")
    slider = explorer.slider("tokens of F")
    slider.focus()
    slider.press("Home")
    expect(explorer.box("tokens of F")).to_have_value("0")
    expect(explorer.box("preset")).to_have_value("your own")
    fill(explorer, "tokens of A", 0)
    expect(explorer.status).to_contain_text("tokens of A must be a whole number from 1 to 8")
    expect(explorer.box("tokens of A")).to_have_value("1")


def test_guesses_of_iterations_are_drawn(notebook):
    explorer = reset(notebook, "tokens of A")
    reply = commit(notebook, "How many iterations do static groups", "5", "iterations")
    expect(reply).to_contain_text("It is 4 iterations.")
    expect(explorer.picture.get_by_text("your guess: 5", exact=True)).to_be_visible()


@pytest.mark.parametrize("to", [0.0, 1.0, 0.4])
def test_the_budget_drags(notebook, to):
    explorer = reset(notebook, BUDGET)
    expect_chunks(explorer, 512)
    explorer.drag(BUDGET, to, 15)
    budget = value_at(explorer, BUDGET, ChunkExplorer.budget)
    assert budget != 512
    expect_chunks(explorer, budget)


def test_the_numbers_stay_when_the_chunk_size_slides(notebook):
    explorer = reset(notebook, CHUNK)
    whole, chunked, alone = (
        explorer.root.get_by_role("row", name=name).get_by_role("cell")
        for name in ("in one pass", "in chunks, with the cache", "each chunk alone")
    )
    before = whole.inner_text()
    slider = explorer.slider(CHUNK)
    slider.focus()
    for key, changed in (("Home", 15), ("ArrowRight", 14), ("End", 0)):
        slider.press(key)
        expect(explorer.status).to_contain_text(f"With each chunk alone {changed} of 16 outputs")
        expect(explorer.status).to_contain_text("are equal to those of one pass")
        assert whole.inner_text() == chunked.inner_text() == before
        assert (alone.inner_text() == before) == (changed == 0)


def test_load_and_pool(notebook):
    explorer = reset(notebook, RATE)
    expect_load(explorer, 4.0, 3_000)
    explorer.drag(RATE, 0.95, 20)
    rate = value_at(explorer, RATE, LoadExplorer.rate)
    assert rate > 8
    expect_load(explorer, rate, 3_000)
    fill(explorer, POOL, 1_500)
    expect_load(explorer, rate, 1_500)
    fill(explorer, POOL, 100)
    expect(explorer.status).to_contain_text("must be a whole number from 1,000 to 10,000")
    reply = commit(notebook, "does the server preempt?", "7", "requests/s")
    expect(reply).to_contain_text("right, within 20%")
    shown = explorer.root.get_by_text("your guess: 7 requests/s")
    expect(shown).to_be_visible()


def test_a_pool_drags_and_the_last_picture_is_that_of_the_last_value(notebook):
    explorer = reset(notebook, RATE)
    explorer.drag(POOL, 0.8, 10)
    pool = value_at(explorer, POOL, LoadExplorer.pool)
    assert pool > 6_000
    expect_load(explorer, 4.0, pool)


def test_an_exercise_typed_and_run_is_right(notebook):
    cell = notebook.page.locator(".jp-CodeCell").filter(has_text="check(utilization)")
    cell.scroll_into_view_if_needed()
    notebook.write(cell, f"{TASKS['utilization'].solution}\n\ncheck(utilization)")
    expect(cell.get_by_role("status")).to_contain_text("Progress: 1 of 2 schedules right.")


def test_nothing_went_wrong_in_the_page(notebook):
    assert notebook.errors == []
    expect(notebook.page.get_by_text("Traceback")).to_have_count(0)
