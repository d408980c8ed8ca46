"""Results that others published, each beside what the model makes of the same setting.

Nothing is fitted to a published figure. Times of a machine of which no profile is published are
derived: 2 FLOP per parameter and token at half the peak, weights and caches read at the peak.
What the model makes of a setting is a spread over 20 seeds, kept in a table.
"""

import csv
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from preemption.checks import Array, choice, scalar, whole
from preemption.costs import BLOCK_TOKENS, DEVICES, LINKS, MODELS, Copy, Device, Model, Recompute
from preemption.serving import (
    DEFAULT_COST,
    FastRun,
    IterationCost,
    Request,
    Result,
    RunSettings,
    SchedulerConfig,
    StayEnd,
    random_with_seed,
    simulate,
)
from preemption.studies.pressure import SEEDS, Spread, measures, spread

GB200 = Device(
    name="GB200 (one GPU)",
    bf16_tflop_per_s=2_500,
    memory_gb=186,
    memory_gb_per_s=8_000,
    source="NVIDIA GB200 NVL72 datasheet, half of a superchip; dense is half of what it says",
    sure="derived",
)
YI_34B = Model(
    name="Yi-34B",
    layers=60,
    heads=56,
    head_dim=128,
    kv_heads=8,
    parameters=34_388_917_248,
    source="config.json of 01-ai/Yi-34B on Hugging Face; parameters counted from the layer shapes",
    sure="derived",
)


class Published(NamedTuple):
    """Figures that somebody published: for each measure one per setting; None: not given."""

    title: str
    source: str
    over: str
    """What differs between the settings."""
    settings: tuple[str, ...]
    figures: Mapping[str, tuple[float | None, ...]]
    """By the measure, with its unit."""


class Series(NamedTuple):
    """One measure over the settings of an experiment: as published, and in the model."""

    measure: str
    settings: tuple[str, ...]
    published: tuple[float | None, ...]
    model: tuple[Spread, ...]
    """Over 20 seeds; where nothing is random, three times the same."""


_VLLM = "https://github.com/vllm-project/vllm"
_TAX = (0.0, 32.2, 57.9, 78.8)
_SAVED = (0.60, 1.0, None, None)  # of the last two only the order is given
_CLIFF_MS = (460.6, 460.6, 2_174.6, 3_048.0)

PUBLISHED: dict[str, Published] = {
    "watermark": Published(
        "Room kept free at admission",
        f"{_VLLM}/pull/44594",
        "watermark",
        ("off", "0.02", "0.05", "0.10"),
        {
            "preemptions": (1_065, 400, 187, 168),
            "output tokens/s": (11_582, 12_134, 12_167, 11_835),
            "TTFT p50 (s)": (6.56, 11.80, 11.20, 8.96),
            "time between tokens p99 (ms)": (40.62, 18.80, 17.70, 17.57),
        },
    ),
    "tax": Published(
        "Recompute tax over the pool",
        f"{_VLLM}/issues/54644",
        "blocks",
        ("2,800", "1,600", "800", "400"),
        {"tax (%), caching off": _TAX, "tax (%), caching on": _TAX},
    ),
    "victims": Published(
        "Whom to preempt",
        f"{_VLLM}/issues/54644",
        "rule",
        ("smallest cache", "last admitted", "random", "largest cache"),
        {"recomputed, caching off": _SAVED, "recomputed, caching on": _SAVED},
    ),
    "cliff": Published(
        "A cliff over the pool",
        "https://github.com/inference-sim/inference-sim/pull/298",
        "blocks",
        ("5,000", "2,200", "2,100", "2,000"),
        {
            "preemptions per request": (0.0, 0.0, 0.1117, 0.51),
            "TTFT p99 (ms)": _CLIFF_MS,
            "TTFT p99 (ms), anew after a restart": _CLIFF_MS,
        },
    ),
    "first chunk": Published(
        "Let in by the first chunk",
        f"{_VLLM}/pull/37307",
        "what must fit",
        ("whole prompt", "first chunk"),
        {"output tokens/s": (100.0, 1.5)},
    ),
    "block size": Published(
        "Blocks of another size",
        "https://arxiv.org/abs/2309.06180",
        "tokens per block",
        ("1", "2", "4", "8", "16", "32", "64", "128"),
        # In words: recompute for small blocks, swap for large ones, 16 to 64 comparable.
        {"swap / recompute": (None, None, None, None, 1.0, 1.0, 1.0, None)},
    ),
    "chunking": Published(
        "Prompts in chunks",
        "https://arxiv.org/abs/2403.02310",
        "prefill",
        ("whole prompts", "chunks of 1,024"),
        {"TTFT p50 (s)": (0.53, 0.76), "time between tokens p99 (s)": (0.68, 0.14)},
    ),
}
"""Published results by name. Those of `victims` stand beside the last admitted."""

