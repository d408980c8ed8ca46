"""The small pool that overflows: it stops until somebody is chosen, and shows what that does."""

import pytest

from preemption import OverflowExplorer, gpu_and_host, studies
from preemption.serving import RunSettings, frames_of
from tests.explorers.reading import page

SCENE = studies.OVERFLOW
NAMES = [request.id for request in SCENE.requests]


def run(victim):
    settings = RunSettings(
        log=True, victim=lambda running: next(c for c in running if c.request.id == victim)
    )
    return frames_of(SCENE.requests, SCENE.config(), settings)


def test_it_fills_and_waits_for_a_choice(use):
    explorer = use(OverflowExplorer)
    last = explorer._scale().high
    assert not any(frame.iteration.preempted for frame in run("A")[: last + 1])
    (event,) = run("A")[last + 1].iteration.preempted
    assert "Choose" not in explorer.verdict
    explorer.iteration = last
    assert explorer.verdict.endswith(f"request {event.needed_by} needs one more. Choose who goes.")
    explorer.player.on.click()
    assert explorer.iteration == last
    free = [frame.iteration.end.free_blocks for frame in explorer._answer.tracks[0].frames]
    assert free[0] > free[-1]
    assert free == sorted(free, reverse=True), "nobody gives anything back before"


@pytest.mark.parametrize("victim", NAMES)
def test_a_choice_shows_who_lost_what_who_got_room_and_who_waits(use, victim):
    explorer = use(OverflowExplorer, victim=victim)
    frame = run(victim)[explorer.iteration]
    (event,) = frame.iteration.preempted
    assert event.id == victim
    assert f"{event.blocks_freed} blocks freed" in explorer.verdict
    assert f"Request {victim} waits." in explorer.verdict
    if event.needed_by != victim:
        assert f"Request {victim} makes room for {event.needed_by}" in explorer.verdict
    names = [text for _, _, text in explorer.picture.pool.cells.names.places]
    for name in NAMES:
        held = frame.iteration.blocks.get(name, 0)
        assert names.count(name) == held + 1, "its blocks, and its place in a queue"
        lost = event.computed_tokens if name == victim else 0
        assert f"{name}</th><td>{'waits' if name == victim else 'runs'}</td>" in page(explorer)
        assert f'{held}</td><td class="pe-number">{lost} cached tokens</td>' in page(explorer)


@pytest.mark.parametrize("victim", NAMES)
def test_the_run_ends_before_the_victim_is_back(use, victim):
    explorer = use(OverflowExplorer, victim=victim)
    explorer.iteration = explorer._scale().high
    assert "resumes" not in page(explorer)
    frames = run(victim)
    following = frames[explorer.iteration + 1].iteration.scheduled
    assert (victim, "resumed") in [(row.id, row.kind) for row in following]


def test_another_choice_starts_from_the_shortage_again(use):
    explorer = use(OverflowExplorer, victim="A")
    shortage = explorer.iteration
    explorer.iteration = shortage + 2
    explorer._rows["victim"].list.value = "B"
    assert explorer.iteration == shortage
    explorer._rows["victim"].list.value = ""
    assert explorer.iteration == shortage - 1
    assert explorer.verdict.endswith("Choose who goes.")
    with pytest.raises(ValueError, match="who goes must be one of"):
        explorer.victim = "D"


def test_the_machine_is_drawn_and_described():
    still = gpu_and_host()
    for word in ("GPU", "caches", "link", "host", "memory"):
        assert word in still.value.split("<svg")[1]
    assert 'role="img" aria-label="A GPU and its host.' in still.value
