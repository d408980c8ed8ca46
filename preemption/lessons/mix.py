"""Questions on recomputing a part while the rest is loaded."""

from dataclasses import replace

from preemption import costs, words
from preemption.lessons.machine_costs import RECOMPUTE, SWAP
from preemption.page.questions import NumericGuess


def which_share_is_best() -> NumericGuess:
    """Ask which share to recompute, in %, so that both parts end together."""
    tokens = 1_000
    load = replace(SWAP, round_trip=False)
    recompute_ms, load_ms = RECOMPUTE.ms(tokens), load.ms(tokens)
    best = costs.best_mix(tokens, RECOMPUTE, load)
    straight = 100 * load_ms / (recompute_ms + load_ms)
    return NumericGuess(
        f"A victim of 1,000 tokens: recomputing all of them takes {words.digits(recompute_ms)} ms, "
        f"loading all of them {words.digits(load_ms)} ms. Both can work at the same time, on "
        f"different tokens. {words.digits(RECOMPUTE.start_ms, 3)} ms of the recompute time are "
        "fixed, however few the tokens. Which share should be recomputed?",
        truth=100 * best.share,
        unit="%",
        because=f"Then both parts take {words.digits(best.ms)} ms. Two straight lines through 0 "
        f"would meet at {words.digits(straight, 3)}%; here the fixed part of a forward pass makes "
        "recomputing cost a little more.",
        tolerance=0.15,
        most=100,
    )
