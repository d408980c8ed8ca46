"""The gallery of faults: a question, then a run that slides, broken and mended."""

import pytest
from playwright.sync_api import expect

from preemption import FaultExplorer
from preemption.explorers import in_words
from preemption.serving import run_fault
from tests.browser.lab import OnPage


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label="iteration")
    found.reset(FaultExplorer().verdict)
    return found


def expect_iteration(explorer, fault, number, *, broken=True):
    iteration = run_fault(fault, broken=broken).log[number]
    expect(explorer.status).to_have_text(in_words(iteration))
    expect(explorer.box("iteration")).to_have_value(f"{number}")
    for name, blocks in iteration.blocks.items():
        said = f"{name}: {blocks} block{'' if blocks == 1 else 's'}"
        expect(explorer.picture.get_by_text(said, exact=True)).to_be_visible()


def test_a_run_slides_to_its_end(explorer):
    expect_iteration(explorer, "first chunk", 0)
    explorer.drag("iteration", 1.0, 15)
    expect_iteration(explorer, "first chunk", 66)
    slider = explorer.slider("iteration")
    slider.press("ArrowLeft")
    expect_iteration(explorer, "first chunk", 65)


def test_another_fault_and_the_mended_engine(explorer):
    explorer.fill("iteration", 60)
    expect_iteration(explorer, "first chunk", 60)
    explorer.box("fault").select_option("cached victim")
    expect_iteration(explorer, "cached victim", 0)
    slider = explorer.slider("iteration")
    slider.focus()
    slider.press("End")
    expect_iteration(explorer, "cached victim", 4)
    expect(explorer.status).to_contain_text("28 tokens found in the pool")
    explorer.box("engine").select_option("mended")
    expect_iteration(explorer, "cached victim", 4, broken=False)
    source = explorer.root.get_by_role("link", name="vLLM pull request 43569")
    expect(source).to_have_attribute("href", "https://github.com/vllm-project/vllm/pull/43569")
    explorer.fill("iteration", 5)
    expect(explorer.status).to_contain_text("iteration must be from 0 to 4 in this run, not 5")


def test_a_question_opens_its_answer(notebook):
    asked = notebook.page.locator(".jp-OutputArea-output", has_text="Request huge has a prompt")
    asked.first.scroll_into_view_if_needed()
    asked.first.get_by_text("Nobody will run any more").click()
    asked.first.get_by_role("button", name="commit").click()
    expect(asked.first.get_by_role("status")).to_contain_text("Nobody will run any more: right.")
