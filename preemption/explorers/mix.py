"""Both ways at once: a part of the tokens is recomputed while the rest is loaded."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from preemption import costs, words
from preemption.explorers import comparison
from preemption.explorers.on_machine import OnMachine
from preemption.figures.mix import SHARES, MixCurves, Mixes
from preemption.page.controls import Number
from preemption.page.explorer import Words
from preemption.page.questions import NumericGuess


class MixExplorer(OnMachine[Mixes]):
    """Recompute the first part of the tokens while the rest is loaded; find the best share.

    The copy out has been made in the background, so that only the way back counts. `guesses` are
    numeric questions about the best share in %.
    """

    share_percent = Number("recomputed (%)", default=50, low=0, high=100, places=range(101))

    def __init__(self, guesses: Sequence[NumericGuess] = (), **start: Any) -> None:
        curves, kind = MixCurves(), type(self)
        super().__init__(
            curves,
            [kind.model, kind.device, kind.link, kind.cache_layout],
            beside=[kind.share_percent, kind.tokens, kind.block_tokens, kind.launch_us],
            start={"round_trip": False} | start,
        )
        self._draw_guesses(guesses, curves.guesses.show)

    def _ask(self) -> Mixes:
        here = self._resumed()
        recompute, copy, tokens = here.recompute, here.copy, here.tokens
        recomputed, loaded = costs.mix_parts_ms(tokens, SHARES, recompute, copy)
        return Mixes(
            here=here,
            share_percent=self.share_percent,
            ms=costs.mix_ms(tokens, self.share_percent / 100, recompute, copy),
            best=costs.best_mix(tokens, recompute, copy),
            recomputed_ms=recomputed,
            loaded_ms=loaded,
            both_ms=np.asarray(costs.mix_ms(tokens, SHARES, recompute, copy)),
        )

    def _say(self, answer: Mixes) -> Words:
        best, here = answer.best, answer.here
        single_ms = min(here.recompute_ms, here.swap_ms)
        alone = (
            f"Recomputing all takes {words.digits(here.recompute_ms)} ms, loading all "
            f"{words.digits(here.swap_ms)} ms."
        )
        found = f"No mix is faster than the better of the two, {words.digits(best.ms)} ms."
        if best.ms < single_ms * 0.995:
            gain = comparison.lead(single_ms, best.ms)
            found = (
                f"Best: recompute {words.digits(100 * best.share, 3)}% while the rest is loaded, "
                f"{words.digits(best.ms)} ms; faster than the better of the two {gain}."
            )
        return Words(
            verdict=f"{words.digits(answer.share_percent, 3)}% recomputed: "
            f"{words.digits(answer.ms)} ms. {alone} {found}",
            alternative=f"Time to resume {self._here()} over the share that is recomputed: that "
            f"part rises from 0, the part that is loaded over {self.link} falls to 0. {alone} "
            f"{found}",
            table=self._table(here),
            sources=self._list_sources(here),
        )
