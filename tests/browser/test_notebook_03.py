"""Notebook 03 in a real JupyterLab: its explorers by mouse and keyboard, and the guesses."""

import re
from functools import cache, partial

import pytest
from playwright.sync_api import expect

from preemption import (
    BlockExplorer,
    CrossoverMapExplorer,
    MachineExplorer,
    MixExplorer,
    costs,
    words,
)
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute
from tests.browser.accessibility import ForEveryone
from tests.browser.lab import OnPage

TOKENS, SHARE, LAUNCH = "cached tokens", "recomputed (%)", "copy start (µs)"
# The explorers as the notebook makes them, by a control that only they have.
AT_FIRST = {
    "prefill time": MachineExplorer,
    LAUNCH: partial(BlockExplorer, model="OPT-13B", device="A100 40 GB SXM"),
    SHARE: MixExplorer,
}


@pytest.fixture(scope="module")
def notebook(run):
    return run("03_where_the_choice_flips.ipynb")


class TestForEveryone(ForEveryone):
    pass


@cache
def verdict_at_first(label):
    return AT_FIRST[label]().verdict


def reset(notebook, label):
    explorer = OnPage(notebook.page, label=label)
    explorer.reset(verdict_at_first(label))
    return explorer


def choose(explorer, **names):
    for label, name in names.items():
        explorer.box(label.replace("_", " ")).select_option(name)


HERE = ("Llama-3-8B", "A100 80 GB SXM", "PCIe 4.0 x16")


def expect_costs(explorer, model, device, link, tokens, **copied):
    """Wait until the verdict is the package's at these settings; return both models."""
    recompute = Recompute.of(MODELS[model], DEVICES[device])
    bandwidth = LINKS[link].bandwidth_bytes_per_s
    copy = Copy(model=MODELS[model], bandwidth_bytes_per_s=bandwidth, **copied)
    expect(explorer.status).to_contain_text(
        f"{words.count(tokens, 'token')}: recompute {words.digits(recompute.ms(tokens))} ms, "
        f"swap {words.digits(copy.ms(tokens))} ms"
    )
    return recompute, copy


@pytest.mark.parametrize(
    ("model", "device", "link"),
    [
        HERE,
        ("OPT-13B", "A100 40 GB SXM", "PCIe 4.0 x16"),
        ("DeepSeek-V3", "H100 SXM", "PCIe 5.0 x16"),
    ],
)
def test_crossovers_are_marked_or_their_absence_is_said(notebook, model, device, link):
    explorer = reset(notebook, "prefill time")
    choose(explorer, model=model, device=device, link=link)
    machine = expect_costs(explorer, model, device, link, 1_000)
    found = costs.crossover_tokens(*machine)
    for n in found:
        marked = explorer.picture.get_by_text(words.count(round(n), "token"), exact=True)
        expect(marked).to_be_visible()
    said = explorer.root.get_by_text("does not fit")
    if not found:
        expect(explorer.picture.get_by_text("at every count: no crossover")).to_be_visible()
        expect(said).to_contain_text("At least 9 must share it")
    else:
        expect(said).to_have_count(0)
    expect(explorer.root.get_by_text(DEVICES[device].source)).to_be_visible()


def test_keys_and_mouse_move_the_tokens(notebook):
    explorer = reset(notebook, "prefill time")
    expect_costs(explorer, *HERE, 1_000)
    slider = explorer.slider(TOKENS)
    slider.focus()
    for key, tokens in (("End", 1_000_000), ("Home", 1)):
        slider.press(key)
        expect(explorer.box(TOKENS)).to_have_value(f"{tokens}")
        expect_costs(explorer, *HERE, tokens)
    explorer.drag(TOKENS, 0.6, 40)
    place = round(float(slider.get_attribute("aria-valuenow")))
    tokens = MachineExplorer.tokens.places[place]
    assert 100 < tokens < 100_000
    expect_costs(explorer, *HERE, tokens)
    title = f"at {words.count(tokens, 'cached token')}"
    expect(explorer.picture.get_by_text(title, exact=True)).to_be_visible()


def test_whole_blocks_have_no_crossover(notebook):
    explorer = reset(notebook, "prefill time")
    choose(explorer, one_copy_per="block of all layers")
    expect_costs(explorer, *HERE, 1_000, layout="block")
    expect(explorer.status).to_contain_text("No crossover in tokens: swap is cheaper")
    choose(explorer, one_copy_per="layer, K and V apart", request_waits_for="copy back only")
    expect_costs(explorer, *HERE, 1_000, round_trip=False)
    expect(explorer.status).to_contain_text("No crossover in tokens: swap is cheaper")


def test_a_bad_value_is_shown_and_undone(notebook):
    explorer = reset(notebook, "prefill time")
    box = explorer.box("efficiency (%)")
    box.fill("500")
    box.press("Enter")
    expect(explorer.status).to_contain_text("efficiency (%) must be a whole number from 5 to 100")
    expect(box).to_have_value("50")


def test_the_map_follows_its_lists(notebook):
    page = notebook.page
    root = page.locator(".jp-OutputArea-output", has=page.get_by_text("sources of all figures"))
    root.get_by_label("device", exact=True).select_option("H100 SXM")
    counterpart = CrossoverMapExplorer(device="H100 SXM")
    expect(root.get_by_role("status")).to_have_text(counterpart.verdict)
    root.get_by_text("sources of all figures").click()
    expect(root.get_by_text("NVIDIA H100 datasheet and whitepaper")).to_be_visible()


def test_dearer_copies_move_the_flip(notebook):
    explorer = reset(notebook, LAUNCH)
    expect(explorer.status).to_contain_text("flips at blocks of 15.8 tokens")
    box = explorer.box(LAUNCH)
    box.fill("20")
    box.press("Enter")
    expect(explorer.status).to_contain_text("flips at blocks of 31.6 tokens")
    expect(explorer.picture.get_by_text("flips at 31.6 tokens", exact=True)).to_be_visible()


def test_a_guess_of_the_share_is_drawn_beside_the_truth(notebook):
    page = notebook.page
    asked = page.locator(".jp-OutputArea-output", has_text="Which share should").first
    asked.scroll_into_view_if_needed()
    asked.get_by_label("your guess (%)").fill("37.5")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(asked.get_by_role("status")).to_contain_text("right, within 15%")
    explorer = reset(notebook, SHARE)
    expect(explorer.root.get_by_text("your guess: 37.5 %")).to_be_visible()
    explorer.slider(SHARE).press("Home")
    expect(explorer.status).to_contain_text("0% recomputed: 45.29 ms.")


def test_nothing_went_wrong_in_the_page(notebook):
    assert notebook.errors == []
    text = notebook.page.locator(".jp-Notebook").inner_text()
    assert not re.search(r"Traceback|Error:", text)
