"""Curves over load are the sweep, in the bands of all loads; points the present rate."""

import re
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from preemption import LoadExplorer, lessons, studies, words
from tests.explorers.reading import MAX_BYTES, data, label_texts, page


@pytest.mark.parametrize(
    ("rate", "pool"), [(4.0, 3_000), (9.0, 1_000), (2.0, 10_000), (5.5, 3_000)]
)
def test_curves_are_the_sweep_and_points_the_present_rate(use, rate, pool):
    explorer = use(LoadExplorer, rate=rate, pool=pool)
    picture, points, here = explorer.picture, studies.sweep(pool), studies.under_load(rate, pool)
    output = [point.tokens_per_s.median for point in points]
    rates = list(studies.RATES_PER_S)
    for key, curve, xs, x in (
        *((key, curve, rates, rate) for key, curve in picture.curves.items()),
        *((key, hook, output, here.tokens_per_s.median) for key, hook in picture.hooks.items()),
        ("tokens_per_s", picture.delivered, rates, rate),
    ):
        low, median, high = zip(*(getattr(point, key) for point in points), strict=True)
        np.testing.assert_array_equal(data(curve.line), np.column_stack([xs, median]))
        corners = np.column_stack([[*xs, *xs[::-1]], [*low, *high[::-1]]])
        np.testing.assert_array_equal(curve.area.get_xy()[:-1], corners)
        assert data(curve.point).tolist() == [[x, getattr(here, key).median]]
        bottom, top = curve.line.axes.get_ylim()
        assert bottom < min(low)
        assert max(high) < top
    for key, line in picture.machine.items():
        machine = [getattr(p, key).median for p in studies.sweep(studies.POOLS[-1])]
        np.testing.assert_array_equal(data(line)[:, 1], machine)
    assert len(page(explorer).encode()) < 2 * MAX_BYTES


def test_the_first_preemption_and_the_cliff_stand_apart(use):
    explorer = use(LoadExplorer)
    assert "First preemption: 4.5 to 6/s. Cliff: 5.5 to 6.5/s." in explorer.verdict
    assert {"first preemption: 4.5 to 6/s", "cliff: 5.5 to 6.5/s"} <= set(label_texts(explorer))
    for begins, rate in (("preempts", 4.5), ("cliff", 5.5)):
        assert {band.get_x() for band in explorer.picture.bands[begins]} == {rate}
    explorer.pool = 10_000
    assert "First preemption: from 8/s. Cliff: from 8.5/s." in explorer.verdict


def test_what_begins_is_said_inside_the_panel_and_off_the_curves(use):
    renderer = FigureCanvasAgg(use(LoadExplorer).picture.figure).get_renderer()
    for pool in studies.POOLS:
        picture = use(LoadExplorer, pool=pool).picture
        points = studies.sweep(pool)
        assert picture.onsets["preempts"].get_visible() == any(p.preempting for p in points)
        assert picture.onsets["cliff"].get_visible() == any(p.late for p in points)
        _, top = data(picture.curves["ttft_p99_ms"].line).max(axis=0)
        boxes = [
            label.get_window_extent(renderer)
            for label in picture.onsets.values()
            if label.get_visible()
        ]
        for box in boxes:
            frame = picture.ttft.get_window_extent()
            assert frame.x0 < box.x0 < box.x1 < frame.x1
            assert picture.ttft.transData.transform((9, top))[1] < box.y0 < box.y1 < frame.y1
        assert all(upper.y0 > lower.y1 for upper, lower in pairwise(boxes))


def test_a_pool_that_never_preempts_has_no_band(use):
    explorer = use(LoadExplorer, pool=studies.POOLS[-1])
    said = "First preemption: nowhere in this range. Cliff: nowhere in this range."
    assert said in explorer.verdict
    bands = explorer.picture.bands
    assert not any(band.get_visible() for band in (*bands["preempts"], *bands["cliff"]))
    assert not any("preemption" in text for text in label_texts(explorer))


def test_places_of_the_sliders_are_not_simulated(use):
    explorer = use(LoadExplorer)
    studies.under_load.cache_clear()
    before = studies.requests_at.cache_info()
    for pool in LoadExplorer.pool.places:
        for rate in LoadExplorer.rate.places:
            studies.under_load(rate, pool)
        explorer.pool = pool
    assert studies.requests_at.cache_info() == before


def test_between_two_places_the_nearer_one_is_taken(use):
    explorer = use(LoadExplorer)
    before = studies.requests_at.cache_info()
    explorer.change(rate=5.53, pool=3_251)
    assert (explorer.rate, explorer.pool) == (5.5, 3_500)
    explorer.pool = 20_000
    assert explorer.pool == 15_000
    assert "5.5 requests/s, 15,000 blocks" in explorer.verdict
    assert studies.requests_at.cache_info() == before


@pytest.mark.parametrize("guess", [4.5, 5.2, 6.0])
def test_a_guess_between_the_loads_is_right(guess):
    question = lessons.where_does_preemption_begin()
    question.answer(guess)
    assert f"You guessed {guess:g} requests/s: right. It is" in plain(question)
    assert "It is 4.5 to 6 requests/s." in plain(question)


def test_a_guess_beyond_the_loads_is_compared_with_the_nearer_one():
    for guess, found in ((9, "1.5 times too high"), (3, "1.5 times too low"), (6.3, "within 10%")):
        question = lessons.where_does_preemption_begin()
        question.answer(guess)
        assert found in plain(question)


def plain(question):
    return " ".join(re.sub("<[^>]*>", " ", question._reply_box.value).split())


def test_the_guess_of_the_rate_is_drawn():
    guess = lessons.where_does_preemption_begin()
    explorer = LoadExplorer(guesses=[guess])
    guess.answer(7.5)
    assert "your guess for 3,000 blocks: 7.5 requests/s" in label_texts(explorer)


def test_the_alternative_has_both_ends_of_all_curves(use):
    said = use(LoadExplorer)._words.alternative
    ends = [(point, 3_000) for point in (studies.RATES_PER_S[0], studies.RATES_PER_S[-1])]
    for rate, pool in [*ends, (studies.RATES_PER_S[-1], studies.machine_blocks())]:
        point = studies.under_load(rate, pool)
        told = said[said.index("In this pool") :]
        for figure in ("ttft_p50_ms", "ttft_p99_ms", "tpot_p50_ms", "tpot_p99_ms", "tokens_per_s"):
            found = getattr(point, figure)
            assert f"{words.digits(found.low, 3)} to {words.digits(found.high, 3)}" in told
