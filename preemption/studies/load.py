"""Latency and throughput of a server as more requests arrive, and where preemption begins.

vLLM's scheduler decides; `serving.IterationCost` counts its iterations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from preemption.checks import scalar
from preemption.costs import BLOCK_TOKENS
from preemption.serving import Id, Request, SchedulerConfig, azure_shaped, quantiles, simulate

LOAD_REQUESTS, _LOAD_SEED = 320, 2
_MAX_NUM_SEQS, _BUDGET_TOKENS = 256, 2_048
RATES_PER_S = tuple(half / 2 for half in range(4, 19))


class LoadPoint(NamedTuple):
    """What a server does at one arrival rate. Percentiles are over all requests."""

    requests_per_s: float
    ttft_p50_ms: float
    ttft_p99_ms: float
    tpot_p50_ms: float
    tpot_p99_ms: float
    tokens_per_s: float
    """Generated tokens per second."""
    preemptions: int
    recompute_share: float
    """Share of all computed tokens that had been computed before."""


@lru_cache(maxsize=4096)
def under_load(requests_per_s: float, blocks: int) -> LoadPoint:
    """Serve 320 Azure-shaped conversation requests, arriving at this mean rate.

    The pool has `blocks` usable blocks of 16 tokens. The same requests arrive in the same order
    at every rate, only closer together. Raises ValueError for a rate that is not above 0, or a
    pool that is too small for the longest request.
    """
    config = SchedulerConfig(BLOCK_TOKENS, blocks + 1, _BUDGET_TOKENS, _MAX_NUM_SEQS)

    result = simulate(requests_at(requests_per_s), config)
    return LoadPoint(
        requests_per_s,
        *_percentiles(result.ttft_ms),
        *_percentiles(result.tpot_ms),
        result.tokens_per_s,
        result.preemptions,
        result.recompute_share,
    )


def sweep(blocks: int) -> tuple[LoadPoint, ...]:
    """Return `under_load` at each of `RATES_PER_S`."""
    return tuple(under_load(rate, blocks) for rate in RATES_PER_S)


def preempts_from(points: Sequence[LoadPoint]) -> float | None:
    """Return the lowest of these rates at which a request is preempted, if there is one."""
    return min((point.requests_per_s for point in points if point.preemptions), default=None)


def offered_tokens_per_s(requests_per_s: float) -> float:
    """Output tokens per second that these requests ask for on average, at this rate."""
    return requests_per_s * float(np.mean([request.output_tokens for request in load_requests()]))


def _percentiles(times_ms: Mapping[Id, float]) -> tuple[float, float]:
    median, high = np.percentile(list(times_ms.values()), [50, 99])
    return float(median), float(high)


@cache
def load_requests() -> tuple[Request, ...]:
    """Return the 320 requests at the rate of the trace that they are shaped like."""
    per_minute = 60 * quantiles("conversation")["requests_per_s"]
    return tuple(azure_shaped(_LOAD_SEED, LOAD_REQUESTS / per_minute))


@lru_cache(maxsize=64)
def requests_at(requests_per_s: float) -> tuple[Request, ...]:
    """Return the load with its arrivals closer together or further apart, at this mean rate.

    Raises ValueError for a rate that is not above 0, TypeError for no number.
    """
    scalar("requests_per_s", requests_per_s, positive=True)
    factor = quantiles("conversation")["requests_per_s"] / requests_per_s
    return tuple(replace(r, arrival_ms=r.arrival_ms * factor) for r in load_requests())
