"""Numbers in the texts of notebook 01."""

from preemption import costs, studies, words
from preemption.serving import Preempted, RunSettings, frames_of
from tests.notebooks.prose import Computed, Facts, gb_per_s, ms

BYTES, LINK = costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S

A100 = (
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/"
    "nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf"
)
RECORDED = "measured: vLLM 0.33.0's own scheduler on steady and burst loads, prefix caching on"
LLAMA_3_8B = "https://huggingface.co/meta-llama/Meta-Llama-3-8B"
PCIE_4 = (
    "https://forums.developer.nvidia.com/t/asymmetric-pcie-bandwidth-in-bidirectional-transfers-"
    "h2d-drops-56-while-d2h-maintains-performance/352186"
)

CACHES = {"A": 1_200, "B": 300, "C": 4_000, "D": 800}  # as in the cell `pick`
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


def fewest_first(need: int) -> list[str]:
    """Return whom `pick_victim` evicts, one after another, to free `need` tokens' worth."""
    evicted: list[str] = []
    while sum(CACHES[name] for name in evicted) < need:
        evicted.append(costs.pick_victim({n: c for n, c in CACHES.items() if n not in evicted}))
    return evicted


def overflow(victim: str) -> Preempted:
    """Return the first preemption in the small pool if `victim` is the one to go."""
    scene = studies.OVERFLOW
    settings = RunSettings(
        log=True, victim=lambda running: next(c for c in running if c.request.id == victim)
    )
    frames = frames_of(scene.requests, scene.config(), settings)
    return next(f.iteration.preempted[0] for f in frames if f.iteration.preempted)


COMPUTED: Computed = [
    ("here 12, each with room", lambda: f"{studies.OVERFLOW.blocks}"),
    ("each with room for 4 tokens", lambda: f"{studies.OVERFLOW.block_tokens} tokens"),
    ("A gives 4 blocks", lambda: f"{overflow('A').blocks_freed} blocks"),
    ("loses 14 cached tokens", lambda: f"{overflow('A').computed_tokens} cached tokens"),
    ("B 5 and 16", lambda: f"{overflow('B').blocks_freed} and {overflow('B').computed_tokens}"),
    (
        "C only 3 and 12",
        lambda: f"{overflow('C').blocks_freed} and {overflow('C').computed_tokens}",
    ),
    ("**0.1 ms per token**", lambda: ms(costs.MS_PER_TOKEN)),
    ("**131,072 bytes per token**", lambda: f"{words.plain(BYTES)} bytes"),
    ("**25 GB/s** each way", lambda: gb_per_s(LINK)),
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
        "the cheaper way, by a factor of 2.62",
        lambda: words.digits(costs.swap_ms(1_000, BYTES, 1e9) / costs.recompute_ms(1_000), 3),
    ),
    (
        "evicts three requests here, 230 ms",
        lambda: ms(costs.recompute_ms(sum(CACHES[name] for name in fewest_first(1_150)))),
    ),
    ("evicts three requests", lambda: NUMBERS[len(fewest_first(1_150))]),
    ("A alone would do for 120 ms", lambda: ms(costs.recompute_ms(CACHES["A"]))),
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
        "operations of a token take 0.103 ms",
        lambda: f"{words.digits(2 * 8.03e9 / (312e12 / 2) * 1e3, 3)} ms",
    ),
]

FACTS: Facts = [
    ("*30 minutes, in two parts.*", "example: reading time"),
    ("(10 minutes)", "example: reading time"),
    ("(20 minutes)", "example: reading time"),
    ("(1 GB is a billion bytes)", "by definition"),
    ("Give the link 5 GB/s", "example"),
    ("a link of 0 GB/s", "example"),
    ("one request of 1,000 cached tokens", "example"),
    ("1,000 tokens cost", "example"),
    ("For 1,000 tokens and for 10,000", "example"),
    ("At 1 GB/s", "example"),
    ("In version 0.33.0", "by definition: a version"),
    ("54 to 70% of the lost tokens", RECORDED),
    ("27 to 54%", RECORDED),
    ("section 7.3", "https://arxiv.org/abs/2309.06180"),
    ("at most 312 TFLOP/s with 16-bit numbers, which is 312 trillion operations", A100),
    ("8.03 billion operations", LLAMA_3_8B),
    ("at 24.8 GB/s", PCIE_4),
    ("PCIe 4.0", "by definition: a name"),
]
