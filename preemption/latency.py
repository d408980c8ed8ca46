"""How long requests wait: while a long prompt is prefilled, and as more of them arrive.

Both let `scheduler.simulate`'s scheduler decide and count its iterations by `IterationCost`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from preemption import workload
from preemption.checks import scalar, whole
from preemption.results import Id
from preemption.settings import SchedulerConfig
from preemption.workload import Request, crowd

BLOCK_TOKENS = 16
DECODES = 32
_DECODE_PROMPT = 2  # so short that all begin to decode in the second iteration
_ARRIVAL_MS, _BEFORE_MS = 100.0, 30.0
LOAD_REQUESTS, _LOAD_SEED = 320, 2
_MAX_NUM_SEQS, _BUDGET_TOKENS = 256, 2_048
RATES_PER_S = tuple(half / 2 for half in range(4, 19))


class Pass(NamedTuple):
    """One iteration, on a clock that starts when the long prompt arrives."""

    start_ms: float
    end_ms: float
    prefill_tokens: int
    decode_tokens: int

    @property
    def duration_ms(self) -> float:
        """How long it takes: also the gap between two tokens of a request that decodes."""
        return self.end_ms - self.start_ms


@dataclass(frozen=True)
class ChunkedPrefill:
    """The iterations around the arrival of a long prompt, up to its first token."""

    passes: tuple[Pass, ...]
    """From a few decodes before the arrival on."""

    @property
    def ttft_ms(self) -> float:
        """Time to first token of the long prompt."""
        return self.passes[-1].end_ms

    @property
    def worst_gap_ms(self) -> float:
        """Longest time between two tokens of a request that decodes."""
        return max(iteration.duration_ms for iteration in self.passes)

    @property
    def chunks(self) -> int:
        """Iterations that compute a part of the prompt."""
        return sum(iteration.prefill_tokens > 0 for iteration in self.passes)


@lru_cache(maxsize=512)
def chunked_prefill(prompt: int, budget: int) -> ChunkedPrefill:
    """Let a prompt of `prompt` tokens arrive while `DECODES` requests decode, and serve it.

    `budget` is the token budget of an iteration (`max_num_batched_tokens`). Decodes take a token
    of it each and go first; the prompt gets the rest. Raises ValueError for a budget of less
    than two tokens per request or a prompt of less than 1, TypeError for no whole number.
    """
    prompt, budget = whole("prompt", prompt, least=1), whole("budget", budget, least=2 * DECODES)
    output = 100 + prompt // (budget - DECODES)  # enough to decode all the while
    requests = [
        *crowd(DECODES, prompt=_DECODE_PROMPT, output=output),
        Request("long prompt", _ARRIVAL_MS, prompt, 1),
    ]
    tokens = sum(request.prompt + request.output + BLOCK_TOKENS for request in requests)
    config = SchedulerConfig(BLOCK_TOKENS, tokens // BLOCK_TOKENS + 1, budget, len(requests))
    # Not above: `python -m preemption.scheduler` warns if the package has it imported before.
    from preemption.scheduler import Run, Scheduler

    run = Run(Scheduler(config), requests)
    passes = []
    while run.first_token_ns[-1] is None:
        start_ns, before = run.now, run.scheduled_tokens
        run.step()
        if run.now > (_ARRIVAL_MS - _BEFORE_MS) * 1e6:
            start, end = (ns / 1e6 - _ARRIVAL_MS for ns in (start_ns, run.now))
            prefill_tokens = run.scheduled_tokens - before - DECODES
            passes.append(Pass(start, end, prefill_tokens, DECODES))
    return ChunkedPrefill(tuple(passes))


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
    from preemption import fast  # not above, as in `chunked_prefill`

    result = fast.simulate(_arriving(requests_per_s), config)
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


def asked_tokens_per_s(requests_per_s: float) -> float:
    """Output tokens per second that these requests ask for on average, at this rate."""
    return requests_per_s * float(np.mean([request.output for request in _load()]))


def _percentiles(times_ms: Mapping[Id, float]) -> tuple[float, float]:
    median, high = np.percentile(list(times_ms.values()), [50, 99])
    return float(median), float(high)


@cache
def _load() -> tuple[Request, ...]:
    per_minute = 60 * workload.quantiles("conversation")["requests_per_s"]
    return tuple(workload.azure_shaped(_LOAD_SEED, LOAD_REQUESTS / per_minute))


@lru_cache(maxsize=64)
def _arriving(requests_per_s: float) -> tuple[Request, ...]:
    """Return the load with its arrivals closer together or further apart."""
    scalar("requests_per_s", requests_per_s, positive=True)
    factor = workload.quantiles("conversation")["requests_per_s"] / requests_per_s
    return tuple(Request(r.id, r.arrival * factor, r.prompt, r.output) for r in _load())
