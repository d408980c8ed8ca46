"""Numbers in the texts of notebook 03."""

import math
from dataclasses import replace

import numpy as np

from preemption import costs, words
from preemption.costs import DEVICES, LINKS, MODELS, PROFILES, Copy, Recompute
from preemption.costs.measure import MEMORY_BYTES
from preemption.costs.measure import RECORDED as RECORDED_FILE
from tests.notebooks.prose import Computed, Facts, gb_per_s, ms
from tests.notebooks.prose.n01_preemption import A100 as A100_SHEET
from tests.notebooks.prose.n01_preemption import PCIE_4 as PCIE_THREAD
from tests.notebooks.prose.n01_preemption import RECORDED

LLAMA, OPT, DEEPSEEK = MODELS["Llama-3-8B"], MODELS["OPT-13B"], MODELS["DeepSeek-V3"]
GPT_OSS, GEMMA = MODELS["gpt-oss-120b"], MODELS["Gemma-3-1B"]
A100_40, A100, H100 = (DEVICES[name] for name in ("A100 40 GB SXM", "A100 80 GB SXM", "H100 SXM"))
PCIE_4, PCIE_5 = LINKS["PCIe 4.0 x16"], LINKS["PCIe 5.0 x16"]

RECOMPUTE, DERIVED = Recompute.of(LLAMA, A100), Recompute.of(LLAMA, A100, measured=False)
SWAP = Copy(model=LLAMA, bandwidth_bytes_per_s=PCIE_4.bandwidth_bytes_per_s)
OPT_RECOMPUTE = Recompute.of(OPT, A100_40)
OPT_SWAP = replace(SWAP, model=OPT)
DEEPSEEK_RECOMPUTE = Recompute.of(DEEPSEEK, H100)
DEEPSEEK_SWAP = Copy(model=DEEPSEEK, bandwidth_bytes_per_s=PCIE_5.bandwidth_bytes_per_s)
TOY_LINK = costs.BANDWIDTH_BYTES_PER_S
TOY = Recompute(
    floor_ms=0, start_ms=0, ms_per_token=costs.MS_PER_TOKEN, source="the toy", sure="derived"
)
FAST_RECOMPUTE = Recompute.of(LLAMA, H100)
FAST_SWAP = Copy(model=LLAMA, bandwidth_bytes_per_s=PCIE_5.bandwidth_bytes_per_s)
NETWORK = LINKS["400 Gb/s network"]
MEASURED_STARTS_US = (5, 6, 7)
LOAD = replace(SWAP, round_trip=False)
MIX = costs.best_mix(1_000, RECOMPUTE, LOAD)

DUALPATH = "https://arxiv.org/abs/2602.21548"
PAGED_ATTENTION = "https://arxiv.org/abs/2309.06180"

# The recorded machine: device, links and profile, none of them in the catalogues.
RECORDED_CPU, RECORDED_MEMORY, _, RECORDED_PREFILL = costs.read_own(RECORDED_FILE)
RECORDED_DERIVED = Recompute.of(LLAMA, RECORDED_CPU, measured=False)
RECORDED_FOUND = replace(
    RECORDED_DERIVED,
    floor_ms=RECORDED_PREFILL.floor_ms,
    start_ms=RECORDED_PREFILL.start_ms,
    ms_per_token=RECORDED_PREFILL.ms_per_token,
    ms_per_token2=RECORDED_PREFILL.ms_per_token2,
)
RECORDED_SWAP = Copy(
    model=LLAMA,
    bandwidth_bytes_per_s=RECORDED_MEMORY.bandwidth_bytes_per_s,
    launch_us=RECORDED_MEMORY.launch_us,
)


def flip(*args, **others):
    return gb_per_s(costs.linear_crossover_bandwidth(*args, **others))


def smaller_model():
    """Return how large a model is that stands to the left of OPT-66B."""
    small, large = MODELS["Qwen2.5-0.5B"], MODELS["OPT-66B"]
    flips = costs.linear_crossover_bandwidth
    assert flips(small, A100) < flips(large, A100)
    assert round(small.parameters / 0.5e9) == 1
    return "half a billion"


def recomputing(device, link):
    """Name the models whose flip is above the link."""
    bandwidth = link.bandwidth_bytes_per_s
    flips = costs.linear_crossover_bandwidth
    return [name for name, model in MODELS.items() if flips(model, device) >= bandwidth]


