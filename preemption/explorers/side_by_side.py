"""Victim rules, or levers, side by side on the same loads: one at once, the others after it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Self

import ipywidgets as widgets

from preemption import studies, words
from preemption.figures.side_by_side import SideBySide, SideBySideRows
from preemption.page import html
from preemption.page.canvas import LOCK
from preemption.page.controls import Number, Select, Setting, Whole
from preemption.page.explorer import Bundle, Explorer, Words
from preemption.serving import RULES, Rule

_LOADS = len(studies.SEEDS)
NOTHING = "nothing"
_AS_IT_IS, _MINE = "as it is", "my rule"
_FIRST_CHUNK = "admission by the first chunk"
_BESIDES = (*studies.LEVERS, _FIRST_CHUNK)
LINKS_GB_PER_S = (1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 12.0, 16.0, 25.0)
_BETWEEN_S = 0.02  # what is left to everybody else between two loads
_POOLS_TOKENS = tuple(range(20_000, 90_001, 1_000))
_RATES_PER_S = tuple(quarter / 4 for quarter in range(12, 33))


class LoadByLoad(Explorer[SideBySide]):
    """Servers compared on one load at once, then load by load on 20: the base of such explorers.

    `together` is a lever that all have besides, or "nothing". The button stops and goes on. A
    subclass says in `_base` which server is as it is; with `fitted` the axes fit its figures.
    """

    rate = Number("requests/s", default=5.5, low=3.0, high=8.0, places=_RATES_PER_S)
    pool = Whole("pool (tokens)", default=32_000, low=20_000, high=90_000, places=_POOLS_TOKENS)
    together = Select("together with", options=[NOTHING, *_BESIDES], default=NOTHING)

    def __init__(
        self,
        controls: Sequence[Setting[Any]],
        beside: Sequence[Setting[Any]],
        note: str = "",
        *,
        start: Mapping[str, Any] | None = None,
        fitted: bool = False,
    ) -> None:
        self._asked: tuple[Any, ...] = ()
        self._runs: dict[str, list[studies.Measures]] = {}
        self._goes_on, self._shown = True, False
        self._next: asyncio.TimerHandle | None = None
        super().__init__(SideBySideRows(fitted=fitted), controls, note, beside=beside, start=start)
        self.button = widgets.Button(description="stop", layout={"width": "auto"})
        self.button.on_click(lambda _: self.stop_or_go_on())
        self.progress = widgets.HTML()
        below = widgets.HBox([self.progress, self.button])
        self.children = (*self.children[:1], below, *self.children[1:])  # type: ignore[has-type]
        self._show_progress()

    def _base(self) -> studies.Server:
        """Return the server as it is."""
        raise NotImplementedError

    def _levers(self) -> Mapping[str, studies.Lever]:
        """Return what can be changed about it, by name."""
        return studies.LEVERS

    def _means(self) -> studies.Means | None:
        """Return the mean lengths of the load; None: those of the trace."""
        return None

    def stop_or_go_on(self) -> None:
        """Do what the button does: stop after the load that is served, or go on."""
        with LOCK:
            self._goes_on = not self._goes_on
            self._go_on_soon()
            self._show_progress()

    def all_loads(self) -> Self:
        """Serve the loads that are still missing, at once; it takes a second or two."""
        with LOCK:
            while self._loads < _LOADS:
                self._serve_one()
            self._draw(self._answer_now(), fit=True)
            self._show_progress()
        return self

    @property
    def _loads(self) -> int:
        return len(next(iter(self._runs.values())))

    def _servers(self) -> Mapping[str, studies.Server]:
        """Return the servers to compare; the first is the one to beat."""
        base, without = self._based(), {self.together, *_NOT_WITH.get(self.together, ())}
        levers = {name: lever for name, lever in self._levers().items() if name not in without}
        return {_AS_IT_IS: base, **{name: lever(base) for name, lever in levers.items()}}

    def _based(self) -> studies.Server:
        """Return the server as it is, with the lever that all have besides."""
        besides = {**self._levers(), _FIRST_CHUNK: _by_first_chunk}
        base = self._base()
        return base if self.together == NOTHING else besides[self.together](base)

    def _ask(self) -> SideBySide:
        asked = tuple(self.settings.values())
        if asked != self._asked:
            runs, before = self._runs, self._asked
            try:
                self._runs = {name: [] for name in self._servers()}
                self._serve_one()
            except Exception:
                self._runs, self._asked = runs, before
                raise
            self._asked = asked
            self._go_on_soon()
        return self._answer_now()

    def _serve_one(self) -> None:
        """Serve the next load with each server."""
        servers = self._servers()
        seeds = [studies.SEEDS[self._loads]]
        for name, _, run in studies.side_by_side(servers, self.rate, seeds, self._means()):
            self._runs[name].append(run)

    def _answer_now(self) -> SideBySide:
        return SideBySide({name: tuple(runs) for name, runs in self._runs.items()}, _LOADS)

    def _go_on_soon(self) -> None:
        """Let the next load be served when nothing else is to do; in a script nothing is later."""
        if self._next:
            self._next.cancel()
            self._next = None
        if self._shown and self._goes_on and self._loads < _LOADS:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                return
            self._next = loop.call_later(_BETWEEN_S, self._from_reader, self._go_on)

    def _go_on(self) -> None:
        if self._goes_on and self._loads < _LOADS:
            self._serve_one()
            self._draw(self._answer_now(), fit=True)
            self._show_progress()
            self._go_on_soon()

    def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
        """Go on with the other loads once it is on the page."""
        bundle = super()._repr_mimebundle_(**kwargs)
        self._shown = True
        self._go_on_soon()
        return bundle

    def close(self) -> None:
        """Serve no further load, once its cell has been run again."""
        self._goes_on = False
        super().close()

    def _show_progress(self) -> None:
        served = f"{self._loads} of {words.count(_LOADS, 'load')}"
        bar = html.element("progress", value=f"{self._loads}", max=f"{_LOADS}", aria_label="loads")
        self.progress.value = html.page(bar, f" {served}")
        self.button.description = "stop" if self._goes_on else "go on"
        self.button.disabled = self._loads == _LOADS

    def _say(self, answer: SideBySide) -> Words:
        names = list(answer.runs)
        p99 = {name: answer.spread(name, "ttft_p99_ms").median / 1e3 for name in names}
        best = min(names, key=p99.__getitem__)
        # A screen reader reads each change out, so between the first and the last there is one.
        served = {1: "one load", answer.of: words.count(answer.of, "load")}.get(answer.loads)
        verdict = "More loads are served."
        if served:
            first, soonest = (f"{words.digits(p99[name], 3)} s" for name in (names[0], best))
            verdict = f"{self._load_in_words()}, {served}: " + (
                f"the first token comes soonest with {best}, {soonest} at p99, against {first} "
                f"{'' if names[0] == _AS_IT_IS else 'with '}{names[0]}."
                if best != names[0]
                else f"nothing makes the first token come sooner than {best}, {first} at p99."
            )
        return Words(
            verdict=verdict,
            alternative="What each does to the first token, the time per token, the throughput "
            f"and the tokens computed twice, as ranges over {words.count(answer.loads, 'load')}. "
            f"{verdict} First token at p99, and share computed twice: "
            f"{'; '.join(_row(answer, name) for name in names)}.",
            table=self._table(answer),
        )

    def _load_in_words(self) -> str:
        """Say which load it is, and how large the pool."""
        return f"{words.plain(self.rate)} requests/s, {words.count(self.pool, 'token')} of pool"

    def _table(self, answer: SideBySide) -> html.Html:
        columns = (
            ("preemptions", "preemptions", 1.0, min),
            ("computed twice (tokens)", "recomputed_tokens", 1.0, min),
            ("TTFT p50 (s)", "ttft_p50_ms", 1e-3, min),
            ("TTFT p99 (s)", "ttft_p99_ms", 1e-3, min),
            ("TPOT p50 (ms)", "tpot_p50_ms", 1.0, min),
            ("TPOT p99 (ms)", "tpot_p99_ms", 1.0, min),
            ("tokens/s", "tokens_per_s", 1.0, max),
            ("longest pause (s)", "longest_pause_ms", 1e-3, min),
        )
        rows = [[name] for name in answer.runs]
        for _, figure, factor, better in columns:
            spreads = [answer.spread(name, figure) for name in answer.runs]
            best = better(each.median for each in spreads)
            for row, each in zip(rows, spreads, strict=True):
                low, median, high = (words.digits(factor * value, 3) for value in each)
                said = median if low == high else html.lines([median, f"{low}–{high}"])
                row.append(html.element("strong", said) if each.median == best else said)
        for row in rows:
            row.append(f"{answer.wins(row[0])} of {answer.loads}")
        head = [
            "server",
            *(title for title, *_ in columns),
            f"TTFT p99 below {next(iter(answer.runs))}",
        ]
        return html.table(head, rows, numbers=range(1, len(head)), class_="pe-dense")


def _row(answer: SideBySide, name: str) -> str:
    """Say what stands in a row, in short."""
    low, median, high = (
        words.digits(value / 1e3, 3) for value in answer.spread(name, "ttft_p99_ms")
    )
    spread = "" if low == high else f" ({low} to {high})"
    twice = words.digits(100 * answer.spread(name, "recompute_share").median, 2)
    return f"{name} {median} s{spread}, {twice}%"


class SideBySideExplorer(LoadByLoad):
    """Compare victim rules or levers on one load at once, then load by load on 20.

    `compared` is "levers", "rules" or "links": swapping over faster and slower links, or the way to
    copy that is `together`. `together` is a lever that all have besides, or "nothing"; `times` are
    the "measured" iteration times or those of a "straight line"; `rate` (3 to 8 requests per
    second) and `pool` (20,000 to 90,000 tokens) may be set from code too. The button stops and goes
    on. `mine` is a rule of your own (see `serving.RULES`), a row among the victim rules.
    """

    compared = Select(
        "compared",
        options=[("levers", "levers"), ("victim rules", "rules"), ("copies, by link", "links")],
        default="levers",
    )
    times = Select(
        "iteration times",
        options=[("measured points", "measured"), ("a straight line", "straight line")],
        default="measured",
    )

    def __init__(self, compared: str = "levers", *, mine: Rule | None = None) -> None:
        kind = type(self)
        self._rules = RULES if mine is None else {**RULES, _MINE: mine}
        super().__init__(
            [kind.rate, kind.pool],
            [kind.compared, kind.together, kind.times],
            start={"compared": compared},
        )

    def _base(self) -> studies.Server:
        line = {"cost": studies.STRAIGHT_LINE} if self.times == "straight line" else {}
        return studies.server(self.pool, **line)

    def _servers(self) -> Mapping[str, studies.Server]:
        if self.compared == "levers":
            return super()._servers()
        base = self._based()
        if self.compared == "rules":
            return {name: base.given(victim=rule) for name, rule in self._rules.items()}
        way = self.together if self.together in _COPYING else "swap"
        base = base.given(host_blocks=0, resume="recompute", copy_start_us=0.0)
        lever = self._levers()[way]
        copies = {
            f"{way.split()[0]} at {words.plain(link)} GB/s": lever(base).given(link_gb_per_s=link)
            for link in LINKS_GB_PER_S
        }
        return {"recompute": base, **copies}


_COPYING = ("swap", "swap layer by layer", "offloading")
_NOT_WITH = {
    "swap": ("prefix caching", "offloading", "swap layer by layer"),
    "swap layer by layer": ("prefix caching", "offloading", "swap"),
    "prefix caching": ("swap", "swap layer by layer"),
    "offloading": ("swap", "swap layer by layer"),
}
"""Levers that say how a victim comes back, and those that say something else."""


def _by_first_chunk(base: studies.Server) -> studies.Server:
    return base.given(scheduler_reserve_full_isl=False)