_TABLE = Path(__file__).parent / "data" / "published.csv"
# Of each setting the runs of all seeds, each with a figure per measure.
_Runs: TypeAlias = Iterator[Sequence[tuple[float, ...]]]


def beside(name: str) -> tuple[Series, ...]:
    """Return each measure of a published result beside the model's, from a table made before.

    Raises ValueError for an unknown name.
    """
    stored = _table()[choice("name", name, PUBLISHED)]
    settings, figures = PUBLISHED[name].settings, PUBLISHED[name].figures
    return tuple(
        Series(measure, settings, given, tuple(stored[measure, each] for each in settings))
        for measure, given in figures.items()
    )


def anew(name: str, **assumed: Any) -> tuple[Series, ...]:
    """Do what `beside` does, with all runs made anew; up to some seconds.

    `assumed` changes what is assumed since it was not published: for "tax" and "victims"
    `prompt_tokens`, `output_tokens` and fields of SchedulerConfig, for "first chunk"
    `budget_tokens`, for "chunking" `requests_per_s`. Raises ValueError or TypeError for an
    unknown name or a wrong value.
    """
    runs = list(_RUNS[choice("name", name, PUBLISHED)](**assumed))
    return tuple(
        Series(
            measure,
            PUBLISHED[name].settings,
            given,
            tuple(spread([run[i] for run in of_setting]) for of_setting in runs),
        )
        for i, (measure, given) in enumerate(PUBLISHED[name].figures.items())
    )


@cache
def _table() -> Mapping[str, Mapping[tuple[str, str], Spread]]:
    """Read the table: a row for each result, measure and setting, the spread in three columns."""
    table: dict[str, dict[tuple[str, str], Spread]] = {}
    with _TABLE.open(newline="") as file:
        _, *rows = csv.reader(file)
    for name, measure, setting, *figures in rows:
        table.setdefault(name, {})[measure, setting] = Spread(*map(float, figures))
    return table


def derived_cost(model: Model, device: Device, devices: int = 1) -> IterationCost:
    """Return the time of an iteration, derived: a floor, a line, and the caches that it reads.

    The floor is the time to read all weights, the line `Recompute.of` without a measured profile;
    caches are read at the peak of the memory. `devices` (1 or more) share all of it evenly.
    Raises ValueError or TypeError for a wrong value.
    """
    whole("devices", devices, least=1)
    recompute = Recompute.of(model, device, measured=False)
    floor_ms, each_ms = recompute.floor_ms / devices, recompute.ms_per_token / devices
    bend = math.ceil(floor_ms / each_ms) + 1
    return IterationCost(
        ((1, floor_ms), (bend, bend * each_ms), (2 * bend, 2 * bend * each_ms)),
        float(model.cache_bytes(1)) / (device.memory_gb_per_s * 1e6) / devices,
    )