def crossovers(recompute, copy):
    first, second = costs.crossover_tokens(recompute, copy)
    return [words.plain(round(first)), words.plain(round(second))]


def up_to_the_next_token(recompute, copy):
    """Return where both ways cost the same, if the pass after a swap is counted too."""
    n = np.arange(1, 100_000)
    more_ms = recompute.ms(n + 1) - recompute.ms(1) - copy.ms(n)
    (flips,) = np.nonzero(np.diff(np.sign(more_ms)))
    assert len(flips) == 1
    assert more_ms[0] < 0
    low = flips[0]  # on a straight line between the two whole numbers
    return words.digits(n[low] + more_ms[low] / (more_ms[low] - more_ms[low + 1]), 3)


def by_points_ms(n):
    """Time to recompute by the measured points, with straight lines between them."""
    points = {}
    for tokens, each_ms in costs.profile_of(LLAMA, A100).points:
        points.setdefault(tokens, []).append(each_ms)
    layers_ms = np.interp(n, list(points), [sum(each) / len(each) for each in points.values()])
    return layers_ms + RECOMPUTE.ms_per_token2 * np.square(n)


def by_points_up_to_the_next_token():
    n = np.arange(1, 4_000)  # the points go up to 4,096
    more_ms = by_points_ms(n + 1.0) - by_points_ms(1.0) - SWAP.ms(n)
    (flips,) = np.nonzero(np.diff(np.sign(more_ms)))
    assert len(flips) == 1
    return f"{n[flips[0] + 1]}"


def mix_by_points():
    """Return the best share by the measured points, and the time."""
    shares = np.linspace(0, 1, 1_001)
    loaded_ms = replace(SWAP, round_trip=False).ms(1_000 * (1 - shares))
    both_ms = np.maximum(by_points_ms(1_000 * shares), loaded_ms)
    return shares[both_ms.argmin()], both_ms.min()


def nearly_all():
    assert 0.9 < DEEPSEEK_SWAP.overhead_ms(1) / DEEPSEEK_SWAP.ms(1) < 1
    return "nearly all"


def lead_between(recompute, copy):
    n = np.geomspace(*costs.crossover_tokens(recompute, copy), 1000)
    return float(np.max(copy.ms(n) / recompute.ms(n)))


def attention_ms(tokens):
    return RECOMPUTE.ms(tokens) - RECOMPUTE.linear_ms(tokens)


def lowest_per_token(recompute):
    n = np.geomspace(1, 1e6, 10_000)
    return float(np.min(recompute.ms(n) / n))


def worst_line():
    """Return by how much the line is too high at most, in whole %."""
    off = [
        RECOMPUTE.linear_ms(tokens) / measured_ms - 1
        for tokens, measured_ms in PROFILES["Llama-3-8B on A100"].points
    ]
    return f"{words.digits(100 * max(off), 2)}%"


def first_start():
    """Return the first place of the slider at which the H100 has a crossover."""
    for start_us in np.arange(0, 50, 0.5):
        if costs.crossover_tokens(FAST_RECOMPUTE, replace(FAST_SWAP, launch_us=start_us)):
            return f"{words.plain(start_us)} µs"
    raise AssertionError("no start makes a crossover")


def least_efficiency():
    """Return from which efficiency, in steps of 5%, the crossovers stand at all starts."""
    for percent in range(5, 101, 5):
        recompute = Recompute.of(LLAMA, H100, percent / 100)
        if all(
            costs.crossover_tokens(recompute, replace(FAST_SWAP, launch_us=start_us))
            for start_us in MEASURED_STARTS_US
        ):
            return f"{percent}%"
    raise AssertionError("no efficiency is enough")


def start_of_the_others():
    """Return the start at which both on an A100 have two crossovers; measured, they have none."""
    for pair in ((RECOMPUTE, SWAP), (OPT_RECOMPUTE, OPT_SWAP)):
        counts = [
            len(costs.crossover_tokens(pair[0], replace(pair[1], launch_us=start_us)))
            for start_us in (*MEASURED_STARTS_US, 10)
        ]
        assert counts == [0, 0, 0, 2]
    return "10 µs"


def reached(model, device, vocabulary, width):
    """Return the share of the peak that a measured prefill of the layers reaches per token.

    The profile has neither the output head nor products with the embedding, which is looked up.
    """
    layers = model.parameters - 2 * vocabulary * width
    flop_per_ms = 2 * layers / Recompute.of(model, device).ms_per_token
    return f"{words.digits(100 * flop_per_ms / (device.bf16_tflop_per_s * 1e9), 2)}%"


