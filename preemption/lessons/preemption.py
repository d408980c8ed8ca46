"""The closing quiz of notebook 01."""

from preemption import costs, words
from preemption.lessons.eviction_costs import FLIP_GB_PER_S
from preemption.page.questions import Choice, Quiz


def quiz_on_evictions() -> Quiz:
    """Ask four questions about the whole notebook."""
    recompute = f"{words.digits(costs.recompute_ms(1_000))} ms"
    slow_swap, fast_swap = (
        f"{words.digits(costs.swap_ms(1_000, costs.PER_TOKEN_BYTES, link))} ms"
        for link in (1e9, costs.BANDWIDTH_BYTES_PER_S)
    )
    return Quiz(
        [
            Choice(
                "The victim holds twice as many cached tokens. What happens to the bandwidth at "
                "which the choice flips?",
                {
                    "It doubles": "Twice the tokens are twice the bytes, but the prefill too.",
                    "It stays": "Both costs double, so they still meet at the same bandwidth.",
                    "It halves": "Twice the prefill time does favour the swap, but the copy takes "
                    "twice as long as well.",
                },
                right="It stays",
            ),
            Choice(
                f"On a link of exactly {FLIP_GB_PER_S:g} GB/s, for which victims is swapping "
                "cheaper?",
                {
                    "For large ones": "Both costs grow with the tokens, and equally fast here.",
                    "For small ones": "Nothing in this model costs a fixed time per eviction.",
                    "For none: it is a tie": "The two lines coincide at every token count.",
                },
                right="For none: it is a tie",
            ),
            Choice(
                "The link carries 1 GB/s and the victim has 1,000 cached tokens. What does it cost "
                "to resume it the cheaper way?",
                {
                    f"{fast_swap}, by swapping": "That is the swap at 25 GB/s.",
                    f"{recompute}, by recomputing": f"Swapping takes {slow_swap} on this link.",
                    f"{slow_swap}, by swapping": f"The swap takes that, but prefill {recompute}.",
                },
                right=f"{recompute}, by recomputing",
            ),
            Choice(
                "300 tokens' worth of memory is missing. A policy evicts the largest cache, 4,000 "
                "tokens, though one of 400 would do. What does it overlook?",
                {
                    "Nothing: now there is room for long": "Only if it is used soon. If not, it "
                    "was paid for in vain when the victim comes back: ten times the price.",
                    "That it frees more than is needed": "Each token freed must be brought back: "
                    "4,000 tokens cost ten times what 400 do.",
                    "That the victim loses its answer so far": "Generated tokens are kept; only "
                    "their cache is gone.",
                },
                right="That it frees more than is needed",
            ),
        ]
    )
