"""Numbers in the texts of notebook 01."""

from preemption import costs, words
from tests.notebooks.prose import Computed, Facts, gb_per_s, ms

BYTES, LINK = costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S

A100 = (
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/"
    "nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf"
)
LLAMA_3_8B = "https://huggingface.co/meta-llama/Meta-Llama-3-8B"
PCIE_4 = (
    "https://forums.developer.nvidia.com/t/asymmetric-pcie-bandwidth-in-bidirectional-transfers-"
    "h2d-drops-56-while-d2h-maintains-performance/352186"
)

COMPUTED: Computed = [
    ("**0.1 ms per token**", lambda: ms(costs.MS_PER_TOKEN)),
    ("**131,072 bytes per token**", lambda: f"{words.plain(BYTES)} bytes"),
    ("**25 GB/s** each way", lambda: gb_per_s(LINK)),
    (
        "type 2.62144 into its box",
        lambda: words.plain(costs.crossover_bandwidth(BYTES) / 1e9),
    ),
    (
        "1,000 tokens cost 100 ms to recompute",
        lambda: ms(costs.recompute_ms(1_000)),
    ),
    ("One copy of their 131.1 MB", lambda: words.size(1_000 * BYTES)),
    (
        "takes 5.243 ms",
        lambda: ms(costs.swap_ms(1_000, BYTES, LINK, round_trip=False)),
    ),
    ("out and back 10.49 ms", lambda: ms(costs.swap_ms(1_000, BYTES, LINK))),
    (
        "cheaper by a factor of 9.54",
        lambda: words.digits(costs.recompute_ms(1_000) / costs.swap_ms(1_000, BYTES, LINK), 3),
    ),
    (
        "the same bandwidth, 2.62 GB/s",
        lambda: gb_per_s(costs.crossover_bandwidth(BYTES)),
    ),
    (
        "At exactly 2.62144 GB/s",
        lambda: f"{words.plain(costs.crossover_bandwidth(BYTES) / 1e9)} GB/s",
    ),
    (
        "takes 262.1 ms to swap",
        lambda: ms(costs.swap_ms(1_000, BYTES, 1e9)),
    ),
    (
        "Recomputing still takes 100 ms",
        lambda: ms(costs.recompute_ms(1_000)),
    ),
    (
        "the cheaper way by a factor of 2.62",
        lambda: words.digits(costs.swap_ms(1_000, BYTES, 1e9) / costs.recompute_ms(1_000), 3),
    ),
    ("prefill time per token | 0.1 ms |", lambda: ms(costs.MS_PER_TOKEN)),
    ("bytes of cache per token | 131,072 |", lambda: words.plain(BYTES)),
    ("bandwidth of the link, one way | 25 GB/s |", lambda: gb_per_s(LINK)),
    ("time to recompute | 100 ms |", lambda: ms(costs.recompute_ms(1_000))),
    (
        "time to swap out and back | 10.49 ms |",
        lambda: ms(costs.swap_ms(1_000, BYTES, LINK)),
    ),
    (
        "crossover | 2.62 GB/s |",
        lambda: gb_per_s(costs.crossover_bandwidth(BYTES)),
    ),
    (
        "2 vectors × 32 layers × 8 heads × 128 numbers × 2 bytes = 131,072 bytes per token",
        lambda: words.plain(2 * 32 * 8 * 128 * 2),
    ),
    (
        "or 0.103 ms, per token",
        lambda: f"{words.digits(2 * 8.03e9 / (312e12 / 2) * 1e3, 3)} ms",
    ),
]

FACTS: Facts = [
    ("*15 minutes.*", "example: reading time"),
    ("one request of 1,000 cached tokens", "example"),
    ("1,000 tokens cost", "example"),
    ("For 1,000 tokens and for 10,000", "example"),
    ("At 1 GB/s", "example"),
    ("section 7.3", "https://arxiv.org/abs/2309.06180"),
    ("peak of 312 TFLOP/s", A100),
    ("8.03 billion operations", LLAMA_3_8B),
    ("24.8 GB/s were [measured]", PCIE_4),
    ("PCIe 4.0", "by definition: a name"),
]
