"""Two minutes of load over time: curves, words and table are those of the run."""

import math
import time
from statistics import median

import numpy as np
import pytest

from preemption import LiveExplorer, studies, words
from preemption.figures.live import LONGEST_S, PART_S
from preemption.serving import simulate
from tests.explorers.reading import broken_places, data, label_texts, page, wrong_numbers

SETTINGS = [
    ({}, {}),
    ({"rate": 7.25, "load": 3, "pool": 50_000}, {}),
    ({"rule": "smallest cache", "pool": 24_000}, {"victim": "smallest cache"}),
    ({"way": "recompute what caching lost"}, {"enable_prefix_caching": True}),
    ({"way": "swap", "link": 3.0}, {"resume": "swap", "link_gb_per_s": 3.0}),
    (
        {"way": "offloading", "link": 3.0},
        {"host_blocks": studies.HOST_BLOCKS, "link_gb_per_s": 3.0},
    ),
    ({"way": "whichever is cheaper", "link": 4.0}, {"resume": "cheaper", "link_gb_per_s": 4.0}),
]
EXTREMES = [
    {"rate": 8.0, "pool": 20_000, "rule": "largest cache", "way": "swap", "link": 2.0, "load": 18},
    {"rate": 4.0, "pool": 20_000, "rule": "largest cache", "way": "swap", "link": 2.0, "load": 18},
    {"rate": 8.0, "pool": 70_000, "rule": "smallest cache", "load": 7},
    {"rate": 4.0, "pool": 90_000},
]


def run_of(explorer, server):
    served_by = studies.server(explorer.pool, **server)
    return simulate(studies.two_minutes(explorer.load, explorer.rate), *served_by)


@pytest.mark.parametrize(("change", "server"), SETTINGS)
def test_curves_and_words_are_those_of_the_run(use, change, server):
    explorer = use(LiveExplorer, change)
    result = run_of(explorer, server)
    parts = math.ceil(result.total_ms / 1e3 / PART_S)
    due = studies.over_time(result, 1e3 * PART_S, parts)
    pool = 100 * due.pool_blocks / (explorer.pool // 16)
    lines = [data(line) for line in explorer.picture.lines]
    for line, values in zip(lines, (*due[:3], pool), strict=True):
        assert line[:, 0] == pytest.approx(PART_S * (np.arange(parts) + 0.5))
        assert line[:, 1] == pytest.approx(values)
    last_s = (result.requests[-1].arrival_ms - result.requests[0].arrival_ms) / 1e3
    assert all(data(line)[0][0] == last_s for line in explorer.picture.arrived)

    found = studies.measures(result)
    assert f": {words.count(found.preemptions, 'preemption')}, " in explorer.verdict
    assert f"up to {due.waiting.max():g} waited" in explorer.verdict
    assert f"up to {due.evicted.max():g} to come back" in explorer.verdict
    for seconds in (found.ttft_p50_ms / 1e3, found.ttft_p99_ms / 1e3):
        assert f">{words.digits(seconds, 3)}</td>" in page(explorer)
    for ms in (found.tpot_p50_ms, found.tpot_p99_ms):
        assert f">{words.digits(ms, 3)}</td>" in page(explorer)
    peaks = [text for text in label_texts(explorer) if text.startswith("at most")]
    assert peaks[:2] == [f"at most {each.max():g}" for each in due[:2]]
    assert not broken_places(page(explorer))
    assert not wrong_numbers(page(explorer))


def test_newcomers_wait_and_victims_are_soon_back(use):
    """What the question on it says, over all loads."""
    explorer = use(LiveExplorer)
    served_by = studies.server(explorer.pool)
    for load in studies.SEEDS:
        result = simulate(studies.two_minutes(load, explorer.rate), *served_by)
        run = studies.over_time(result, 1e3 * PART_S, 100)
        assert run.waiting.max() > 10 * run.evicted.max() > 0


@pytest.mark.parametrize("change", EXTREMES)
def test_everything_stays_inside_axes_that_do_not_move(use, change):
    picture = use(LiveExplorer).picture
    before = [(axes.get_xlim(), axes.get_ylim()) for axes in picture.panels]
    explorer = use(LiveExplorer, change)
    explorer.settle()
    assert [(axes.get_xlim(), axes.get_ylim()) for axes in picture.panels] == before
    for axes, line in zip(picture.panels, picture.lines, strict=True):
        x, y = data(line).T
        assert axes.get_xlim()[0] <= min(x)
        assert max(x) + PART_S / 2 <= LONGEST_S == axes.get_xlim()[1]
        assert axes.get_ylim()[0] <= min(y)
        assert max(y) <= axes.get_ylim()[1]


def test_a_redraw_takes_at_most_150_ms_and_its_run_100(use):
    explorer = use(LiveExplorer)
    ways = [dict(change, rate=4 + number / 2) for number, (change, _) in enumerate(SETTINGS)]
    whole, asked = [], []
    for change in ways * 2:
        start = time.process_time()
        explorer.change(**change)
        whole.append(time.process_time() - start)
        start = time.process_time()
        explorer._ask()
        asked.append(time.process_time() - start)
    assert median(whole) <= 0.150
    assert median(asked) <= 0.100


@pytest.mark.parametrize(
    "bad", [{"rate": 9}, {"rule": "newest"}, {"load": 1.5}, {"pool": 100}, {"link": 0.0}]
)
def test_bad_settings_are_refused(use, bad):
    explorer = use(LiveExplorer)
    before = explorer.verdict
    with pytest.raises(ValueError, match="must be"):
        explorer.change(**bad)
    assert explorer.verdict == before
