"""The questions of notebook 01."""

from preemption import costs, words
from preemption.page.questions import Choice, NumericGuess, Quiz

_FLIP_GB_PER_S = costs.crossover_bandwidth(costs.PER_TOKEN_BYTES) / 1e9
_FLIP = f"{words.digits(_FLIP_GB_PER_S, 3)} GB/s"


def is_eviction_free() -> Choice:
    """Ask whether an eviction costs anything when the request resumes later."""
    recompute = words.digits(costs.recompute_ms(1_000))
    swap = words.digits(costs.swap_ms(1_000, costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S))
    return Choice(
        "Is evicting a cache free if the request later resumes?",
        {
            "No": "The cache is needed again, and somebody has to bring it back.",
            "Yes": "Freeing memory is quick, but the request needs its cache again to go on.",
        },
        right="No",
        because="Either way the resumed request pays: for 1,000 tokens it waits "
        f"{recompute} ms to prefill them again, or {swap} ms for two copies over a 25 GB/s link.",
    )


def how_slow_must_the_link_be(tokens: int) -> NumericGuess:
    """Ask for the bandwidth in GB/s below which recomputing `tokens` cached tokens wins."""
    return NumericGuess(
        f"The victim has {words.count(tokens, 'cached token')}. "
        "How slow must the link be before recomputing wins?",
        truth=_FLIP_GB_PER_S,
        unit="GB/s",
        subject=words.count(tokens, "token"),
        because=f"At that bandwidth both ways take {words.digits(costs.recompute_ms(tokens))} ms; "
        "on a slower link recomputing is cheaper.",
    )


def what_if_prefill_is_faster() -> Choice:
    """Ask where the crossover goes when prefill gets ten times faster."""
    ten_times = words.digits(costs.crossover_bandwidth(costs.PER_TOKEN_BYTES, 0.01) / 1e9, 3)
    return Choice(
        "Prefill gets ten times faster. Where does the crossover go?",
        {
            "To a link ten times faster": "Recomputing got cheaper, so it wins on more links.",
            "To a link ten times slower": "That is where it goes when prefill gets slower.",
            "It stays": "The swap costs what it did, but recomputing now costs a tenth.",
        },
        right="To a link ten times faster",
        because=f"From {_FLIP} to {ten_times} GB/s: near a real PCIe link.",
    )


def check_your_understanding() -> Quiz:
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
                f"On a link of exactly {_FLIP_GB_PER_S:g} GB/s, for which victims is swapping "
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
                "A policy evicts whoever frees the most memory. What does it overlook?",
                {
                    "Nothing: memory was short": "It will be paid for when the victim resumes.",
                    "What it costs to bring the victim back": "The largest cache takes the longest "
                    "to bring back, whichever way.",
                    "That the victim loses its output": "Generated tokens are kept; only their "
                    "cache is gone.",
                },
                right="What it costs to bring the victim back",
            ),
        ]
    )