class WatchedRun(FastRun):
    """A run that notes every time between two tokens of a request.

    With `at_a_time` requests it is a closed loop: so many arrive at once, each other as one ends;
    their own arrivals do not count.
    """

    __slots__ = ("arriving", "began_decoding", "gaps", "last_token_ns", "started_ns")

    def __init__(
        self,
        requests: Sequence[Request],
        config: SchedulerConfig,
        settings: RunSettings,
        at_a_time: int | None = None,
    ) -> None:
        super().__init__(requests, config, settings)
        self.arriving = len(requests)
        if at_a_time is not None:
            self.arriving = min(whole("at_a_time", at_a_time, least=1), len(requests))
            never = self.arrivals[-1]
            self.arrivals = [0] * self.arriving + [never] * (len(requests) + 1 - self.arriving)
            self.now = 0
        self.gaps: list[tuple[int, float, int]] = []  # when they ended, ms each, how many
        self.last_token_ns: dict[int, int] = {}  # of who was preempted
        self.started_ns = [0] * len(requests)  # when a prefill ended last
        self.began_decoding = 0

    def close_stay(self, i: int, end: StayEnd) -> None:
        """Note when a victim got its last token; let the next request of a closed loop arrive."""
        super().close_stay(i, end)
        if end != "finished":
            self.last_token_ns.setdefault(i, self.now)
        elif self.arriving < len(self.requests):
            self.arrivals[self.arriving] = self.now
            self.arriving += 1

    def let_decode(self, i: int) -> None:
        """Note how long a victim has waited for this token."""
        if self.first_token_ns[i] is not None:
            self.gaps.append((self.now, (self.now - self.last_token_ns[i]) / 1e6, 1))
        self.last_token_ns.pop(i, None)
        self.began_decoding += 1
        self.started_ns[i] = self.now
        super().let_decode(i)

    def take_iteration(self, asked: int) -> None:
        """Note how long those waited for a token who had one in the iteration before."""
        start, self.began_decoding = self.now, 0
        super().take_iteration(asked)
        decoded = len(self.running) - self.began_decoding
        self.gaps.append((self.now, (self.now - start) / 1e6, decoded))

    def stride(self) -> None:
        """Note the mean time of its iterations: they differ by what one token adds."""
        start, iteration = self.now, self.iteration
        super().stride()
        if count := self.iteration - iteration:
            each_ms = (self.now - start) / 1e6 / count
            self.gaps.append((self.now, each_ms, count * len(self.running)))

    def result(self) -> Result:
        """Run to the end and return what happened, with the arrivals as they were."""
        found = super().result()
        arrived = zip(found.requests, self.arrivals, strict=False)
        return replace(found, requests=tuple(replace(r, arrival_ms=ns / 1e6) for r, ns in arrived))

    def itl_p99_ms(self) -> float:
        """Return the time between tokens that one gap in a hundred exceeds."""
        _, ms, counts = np.array(self.gaps).T
        order = np.argsort(ms)
        below = np.cumsum(counts[order])
        return float(ms[order][np.searchsorted(below, 0.99 * below[-1])])

    def decoded_per_s(self, start_ms: float, end_ms: float) -> float:
        """Return the tokens per second that those who decode get between two times."""
        tokens = sum(n for ended, _, n in self.gaps if start_ms < ended / 1e6 <= end_ms)
        return 1e3 * tokens / (end_ms - start_ms)


