"""The explorer of a part recomputed and the rest loaded, with a guess of the share."""

from playwright.sync_api import expect

from preemption import MixExplorer
from tests.browser.lab import OnPage

SHARE = "recomputed (%)"


def test_a_guess_of_the_share_is_drawn_beside_the_truth(notebook):
    reply = notebook.guess("Which share should", "25.5", "%")
    expect(reply).to_contain_text("right, within 15%")
    explorer = OnPage(notebook.page, label=SHARE)
    explorer.reset(MixExplorer().verdict)
    expect(explorer.picture.get_by_text("your guess: 25.5 %")).to_be_visible()
    explorer.slider(SHARE).press("Home")
    expect(explorer.status).to_contain_text("0% recomputed: 29.29 ms.")
