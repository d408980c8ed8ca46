"""The explorer of eviction costs by mouse and keyboard, and the predict gate."""

import pytest
from playwright.sync_api import expect

from preemption import CostExplorer
from tests.browser.lab import OnPage

SETTINGS = {n.label: n for n in (CostExplorer.tokens, CostExplorer.bandwidth_gb_per_s)}
TOKENS, LINK = SETTINGS


@pytest.fixture
def explorer(notebook):
    found = OnPage(notebook.page)
    found.reset(CostExplorer().verdict)
    return found


def focused(page):
    return page.evaluate(
        """() => {
            const at = document.activeElement;
            const label = at.labels && at.labels.length ? at.labels[0].textContent : '';
            return label || at.getAttribute('role') || at.textContent;
        }"""
    )


def test_tab_goes_through_an_explorer_in_order(notebook):
    OnPage(notebook.page).box(TOKENS).focus()
    seen = []
    for _ in range(5):
        seen.append(focused(notebook.page))
        notebook.page.keyboard.press("Tab")
    assert seen == [TOKENS, "slider", LINK, "slider", "reset"]


def test_defaults_after_run_all(notebook):
    OnPage(notebook.page).expect(1000, 25)


@pytest.mark.parametrize(("label", "position"), [(TOKENS, 0), (LINK, 1)])
def test_keys_move_the_slider(explorer, label, position):
    slider = explorer.slider(label)
    slider.focus()
    seen = [explorer.values()[position]]
    for key, grows in (
        ("ArrowRight", True),
        ("PageUp", True),
        ("ArrowLeft", False),
        ("PageDown", False),
        ("End", True),
        ("Home", False),
    ):
        before = explorer.picture.inner_html()
        slider.press(key)
        expect(explorer.box(label)).not_to_have_value(f"{seen[-1]:g}")
        value = explorer.values()[position]
        assert (value > seen[-1]) == grows, key
        explorer.expect(*explorer.values())
        assert explorer.picture.inner_html() != before
        seen.append(value)
    assert seen[-2:] == ([131_072, 1] if label == TOKENS else [1000, 0.1])


@pytest.mark.parametrize("label", [TOKENS, LINK])
@pytest.mark.parametrize(("to", "steps"), [(0.9, 5), (0.1, 30)])
def test_after_a_drag_the_last_picture_is_that_of_the_last_value(explorer, label, to, steps):
    before = explorer.values()
    explorer.drag(label, to, steps)
    last = {TOKENS: before[0], LINK: before[1]} | {label: explorer.place(SETTINGS[label])}
    assert last[label] != before[label == LINK]
    explorer.expect(last[TOKENS], last[LINK])


@pytest.mark.parametrize(
    ("label", "typed", "settings"),
    [
        (LINK, "2.7", (1000, 2.7)),
        (LINK, "2.62144", (1000, 2.62144)),
        (LINK, "0.1", (1000, 0.1)),
        (TOKENS, "5000", (5000, 25)),
        (TOKENS, "131072", (131_072, 25)),
    ],
)
def test_a_typed_value_counts_exactly(explorer, label, typed, settings):
    explorer.fill(label, typed)
    explorer.expect(*settings)
    assert explorer.box(label).input_value() == typed


@pytest.mark.parametrize(
    ("label", "typed"), [(LINK, "5000"), (LINK, "0"), (LINK, "-1"), (TOKENS, "0.5")]
)
def test_a_bad_value_is_shown_and_undone(explorer, label, typed):
    explorer.fill(label, typed)
    expect(explorer.status).to_contain_text(f"{label} must be")
    expect(explorer.status).to_contain_text(typed)
    expect(explorer.status).to_contain_text("recompute 100 ms, swap 10.49 ms; cheaper here: swap")
    assert explorer.values() == (1000, 25)


def test_the_frame_stands_still_when_a_drag_has_ended(explorer):
    frame = explorer.root.locator("[aria-hidden] .pe-wide")
    before = frame.inner_html()
    explorer.drag(TOKENS, 1.0, 20)
    expect(explorer.picture.get_by_text("at 131,072 cached tokens")).to_be_visible()
    assert frame.inner_html() == before


@pytest.mark.parametrize("label", [TOKENS, LINK])
def test_what_is_below_stands_still_in_a_drag(explorer, label):
    explorer.root.evaluate(
        """root => {
            window.heights = new Set([root.offsetHeight]);
            new ResizeObserver(() => window.heights.add(root.offsetHeight)).observe(root);
        }"""
    )
    before = explorer.place(SETTINGS[label])
    for to in (1.0, 0.0):
        explorer.drag(label, to, 30)
    expect(explorer.box(label)).to_have_value(f"{SETTINGS[label].low:g}")
    assert before != SETTINGS[label].low
    assert len(explorer.page.evaluate("[...window.heights]")) == 1


def test_the_predict_gate_by_keyboard(notebook):
    page = notebook.page
    asked = page.locator(".jp-OutputArea-output", has_text="Is evicting a cache free").first
    asked.scroll_into_view_if_needed()
    radios = asked.get_by_role("radio")
    assert [radio.is_checked() for radio in radios.all()] == [False, False]
    expect(asked.get_by_role("status")).to_have_count(0)
    radios.first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    reply = asked.get_by_role("status")
    expect(reply).to_contain_text("No: right.")
    expect(reply).to_contain_text("100 ms")
    assert radios.first.is_checked()
    assert radios.first.is_disabled()


def test_a_guess_is_drawn_beside_the_truth(notebook, explorer):
    page = notebook.page
    asked = page.locator(".jp-OutputArea-output", has_text="The victim has 10,000").first
    asked.scroll_into_view_if_needed()
    box = asked.get_by_label("your guess (GB/s)")
    box.press_sequentially("2,62")
    box.press("Enter")
    expect(asked.get_by_role("status")).to_contain_text("Type a point before the decimals.")
    box.fill("8")
    box.press("Enter")
    notebook.guess("The victim has 1,000", "5", "GB/s")
    expect(asked.get_by_role("status")).to_contain_text("3.1 times too high")
    expect(explorer.picture.get_by_text("your guess for 10,000 tokens: 8 GB/s")).to_be_visible()
