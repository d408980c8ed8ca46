"""The curves of a mix are the model's data."""

import numpy as np
import pytest

from preemption import MixExplorer, costs, lessons, words
from tests.explorers.machines import DEEPSEEK, data, name
from tests.explorers.reading import page


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"share_percent": 0},
        {"share_percent": 100, "tokens": 1},
        {"tokens": 1_000_000},
        DEEPSEEK,
        {"model": "Qwen3-0.6B", "device": "MI300X", "link": "NVMe (PCIe 4.0 x4)"},
    ],
    ids=name,
)
def test_the_mix_is_the_models(use, settings):
    explorer = use("mix", settings)
    drawn, recompute, copy, tokens = (
        explorer.picture,
        explorer.recompute,
        explorer.copy,
        explorer.tokens,
    )
    percent, both = data(drawn.both)
    assert (percent[0], percent[-1]) == (0, 100)
    np.testing.assert_allclose(both, costs.mix_ms(tokens, percent / 100, recompute, copy))
    np.testing.assert_array_equal(both, np.maximum(data(drawn.recompute)[1], data(drawn.load)[1]))
    best = costs.best_mix(tokens, recompute, copy)
    assert [values.tolist() for values in data(drawn.best)] == [[100 * best.share], [best.ms]]
    assert best.ms <= both.min() * (1 + 1e-9)
    here = costs.mix_ms(tokens, explorer.share_percent / 100, recompute, copy)
    assert f"% recomputed: {words.digits(here)} ms." in explorer.verdict
    assert f"{words.digits(best.ms)} ms" in explorer.verdict
    assert both.max() < drawn.axes.get_ylim()[1]


def test_a_mix_that_does_not_help_is_said(use):
    assert "No mix is faster than the better of the two" in use("mix", DEEPSEEK).verdict
    assert "Best: recompute 22.5%" in use("mix", {}).verdict


def test_the_guessed_share_is_drawn():
    guess = lessons.which_share_is_best()
    explorer = MixExplorer(guesses=[guess])
    guess.answer(25.5)
    assert "your guess: 25.5 %" in page(explorer)
    assert "right, within 15%" in guess._reply(25.5)[0]
