"""A run of a small server block by block: step and play; two ways to come back, side by side."""

import copy
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Self

from preemption import studies, words
from preemption.checks import shown
from preemption.explorers.log import in_words
from preemption.figures.pool import MOST_REQUESTS, Moment, PoolReplay, Track
from preemption.page import html
from preemption.page.controls import Lines, Select, Whole
from preemption.page.explorer import Explorer, Words
from preemption.page.player import Player
from preemption.serving import (
    Frame,
    Id,
    Pause,
    Request,
    RunSettings,
    frames_of,
    pauses,
    phases,
)

_MOST_TOKENS = 1_000  # of a request, and ms of its arrival: a run is shown whole
_MOST_MS = 10_000
_TOLD = 8  # lines that are left out, each in words
_LINE = "id, arrival in ms, prompt tokens, output tokens"

WAYS = {
    "recompute": "recompute",
    "caching": "prefix caching",
    "offload": "offloading",
    "swap": "swap over 25 GB/s",
}


def lines_of(requests: Sequence[Request]) -> str:
    """Write requests as a reader may type them, a line for each."""
    return "\n".join(
        f"{each.id}, {each.arrival_ms:g}, {each.prompt_tokens}, {each.output_tokens}"
        for each in requests
    )


_FIRST, _OWN = "eight requests", "own"


def _numbers_of(scene: studies.Scene) -> dict[str, Any]:
    return {
        "requests": lines_of(scene.requests),
        "blocks": scene.blocks,
        "budget": scene.budget,
    }


def read_load(text: str, blocks: int) -> tuple[tuple[Request, ...], tuple[str, ...]]:
    """Return the requests of a list as typed, and a word about lines that are left out."""
    found: dict[str, Request] = {}
    wrong = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            request = _request(line, blocks)
            if len(found) == MOST_REQUESTS:
                raise ValueError(f"there is room for {MOST_REQUESTS} requests")
            if str(request.id) in found:
                raise ValueError(f"there is a request {request.id} already")
            found[str(request.id)] = request
        except ValueError as error:
            wrong.append(f"Line {number} is left out: {str(error).removesuffix('.')}.")
    more = len(wrong) - _TOLD
    if more > 0:
        wrong[_TOLD:] = [f"So {'is' if more == 1 else 'are'} {words.count(more, 'more line')}."]
    by_arrival = sorted(found.values(), key=lambda request: request.arrival_ms)
    return tuple(by_arrival), tuple(wrong)


