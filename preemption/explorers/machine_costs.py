"""Real models, devices and links: which way is cheaper, and where that changes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from preemption import costs, words
from preemption.costs import DEVICES, MODELS, Recompute
from preemption.explorers import comparison
from preemption.explorers.on_machine import OnMachine
from preemption.figures.machine_costs import (
    LINKS_GB_PER_S,
    Crossing,
    MachineCosts,
    MachineCurves,
    tokens_to_draw,
)
from preemption.page.controls import Setting
from preemption.page.explorer import Words


class MachineExplorer(OnMachine[MachineCosts]):
    """Choose a model, a device and a link; see which way is cheaper, and where that changes.

    With `linear` only what grows in proportion to the tokens counts, as in notebook 01: the
    operations of the weights, always derived, and the bytes. `guesses` are numeric questions
    about the bandwidth in GB/s at which the choice flips. Other arguments are settings to start
    from, as `model="OPT-13B"`; every setting of `OnMachine` can be set from code.
    """

    def __init__(self, guesses: Sequence[Any] = (), *, linear: bool = False, **start: Any) -> None:
        curves, self._linear = MachineCurves(), linear
        kind = type(self)
        controls: list[Setting[Any]] = [kind.model, kind.device, kind.link, kind.bits]
        beside: list[Setting[Any]] = [kind.tokens, kind.efficiency_percent, kind.round_trip]
        if linear:
            start = {"measured": False, "launch_us": 0} | start
        else:
            controls.append(kind.measured)
            beside += [kind.block_tokens, kind.cache_layout]
        super().__init__(curves, controls, beside=beside, start=start)
        self._draw_guesses(guesses, curves.guesses.show)

    @property
    def recompute(self) -> Recompute:
        """The time to recompute at the present settings."""
        if not self._linear:
            return super().recompute
        percent = self.efficiency_percent
        return Recompute.linear(MODELS[self.model], DEVICES[self.device], percent / 100)

    def _ask(self) -> MachineCosts:
        here = self._resumed()
        recompute, copy, tokens = here.recompute, here.copy, here.tokens
        n = tokens_to_draw(costs.bends(recompute, copy))
        found = costs.crossover_tokens(recompute, copy)
        return MachineCosts(
            here=here,
            crossover_gb_per_s=costs.crossover_bandwidth_at(recompute, copy, tokens) / 1e9,
            crossings=tuple(
                Crossing(at, *(recompute.ms_per_token_at(n) for n in (at, 2 * at))) for at in found
            ),
            ways=costs.cheaper_ways(recompute, copy, found),
            most_ahead=costs.most_ahead(recompute, copy, *found) if len(found) == 2 else 1.0,
            token_counts=n,
            recompute_ms_per_token=np.asarray(recompute.ms(n)) / n,
            swap_ms_per_token=np.asarray(copy.ms(n)) / n,
            swap_over_links_ms=np.asarray(copy.over_links_ms(tokens, LINKS_GB_PER_S * 1e9)),
        )

    def _say(self, answer: MachineCosts) -> Words:
        flip, crossovers = comparison.crossover(answer.crossover_gb_per_s), _crossovers(answer)
        return Words(
            verdict=f"{self._costs(answer.here)} {flip} {crossovers}",
            alternative=f"Time to resume {self._here()}. Left, time per token over tokens. "
            f"{crossovers} Right, over the bandwidth of the link: recompute is flat at "
            f"{words.digits(answer.here.recompute_ms)} ms, swap falls. {flip}",
            table=self._table(answer.here),
            sources=self._list_sources(answer.here),
        )


def _crossovers(answer: MachineCosts) -> str:
    """Say where the choice changes with the tokens, or that it does not."""
    counts = [words.plain(round(crossing.tokens)) for crossing in answer.crossings]
    if len(counts) == 2:
        return (
            f"Crossovers in tokens: {counts[0]} and {counts[1]}; between them recompute is "
            f"cheaper, {comparison.lead_by(answer.most_ahead)} at most."
        )
    if counts:
        below, above = answer.ways
        return f"Crossover in tokens: {counts[0]}; {below} is cheaper below it, {above} above it."
    if answer.ways == (None,):
        return "No crossover in tokens: both cost the same at every count."
    return f"No crossover in tokens: {answer.ways[0]} is cheaper at every count."
