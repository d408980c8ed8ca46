"""The explorer of notebook 01: cached tokens and link bandwidth against the cost of an eviction."""

from collections.abc import Sequence
from typing import Any

from preemption import costs, theme, words
from preemption.controls import Number
from preemption.figures.cost_curves import HIGH_GB_PER_S, LOW_GB_PER_S, CostCurves
from preemption.figures.timeline import OpenCosts, Timeline
from preemption.live import Explorer, Still, Words


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
        self._guesses = list(guesses)
        controls = [type(self).tokens, type(self).bandwidth_gb_per_s]
        if prefill_control:
            controls.append(type(self).ms_per_token)
        super().__init__(
            self._curves,
            controls,
            note="Either way the resumed request pays: eviction is never free, and the policy must "
            "include that cost.",
        )
        for guess in self._guesses:
            guess.observe(lambda _: self._mark_guesses(), "value")
        self._mark_guesses()

    def _fit(self) -> bool:
        return self._curves.fit(self.tokens, self.ms_per_token)

    def _show(self) -> Words:
        tokens, bandwidth, prefill = self.tokens, self.bandwidth_gb_per_s, self.ms_per_token
        self._curves.show(tokens, bandwidth, prefill)
        recompute = costs.recompute_ms(tokens, prefill)
        swap = costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, bandwidth * 1e9)
        crossover = costs.crossover_bandwidth(costs.PER_TOKEN_BYTES, prefill) / 1e9
        # What `costs.cheaper` decides, for any prefill time.
        winner = "swap" if swap < recompute else "recompute"
        below = "one on the other" if swap == recompute else f"{winner} below"
        return Words(
            verdict=f"At {words.count(tokens, 'token')} and {words.plain(bandwidth)} GB/s: "
            f"recompute {words.digits(recompute)} ms, swap {words.digits(swap)} ms; "
            f"cheaper here: {winner}, {_lead(recompute, swap)}.",
            alternative=f"Time to resume a victim of {words.count(tokens, 'token')}. Left, over "
            f"link bandwidth: recompute is flat at {words.digits(recompute)} ms, swap falls, they "
            f"cross at {words.digits(crossover, 3)} GB/s. Right, over tokens, at "
            f"{words.plain(bandwidth)} GB/s: two straight lines from 0, {below}.",
            table_html=_table(
                {
                    "recompute": f"prefill the tokens again at {words.plain(prefill)} ms each",
                    "swap": f"{words.size(tokens * costs.PER_TOKEN_BYTES)} each way at "
                    f"{words.plain(bandwidth)} GB/s",
                },
                {"recompute": recompute, "swap": swap},
                winner,
            ),
        )

    def _mark_guesses(self) -> None:
        answered = [guess for guess in self._guesses if guess.answered]
        self._curves.mark_guesses([(guess.value, guess.subject) for guess in answered])
        self._draw_still()


def eviction_timeline(tokens: int = 1_000) -> Still:
    """Show one request that is evicted with `tokens` cached tokens and resumed, both ways."""
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


def _lead(recompute_ms: float, swap_ms: float) -> str:
    """Say by what factor the cheaper way is cheaper."""
    if recompute_ms == swap_ms:
        return "on a tie"
    factor = max(recompute_ms, swap_ms) / min(recompute_ms, swap_ms)
    return f"by a factor of {words.digits(factor, 3)}" if factor >= 1.005 else "by less than 1%"


def _table(how: dict[str, str], cost_ms: dict[str, float], winner: str) -> str:
    colours = {"recompute": theme.RECOMPUTE, "swap": theme.SWAP}
    names = {"recompute": "drop and recompute", "swap": "swap out and back"}
    rows = "".join(
        f'<tr><th scope="row" style="border-left: 4px solid {theme.css(colours[option])}">'
        f"{names[option]}</th><td>{how[option]}</td>"
        f'<td class="pe-number{" pe-best" if option == winner else ""}">'
        f"{words.digits(cost_ms[option])}</td></tr>"
        for option in names
    )
    head = (
        '<tr><th scope="col">option</th><th scope="col">how</th>'
        '<th scope="col" class="pe-number">cost (ms)</th></tr>'
    )
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