def not_found_ms(kept):
    attention_ms = RECOMPUTE.ms_per_token2 * (1_000**2 - kept**2)
    return RECOMPUTE.linear_ms(1_000 - kept) + attention_ms


def within_a_factor_of_2():
    for block in (16, 32):
        factor = OPT_RECOMPUTE.ms(1_000) / replace(OPT_SWAP, block_tokens=block).ms(1_000)
        assert 1 / 2 < factor < 2
    return "factor of 2"


def head_and_table(model, vocabulary, width, tables):
    """Return the share of a model's weights in its tables of tokens: one, if both share it."""
    return f"{words.digits(100 * tables * vocabulary * width / model.parameters, 2)}%"


COMPUTED: Computed = [
    ("they are 13% of the weights", lambda: head_and_table(LLAMA, 128_256, 4_096, 2)),
    (
        "26% of its weights are the table",
        lambda: head_and_table(MODELS["Qwen3-0.6B"], 151_936, 1_024, 1),
    ),
    ("0.1 ms to prefill a token", lambda: ms(costs.MS_PER_TOKEN)),
    ("131,072 bytes of cache per token", lambda: f"{words.plain(LLAMA.cache_bytes(1))} bytes"),
    ("a link of 25 GB/s", lambda: gb_per_s(costs.BANDWIDTH_BYTES_PER_S)),
    ("32 layers", lambda: f"{LLAMA.layers} layers"),
    ("8 heads", lambda: f"{LLAMA.kv_heads} heads"),
    (
        "8.03 billion parameters",
        lambda: f"{words.digits(LLAMA.parameters / 1e9, 3)} billion",
    ),
    ("at most 312 TFLOP/s", lambda: f"{words.plain(A100.bf16_tflop_per_s)} TFLOP/s"),
    ("TFLOP/s with 16-bit numbers", lambda: "16-bit"),
    ("built for 31.5 GB/s", lambda: f"{words.plain(PCIE_4.nominal_gb_per_s)} GB/s"),
    ("24.8 GB/s were", lambda: f"{words.plain(PCIE_4.achieved_gb_per_s)} GB/s"),
    ("OPT-13B has its crossover at 9.94 GB/s", lambda: flip(OPT, A100)),
    ("its crossover low, at 2.55 GB/s", lambda: flip(LLAMA, A100)),
    ("moves it up to 8.07 GB/s", lambda: flip(LLAMA, H100)),
    ("the right of a model of half a billion parameters", smaller_model),
    ("only Qwen3-0.6B recomputes", lambda: ", ".join(recomputing(A100, PCIE_4))),
    (
        "four models do",
        lambda: ["no", "one", "two", "three", "four"][len(recomputing(H100, PCIE_4))],
    ),
    ("keeps 512 + 64 numbers", lambda: words.plain(DEEPSEEK.latent_dim - 64)),
    (
        "they would take 71 times as much",
        lambda: words.digits(
            DEEPSEEK.heads
            * (DEEPSEEK.head_dim + DEEPSEEK.value_size)
            * DEEPSEEK.layers
            * 2
            / DEEPSEEK.cache_bytes(1),
            2,
        ),
    ),
    ("in 22 of 26 of Gemma-3-1B", lambda: f"{GEMMA.windowed_layers} of {GEMMA.layers}"),
    ("the last 128 or 512 tokens", lambda: f"{GPT_OSS.window} or {GEMMA.window} tokens"),
    ("blocks of, say, 16 tokens", lambda: f"{costs.BLOCK_TOKENS} tokens"),
    ("a piece of Llama-3.1-8B was 32 KB", lambda: f"{16 * 8 * 128 * 2 // 1024} KB"),
    (
        "1,000 tokens count as 62.5 blocks here, and an engine copies 63",
        lambda: words.plain(1_000 / SWAP.block_tokens),
    ),
    (
        "1,000 tokens count as 62.5 blocks here, and an engine copies 63",
        lambda: words.plain(math.ceil(1_000 / SWAP.block_tokens)),
    ),
    ("Here it is 6 µs", lambda: f"{words.plain(costs.LAUNCH_US)} µs"),
    (
        "1,000 tokens take 1,026 ms",
        lambda: ms(replace(OPT_SWAP, block_tokens=1).ms(1_000)),
    ),
    ("At 16 and 32 tokens both are within a factor of 2", within_a_factor_of_2),
    ("from 2.62 GB/s to 5.04 GB/s", lambda: gb_per_s(costs.crossover_bandwidth(131_072))),
    (
        "from 2.62 GB/s to 5.04 GB/s",
        lambda: gb_per_s(
            costs.crossover_bandwidth_at(TOY, replace(SWAP, bandwidth_bytes_per_s=25e9), 1_000)
        ),
    ),
    ("The 16.1 GB of Llama-3-8B", lambda: f"{words.digits(LLAMA.parameters * 2 / 1e9, 3)} GB"),
    ("take 7.88 ms", lambda: f"{words.digits(DERIVED.floor_ms, 3)} ms"),
    ("at the 2,039 GB/s of", lambda: f"{words.plain(A100.memory_gb_per_s)} GB/s"),
    ("profile has 9.7 ms, for", lambda: ms(RECOMPUTE.floor_ms)),
    ("1.68 ms for 1,000 tokens", lambda: f"{words.digits(attention_ms(1_000), 3)} ms"),
    ("16,804 ms for 100,000", lambda: f"{words.digits(attention_ms(1e5), 5)} ms"),
    ("it is up to 26% too high", worst_line),
    (
        "the choice would flip at 112 tokens",
        lambda: words.plain(
            round(
                costs.crossover_tokens(
                    TOY,
                    replace(SWAP, bandwidth_bytes_per_s=TOY_LINK, launch_us=0, fixed_ms=10),
                )[0]
            )
        ),
    ),
    ("From 3.5 µs per copy on", first_start),
    ("at 90 and 39,210 tokens with", lambda: crossovers(FAST_RECOMPUTE, FAST_SWAP)[0]),
    ("at 90 and 39,210 tokens with", lambda: crossovers(FAST_RECOMPUTE, FAST_SWAP)[1]),
    ("tokens with 6 µs", lambda: f"{words.plain(costs.LAUNCH_US)} µs"),
    (
        "by a factor of 1.64 at most",
        lambda: words.digits(lead_between(FAST_RECOMPUTE, FAST_SWAP), 3),
    ),
    ("as long as the GPU reaches 40% of its peak", least_efficiency),
    ("at 10 µs both have two", start_of_the_others),
    ("layers of Llama-3-8B reached 68%", lambda: reached(LLAMA, A100, 128_256, 4_096)),
    (
        "those of Llama-2-7B 65%",
        lambda: reached(MODELS["Llama-2-7B"], H100, 32_000, 4_096),
    ),
    ("one crossover, near 39,400 tokens", lambda: up_to_the_next_token(FAST_RECOMPUTE, FAST_SWAP)),
    ("has one too: near 240", lambda: up_to_the_next_token(RECOMPUTE, SWAP)),
    ("near 715 by the measured points", lambda: by_points_up_to_the_next_token()),
    ("points 28% would be best", lambda: f"{100 * mix_by_points()[0]:.0f}%"),
    ("would be best, 21.1 ms", lambda: f"{words.digits(mix_by_points()[1], 3)} ms"),
    (
        "the 37 billion parameters",
        lambda: f"{words.digits(DEEPSEEK.active_parameters / 1e9, 2)} billion",
    ),
    ("a token take 0.148 ms", lambda: f"{words.digits(DEEPSEEK_RECOMPUTE.ms_per_token, 3)} ms"),
    ("nearly all of it to start copies", nearly_all),
    ("stands at 23.8 GB/s", lambda: gb_per_s(NETWORK.bandwidth_bytes_per_s)),
    ("half of its 50 GB/s", lambda: f"{words.plain(NETWORK.nominal_gb_per_s)} GB/s"),
    (
        "takes 80 copies one way",
        lambda: f"{words.plain(replace(OPT_SWAP, block_tokens=256).copies(1))} copies",
    ),
    ("40 layers, K and V", lambda: f"{OPT.layers} layers"),
    ("takes 35.2 ms instead", lambda: f"{words.digits(not_found_ms(600), 3)} ms"),
    ("instead of 75.51 ms", lambda: ms(RECOMPUTE.ms(1_000))),
    (
        "the other 400 back, and takes 41 ms",
        lambda: f"{words.digits(LOAD.ms(1_000) + LOAD.ms(400), 3)} ms",
    ),
    (
        "The swap takes 0.0486 ms per token",
        lambda: f"{words.digits(DEEPSEEK_SWAP.ms(1), 3)} ms",
    ),
    (
        "the bottom of the tub is at 0.155 ms",
        lambda: f"{words.digits(lowest_per_token(DEEPSEEK_RECOMPUTE), 3)} ms",
    ),
    ("time to recompute is 104.6 ms", lambda: ms(DERIVED.ms(1_000))),
    ("has the layers alone, it is 75.51 ms", lambda: ms(RECOMPUTE.ms(1_000))),
    ("22.5% recomputed", lambda: f"{words.digits(100 * MIX.share, 3)}%"),
    ("22.7 ms, faster", lambda: f"{words.digits(MIX.ms, 3)} ms"),
    (
        "faster than loading all by a factor of 1.29",
        lambda: words.digits(replace(SWAP, round_trip=False).ms(1_000) / MIX.ms, 3),
    ),
    ("| 131,072 |", lambda: words.plain(LLAMA.cache_bytes(1))),
    ("| 8.03 billion |", lambda: f"{words.digits(LLAMA.parameters / 1e9, 3)} billion"),
    ("| 156 TFLOP/s |", lambda: f"{words.plain(A100.bf16_tflop_per_s / 2)} TFLOP/s"),
    ("| 2.55 GB/s |", lambda: flip(LLAMA, A100)),
    ("| 9.7 ms |", lambda: ms(RECOMPUTE.floor_ms)),
    ("| 75.51 ms at 1,000 |", lambda: ms(RECOMPUTE.ms(1_000))),
    ("| 58.57 ms at 1,000 |", lambda: ms(SWAP.ms(1_000))),
    ("with 2 GB of memory", lambda: f"{MEMORY_BYTES / 1e9:g} GB"),
    ("On that server 72.8 ms", lambda: f"{words.digits(RECORDED_FOUND.ms_per_token, 3)} ms"),
    ("and 159 ms derived", lambda: f"{words.digits(RECORDED_DERIVED.ms_per_token, 3)} ms"),
    (
        "the crossover is at 0.00287 GB/s",
        lambda: gb_per_s(costs.crossover_bandwidth_at(RECORDED_FOUND, RECORDED_SWAP, 1_000)),
    ),
]

