"""Curves over load are the sweep, points the present run."""

import numpy as np
import pytest

from preemption import LoadExplorer, lessons, studies, words
from tests.explorers.reading import MAX_BYTES, data, label_texts, page


@pytest.mark.parametrize(
    ("rate", "pool"), [(4.0, 3_000), (9.0, 1_000), (2.0, 10_000), (5.53, 3_000)]
)
def test_curves_are_the_sweep_and_points_the_present_run(use, rate, pool):
    explorer = use(LoadExplorer, rate=rate, pool=pool)
    curves, points, here = explorer.picture, studies.sweep(pool), studies.under_load(rate, pool)
    for panel, x, at, columns in (
        ("ttft", "requests_per_s", here.requests_per_s, ("ttft_p50_ms", "ttft_p99_ms")),
        ("tpot", "requests_per_s", here.requests_per_s, ("tpot_p50_ms", "tpot_p99_ms")),
        ("hook", "tokens_per_s", here.tokens_per_s, ("ttft_p50_ms", "ttft_p99_ms")),
    ):
        for column, curve, point in zip(
            columns, curves.curves[panel], curves.points[panel], strict=True
        ):
            expected = [(getattr(p, x), getattr(p, column)) for p in points]
            np.testing.assert_array_equal(data(curve), expected)
            assert data(point).tolist() == [[at, getattr(here, column)]]
            low, high = curve.axes.get_ylim()
            assert low < data(curve)[:, 1].min()
            assert data(curve)[:, 1].max() < high
    np.testing.assert_array_equal(
        data(curves.tokens_per_s), [(p.requests_per_s, p.tokens_per_s) for p in points]
    )
    assert words.count(here.preemptions, "preemption") in explorer.verdict
    first = studies.preempts_from(points)
    onset = f"{words.plain(first)} requests/s"
    onset = f"already at {onset}" if first == studies.RATES_PER_S[0] else f"from {onset} on"
    assert f"This pool preempts {onset}." in explorer.verdict
    assert f"preempts from {words.plain(first)}/s" in label_texts(explorer)
    assert curves.bands[0].get_x() == first
    assert len(page(explorer).encode()) < MAX_BYTES


def test_a_pool_that_never_preempts_has_no_band(use, monkeypatch):
    monkeypatch.setattr(studies, "preempts_from", lambda _points: None)
    explorer = use(LoadExplorer)
    assert "This pool preempts nowhere in this range." in explorer.verdict
    assert not any(band.get_visible() for band in explorer.picture.bands)
    assert not any("preempts" in text for text in label_texts(explorer))


def test_a_pool_is_swept_once(use):
    explorer = use(LoadExplorer, pool=4_500)
    runs = studies.under_load.cache_info().misses
    explorer.rate = 7.0
    explorer.pool = 3_000
    explorer.pool = 4_500
    assert studies.under_load.cache_info().misses == runs


def test_the_guess_of_the_rate_is_drawn():
    guess = lessons.where_does_preemption_begin()
    explorer = LoadExplorer(guesses=[guess])
    guess.answer(7.5)
    assert "your guess for 3,000 blocks: 7.5 requests/s" in label_texts(explorer)
