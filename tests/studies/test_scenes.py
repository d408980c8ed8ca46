"""Scenes: those that name a recorded run repeat it, decision by decision."""

import pytest

from preemption import studies
from preemption.serving import replay
from preemption.serving.replay import read_recorded
from tests.serving.scheduler_loads import CACHING, TRACES

RECORDED = [
    (scene, caching, name)
    for scene in studies.SCENES.values()
    for caching, name in scene.recorded.items()
]


def recorded(name):
    (path,) = [path for path in (*TRACES, *CACHING) if path.name.startswith(name)]
    (trace,) = read_recorded(path)
    return trace


@pytest.mark.parametrize(("scene", "caching", "name"), RECORDED, ids=[row[2] for row in RECORDED])
def test_a_scene_repeats_the_run_it_names(scene, caching, name):
    trace, frames = recorded(name), scene.frames(caching=caching)
    config = replay.config_of(trace)
    assert scene.config(caching=caching).__dict__ | {"max_model_len": config.max_model_len} == (
        config.__dict__
    )
    assert len(frames) == len(trace["iterations"])
    for frame, there in zip(frames, trace["iterations"], strict=True):
        here = frame.iteration
        assert list(here.arrived) == there["arrived"]
        assert [[row.id, row.tokens] for row in here.scheduled] == [
            row[:2] for row in there["scheduled"]
        ]
        assert [event.id for event in here.preempted] == [row["id"] for row in there["preempted"]]
        assert list(here.decided.running) == there["running_after_schedule"]
        assert list(here.decided.waiting) == there["waiting_after_schedule"]
        assert here.decided.free_blocks == there["free_after_schedule"]
        assert list(here.finished) == there["finished"]


@pytest.mark.parametrize("what", studies.RECORDED)
def test_a_recorded_run_is_repeated(what):
    assert studies.replay_recorded(what).startswith("identical: ")


def test_another_run_is_refused():
    with pytest.raises(ValueError, match="what must be"):
        studies.replay_recorded("swap")


def test_the_small_pool_overflows():
    scene = studies.OVERFLOW
    first = next(frame for frame in scene.frames() if frame.iteration.preempted)
    assert first.iteration.number < 12
    assert len(scene.requests) in (3, 4)
