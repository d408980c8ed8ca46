"""Cached tokens and link bandwidth against the cost of an eviction."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from preemption import costs, words
from preemption.explorers import comparison
from preemption.figures.eviction_costs import (
    HIGH_GB_PER_S,
    LINKS_GB_PER_S,
    LOW_GB_PER_S,
    MOST_TOKENS,
    CostCurves,
    EvictionCosts,
)
from preemption.page.controls import Number, Setting, Whole
from preemption.page.explorer import Explorer, Words
from preemption.page.questions import NumericGuess


class CostExplorer(Explorer[EvictionCosts]):
    """Drag the victim's cached tokens and the link's bandwidth; see which way is cheaper.

    `tokens` (1 to 131,072), `bandwidth_gb_per_s` (0.1 to 1,000) and `ms_per_token` (prefill
    time, 0.01 to 10; with a control if `prefill_control`) may be set from code too. `guesses`
    are numeric questions about the crossover in GB/s: once answered, the reader's guess is
    drawn in the picture. `verdict` says what the picture shows.
    """

    tokens = Whole("cached tokens", default=1_000, low=1, high=MOST_TOKENS)
    bandwidth_gb_per_s = Number(
        "link bandwidth (GB/s)", default=25.0, low=LOW_GB_PER_S, high=HIGH_GB_PER_S
    )
    ms_per_token = Number("prefill (ms per token)", default=costs.MS_PER_TOKEN, low=0.01, high=10.0)

    def __init__(
        self, guesses: Sequence[NumericGuess] = (), *, prefill_control: bool = False
    ) -> None:
        curves = CostCurves()
        controls: list[Setting[Any]] = [type(self).tokens, type(self).bandwidth_gb_per_s]
        if prefill_control:
            controls.append(type(self).ms_per_token)
        super().__init__(
            curves,
            controls,
            note="Eviction is never free, whoever pays for it, and the policy must include that "
            "cost.",
        )
        self._draw_guesses(guesses, curves.guesses.show)

    def _ask(self) -> EvictionCosts:
        tokens, n_bytes = self.tokens, costs.PER_TOKEN_BYTES
        link = self.bandwidth_gb_per_s * 1e9
        return EvictionCosts(
            tokens=tokens,
            bandwidth_gb_per_s=self.bandwidth_gb_per_s,
            recompute_ms_per_token=self.ms_per_token,
            swap_ms_per_token=costs.swap_ms(1, n_bytes, link),
            recompute_ms=costs.recompute_ms(tokens, self.ms_per_token),
            swap_ms=costs.swap_ms(tokens, n_bytes, link),
            swap_over_links_ms=np.asarray(costs.swap_ms(tokens, n_bytes, LINKS_GB_PER_S * 1e9)),
            crossover_gb_per_s=costs.crossover_bandwidth(n_bytes, self.ms_per_token) / 1e9,
        )

    def _say(self, answer: EvictionCosts) -> Words:
        recompute, swap = answer.recompute_ms, answer.swap_ms
        tokens = words.count(answer.tokens, "token")
        gb_per_s = f"{words.plain(answer.bandwidth_gb_per_s)} GB/s"
        prefill = words.plain(answer.recompute_ms_per_token)
        n_bytes = words.size(answer.tokens * costs.PER_TOKEN_BYTES)
        below = f"{comparison.winner(recompute, swap)} below at every count"
        if swap == recompute:
            below = "one on the other"
        return Words(
            verdict=f"At {tokens} and {gb_per_s}: {comparison.both_costs(recompute, swap)}",
            alternative=f"Cost of evicting a victim of {tokens}. Left, over "
            f"link bandwidth: recompute is flat at {words.digits(recompute)} ms, swap falls, they "
            f"cross at {words.digits(answer.crossover_gb_per_s, 3)} GB/s. Right, over tokens, at "
            f"{gb_per_s}: two parallel lines, {below}.",
            table=comparison.cost_table(
                recompute,
                swap,
                recompute_how=f"prefill the tokens again at {prefill} ms each",
                swap_how=f"{n_bytes} each way at {gb_per_s}",
            ),
        )
