"""Two minutes of load, live: who runs, waits and is out, how full the pool is, what it costs."""

import math

import numpy as np

from preemption import studies, words
from preemption.checks import Array
from preemption.explorers.cliff import WAYS
from preemption.figures.live import PART_S, Live, LiveCurves
from preemption.page import html
from preemption.page.controls import Number, Select, Whole
from preemption.page.explorer import Explorer, Words
from preemption.serving import RULES, simulate

_POOLS_TOKENS = tuple(range(20_000, 90_001, 1_000))
_RATES_PER_S = tuple(quarter / 4 for quarter in range(16, 33))


class LiveExplorer(Explorer[Live]):
    """Serve two minutes of load anew at each change; see what becomes of its requests.

    `rate` (4 to 8 requests per second), `pool` (20,000 to 90,000 tokens), `rule` (a name of
    `serving.RULES`), `way` (one of the dropdown's), `link` (2 to 100 GB/s, for copies) and
    `load` (the seed, 0 to 19) may be set from code too.
    """

    rate = Number(
        "requests/s", default=5.5, low=_RATES_PER_S[0], high=_RATES_PER_S[-1], places=_RATES_PER_S
    )
    pool = Whole("pool (tokens)", default=32_000, low=20_000, high=90_000, places=_POOLS_TOKENS)
    link = Number("link bandwidth (GB/s)", default=25.0, low=2.0, high=100.0)
    rule = Select("who goes", options=list(RULES), default="last admitted")
    way = Select("how they come back", options=list(WAYS), default="recompute")
    load = Whole("load", default=0, low=0, high=len(studies.SEEDS) - 1, places=studies.SEEDS)

    def __init__(self) -> None:
        kind = type(self)
        super().__init__(
            LiveCurves(),
            [kind.rate, kind.pool, kind.link, kind.load],
            beside=[kind.rule, kind.way],
        )

    def _ask(self) -> Live:
        served_by = studies.server(
            self.pool, victim=self.rule, link_gb_per_s=self.link, **WAYS[self.way]
        )
        result = simulate(studies.two_minutes(self.load, self.rate), *served_by)
        first, *_, last = (request.arrival_ms for request in result.requests)
        parts = math.ceil(result.total_ms / 1e3 / PART_S)
        over_time = studies.over_time(result, 1e3 * PART_S, parts)
        return Live(
            over_time=over_time,
            pool_share=over_time.pool_blocks / served_by.config.usable_blocks,
            last_arrival_s=(last - first) / 1e3,
            measures=studies.measures(result),
        )

    def _say(self, answer: Live) -> Words:
        run, figures = answer.over_time, answer.measures
        waiting, evicted = (int(np.max(each)) for each in (run.waiting, run.evicted))
        verdict = (
            f"{words.plain(self.rate)} requests/s, {words.count(self.pool, 'token')} of pool: "
            f"{words.count(figures.preemptions, 'preemption')}, "
            f"{words.digits(100 * figures.recompute_share, 2)}% computed twice. At one time up to "
            f"{waiting} waited to be let in, and up to {evicted} to come back. One in a hundred "
            f"waited over {words.digits(figures.ttft_p99_ms / 1e3, 3)} s for its first token."
        )
        rows = [
            [
                "time to first token (s)",
                *_both(figures.ttft_p50_ms / 1e3, figures.ttft_p99_ms / 1e3),
            ],
            ["time per output token (ms)", *_both(figures.tpot_p50_ms, figures.tpot_p99_ms)],
        ]
        full = float((answer.pool_share > 0.95).mean())
        return Words(
            verdict=verdict,
            alternative="Four curves over time: requests that run, that wait to be let in, that "
            f"are evicted, and the share of the pool in use. {verdict} The pool is more than 95% "
            f"full in {words.digits(100 * full, 2)}% of the time"
            f"{_since(answer.pool_share)}; up to {int(np.max(run.running))} run at one "
            f"time. The line is longest at {_at(int(np.argmax(run.waiting)))}{_gone(run.waiting)}.",
            table=html.table(["latency", "p50", "p99"], rows, numbers=(1, 2)),
        )


def _at(part: int) -> str:
    return f"{words.plain(PART_S * part)} s"


def _since(pool_share: Array) -> str:
    full = pool_share > 0.95
    return f", for the first time at {_at(int(np.argmax(full)))}" if full.any() else ""


def _gone(waiting: Array) -> str:
    """Say when nobody waits any more, if anybody did."""
    waited = np.flatnonzero(waiting)
    return f", and gone at {_at(int(waited[-1]) + 1)}" if waited.size else ""


def _both(p50: float, p99: float) -> list[str]:
    return [words.digits(p50, 3), words.digits(p99, 3)]