FACTS: Facts = [
    ("machine (15 minutes)", "example: reading time"),
    ("to start (20 minutes)", "example: reading time"),
    ("at once (15 minutes)", "example: reading time"),
    ("*55 minutes, in", "example: reading time"),
    ("own machine (5 minutes)", "example: reading time"),
    ("2 vectors × 32 layers × 8 heads × 128 numbers × 2 bytes", "by definition: K and V, 16 bit"),
    ("PCIe 4.0", "by definition: a name"),
    ("Llama-3.1-8B", "by definition: a name"),
    ("Llama-3.1-405B", "by definition: a name"),
    ("PCIe 5.0", "by definition: a name"),
    ("Qwen3-0.6B", "by definition: a name"),
    ("1,000 tokens are found", "example"),
    ("fell to about 11 GB/s", PCIE_THREAD),
    ("312 TFLOP/s", A100_SHEET),
    ("in 8 bit instead of 16", "example"),
    ("took 5 to 7 µs", DUALPATH),
    ("evicts a request of 1,000 tokens", "example"),
    ("through 5, 6 and 7 µs", DUALPATH),
    ("from 0 µs", "example"),
    ("At 5 to 7 µs neither", DUALPATH),
    ("a floor of 0, a start of 3 µs, a link of 25 GB/s instead of 50", "example"),
    ("in blocks of 256", "example"),
    ("54 to 70% of the lost tokens", RECORDED),
    ("27 to 54%", RECORDED),
    ("that 600 of 1,000 tokens are found", "example: 60%, inside what was measured"),
    ("vLLM 0.33.0", "by definition: a version"),
    ("The network of 400 Gb/s", "by definition: a name"),
    ("section 7.3, figure 19", PAGED_ATTENTION),
    ("at 1,024 tokens and above", "example: a measured point of the profile"),
    ("cost 10 ms more", "example"),
    ("for 1,000 tokens", "example"),
    ("For 1,000 tokens of Llama-3-8B", "example"),
    ("In version 0.33.0", "by definition: a version"),
    ("31 times the first", "example: 31 requests of the same size"),
    ("never above 20%", PAGED_ATTENTION),
    ("$T(n)$", "by definition"),
]
