"""Arrival rate and pool against latency and throughput, and where preemption begins."""

from collections.abc import Sequence
from typing import Any

from preemption import studies, words
from preemption.figures.load import Load, LoadCurves
from preemption.page import html
from preemption.page.controls import Number, Whole
from preemption.page.explorer import Explorer, Words

_POOLS = range(1_000, 10_001, 500)


class LoadExplorer(Explorer[Load]):
    """Set the arrival rate and the pool; see latency and throughput, and where preemption begins.

    `rate` (2 to 9 requests per second) and `pool` (1,000 to 10,000 blocks of 16 tokens) may be
    set from code too. `guesses` are numeric questions about the rate at which preemption begins
    in the default pool. A new pool takes a run for each rate; those are kept.
    """

    pool = Whole("pool (blocks)", default=3_000, low=_POOLS[0], high=_POOLS[-1], places=_POOLS)
    rate = Number(
        "requests/s",
        default=4.0,
        low=studies.RATES_PER_S[0],
        high=studies.RATES_PER_S[-1],
        places=studies.RATES_PER_S,
    )

    def __init__(self, guesses: Sequence[Any] = ()) -> None:
        curves, kind = LoadCurves(), type(self)
        super().__init__(curves, [kind.rate, kind.pool])
        self._draw_guesses(guesses, curves.guesses.show)

    def _ask(self) -> Load:
        points = studies.sweep(self.pool)
        return Load(
            pool=self.pool,
            here=studies.under_load(self.rate, self.pool),
            points=points,
            preempts_from=studies.preempts_from(points),
        )

    def _say(self, answer: Load) -> Words:
        here, calm, full = answer.here, answer.points[0], answer.points[-1]
        onset = "nowhere in this range"
        if answer.preempts_from is not None:
            onset = f"{words.plain(answer.preempts_from)} requests/s"
            already = answer.preempts_from == calm.requests_per_s
            onset = f"already at {onset}" if already else f"from {onset} on"
        verdict = (
            f"{words.plain(here.requests_per_s)} requests/s, {words.count(answer.pool, 'block')}: "
            f"{words.count(here.preemptions, 'preemption')}, "
            f"{words.digits(100 * here.recompute_share, 2)}% of the computed tokens computed "
            f"again, {_digits(here.tokens_per_s)} output tokens/s. This pool preempts {onset}."
        )
        return Words(
            verdict=verdict,
            alternative=f"Latency and throughput over the rate of arrivals. {verdict} From "
            f"{words.plain(calm.requests_per_s)} to {words.plain(full.requests_per_s)} requests "
            f"per second the median time to first token grows from {_digits(calm.ttft_p50_ms)} ms "
            f"to {_digits(full.ttft_p50_ms)} ms, the throughput from {_digits(calm.tokens_per_s)} "
            f"to {_digits(full.tokens_per_s)} tokens per second.",
            table=html.table(
                ["at this rate (ms)", "p50", "p99"],
                [
                    ["time to first token", *map(_digits, (here.ttft_p50_ms, here.ttft_p99_ms))],
                    ["time per output token", *map(_digits, (here.tpot_p50_ms, here.tpot_p99_ms))],
                ],
                numbers=[1, 2],
            ),
        )


def _digits(value: float) -> str:
    return words.digits(value, 3)
