"""Numbers that the notebooks' texts state, each with the expression that computes it.

A row: the notebook, the phrase as it stands in a text cell, and a function that returns the
number as the phrase must hold it.
"""

from collections.abc import Callable

from preemption import costs, words

BYTES, LINK = costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S


def ms(cost_ms: float) -> str:
    """Write a time with four digits and its unit."""
    return f"{words.digits(cost_ms)} ms"


def gb_per_s(bytes_per_s: float) -> str:
    """Write a bandwidth with three digits and its unit."""
    return f"{words.digits(bytes_per_s / 1e9, 3)} GB/s"


COMPUTED: list[tuple[str, str, Callable[[], str]]] = [
    ("01_preemption", "**0.1 ms per token**", lambda: ms(costs.MS_PER_TOKEN)),
    ("01_preemption", "**131,072 bytes per token**", lambda: f"{words.plain(BYTES)} bytes"),
    ("01_preemption", "**25 GB/s** each way", lambda: gb_per_s(LINK)),
    (
        "01_preemption",
        "type 2.62144 into its box",
        lambda: words.plain(costs.crossover_bandwidth(BYTES) / 1e9),
    ),
    (
        "01_preemption",
        "1,000 tokens cost 100 ms to recompute",
        lambda: ms(costs.recompute_ms(1_000)),
    ),
    ("01_preemption", "One copy of their 131.1 MB", lambda: words.size(1_000 * BYTES)),
    (
        "01_preemption",
        "takes 5.243 ms",
        lambda: ms(costs.swap_ms(1_000, BYTES, LINK, round_trip=False)),
    ),
    ("01_preemption", "out and back 10.49 ms", lambda: ms(costs.swap_ms(1_000, BYTES, LINK))),
    (
        "01_preemption",
        "cheaper by a factor of 9.54",
        lambda: words.digits(costs.recompute_ms(1_000) / costs.swap_ms(1_000, BYTES, LINK), 3),
    ),
    (
        "01_preemption",
        "the same bandwidth, 2.62 GB/s",
        lambda: gb_per_s(costs.crossover_bandwidth(BYTES)),
    ),
    (
        "01_preemption",
        "At exactly 2.62144 GB/s",
        lambda: f"{words.plain(costs.crossover_bandwidth(BYTES) / 1e9)} GB/s",
    ),
    (
        "01_preemption",
        "takes 262.1 ms to swap",
        lambda: ms(costs.swap_ms(1_000, BYTES, 1e9)),
    ),
    (
        "01_preemption",
        "Recomputing still takes 100 ms",
        lambda: ms(costs.recompute_ms(1_000)),
    ),
    (
        "01_preemption",
        "the cheaper way by a factor of 2.62",
        lambda: words.digits(costs.swap_ms(1_000, BYTES, 1e9) / costs.recompute_ms(1_000), 3),
    ),
    ("01_preemption", "prefill time per token | 0.1 ms |", lambda: ms(costs.MS_PER_TOKEN)),
    ("01_preemption", "bytes of cache per token | 131,072 |", lambda: words.plain(BYTES)),
    ("01_preemption", "bandwidth of the link, one way | 25 GB/s |", lambda: gb_per_s(LINK)),
    ("01_preemption", "time to recompute | 100 ms |", lambda: ms(costs.recompute_ms(1_000))),
    (
        "01_preemption",
        "time to swap out and back | 10.49 ms |",
        lambda: ms(costs.swap_ms(1_000, BYTES, LINK)),
    ),
    (
        "01_preemption",
        "crossover | 2.62 GB/s |",
        lambda: gb_per_s(costs.crossover_bandwidth(BYTES)),
    ),
    (
        "01_preemption",
        "2 vectors × 32 layers × 8 heads × 128 numbers × 2 bytes = 131,072 bytes per token",
        lambda: words.plain(2 * 32 * 8 * 128 * 2),
    ),
    (
        "01_preemption",
        "or 0.103 ms, per token",
        lambda: f"{words.digits(2 * 8.03e9 / (312e12 / 2) * 1e3, 3)} ms",
    ),
]
