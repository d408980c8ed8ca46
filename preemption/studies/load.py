"""Latency and throughput of a server as more requests arrive: where it preempts, and the cliff.

vLLM's scheduler decides; `serving.IterationCost` counts its iterations. One run is luck, so each
figure is a range over 20 loads that differ in their seed.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from preemption.checks import scalar
from preemption.costs import BLOCK_TOKENS, DEVICES, MODELS, PER_TOKEN_BYTES, weight_bytes
from preemption.serving import Request, SchedulerConfig, azure_shaped, quantiles, simulate
from preemption.studies.pressure import SEEDS, measures

LOAD_REQUESTS = 320
LATE_MS = 3_000.0
RATES_PER_S = tuple(half / 2 for half in range(4, 19))
MEMORY_SHARE = 0.9  # of a device that vLLM takes by default: weights, and the pool from the rest

_MAX_NUM_SEQS, _BUDGET_TOKENS = 256, 2_048
_TABLE = Path(__file__).parent / "data" / "load.csv"


def machine_blocks() -> int:
    """Return the blocks that fit beside Llama-3-8B on an A100 with 80 GB."""
    memory_bytes = MEMORY_SHARE * DEVICES["A100 80 GB SXM"].memory_gb * 1e9
    room_bytes = memory_bytes - weight_bytes(MODELS["Llama-3-8B"])
    return int(room_bytes / (PER_TOKEN_BYTES * BLOCK_TOKENS))


POOLS = (*range(1_000, 10_001, 500), 15_000, machine_blocks())


class Range(NamedTuple):
    """A figure over the 20 loads: the lowest, the median, the highest."""

    low: float
    median: float
    high: float


class LoadPoint(NamedTuple):
    """What a server does at one arrival rate. Percentiles are over all requests of a load."""

    requests_per_s: float
    preempting: int
    """Loads with at least one preemption."""
    late: int
    """Loads in which one request in a hundred waits longer than `LATE_MS` for its first token."""
    ttft_p50_ms: Range
    ttft_p99_ms: Range
    tpot_p50_ms: Range
    tpot_p99_ms: Range
    tokens_per_s: Range
    """Generated tokens per second."""
    preemptions: Range
    recompute_share: Range
    """Share of all computed tokens that had been computed before."""


def simulated(requests_per_s: float, blocks: int) -> LoadPoint:
    """Serve each of the loads, arriving at this mean rate, with `blocks` usable blocks.

    The same requests arrive in the same order at every rate, only closer together. Raises
    ValueError for a rate that is not above 0, or a pool that is too small for a request;
    TypeError for a wrong type.
    """
    config = SchedulerConfig(BLOCK_TOKENS, blocks + 1, _BUDGET_TOKENS, _MAX_NUM_SEQS)
    runs = [measures(simulate(requests_at(requests_per_s, seed), config)) for seed in SEEDS]
    figures = np.array([[getattr(run, name) for run in runs] for name in LoadPoint._fields[3:]])
    return LoadPoint(
        float(requests_per_s),
        sum(run.preemptions > 0 for run in runs),
        sum(run.ttft_p99_ms > LATE_MS for run in runs),
        *(Range(min(of), float(np.median(of)), max(of)) for of in figures.tolist()),
    )


@lru_cache(maxsize=4096)
def under_load(requests_per_s: float, blocks: int) -> LoadPoint:
    """Return what `simulated` returns, for `POOLS` at `RATES_PER_S` from a table made before."""
    stored = _table().get(blocks, ())
    found = [point for point in stored if point.requests_per_s == requests_per_s]
    return found[0] if found else simulated(requests_per_s, blocks)


@lru_cache(maxsize=64)
def sweep(blocks: int) -> tuple[LoadPoint, ...]:
    """Return `under_load` at each of `RATES_PER_S`; a pool not in `POOLS` takes a second or two."""
    return tuple(under_load(rate, blocks) for rate in RATES_PER_S)


class Onset(NamedTuple):
    """Where something begins: the lowest rate at which it does in any load, and in all of them.

    None: not in the range of the rates.
    """

    first: float | None
    all: float | None


def first_preemption(points: Sequence[LoadPoint]) -> Onset:
    """Return from which of these rates on there are preemptions."""
    return _onset(points, [point.preempting for point in points])


def cliff(points: Sequence[LoadPoint]) -> Onset:
    """Return from which of these rates on one request in a hundred waits over `LATE_MS`."""
    return _onset(points, [point.late for point in points])


def offered_tokens_per_s(requests_per_s: float) -> float:
    """Output tokens per second that these requests ask for on average, at this rate."""
    outputs = [request.output_tokens for seed in SEEDS for request in load_requests(seed)]
    return requests_per_s * float(np.mean(outputs))


@cache
def load_requests(seed: int) -> tuple[Request, ...]:
    """Return a load of 320 requests at the rate of the trace that they are shaped like."""
    per_minute = 60 * quantiles("conversation")["requests_per_s"]
    return tuple(azure_shaped(seed, LOAD_REQUESTS / per_minute))


@lru_cache(maxsize=512)
def requests_at(requests_per_s: float, seed: int) -> tuple[Request, ...]:
    """Return a load with its arrivals closer together or further apart, at this mean rate.

    Raises ValueError for a rate that is not above 0, TypeError for no number.
    """
    scalar("requests_per_s", requests_per_s, positive=True)
    factor = quantiles("conversation")["requests_per_s"] / requests_per_s
    return tuple(replace(r, arrival_ms=r.arrival_ms * factor) for r in load_requests(seed))


@cache
def _table() -> Mapping[int, Sequence[LoadPoint]]:
    """Read the table: a row for each pool and rate, a range in three columns."""
    table: dict[int, list[LoadPoint]] = {}
    with _TABLE.open(newline="") as file:
        _, *rows = csv.reader(file)
    for blocks, rate, preempting, late, *figures in rows:
        ranges = [Range(*map(float, figures[i : i + 3])) for i in range(0, len(figures), 3)]
        point = LoadPoint(float(rate), int(preempting), int(late), *ranges)
        table.setdefault(int(blocks), []).append(point)
    return table


def _onset(points: Sequence[LoadPoint], loads: Sequence[int]) -> Onset:
    def first(least: int) -> float | None:
        pairs = zip(points, loads, strict=True)
        return next((point.requests_per_s for point, count in pairs if count >= least), None)

    return Onset(first(1), first(len(SEEDS)))