def _request(line: str, blocks: int) -> Request:
    parts = [part.strip() for part in line.split(",")]
    if len(parts) != 4:
        raise ValueError(f"a line has {_LINE}")
    name = parts[0]
    if len(name) != 1 or not name.isalnum():  # it stands in a cell
        raise ValueError("an id is one letter or digit")
    arrival_ms = words.typed(parts[1], "ms")
    tokens = [words.typed(part, "tokens") for part in parts[2:]]
    if not 0 <= arrival_ms <= _MOST_MS:
        raise ValueError(f"an arrival is from 0 to {_MOST_MS:,} ms")
    if not all(each.is_integer() and 1 <= each <= _MOST_TOKENS for each in tokens):
        raise ValueError(f"tokens are whole numbers from 1 to {_MOST_TOKENS:,}")
    prompt, output = map(int, tokens)
    needed = -(-(prompt + output - 1) // studies.Scene.block_tokens)
    if needed > blocks:
        raise ValueError(f"it needs {words.count(needed, 'block')} in the end, so it never fits")
    return Request(int(name) if name.isdecimal() else name, arrival_ms, prompt, output)


@lru_cache(maxsize=32)
def replay(requests: tuple[Request, ...], blocks: int, budget: int, way: str) -> Track:
    """Serve these requests with vLLM's rules; a run is computed once, then scrubbed."""
    scene = studies.Scene(requests, blocks, budget)
    host_blocks = studies.HOST_BLOCKS if way == "offload" else 0
    config = scene.config(caching=way == "caching", host_blocks=host_blocks)
    settings = RunSettings(resume="swap" if way == "swap" else "recompute", log=True)
    return track(WAYS[way], frames_of(requests, config, settings), settings)


def track(name: str, frames: tuple[Frame, ...], settings: RunSettings) -> Track:
    """Return what a picture shows of a run."""
    log = [frame.iteration for frame in frames]
    ends = pauses(log, settings)
    copies = [(event.id, each.number) for each in log for event in each.preempted
              if event.how == "swap"]  # fmt: skip
    copies += [(load.id, each.number) for each in log for load in each.loads]
    if settings.resume != "recompute":
        copies += [(pause.id, pause.resumed_in) for pause in ends if pause.copy_ms]
    return Track(name, frames, phases(log), tuple(copies), ends)


class _Iteration(Whole):
    """An iteration of a run; each explorer has one as long as its run."""

    def as_of_now(self) -> Self:
        """Return a copy, whose end can move."""
        return copy.copy(self)

    def end_at(self, last: int) -> None:
        """Let `last` be the last iteration."""
        self.high, self.places = last, range(last + 1)


class Replay(Explorer[Moment]):
    """A run that can be stepped through and played: the base of the explorers of a pool."""

    iteration = _Iteration("iteration", default=0, low=0, high=1, places=range(2))
    steps_per_s = Whole("steps per second", default=4, low=1, high=10, places=range(1, 11))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.player = Player(
            lambda: (self.iteration, self._scale().high),
            lambda place: self._reader_sets("iteration", place, True),
        )
        super().__init__(*args, buttons=[self.player], **kwargs)

    def _scale(self) -> _Iteration:
        scale = self._known["iteration"]
        assert isinstance(scale, _Iteration)
        return scale

    def _end_at(self, last: int) -> None:
        """Let the run end there."""
        if self._scale().high != last:
            self._scale().end_at(last)
            self._rows["iteration"].slider.max = last

    def _moment(self, settings: dict[str, Any]) -> Moment:
        """Return what a picture shows at these settings."""
        raise NotImplementedError

    def _ask(self) -> Moment:
        moment = self._moment(self.settings)
        self._end_at(moment.last)
        self.player.per_second(self.steps_per_s)
        return moment


class PoolExplorer(Replay):
    """Scrub through a run of up to eight requests in a small pool, or play it.

    `load` is one of the scenes, or "own" for what `requests` holds: a line for each request, as
    "0, 0, 20, 40": id, arrival in ms, prompt and output tokens. `blocks` are those of the pool,
    `budget` the tokens of an iteration. `way` says how victims come back, one of `WAYS`; with
    `beside=True` a second run stands beside the first, with its way in `other`.
    """

    load = Select("load", options=[*((name, name) for name in studies.SCENES), ("your own", _OWN)],
                  default=_FIRST)  # fmt: skip
    way = Select("way back", options=[(name, way) for way, name in WAYS.items()],
                 default="recompute")  # fmt: skip
    other = Select("beside it", options=[(name, way) for way, name in WAYS.items()],
                   default="caching")  # fmt: skip
    blocks = Whole("blocks", default=15, low=2, high=48, places=range(2, 49))
    budget = Whole("token budget", default=64, low=8, high=512)
    requests = Lines("requests", default=lines_of(studies.SCENES[_FIRST].requests))

    def __init__(self, *, beside: bool = False, **start: Any) -> None:
        self._beside, kind = beside, type(self)
        ways = [kind.way, kind.other] if beside else [kind.way]
        scene = studies.SCENES.get(start.get("load", _FIRST), studies.SCENES[_FIRST])
        super().__init__(
            PoolReplay(1 + beside),
            [kind.iteration, kind.steps_per_s, kind.load, *ways, kind.blocks, kind.budget],
            beside=[kind.requests],
            start=_numbers_of(scene) | start,
        )

    def pauses(self) -> tuple[Pause, ...]:
        """Return the pauses of the first run that are over in the present iteration."""
        found = self._answer.tracks[0].pauses
        return tuple(pause for pause in found if pause.resumed_in <= self.iteration)

    def left(self, request: Id) -> int:
        """Return how many free blocks of the first run still hold cache of a request.

        ValueError if there is no such request.
        """
        if request not in self._answer.requests:
            raise ValueError(
                f"request must be one of {self._answer.requests}, not {shown(request)}"
            )
        return self._answer.tracks[0].at(self.iteration).left.count(request)

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Let a scene set the numbers that are not given, and the numbers name the scene."""
        given = studies.SCENES.get(changes.get("load", _OWN))
        settings = self.settings | (_numbers_of(given) if given else {}) | changes
        found = (
            name
            for name, scene in studies.SCENES.items()
            if _numbers_of(scene).items() <= settings.items()
        )
        settings["load"] = next(found, _OWN)
        if changes.keys() - {"iteration", "steps_per_s"}:
            settings["iteration"] = min(settings["iteration"], self._moment(settings).last)
        return settings

    def _moment(self, settings: dict[str, Any]) -> Moment:
        blocks, budget = settings["blocks"], settings["budget"]
        requests, notes = read_load(settings["requests"], blocks)
        if not requests:
            notes = (*notes, f"No line is a request ({_LINE}), so one of 16 + 16 tokens is shown.")
            requests = (Request(0, 0.0, 16, 16),)
        ways = (settings["way"], settings["other"])[: 1 + self._beside]
        tracks = [replay(requests, blocks, budget, way) for way in ways]
        names = tuple(each.id for each in requests)
        return Moment(tuple(tracks), names, settings["iteration"], notes)

    def _say(self, answer: Moment) -> Words:
        scene = studies.SCENES.get(self.load)
        ways = (self.way, self.other)[: 1 + self._beside]
        recorded = scene.recorded if scene else {}
        names = [
            recorded.get(way == "caching", "") for way in ways if way in ("recompute", "caching")
        ]
        names = [name for name in dict.fromkeys(names) if name]
        repeats = f"Repeats {' and '.join(names)}, recorded from vLLM." if names else ""
        return Words(
            verdict=" ".join([*answer.notes, *_said(answer)]),
            alternative=" ".join(map(seen, answer.tracks, [answer.iteration] * len(ways))),
            table=pauses_table(answer),
            sources=html.page(html.paragraphs([repeats])) if repeats else "",
        )


def _said(moment: Moment) -> list[str]:
    """Say what happens in each run."""
    if len(moment.tracks) == 1:
        return [in_words(moment.tracks[0].at(moment.iteration).iteration)]
    return [
        f"{track.name[0].upper()}{track.name[1:]}: {in_words(track.at(moment.iteration).iteration)}"
        for track in moment.tracks
    ]


def seen(track: Track, iteration: int, *, way_back: bool = True) -> str:
    """Say what the picture shows of a run, for those who cannot see it."""
    frame = track.at(iteration)
    decided = frame.iteration.decided
    blocks = words.count(len(frame.owner), "block")
    held = [f"{name} holds {count}" for name, count in frame.iteration.blocks.items()]
    held += [f"{name} loads into {frame.owner.count(name)}" for name in decided.loading]
    left = [frame.left[block] for block in frame.free_queue]
    name = f", way back {track.name}" if way_back else f" in {track.name}"
    said = f"A pool of {blocks}{name}, in iteration {frame.iteration.number}: "
    said += f"{', '.join(held) or 'nobody holds any'}; {decided.free_blocks} free"
    if any(who is not None for who in left):
        parts = [
            f"{len([*same])} {'empty' if who is None else f'with cache of {who}'}"
            for who, same in groupby(left)
        ]
        said += f", next first: {', then '.join(parts)}"
    return f"{said}. {_queue('Running', decided.running)}, {_queue('waiting', decided.waiting)}."


def _queue(name: str, ids: Sequence[Any]) -> str:
    return f"{name}: {', '.join(map(str, ids)) or 'nobody'}"


def pauses_table(moment: Moment) -> html.Html:
    """Split each victim's pause; what has not happened yet is open, so that no row comes anew."""
    head = ["victim", "waits for memory (ms)", "copies (ms)", "found (tokens)", "recomputes (ms)"]
    rows = []
    for track in moment.tracks:
        for pause in track.pauses:
            if pause.preempted_in > moment.iteration:
                rows.append(["not yet", *["–"] * 4])
                continue
            who = f"request {pause.id}, from iteration {pause.preempted_in}"
            if len(moment.tracks) > 1:
                who = f"{track.name}: {who}"
            if pause.resumed_in > moment.iteration:
                rows.append([who, "waits", *["–"] * 3])
                continue
            back = track.frames[pause.resumed_in].iteration
            found = sum(each.tokens for each in back.found if each.id == pause.id)
            costs = (pause.waited_ms, pause.copy_ms, pause.recompute_ms)
            waited, copied, again = (words.digits(ms, 3) for ms in costs)
            rows.append([who, waited, copied, words.plain(found), again])
    return html.table(head, rows, numbers=range(1, 5)) if rows else html.Html("")
