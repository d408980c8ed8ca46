"""A load in a pool that is too small: what a rule, a way back or a setting does to everybody.

The load is 664 Azure-shaped conversation requests, two minutes at the rate of the trace. With one
seed they are the same requests at every rate, only closer together or further apart; or longer and
shorter, if other mean lengths are asked for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from preemption.checks import Array, scalar, whole
from preemption.costs import BLOCK_TOKENS, LAUNCH_US, MODELS, PER_TOKEN_BYTES, Copy, Model
from preemption.serving import (
    IterationCost,
    Request,
    Result,
    Rule,
    RunSettings,
    SchedulerConfig,
    azure_shaped,
    outputs_of,
    quantiles,
    simulate,
    simulate_plain,
    simulate_pools,
)

MINUTES = 2
STRAIGHT_LINE = IterationCost(points=((30, 9.7), (4_096, 278.5)))
"""The line 7.73 ms + 0.0661 ms per token, fitted to the measured points, above a floor of 9.7 ms:
to see what hangs on how the points lie beside it."""
SEEDS = tuple(range(20))
HOST_GB = 200
HOST_BLOCKS = HOST_GB * 10**9 // (BLOCK_TOKENS * PER_TOKEN_BYTES)
"""Blocks on a host with 200 GB for caches: all prompts of a load, twice over."""


def copy_start_us(model: Model) -> float:
    """Return what starting takes in a swap of 16 tokens of this model layer by layer, one way.

    Each layer's keys and values are copied apart, as `costs.Copy` does by default, 6 us each.
    """
    return LAUNCH_US * float(Copy(model=model, bandwidth_bytes_per_s=1.0).copies(BLOCK_TOKENS))


class Measures(NamedTuple):
    """What a run did to those it served. Percentiles are over all requests."""

    preemptions: int
    recomputed_tokens: int
    recompute_share: float
    """Share of all computed tokens that had been computed before."""
    ttft_p50_ms: float
    ttft_p99_ms: float
    tpot_p50_ms: float
    tpot_p99_ms: float
    tokens_per_s: float
    """Generated tokens per second."""
    longest_pause_ms: float
    """The longest that a preempted request waited until it ran again."""


class Means(NamedTuple):
    """Mean lengths of a load, in tokens, each 1 or more."""

    prompt_tokens: float
    output_tokens: float


class OverTime(NamedTuple):
    """A run from its first arrival on, cut into parts: the most at any moment of each part."""

    running: Array
    waiting: Array
    """Arrived, and not yet admitted for the first time."""
    evicted: Array
    """Preempted, and not yet back."""
    pool_blocks: Array
    """Blocks that requests hold."""


class Spread(NamedTuple):
    """A figure over many seeds: its 5th, 50th and 95th percentile."""

    low: float
    median: float
    high: float


class Server(NamedTuple):
    """What a load is served with."""

    config: SchedulerConfig
    settings: RunSettings = RunSettings()

    def given(self, **changes: Any) -> "Server":
        """Return this server with some fields of its two parts changed, named as they are there."""
        config, settings = (
            {name: value for name, value in changes.items() if hasattr(part, name)} for part in self
        )
        if unknown := changes.keys() - config.keys() - settings.keys():
            raise TypeError(f"neither SchedulerConfig nor RunSettings has {', '.join(unknown)}")
        return Server(replace(self.config, **config), replace(self.settings, **settings))


def server(pool_tokens: int, **changes: Any) -> Server:
    """Return vLLM's scheduler with this pool: prefix caching off, budget 2,048, 256 requests.

    `pool_tokens` is rounded down to whole blocks of 16 tokens. `changes` are fields of
    SchedulerConfig or RunSettings.
    """
    blocks = pool_tokens // BLOCK_TOKENS
    return Server(SchedulerConfig(BLOCK_TOKENS, blocks + 1, 2_048, 256)).given(**changes)


def measures(result: Result) -> Measures:
    """Return the figures of a run that finished."""
    arrivals, more_tokens = np.array(
        [(request.arrival_ns, request.output_tokens - 1) for request in result.requests]
    ).T
    first, finished = np.array(result.first_token_ns), np.array(result.finished_ns)
    ttft_ms = (first - arrivals) / 1e6
    tpot_ms = ((finished - first)[more_tokens > 0] / more_tokens[more_tokens > 0]) / 1e6
    paused_since: dict[int, int | None] = {}
    longest_ns = 0
    for request, admitted, left, _ in result.stays:
        if (since := paused_since.get(request)) is not None:
            longest_ns = max(longest_ns, admitted - since)
        paused_since[request] = left
    (ttft_p50, ttft_p99), (tpot_p50, tpot_p99) = (
        np.percentile(times_ms, (50, 99)).tolist() for times_ms in (ttft_ms, tpot_ms)
    )
    return Measures(
        preemptions=result.preemptions,
        recomputed_tokens=result.recomputed_tokens,
        recompute_share=result.recompute_share,
        ttft_p50_ms=ttft_p50,
        ttft_p99_ms=ttft_p99,
        tpot_p50_ms=tpot_p50,
        tpot_p99_ms=tpot_p99,
        tokens_per_s=result.tokens_per_s,
        longest_pause_ms=longest_ns / 1e6,
    )


def over_time(result: Result, part_ms: float, parts: int) -> OverTime:
    """Return what a run that finished was like in each of its first `parts` parts of `part_ms`.

    Raises ValueError for parts that are not above 0, TypeError for a wrong type.
    """
    scalar("part_ms", part_ms, positive=True)
    parts = whole("parts", parts, least=1)
    edges = np.linspace(0, 1e6 * part_ms * parts, parts, endpoint=False)
    arrived = np.array([request.arrival_ns for request in result.requests], dtype=float)
    request, admitted, left = np.array([stay[:3] for stay in result.stays], dtype=float).T
    first = np.zeros(len(request), dtype=bool)
    first[np.unique(request, return_index=True)[1]] = True
    preempted = np.array([end != "finished" for *_, end in result.stays])
    running, waiting, evicted = (
        _most_counted(comes - arrived[0], goes - arrived[0], edges)
        for comes, goes in (
            (admitted, left),
            (arrived, admitted[first]),
            (left[preempted], admitted[~first]),
        )
    )
    moments, blocks = np.array(result.pool_use, dtype=float).T
    moments -= arrived[0]
    at_edges = np.interp(edges, moments, blocks, right=0)
    return OverTime(running, waiting, evicted, _most(moments, blocks, edges, at_edges))


def _most_counted(comes: Array, goes: Array, edges: Array) -> Array:
    """Return the most that are there at any moment from each edge to the next."""
    moments, place = np.unique(np.concatenate([comes, goes]), return_inverse=True)
    changes = np.repeat([1, -1], [len(comes), len(goes)])
    there = np.cumsum(np.bincount(place, changes, len(moments)))
    at_edges = np.append(0, there)[np.searchsorted(moments, edges, side="right")]
    return _most(moments, there, edges, at_edges)


def _most(moments: Any, values: Any, edges: Array, at_edges: Any) -> Array:
    """Return the largest value from each edge to the next: there, and at moments between them."""
    most = np.array(at_edges, dtype=float)
    np.maximum.at(most, np.searchsorted(edges, moments, side="right") - 1, values)
    return most


class Kept(NamedTuple):
    """How many outputs of a load are those of unlimited memory."""

    preemptions: int
    requests: int
    same: int


def outputs_kept(rule: Rule | str) -> Kept:
    """Serve 120 requests with this victim rule, and with memory for all; compare what they write.

    Raises what `simulate` raises of a rule.
    """
    requests = two_minutes(0, 5.5)[:120]
    small, large = (
        simulate_plain(requests, *server(pool_tokens, victim=rule, log=True))
        for pool_tokens in (16_000, 200_000)
    )
    written, due = outputs_of(small), outputs_of(large)
    same = sum(
        written[request.id] == due[request.id] and len(due[request.id]) == request.output_tokens
        for request in requests
    )
    return Kept(small.preemptions, len(requests), same)


@lru_cache(maxsize=64)
def two_minutes(
    seed: int, requests_per_s: float, means: Means | None = None
) -> tuple[Request, ...]:
    """Return the load of this seed at this mean rate.

    With `means` the lengths are stretched until they have these means: all by the same factor,
    but for the one token that each has at least. Raises ValueError for a rate that is not above
    0 or a mean below 1, TypeError for a wrong type.
    """
    scalar("requests_per_s", requests_per_s, positive=True)
    stretch = float(quantiles("conversation")["requests_per_s"]) / requests_per_s
    requests = [replace(r, arrival_ms=r.arrival_ms * stretch) for r in azure_shaped(seed, MINUTES)]
    if means is None:
        return tuple(requests)
    lengths = [
        _stretched(np.array([getattr(request, name) for request in requests]), name, mean)
        for name, mean in means._asdict().items()
    ]
    return tuple(
        replace(request, prompt_tokens=prompt, output_tokens=output)
        for request, prompt, output in zip(requests, *lengths, strict=True)
    )


def _stretched(tokens: Array, name: str, mean: float) -> list[int]:
    """Return lengths of this mean, up to rounding."""
    more = scalar(f"the mean of {name}", mean) - 1
    if more < 0:
        raise ValueError(f"the mean of {name} must be 1 or more, not {mean}")
    return [int(each) for each in np.rint(1 + (tokens - 1) * more / (tokens.mean() - 1))]


def over_pools(
    requests: Sequence[Request], pools_tokens: Sequence[int], served_by: Server
) -> tuple[Measures, ...]:
    """Return the figures of the load in each of these pools, which increase.

    The number of preemptions does not fall steadily as the pool grows, so every pool is run, and
    nothing is interpolated. Raises what `simulate_pools` raises.
    """
    blocks = [tokens // served_by.config.block_size + 1 for tokens in pools_tokens]
    results = simulate_pools(requests, served_by.config, blocks, served_by.settings)
    seen: dict[int, Measures] = {}
    return tuple(seen.setdefault(id(result), measures(result)) for result in results)


def side_by_side(
    servers: Mapping[str, Server],
    requests_per_s: float,
    seeds: Sequence[int] = SEEDS,
    means: Means | None = None,
) -> Iterator[tuple[str, int, Measures]]:
    """Serve the load of each seed by each server; yield name, seed and figures, run by run."""
    for seed in seeds:
        for name, each in servers.items():
            yield name, seed, _served(each, seed, requests_per_s, means)


@lru_cache(maxsize=8_192)
def _served(by: Server, seed: int, requests_per_s: float, means: Means | None) -> Measures:
    return measures(simulate(two_minutes(seed, requests_per_s, means), *by))


def spread(values: Sequence[float]) -> Spread:
    """Return the 5th, 50th and 95th percentile of the figures of many seeds."""
    return Spread(*np.percentile(values, (5, 50, 95)).tolist())


Lever: TypeAlias = Callable[[Server], Server]

LEVERS: dict[str, Lever] = {
    "another rule": lambda base: base.given(victim="smallest cache"),
    "swap": lambda base: base.given(resume="swap"),
    "swap layer by layer": lambda base: base.given(
        resume="swap", copy_start_us=copy_start_us(MODELS["Llama-3-8B"])
    ),
    "offloading": lambda base: base.given(host_blocks=HOST_BLOCKS),
    "prefix caching": lambda base: base.given(enable_prefix_caching=True),
    "watermark": lambda base: base.given(watermark=0.05),
    "fewer at a time": lambda base: base.given(max_num_seqs=24),
    "smaller budget": lambda base: base.given(max_num_batched_tokens=512),
    "a tenth more memory": lambda base: base.given(
        num_gpu_blocks=base.config.usable_blocks * 11 // 10 + 1
    ),
}
"""What can be changed about a server that preempts, by name."""
