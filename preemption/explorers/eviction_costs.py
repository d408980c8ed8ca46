"""The explorer of notebook 01: cached tokens and link bandwidth against the cost of an eviction."""

from collections.abc import Sequence
from typing import Any

from preemption import costs, words
from preemption.explorers import table
from preemption.figures.eviction_costs import HIGH_GB_PER_S, LOW_GB_PER_S, CostCurves
from preemption.figures.eviction_timeline import OpenCosts, Timeline
from preemption.page.controls import Number
from preemption.page.live import Explorer, Still, Words


class CostExplorer(Explorer):
    """Drag the victim's cached tokens and the link's bandwidth; see which way is cheaper.

    `tokens` (1 to 131,072), `bandwidth_gb_per_s` (0.1 to 1,000) and `ms_per_token` (prefill
    time, 0.01 to 10; with a control if `prefill_control`) may be set from code too. `guesses`
    are numeric questions about the crossover in GB/s: once answered, the reader's guess is
    drawn in the picture. `verdict` says what the picture shows.
    """

    tokens = Number("cached tokens", default=1_000, low=1, high=131_072, whole=True)
    bandwidth_gb_per_s = Number(
        "link bandwidth (GB/s)", default=25.0, low=LOW_GB_PER_S, high=HIGH_GB_PER_S
    )
    ms_per_token = Number("prefill (ms per token)", default=costs.MS_PER_TOKEN, low=0.01, high=10.0)

    def __init__(self, guesses: Sequence[Any] = (), *, prefill_control: bool = False) -> None:
        self._curves = CostCurves()
        controls = [type(self).tokens, type(self).bandwidth_gb_per_s]
        if prefill_control:
            controls.append(type(self).ms_per_token)
        super().__init__(
            self._curves,
            controls,
            note="Either way the resumed request pays: eviction is never free, and the policy must "
            "include that cost.",
        )
        self._draw_guesses(guesses, self._curves.guesses.show)

    def _fit(self) -> bool:
        return self._curves.fit(self.tokens, self.ms_per_token)

    def _show(self) -> Words:
        tokens, bandwidth, prefill = self.tokens, self.bandwidth_gb_per_s, self.ms_per_token
        self._curves.show(tokens, bandwidth, prefill)
        recompute = costs.recompute_ms(tokens, prefill)
        swap = costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, bandwidth * 1e9)
        crossover = costs.crossover_bandwidth(costs.PER_TOKEN_BYTES, prefill) / 1e9
        cost_ms = {"recompute": recompute, "swap": swap}
        winner = table.winner(cost_ms)
        below = "one on the other" if swap == recompute else f"{winner} below"
        return Words(
            verdict=f"At {words.count(tokens, 'token')} and {words.plain(bandwidth)} GB/s: "
            f"recompute {words.digits(recompute)} ms, swap {words.digits(swap)} ms; "
            f"cheaper here: {winner}, {table.lead(cost_ms)}.",
            alternative=f"Time to resume a victim of {words.count(tokens, 'token')}. Left, over "
            f"link bandwidth: recompute is flat at {words.digits(recompute)} ms, swap falls, they "
            f"cross at {words.digits(crossover, 3)} GB/s. Right, over tokens, at "
            f"{words.plain(bandwidth)} GB/s: two straight lines from 0, {below}.",
            table_html=table.cost_table(
                {"recompute": "drop and recompute", "swap": "swap out and back"},
                {
                    "recompute": f"prefill the tokens again at {words.plain(prefill)} ms each",
                    "swap": f"{words.size(tokens * costs.PER_TOKEN_BYTES)} each way at "
                    f"{words.plain(bandwidth)} GB/s",
                },
                cost_ms,
            ),
        )


def eviction_timeline(tokens: int = 1_000) -> Still:
    """Show one request that is evicted with `tokens` cached tokens and resumed, both ways.

    Raises ValueError for a negative number, or one too large for the time line (1,400 or more).
    """
    recompute = costs.recompute_ms(tokens)
    copy = costs.swap_ms(
        tokens, costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S, round_trip=False
    )
    return Still(
        Timeline(tokens),
        f"A request of {words.count(tokens, 'token')} is evicted and resumes. Recomputed, "
        f"it pays {words.digits(recompute)} ms of prefill; swapped, {words.digits(copy)} ms to "
        "copy the cache out and as much to copy it back.",
    )


def open_costs(tokens: int = 1_000) -> Still:
    """Show what either way of resuming a request takes, with the times left open."""
    size = words.size(tokens * costs.PER_TOKEN_BYTES)
    return Still(
        OpenCosts(tokens),
        f"Two ways to resume a request of {words.count(tokens, 'cached token')}. Recompute: one "
        f"bar, prefill {words.count(tokens, 'token')} again, ? ms. Swap: two bars, copy {size} "
        "out and copy it back, together ? ms. The bars are not to scale.",
    )
