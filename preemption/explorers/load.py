"""Arrival rate and pool against latency and throughput; where preemption begins, and the cliff."""

from collections.abc import Sequence
from typing import Any

from preemption import studies, words
from preemption.figures.load import Load, LoadCurves, between
from preemption.page import html
from preemption.page.controls import Number, Whole
from preemption.page.explorer import Explorer, Words
from preemption.page.questions import NumericGuess

_POOLS, _RATES = studies.POOLS, studies.RATES_PER_S


class LoadExplorer(Explorer[Load]):
    """Set the arrival rate and the pool; see latency and throughput over 20 loads.

    `rate` (2 to 9 requests per second) and `pool` (from 1,000 blocks of 16 tokens to those of the
    whole machine) may be set from code too. `guesses` are numeric questions about the rate at
    which preemption begins in the default pool. Simulated, before, was what the sliders have
    places for; of a number between two of them the nearer one is taken.
    """

    pool = Whole("pool (blocks)", default=3_000, low=_POOLS[0], high=_POOLS[-1], places=_POOLS)
    rate = Number("requests/s", default=4.0, low=_RATES[0], high=_RATES[-1], places=_RATES)

    def __init__(self, guesses: Sequence[NumericGuess] = ()) -> None:
        curves, kind = LoadCurves(), type(self)
        super().__init__(curves, [kind.rate, kind.pool])
        self._draw_guesses(guesses, curves.guesses.show)

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        settings = super()._with(changes)
        for name, scale in (("pool", type(self).pool), ("rate", type(self).rate)):
            settings[name] = scale.places[scale.nearest_place(settings[name])]
        return settings

    def _ask(self) -> Load:
        points = studies.sweep(self.pool)
        return Load(
            pool=self.pool,
            here=studies.under_load(self.rate, self.pool),
            points=points,
            preempts=studies.first_preemption(points),
            cliff=studies.cliff(points),
            machine=studies.sweep(_POOLS[-1]),
        )

    def _say(self, answer: Load) -> Words:
        here, calm, full = answer.here, answer.points[0], answer.points[-1]
        again = studies.Range(*(100 * share for share in here.recompute_share))
        verdict = (
            f"{words.plain(here.requests_per_s)} requests/s, {words.count(answer.pool, 'block')}: "
            f"{_range(here.preemptions)} preemptions, {_range(again, 2)}% of the computed tokens "
            f"computed again, {_range(here.tokens_per_s)} output tokens/s. "
            f"First preemption: {_onset(answer.preempts)}. Cliff: {_onset(answer.cliff)}. "
            f"The whole machine has {words.count(_POOLS[-1], 'block')}."
        )
        return Words(
            verdict=verdict,
            alternative="Latency and throughput over the rate of arrivals, and the time to first "
            f"token over the throughput. {verdict} In this pool: {_at(calm)}; {_at(full)}. On the "
            f"whole machine: {_at(answer.machine[-1])}.",
            table=html.table(
                ["at this rate (ms), 20 loads", "p50", "p99"],
                [
                    ["time to first token", *map(_range, (here.ttft_p50_ms, here.ttft_p99_ms))],
                    ["time per output token", *map(_range, (here.tpot_p50_ms, here.tpot_p99_ms))],
                ],
                numbers=[1, 2],
            ),
        )


def _at(point: studies.LoadPoint) -> str:
    """Say what the curves have at a rate, over all loads."""
    return (
        f"at {words.plain(point.requests_per_s)} requests/s the median time to first token is "
        f"{_range(point.ttft_p50_ms)} ms, its p99 {_range(point.ttft_p99_ms)} ms, the time per "
        f"output token {_range(point.tpot_p50_ms)} ms and {_range(point.tpot_p99_ms)} ms, the "
        f"throughput {_range(point.tokens_per_s)} tokens/s"
    )


def _range(found: studies.Range, figures: int = 3) -> str:
    """Write the lowest and the highest: "28 to 51"."""
    ends = (words.digits(value, figures) for value in (found.low, found.high))
    return " to ".join(dict.fromkeys(ends))


def _onset(onset: studies.Onset) -> str:
    if onset.first is None:
        return "nowhere in this range"
    return between(onset)
