"""The curves and words of the cost explorer are the model's."""

import re
from itertools import product

import numpy as np
import pytest

from preemption import CostExplorer, costs, words
from preemption.lessons import how_slow_must_the_link_be
from tests.explorers.reading import label_texts
from tests.explorers.reading import page as page_text


@pytest.fixture(scope="module")
def shared():
    return CostExplorer()


@pytest.fixture
def explorer(shared):
    shared.reset()
    return shared


SETTINGS = [
    (1000, 25.0),
    (1000, 2.62144),
    (1000, 2.7),
    (1, 0.1),
    (1, 1000.0),
    (131_072, 0.1),
    (131_072, 1000.0),
    (16_001, 1.0),
]


def verdict_of(tokens, gb_per_s):
    recompute = words.digits(costs.recompute_ms(tokens))
    swap = words.digits(costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, gb_per_s * 1e9))
    winner = costs.cheaper(tokens, costs.PER_TOKEN_BYTES, gb_per_s * 1e9)
    return f"recompute {recompute} ms, swap {swap} ms; cheaper here: {winner}"


@pytest.mark.parametrize(("tokens", "gb_per_s"), SETTINGS)
def test_verdict_is_the_models(explorer, tokens, gb_per_s):
    explorer.change(tokens=tokens, bandwidth_gb_per_s=gb_per_s)
    assert verdict_of(tokens, gb_per_s) in explorer.verdict
    assert explorer.verdict in page_text(explorer)
    assert re.search(r"recompute [\d,.]+ ms, swap [\d,.]+ ms; cheaper here: \w+", explorer.verdict)


@pytest.mark.parametrize(("tokens", "gb_per_s"), SETTINGS)
@pytest.mark.parametrize("ms_per_token", [0.01, 0.1, 10.0])
def test_curves_hold_the_models_data(explorer, tokens, gb_per_s, ms_per_token):
    explorer.change(tokens=tokens, bandwidth_gb_per_s=gb_per_s, ms_per_token=ms_per_token)
    curves, size = explorer.picture, costs.PER_TOKEN_BYTES
    recompute, swap = (
        costs.recompute_ms(tokens, ms_per_token),
        costs.swap_ms(tokens, size, gb_per_s * 1e9),
    )
    crossover = costs.crossover_bandwidth(size, ms_per_token) / 1e9

    def data(line):
        return [np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)]

    np.testing.assert_array_equal(
        data(curves.recompute_by_link), [[0.1, 1000], [recompute, recompute]]
    )
    np.testing.assert_array_equal(
        data(curves.swap_by_link),
        [[0.1, 1000], [costs.swap_ms(tokens, size, link) for link in (0.1e9, 1000e9)]],
    )
    ends = np.array([1, 131_072])
    np.testing.assert_allclose(  # straight lines: their slope is that of one token
        data(curves.recompute_by_tokens),
        [ends, costs.recompute_ms(ends, ms_per_token)],
        rtol=1e-15,
    )
    np.testing.assert_allclose(
        data(curves.swap_by_tokens), [ends, costs.swap_ms(ends, size, gb_per_s * 1e9)], rtol=1e-15
    )
    np.testing.assert_array_equal(data(curves.crossover), [[crossover], [recompute]])
    for points, cost in ((curves.recompute_points, recompute), (curves.swap_points, swap)):
        assert [data(point) for point in points] == [[[gb_per_s], [cost]], [[tokens], [cost]]]
    assert f"flips at {words.digits(crossover, 3)} GB/s" in page_text(explorer)


def corners(explorer):
    """Return the extremes of all settings."""
    kind = type(explorer)
    ranges = (kind.tokens, kind.bandwidth_gb_per_s, kind.ms_per_token)
    return product(*((each.low, each.high) for each in ranges))


def test_the_frame_stands_still_and_holds_all_that_can_be_asked_for(explorer):
    panels = explorer.picture.by_link, explorer.picture.by_tokens
    frames = [(axes.get_xlim(), axes.get_ylim()) for axes in panels]
    for tokens, gb_per_s, ms_per_token in corners(explorer):
        explorer.change(tokens=tokens, bandwidth_gb_per_s=gb_per_s, ms_per_token=ms_per_token)
        assert [(axes.get_xlim(), axes.get_ylim()) for axes in panels] == frames
        cost_ms = [explorer._answer.recompute_ms, explorer._answer.swap_ms]
        for axes, x in zip(panels, (gb_per_s, tokens), strict=True):
            (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
            assert left <= x <= right
            assert low <= min(cost_ms)
            assert max(cost_ms) <= high


def test_the_crossover_moves_up_and_down_with_the_tokens(explorer):
    heights_px = []
    for tokens in (1, 1_000, 100_000):
        explorer.tokens = tokens
        axes, diamond = explorer.picture.by_link, explorer.picture.crossover
        place = axes.transData.transform(np.column_stack(diamond.get_data()))
        heights_px.append(place[0, 1])
    assert np.all(np.diff(heights_px) > 50)


def test_a_tie_is_one_line(explorer):
    explorer.bandwidth_gb_per_s = 2.62144
    assert "the same line: a tie" in page_text(explorer)
    explorer.bandwidth_gb_per_s = 2.7
    assert "parallel: they never cross" in page_text(explorer)


def test_the_prefill_control_is_optional():
    assert "ms_per_token" not in CostExplorer()._rows
    with_control = CostExplorer(prefill_control=True)
    with_control._rows["ms_per_token"].box.value = 1.0
    assert "recompute 1,000 ms" in with_control.verdict


def test_guesses_are_drawn_once_answered():
    guess = how_slow_must_the_link_be(1_000)
    explorer = CostExplorer(guesses=[guess])
    assert "your guess" not in page_text(explorer)
    guess.answer(5.0)
    assert "your guess for 1,000 tokens: 5 GB/s" in label_texts(explorer)
    explorer.tokens = 100_000
    assert "your guess for 1,000 tokens: 5 GB/s" in label_texts(explorer)


@pytest.mark.parametrize(
    ("guess", "name"), [(0.001, "◂ your guess: 0.001 GB/s"), (1e6, "your guess: 1,000,000 GB/s ▸")]
)
def test_a_guess_off_the_chart_has_an_arrow_and_no_line(guess, name):
    curves = CostExplorer().picture
    curves.guesses.show([(guess, ""), (5.0, "")])
    beyond, inside = curves.guesses.marks[:2]
    assert beyond.label.get_text() == name
    assert [beyond.line.get_visible(), inside.line.get_visible()] == [False, True]
    assert inside.line.get_xdata() == [5.0, 5.0]


def test_the_alternative_text_says_the_finding(explorer):
    def alternative():
        return re.search(r'role="img" aria-label="([^"]+)"', page_text(explorer)).group(1)

    assert "victim of 1,000 tokens" in alternative()
    assert "cross at 2.62 GB/s" in alternative()
    assert "swap below" in alternative()
    explorer.bandwidth_gb_per_s = 1.0
    assert "recompute below" in alternative()
