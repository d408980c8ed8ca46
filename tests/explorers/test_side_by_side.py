"""Rules and levers side by side: every row is runs of its own, and loads come one by one."""

import asyncio

import numpy as np
import pytest

from preemption import SideBySideExplorer, studies
from preemption.serving import RULES, simulate
from preemption.studies import LEVERS, SEEDS, measures
from tests.explorers.reading import data


@pytest.fixture(scope="module")
def explorer():
    return SideBySideExplorer()


def rows(explorer):
    return [label.get_text() for label in explorer.picture.panels[0].get_yticklabels()]


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({}, ["as it is", *LEVERS]),
        ({"compared": "rules", "pool": 24_000}, list(RULES)),
        (
            {"together": "swap"},
            [
                "as it is",
                *(LEVERS.keys() - {"swap", "swap layer by layer", "offloading", "prefix caching"}),
            ],
        ),
        ({"together": "prefix caching"}, ["as it is", "offloading", "watermark"]),
        ({"compared": "links", "rate": 4.0}, ["recompute", "swap at 25 GB/s"]),
        ({"compared": "links", "together": "offloading"}, ["recompute", "offloading at 25 GB/s"]),
    ],
)
def test_a_row_for_each_and_the_figures_of_its_runs(explorer, change, names):
    explorer.reset()
    explorer.change(**change)
    assert set(names) <= set(rows(explorer))
    servers = explorer._servers()
    assert rows(explorer) == list(servers)
    seed = SEEDS[0]
    requests = studies.two_minutes(seed, explorer.rate)
    ttft_s = [measures(simulate(requests, *each)).ttft_p99_ms / 1e3 for each in servers.values()]
    assert data(explorer.picture.medians[0])[:, 0] == pytest.approx(ttft_s)
    best = data(explorer.picture.best[0])
    assert best.tolist() == [[pytest.approx(min(ttft_s)), int(np.argmin(ttft_s))]]


def test_together_with_another_lever_changes_every_row(explorer):
    explorer.reset()
    alone = dict(zip(rows(explorer), data(explorer.picture.medians[0])[:, 0], strict=True))
    explorer.together = "watermark"
    both = dict(zip(rows(explorer), data(explorer.picture.medians[0])[:, 0], strict=True))
    assert both["as it is"] == pytest.approx(alone["watermark"])
    assert "watermark" not in both
    explorer.together = "admission by the first chunk"
    assert data(explorer.picture.medians[0])[0, 0] > 3 * alone["as it is"]


def test_iteration_times_by_a_straight_line(explorer):
    explorer.reset()
    measured = explorer._answer.runs["as it is"][0]
    explorer.times = "straight line"
    assert explorer._answer.runs["as it is"][0] != measured
    assert all(each.settings.cost == studies.STRAIGHT_LINE for each in explorer._servers().values())


def test_all_loads_and_their_spread(explorer):
    explorer.reset()
    assert ", one load:" in explorer.verdict
    explorer.change(compared="links")
    explorer.all_loads()
    answer = explorer._answer
    assert answer.loads == len(SEEDS)
    assert "20 of 20 loads" in explorer.progress.value
    assert explorer.button.disabled
    assert ", 20 loads:" in explorer.verdict
    low, median, high = answer.spread("recompute", "ttft_p99_ms")
    assert low < median < high
    line = data(explorer.picture.lines[0])
    assert line[:2, 0] == pytest.approx([low / 1e3, high / 1e3])
    assert np.isnan(line[2, 0])
    assert answer.wins("recompute") == 0
    assert answer.wins("swap at 25 GB/s") == len(SEEDS)
    assert "20 of 20" in explorer._moving.value


def test_loads_follow_one_another_and_can_be_stopped():
    async def look():
        explorer = SideBySideExplorer()
        explorer.change(compared="links", pool=60_000, rate=3.0)
        await asyncio.sleep(0.15)
        assert explorer._loads == 1
        explorer._repr_mimebundle_()
        while explorer._loads < 3:
            await asyncio.sleep(0.01)
        assert explorer.verdict == "More loads are served."
        explorer.stop_or_go_on()
        stopped = explorer._loads
        assert explorer.button.description == "go on"
        await asyncio.sleep(0.15)
        assert explorer._loads == stopped
        assert f"{stopped} of 20 loads" in explorer.progress.value
        explorer.stop_or_go_on()
        while explorer._loads == stopped:
            await asyncio.sleep(0.01)
        # A change starts anew, with one load at once.
        explorer.pool = 50_000
        assert explorer._loads == 1
        explorer.close()
        await asyncio.sleep(0.15)
        assert explorer._loads == 1

    asyncio.run(asyncio.wait_for(look(), 60))


def test_bad_settings_are_refused_and_the_rows_stay(explorer):
    explorer.reset()
    before = explorer._answer
    for bad in ({"rate": 1.0}, {"compared": "pools"}, {"together": "luck"}, {"pool": 5}):
        with pytest.raises(ValueError, match="must be"):
            explorer.change(**bad)
    assert explorer._answer == before


def test_a_rule_of_the_readers_is_a_row_of_its_own():
    explorer = SideBySideExplorer("rules", mine=lambda running: running[-1])
    assert rows(explorer) == [*RULES, "my rule"]
    ttft_s = dict(zip(rows(explorer), data(explorer.picture.medians[0])[:, 0], strict=True))
    assert ttft_s["my rule"] == ttft_s["last admitted"]
    with pytest.raises(ValueError, match="must return one of the running requests"):
        SideBySideExplorer("rules", mine=lambda _: None)
