"""The cliff: every mark is a run of its own, and the words are those of the marks."""

import re

import pytest

from preemption import CliffExplorer, studies
from preemption.serving import simulate
from preemption.studies import measures
from tests.explorers.reading import data, label_texts


@pytest.fixture(scope="module")
def explorer():
    return CliffExplorer()


@pytest.mark.parametrize(
    ("change", "server"),
    [
        ({}, {}),
        ({"rate": 7.25, "load": 3}, {}),
        ({"rule": "smallest cache"}, {"victim": "smallest cache"}),
        ({"way": "recompute what caching lost"}, {"enable_prefix_caching": True}),
        ({"way": "swap", "link": 2.0}, {"resume": "swap", "link_gb_per_s": 2.0}),
        (
            {"way": "offloading", "link": 3.0},
            {"host_blocks": studies.HOST_BLOCKS, "link_gb_per_s": 3.0},
        ),
    ],
)
def test_marks_are_runs(explorer, change, server):
    explorer.reset()
    explorer.change(**change)
    picture = explorer.picture
    for pool, *_ in data(picture.marks[0])[::6]:
        base = studies.server(int(pool), **server)
        requests = studies.two_minutes(explorer.load, explorer.rate)
        point = measures(simulate(requests, *base))
        shown = [dict(data(mark).tolist())[pool] for mark in picture.marks]
        assert shown == pytest.approx(
            [point.preemptions, 100 * point.recompute_share, point.ttft_p99_ms]
        )
    for axes, mark in zip(picture.panels, picture.marks, strict=True):
        bottom, top = axes.get_ylim()
        assert all(bottom < y < top for y in data(mark)[:, 1])
        assert len(data(mark)) >= 24


def test_words_name_the_largest_pool_with_trouble(explorer):
    explorer.reset()
    pools, preemptions = data(explorer.picture.marks[0]).T
    ttft_ms = data(explorer.picture.marks[2])[:, 1]
    largest = f"{int(max(pools[preemptions > 0])):,}"
    late = f"{int(max(pools[ttft_ms > studies.LATE_MS])):,}"
    assert f"preemptions in pools up to {largest} tokens" in explorer.verdict
    assert f"first token in pools up to {late} tokens" in explorer.verdict
    assert f"up to {largest}" in label_texts(explorer)


def test_without_preemptions_nothing_is_shaded(explorer):
    explorer.change(rate=2.0, load=1)
    assert "preemptions in none of these pools" in explorer.verdict
    assert not any(band.get_visible() for band in explorer.picture.bands)
    assert not re.search("up to", " ".join(label_texts(explorer)))


@pytest.mark.parametrize(
    ("bad", "error"),
    [({"rate": 9}, ValueError), ({"rule": "newest"}, ValueError), ({"load": 1.5}, ValueError)],
)
def test_bad_settings_are_refused(explorer, bad, error):
    explorer.reset()
    before = explorer.verdict
    with pytest.raises(error):
        explorer.change(**bad)
    assert explorer.verdict == before
