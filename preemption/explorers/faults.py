"""Faults of real engines: an engine that has one, broken or mended, iteration by iteration."""

import re
from functools import lru_cache
from typing import Any

from IPython.display import HTML

from preemption import words
from preemption.explorers.log import in_words
from preemption.figures.faults import FaultPicture, Scene
from preemption.page import html, theme
from preemption.page.controls import Select, Whole
from preemption.page.explorer import Explorer, Words
from preemption.serving import FAULTS, SCENE_ITERATIONS, Id, Result, run_fault
from preemption.studies import FIELD_GUIDE, GuideRow

_BROKEN, _MENDED = "broken", "mended"


@lru_cache(maxsize=2 * len(FAULTS))
def _run(fault: str, engine: str) -> Result:
    return run_fault(fault, broken=engine == _BROKEN)


def _last(settings: dict[str, Any]) -> int:
    """Return the last iteration of the run of these settings."""
    return len(_run(settings["fault"], settings["engine"]).log) - 1


class FaultExplorer(Explorer[Scene]):
    """Go through a small run of an engine that has a fault, and of the same engine mended.

    `fault` is a name of `serving.FAULTS`, `engine` "broken" or "mended", `iteration` counts from
    0 to the last one of the run; another fault begins at 0. A run is computed once.
    """

    fault = Select(
        "fault",
        options=list(FAULTS),
        default=next(iter(FAULTS)),
    )
    engine = Select("engine", options=[_BROKEN, _MENDED], default=_BROKEN)
    iteration = Whole(
        "iteration", default=0, low=0, high=SCENE_ITERATIONS - 1, places=range(SCENE_ITERATIONS)
    )

    def __init__(self, fault: str | None = None) -> None:
        kind = type(self)
        super().__init__(
            FaultPicture(),
            [kind.fault, kind.engine, kind.iteration],
            start={} if fault is None else {"fault": fault},
        )

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Begin another fault at its first iteration; stay where we are in the other engine."""
        settings = self.settings | changes
        if "iteration" not in changes:
            stay = 0 if "fault" in changes else self.iteration
            settings["iteration"] = min(stay, _last(settings))
        return settings

    def _apply(self, settings: dict[str, Any], *, fit: bool = True) -> None:
        """Let the slider end where the run ends."""
        slider = self._rows["iteration"].slider
        slider.max = max(slider.max, _last(settings))  # not shorter before its value is
        try:
            super()._apply(settings, fit=fit)
        finally:
            slider.max = _last(self.settings)

    def _ask(self) -> Scene:
        run, last = _run(self.fault, self.engine), _last(self.settings)
        if self.iteration > last:
            raise ValueError(
                f"iteration must be from 0 to {last} in this run, not {self.iteration}"
            )
        fault = FAULTS[self.fault]
        names = tuple(request.id for request in fault.requests)
        return Scene(run, names, fault.broken.config.usable_blocks, self.iteration)

    def _say(self, answer: Scene) -> Words:
        now = answer.iteration
        held = [f"{name} {words.count(blocks, 'block')}" for name, blocks in now.blocks.items()]
        return Words(
            verdict=in_words(now),
            alternative=f"Blocks held over the {words.count(answer.run.iterations, 'iteration')} "
            f"of the run, stacked by request, and below them who waits. {self.engine} engine: "
            f"{_ended(answer.run)}, {words.count(answer.run.preemptions, 'preemption')}"
            f"{_victims(answer.run)}. "
            f"Iteration {now.number}: {', '.join(held) or 'nobody holds a block'}; "
            f"{words.count(now.decided.free_blocks, 'free block')}.",
            table=_both(self.fault),
            sources=told(FIELD_GUIDE[self.fault]),
        )


@lru_cache(maxsize=len(FAULTS))
def _both(fault: str) -> html.Html:
    """Return a table of what the broken and the mended engine do."""
    head = ["engine", "the run", "preemptions", "at once", "cached tokens lost", "found again"]
    rows = []
    for engine in (_BROKEN, _MENDED):
        run = _run(fault, engine)
        at_once = max(len(each.preempted) for each in run.log)
        counts = run.preemptions, at_once, run.lost_tokens, run.found_tokens, run.recomputed_tokens
        rows.append([engine, _ended(run), *map(words.plain, counts)])
    return html.table([*head, "computed again"], rows, numbers=range(2, 7))


_FIRST = 6  # preemptions of a request that are told one by one


def _victims(run: Result) -> str:
    """Say in which iterations who is preempted."""
    when: dict[Id, list[int]] = {}
    for iteration in run.log:
        for event in iteration.preempted:
            when.setdefault(event.id, []).append(iteration.number)
    said = "; ".join(
        f"{name} in iteration{'s' if len(numbers) > 1 else ''} "
        f"{', '.join(map(str, numbers[:_FIRST]))}"
        + (f" and {len(numbers) - _FIRST} more up to {numbers[-1]}" if numbers[_FIRST:] else "")
        for name, numbers in when.items()
    )
    return f": {said}" if said else ""


def _ended(run: Result) -> str:
    ends = f"{run.outcome} after {words.count(run.iterations, 'iteration')}"
    left = ", ".join(map(str, run.unfinished))
    return f"{ends}, without {left}" if left else ends


@lru_cache(maxsize=len(FIELD_GUIDE))
def told(row: GuideRow) -> html.Html:
    """Return what is known of a fault, with its sources."""
    style = f"color: {theme.css(theme.SWAP_TEXT)}; text-decoration: underline"
    links = [html.element("a", name, href=url, style=style) for name, url in row.sources]
    told = [
        ("seen", row.symptom),
        ("metric", row.metric),
        ("log", row.log),
        ("why", row.cause),
        ("vLLM", row.vllm),
        ("SGLang", row.sglang),
        ("TensorRT-LLM", row.tensorrt_llm),
        ("the price", row.trade_off),
    ]
    rows = [(name, _code(text)) for name, text in told]
    return html.page(html.table(["fault", row.title], [*rows, ("source", html.lines(links))]))


def field_guide_page() -> HTML:
    """Return all rows of the field guide, for a page that shows outputs."""
    return HTML(html.page(*map(told, FIELD_GUIDE.values()), styled=True))  # type: ignore[no-untyped-call]


def _code(text: str) -> html.Html:
    """Return text with what stands in backquotes as code."""
    return html.Html(re.sub("`(.+?)`", r"<code>\1</code>", html.escaped(text)))
