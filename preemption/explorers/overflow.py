"""A small pool that fills and overflows, and waits until the reader chooses who goes."""

from functools import cache
from typing import Any

from preemption import studies, words
from preemption.explorers.log import in_words
from preemption.explorers.pool import Replay, seen, track
from preemption.figures.pool import Moment, SmallPool, Track
from preemption.figures.server import Server
from preemption.page import html
from preemption.page.controls import Select
from preemption.page.explorer import Still, Words
from preemption.serving import Candidate, Id, RunSettings, frames_of

_SCENE = studies.OVERFLOW
_NAMES = tuple(str(request.id) for request in _SCENE.requests)


def gpu_and_host() -> Still:
    """Show where caches lie: in the memory of the GPU, with a link to that of the host."""
    return Still(
        Server(),
        "A GPU and its host. In the GPU: what computes, and beside it the GPU's memory, where the "
        "KV caches lie. A link leads from it to the memory of the host, which is larger and "
        "slower.",
    )


class OverflowExplorer(Replay):
    """Step through a pool that fills until a block is missing; then choose who goes.

    `victim` is the name of one of the three requests, or "" as long as nobody is chosen. The run
    ends before the victim comes back.
    """

    victim = Select("who goes", options=[("choose", ""), *((n, n) for n in _NAMES)], default="")

    def __init__(self) -> None:
        kind = type(self)
        super().__init__(SmallPool(), [kind.iteration, kind.steps_per_s, kind.victim])

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Go to the shortage as soon as somebody is chosen."""
        settings = self.settings | changes
        if "victim" in changes and "iteration" not in changes:
            last = len(_run("").frames)
            settings["iteration"] = last if settings["victim"] else last - 1
        return settings

    def _moment(self, settings: dict[str, Any]) -> Moment:
        return Moment((_run(settings["victim"]),), _NAMES, settings["iteration"])

    def _say(self, answer: Moment) -> Words:
        (run,) = answer.tracks
        said = in_words(run.at(answer.iteration).iteration)
        if not self.victim and answer.iteration == answer.last:
            said += f" {_shortage()} Choose who goes."
        return Words(
            said, seen(run, answer.iteration, way_back=False), _losses(run, answer.iteration)
        )


@cache
def _run(victim: str) -> Track:
    """Serve the scene until the victim comes back, or until one is needed if there is none."""

    def rule(running: tuple[Candidate, ...]) -> Candidate:
        return next((each for each in running if each.request.id == victim), running[-1])

    settings = RunSettings(log=True, victim=rule)
    frames = frames_of(_SCENE.requests, _SCENE.config(), settings)
    ends = (
        frame.iteration.number
        for frame in frames
        if (frame.iteration.preempted and not victim)
        or any(row.kind == "resumed" for row in frame.iteration.scheduled)
    )
    return track("the memory of the GPU", frames[: next(ends)], settings)


def _shortage() -> str:
    run = _run(_NAMES[-1])
    event = run.frames[len(_run("").frames)].iteration.preempted[0]
    return (
        "In the next iteration the last free block is taken, and request "
        f"{event.needed_by} needs one more."
    )


def _losses(run: Track, iteration: int) -> html.Html:
    """Say of each request what it holds, what it has lost, and what it does."""
    gone = {
        event.id: event.computed_tokens
        for frame in run.frames[: iteration + 1]
        for event in frame.iteration.preempted
    }
    now = run.at(iteration).iteration
    rows = [
        [name, _does(name, now.decided.running, now.decided.waiting),
         f"{now.blocks.get(name, 0)}", words.count(gone.get(name, 0), "cached token")]
        for name in _NAMES
    ]  # fmt: skip
    return html.table(["request", "now", "blocks", "lost"], rows, numbers=[2, 3])


def _does(name: str, running: tuple[Id, ...], waiting: tuple[Id, ...]) -> str:
    return "runs" if name in running else "waits" if name in waiting else "is done"
