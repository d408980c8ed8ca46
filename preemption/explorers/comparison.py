"""How both ways to resume compare, in words and in a table."""

import math

from preemption import words
from preemption.costs import Strategy
from preemption.page import html, theme


def winner(recompute_ms: float, swap_ms: float) -> Strategy:
    """Name the cheaper way; a tie goes to recompute, as in `costs.cheaper`."""
    return "swap" if swap_ms < recompute_ms else "recompute"


def lead(one_ms: float, other_ms: float) -> str:
    """Say by how much the cheaper of two costs is cheaper."""
    low, high = sorted((one_ms, other_ms))
    if low == high:
        return "on a tie"
    return lead_by(high / low)


def lead_by(factor: float) -> str:
    """Say by what factor something is cheaper; if it is small, what share of the other is saved."""
    if factor >= 1.1:
        return f"by a factor of {words.digits(factor, 3)}"
    percent = 100 * (1 - 1 / factor)
    return f"by {words.digits(percent, 2)}%" if percent >= 1 else "by less than 1%"


def both_costs(recompute_ms: float, swap_ms: float) -> str:
    """Say what both ways cost, and which is cheaper."""
    return (
        f"recompute {words.digits(recompute_ms)} ms, swap {words.digits(swap_ms)} ms; "
        f"cheaper here: {winner(recompute_ms, swap_ms)}, {lead(recompute_ms, swap_ms)}."
    )


def crossover(gb_per_s: float) -> str:
    """Say over which link both ways would cost the same."""
    if math.isinf(gb_per_s):
        return "No link is fast enough for swap: starting its copies alone takes longer."
    return f"The choice flips at {words.digits(gb_per_s, 3)} GB/s."


def cost_table(
    recompute_ms: float,
    swap_ms: float,
    *,
    recompute_how: str,
    swap_how: str,
    round_trip: bool = True,
) -> str:
    """Return a table of both ways, each with how it comes about; the cheaper cost stands out."""
    swap = "swap out and back" if round_trip else "load back"
    return html.table(
        ["option", "how", "cost (ms)"],
        [
            ["drop and recompute", html.formula(recompute_how), words.digits(recompute_ms)],
            [swap, html.formula(swap_how), words.digits(swap_ms)],
        ],
        numbers=[2],
        edges=[theme.RECOMPUTE, theme.SWAP],
        best=("recompute", "swap").index(winner(recompute_ms, swap_ms)),
    )
