"""Questions on what an eviction costs, and where the choice flips."""

from preemption import costs, words
from preemption.page.questions import Choice, NumericGuess, together

FLIP_GB_PER_S = costs.crossover_bandwidth(costs.PER_TOKEN_BYTES) / 1e9


def is_eviction_free() -> Choice:
    """Ask whether an eviction costs anything when the request resumes later."""
    recompute = words.digits(costs.recompute_ms(1_000))
    swap = words.digits(costs.swap_ms(1_000, costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S))
    return Choice(
        "Is evicting a cache free if the request later resumes?",
        {
            "No": "To go on, the request needs its cache, and somebody pays to bring it back.",
            "Yes": "Freeing memory is quick. But to go on, the request needs its cache again.",
        },
        right="No",
        because=f"With the round numbers below, 1,000 tokens cost {recompute} ms to compute again, "
        f"or {swap} ms to copy out and back. Who waits, the next cells say.",
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


def how_slow_must_the_links_be() -> tuple[NumericGuess, NumericGuess]:
    """Ask for it for 1,000 and for 10,000 tokens; one answer would give the other away."""
    small, large = (how_slow_must_the_link_be(tokens) for tokens in (1_000, 10_000))
    return together(small, large)


def what_if_prefill_is_faster() -> Choice:
    """Ask where the crossover goes when prefill gets ten times faster."""
    flip = words.digits(FLIP_GB_PER_S, 3)
    ten_times = words.digits(costs.crossover_bandwidth(costs.PER_TOKEN_BYTES, 0.01) / 1e9, 3)
    return Choice(
        "Prefill gets ten times faster. Where does the crossover go?",
        {
            "To a link ten times as slow": "That is where it goes when prefill gets slower.",
            "It stays": "The swap costs what it did, but recomputing now costs a tenth.",
            "To a link ten times as fast": "Recomputing got cheaper, so it wins on more links.",
        },
        right="To a link ten times as fast",
        because=f"From {flip} to {ten_times} GB/s, which is about what PCIe 4.0 carries.",
    )
