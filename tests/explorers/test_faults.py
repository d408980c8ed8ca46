"""The picture of a fault is that of its run; log, table and sources are about it."""

import re
import statistics
import time

import pytest

from preemption import FaultExplorer
from preemption.explorers import in_words
from preemption.serving import FAULTS, run_fault
from preemption.studies import FIELD_GUIDE
from tests.explorers.reading import label_texts, page

RUNS = [(fault, engine) for fault in FAULTS for engine in ("broken", "mended")]


def pieces(boxes):
    """Return x, from and to of each iteration that the boxes cover."""
    found = set()
    for path in boxes.get_paths():
        (x0, y0), _, (x1, y1) = path.vertices[:3]
        found |= {(x, round(y0, 2), round(y1, 2)) for x in range(round(x0), round(x1))}
    return found


@pytest.mark.parametrize(("fault", "engine"), RUNS)
def test_the_boxes_are_those_of_the_run(use, fault, engine):
    explorer = use(FaultExplorer, fault=fault, engine=engine)
    run, picture = run_fault(fault, broken=engine == "broken"), explorer.picture
    names = [request.id for request in FAULTS[fault].requests]
    held, waiting = ({name: set() for name in names} for _ in range(2))
    late = 0
    for x, iteration in enumerate(run.log):
        low = 0
        for name, blocks in iteration.blocks.items():
            held[name].add((x, low, low + blocks))
            low += blocks
        late += picture.edge.get_ydata()[0] - low - iteration.decided.free_blocks
        for place, name in enumerate(iteration.decided.waiting):
            waiting[name].add((x, place + 0.08, place + 0.92))
    for drawn, expected in ((picture.held, held), (picture.waiting, waiting)):
        assert [pieces(boxes) for boxes in drawn[: len(names)]] == list(expected.values())
        assert not any(pieces(boxes) for boxes in drawn[len(names) :])
    assert sum(high - low for _, low, high in pieces(picture.late)) == late
    assert bool(late) == ((fault, engine) == ("freed late", "broken"))
    victims = [each.number + 0.5 for each in run.log if each.preempted]
    assert list(picture.preempted.get_xdata()) == victims


@pytest.mark.parametrize(("fault", "engine"), RUNS)
def test_each_iteration_is_told_and_marked(use, fault, engine):
    explorer = use(FaultExplorer, fault=fault, engine=engine)
    log = run_fault(fault, broken=engine == "broken").log
    for iteration in log:
        explorer.iteration = iteration.number
        assert explorer.verdict == in_words(iteration)
        for cursor in explorer.picture.cursors:
            assert list(cursor.get_xdata()) == [iteration.number + 0.5] * 2
        texts = " | ".join(label_texts(explorer))
        for name, blocks in iteration.blocks.items():
            assert f"{name}: {blocks} block" in texts
        waiting = ", ".join(map(str, iteration.decided.waiting)) or "nobody"
        assert f"waiting, the head above: {waiting}" in texts
    with pytest.raises(ValueError, match=f"iteration must be from 0 to {len(log) - 1} in this run"):
        explorer.iteration = len(log)
    assert explorer.iteration == len(log) - 1
    assert explorer._rows["iteration"].slider.max == len(log) - 1


def test_another_fault_begins_at_its_first_iteration_and_the_other_engine_goes_on(use):
    explorer = use(FaultExplorer, fault="newcomers", iteration=150)
    explorer._rows["fault"].list.value = "cached victim"
    assert (explorer.iteration, explorer._error) == (0, "")
    assert explorer._rows["iteration"].slider.max == 4
    explorer._rows["iteration"].slider.value = 4
    assert "28 tokens found in the pool" in explorer.verdict
    explorer._rows["engine"].list.value = "mended"
    assert explorer.iteration == 4
    assert "24 tokens found in the pool" in explorer.verdict
    explorer.change(fault="newcomers", iteration=171)
    assert explorer._rows["iteration"].slider.value == 171
    explorer._rows["engine"].list.value = "broken"
    assert explorer.iteration == explorer._rows["iteration"].slider.value == 154
    with pytest.raises(ValueError, match="from 0 to 154 in this run, not 160"):
        explorer.iteration = 160
    assert explorer.iteration == 154


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_known_of_a_fault_stands_below_with_its_sources(use, fault):
    explorer = use(FaultExplorer, fault=fault)
    row, told = FIELD_GUIDE[fault], explorer._sources.value
    assert row.title in told
    assert all(f'href="{url}"' in told for _, url in row.sources)
    assert "`" not in told
    table = page(explorer).split("<table")[1]
    for engine in ("broken", "mended"):
        run = run_fault(fault, broken=engine == "broken")
        assert f'scope="row">{engine}</th><td>{run.outcome} after {run.iterations}' in table
        assert f'<td class="pe-number">{run.recomputed_tokens:,}</td>' in table


def test_the_alternative_tells_every_victim(use):
    explorer = use(FaultExplorer, fault="first chunk")
    assert "24 preemptions: long in iterations 3, 6, 9, 12, 15, 18 and 18 more up to 56." in (
        explorer._words.alternative
    )
    explorer.fault = "freed late"
    for victim in (4, 3, 2, 1):
        assert re.search(rf"{victim} in iterations? [\d, ]*\b19\b", explorer._words.alternative)
    explorer.fault = "huge request"
    assert "0 preemptions. Iteration 0" in explorer._words.alternative


def test_a_cover_hides_the_run():
    explorer = FaultExplorer(fault="freed late")
    shown = explorer._canvas.png("covered")
    for each in explorer.picture.answers:
        each.set_visible(False)
    explorer.picture.edge.set_ydata([16, 16])
    assert explorer._canvas.png("covered") == shown
    for each in explorer.picture.answers:
        each.set_visible(True)
    assert explorer._canvas.png() != shown


def test_a_step_is_quick():
    explorer = FaultExplorer(fault="newcomers")
    steps_ms = []
    for iteration in range(155):
        start = time.perf_counter()
        explorer._reader_sets("iteration", iteration, False)
        steps_ms.append(1e3 * (time.perf_counter() - start))
    assert statistics.median(steps_ms) < 3


@pytest.mark.parametrize(("bad", "error"), [("unknown", ValueError), (3, ValueError)])
def test_an_unknown_fault_is_refused(bad, error):
    with pytest.raises(error, match="fault must be one of"):
        FaultExplorer(fault=bad)
