"""Questions on what an eviction costs, and where the choice flips."""

from preemption import costs, words
from preemption.page.questions import Choice, NumericGuess

FLIP_GB_PER_S = costs.crossover_bandwidth(costs.PER_TOKEN_BYTES) / 1e9


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
        truth=FLIP_GB_PER_S,
        unit="GB/s",
        subject=words.count(tokens, "token"),
        because=f"At that bandwidth both ways take {words.digits(costs.recompute_ms(tokens))} ms; "
        "on a slower link recomputing is cheaper.",
    )


def what_if_prefill_is_faster() -> Choice:
    """Ask where the crossover goes when prefill gets ten times faster."""
    flip = words.digits(FLIP_GB_PER_S, 3)
    ten_times = words.digits(costs.crossover_bandwidth(costs.PER_TOKEN_BYTES, 0.01) / 1e9, 3)
    return Choice(
        "Prefill gets ten times faster. Where does the crossover go?",
        {
            "To a link ten times faster": "Recomputing got cheaper, so it wins on more links.",
            "To a link ten times slower": "That is where it goes when prefill gets slower.",
            "It stays": "The swap costs what it did, but recomputing now costs a tenth.",
        },
        right="To a link ten times faster",
        because=f"From {flip} to {ten_times} GB/s: near a real PCIe link.",
    )