def _watermark() -> _Runs:
    """Serve the published load: 450 requests, 128 at a time, each length within 20% of its mean.

    The pool is the published one. The budget of 8,192 tokens is vLLM's default on such a device.
    """
    settings = RunSettings(cost=derived_cost(MODELS["Qwen2.5-7B"], GB200))
    loads = []
    for seed in SEEDS:
        draw = random.Random(seed).randint
        lengths = [(draw(800, 1_200), draw(4_000, 6_000)) for _ in range(450)]
        loads.append([Request(i, 0.0, *pair) for i, pair in enumerate(lengths)])
    for share in (0.0, 0.02, 0.05, 0.10):
        config = SchedulerConfig(BLOCK_TOKENS, 299_584 // BLOCK_TOKENS, 8_192, 256, watermark=share)
        runs = [WatchedRun(requests, config, settings, 128) for requests in loads]
        found = [(measures(run.result()), run.itl_p99_ms()) for run in runs]
        yield [
            (each.preemptions, each.tokens_per_s, each.ttft_p50_ms / 1e3, itl_ms)
            for each, itl_ms in found
        ]


def _tax_result(
    seed: int,
    blocks: int,
    caching: bool,
    rule: str = "last admitted",
    *,
    prompt_tokens: int = 256,
    output_tokens: int = 304,
    **changes: Any,
) -> Result:
    """Serve 300 requests that are there at once; each length is within half of its mean.

    Published is their sum: 623,948 tokens were 78.8% of all, so the rest are 560 per request.
    How that is divided is assumed, and so is the device; without arrivals times hardly matter.
    """
    rng = random.Random(seed)

    def length(mean: int) -> int:
        return rng.randint(mean // 2, mean + mean // 2)

    requests = [Request(i, 0.0, length(prompt_tokens), length(output_tokens)) for i in range(300)]
    config = SchedulerConfig(BLOCK_TOKENS, blocks + 1, 2_048, 256, enable_prefix_caching=caching)
    victim = random_with_seed(seed) if rule == "random" else rule
    cost = derived_cost(MODELS["Qwen2.5-0.5B"], DEVICES["A100 80 GB SXM"])
    return simulate(requests, replace(config, **changes), RunSettings(cost=cost, victim=victim))


def _tax(**assumed: Any) -> _Runs:
    for blocks in (2_800, 1_600, 800, 400):
        found = [
            [_tax_result(seed, blocks, caching, **assumed) for caching in (False, True)]
            for seed in SEEDS
        ]
        yield [tuple(100 * each.recompute_share for each in pair) for pair in found]


def _victims(**assumed: Any) -> _Runs:
    """Return what each rule recomputes at 800 blocks, beside the last admitted."""

    def tokens(rule: str) -> Array:
        runs = [
            [_tax_result(seed, 800, caching, rule, **assumed) for caching in (False, True)]
            for seed in SEEDS
        ]
        return np.array([[each.recomputed_tokens for each in pair] for pair in runs])

    of_last = tokens("last admitted")
    for rule in PUBLISHED["victims"].settings:
        yield list(map(tuple, (tokens(rule) / of_last).tolist()))


def _cliff() -> _Runs:
    """Serve the published load: 200 requests of Llama-3.1-8B, dealt out to four instances.

    The device is not named; here it is an H100. The time to first token is given twice: as the
    reader of an answer sees it, and counted anew where a restart computes the prompt again.
    """
    settings = RunSettings(cost=derived_cost(MODELS["Llama-3-8B"], DEVICES["H100 SXM"]))
    for blocks in (5_000, 2_200, 2_100, 2_000):
        config = SchedulerConfig(BLOCK_TOKENS, blocks + 1, 2_048, 256)
        found = []
        for seed in SEEDS:
            load = _cliff_load(seed)
            runs = [WatchedRun(load[first::4], config, settings) for first in range(4)]
            preemptions = sum(run.result().preemptions for run in runs)
            first, anew = (
                [
                    (ns - request.arrival_ns) / 1e6
                    for run in runs
                    for request, ns in zip(run.requests, getattr(run, times), strict=True)
                ]
                for times in ("first_token_ns", "started_ns")
            )
            p99_ms = (float(np.percentile(each, 99)) for each in (first, anew))
            found.append((preemptions / len(load), *p99_ms))
        yield found


def _cliff_load(seed: int) -> list[Request]:
    rng = random.Random(seed)

    def length(mean: float, least: int, most: int) -> int:
        return round(min(most, max(least, rng.gauss(mean, 50))))

    arrivals_ms = accumulate(rng.expovariate(2.0) for _ in range(200))
    return [
        Request(i, ms, length(512, 256, 768), length(256, 128, 512))
        for i, ms in enumerate(arrivals_ms)
    ]


def _first_chunk(budget_tokens: int = 8_192) -> _Runs:
    """Return the tokens per second of four requests from the arrival of a fifth to a first end.

    Their prompts of about 100,000 tokens hold nine tenths of the pool. The published model is
    another, on eight devices, so it is the fall that counts. Over the seeds lengths vary by 2%.
    """
    for reserve in (True, False):
        config = SchedulerConfig(
            *(BLOCK_TOKENS, 444_444 // BLOCK_TOKENS, budget_tokens, 256),
            scheduler_reserve_full_isl=reserve,
        )
        found = []
        for seed in SEEDS:
            draw = random.Random(seed).randint
            prompts = [draw(98_000, 102_000) for _ in range(5)]
            four = [Request(i, 0.0, prompt, 2_000) for i, prompt in enumerate(prompts[:4])]
            arrival_ms = 1.05 * DEFAULT_COST.computing_ns(sum(prompts[:4])) / 1e6
            fifth = Request("fifth", arrival_ms, prompts[4], 200)
            run = WatchedRun([*four, fifth], config, RunSettings())
            ends_ns = [end for end in run.result().finished_ns[:4] if end is not None]
            found.append((run.decoded_per_s(arrival_ms, min(ends_ns) / 1e6),))
        yield found


def _block_size() -> _Runs:
    """Compare the costs of 1,000 tokens of OPT-13B on an A100 over PCIe 4.0: nothing is random."""
    model = MODELS["OPT-13B"]
    recompute_ms = Recompute.of(model, DEVICES["A100 40 GB SXM"]).ms(1_000)
    link = LINKS["PCIe 4.0 x16"].bandwidth_bytes_per_s
    for size in PUBLISHED["block size"].settings:
        copy = Copy(model=model, bandwidth_bytes_per_s=link, block_tokens=int(size))
        yield [(copy.ms(1_000) / recompute_ms,)]


def _chunking(requests_per_s: float = 0.8) -> _Runs:
    """Serve 200 requests with the lengths of openchat_sharegpt4, by Yi-34B on two A100.

    The rate is not in the table, so it is an assumption: about half of what this server takes.
    """
    scalar("requests_per_s", requests_per_s, positive=True)
    settings = RunSettings(cost=derived_cost(YI_34B, DEVICES["A100 80 GB SXM"], devices=2))
    for budget, chunked in ((16_384, False), (1_024, True)):
        config = SchedulerConfig(BLOCK_TOKENS, 20_001, budget, 128, enable_chunked_prefill=chunked)
        found = []
        for seed in SEEDS:
            run = WatchedRun(_chat_load(seed, requests_per_s), config, settings)
            found.append((measures(run.result()).ttft_p50_ms / 1e3, run.itl_p99_ms() / 1e3))
        yield found


def _chat_load(seed: int, requests_per_s: float) -> list[Request]:
    """Return lengths that are log-normal through a median and a 90th percentile, and bounded.

    Both are Sarathi-Serve's (table 2): prompts 1,730 and 5,696 tokens, answers 415 and 834.
    """
    rng = random.Random(seed)

    def length(median: float, p90: float, most: int) -> int:
        sigma = math.log(p90 / median) / NormalDist().inv_cdf(0.9)
        return round(min(most, max(1, rng.lognormvariate(math.log(median), sigma))))

    arrivals_ms = accumulate(1e3 * rng.expovariate(requests_per_s) for _ in range(200))
    return [
        Request(i, ms, length(1_730, 5_696, 8_192), length(415, 834, 2_000))
        for i, ms in enumerate(arrivals_ms)
    ]


_RUNS: dict[str, Callable[..., _Runs]] = {
    "watermark": _watermark,
    "tax": _tax,
    "victims": _victims,
    "cliff": _cliff,
    "first chunk": _first_chunk,
    "block size": _block_size,
    "chunking": _chunking,
}
