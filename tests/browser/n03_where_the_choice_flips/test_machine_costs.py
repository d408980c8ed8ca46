"""The explorer of a real machine: crossovers marked, lists, keys and mouse."""

import pytest
from playwright.sync_api import expect

from preemption import MachineExplorer, costs, words
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute
from tests.browser.lab import OnPage

TOKENS = "cached tokens"
HERE = ("Llama-3-8B", "H100 SXM", "PCIe 5.0 x16")
START = "copy start (µs)"


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page, label="prefill time")
    found.reset(MachineExplorer(device="H100 SXM", link="PCIe 5.0 x16").verdict)
    return found


def choose(explorer, **names):
    for label, name in names.items():
        explorer.box(label.replace("_", " ")).select_option(name)


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
def test_crossovers_are_marked_or_their_absence_is_said(explorer, model, device, link):
    choose(explorer, model=model, device=device, link=link)
    machine = expect_costs(explorer, model, device, link, 1_000)
    found = costs.crossover_tokens(*machine)
    for n in found:
        marked = explorer.picture.get_by_text(words.count(round(n), "token"), exact=True)
        expect(marked).to_be_visible()
    said = explorer.root.get_by_text("does not fit")
    if not found:
        expect(explorer.picture.get_by_text("at every count: no crossover")).to_be_visible()
    if model == "DeepSeek-V3":
        expect(said).to_contain_text("At least 9 must share it")
    else:
        expect(said).to_have_count(0)
    expect(explorer.root.get_by_text(DEVICES[device].source)).to_be_visible()


def test_keys_and_mouse_move_the_tokens(explorer):
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


def test_whole_blocks_have_no_crossover(explorer):
    choose(explorer, one_copy_per="block of all layers")
    expect_costs(explorer, *HERE, 1_000, layout="block")
    expect(explorer.status).to_contain_text("No crossover in tokens: swap is cheaper")
    choose(explorer, one_copy_per="layer, K and V apart", request_waits_for="copy back only")
    expect_costs(explorer, *HERE, 1_000, round_trip=False)
    expect(explorer.status).to_contain_text("No crossover in tokens: swap is cheaper")


def test_the_start_of_a_copy_makes_the_crossovers(explorer):
    explorer.fill(START, 3)
    expect(explorer.status).to_contain_text("No crossover in tokens")
    explorer.fill(START, 6)
    expect(explorer.status).to_contain_text("Crossovers in tokens: 90 and 39,210")


def test_a_bad_value_is_shown_and_undone(explorer):
    explorer.fill("efficiency (%)", 500)
    expect(explorer.status).to_contain_text("efficiency (%) must be a whole number from 5 to 100")
    expect(explorer.box("efficiency (%)")).to_have_value("50")
