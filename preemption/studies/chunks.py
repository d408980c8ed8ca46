"""A long prompt among decodes: how long everybody waits when it is computed in chunks.

vLLM's scheduler decides. An iteration takes what was measured for its tokens, without attention.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from preemption.checks import whole
from preemption.costs import BLOCK_TOKENS
from preemption.serving import (
    DEFAULT_COST,
    Request,
    Run,
    RunSettings,
    Scheduler,
    SchedulerConfig,
    crowd,
)

DECODES = 32
BUDGETS = tuple(round(128 * 2 ** (step / 2)) for step in range(13))  # 128 to 8,192 tokens
_DECODE_PROMPT = 2  # so short that all begin to decode in the second iteration
_BEFORE = 3  # iterations with decodes alone, up to the one that the long prompt joins
CHUNK_COST = replace(DEFAULT_COST, per_resident_token_ms=0)


class ChunkIteration(NamedTuple):
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

    iterations: tuple[ChunkIteration, ...]
    """From a few decodes before the arrival on."""

    @property
    def ttft_ms(self) -> float:
        """Time to first token of the long prompt."""
        return self.iterations[-1].end_ms

    @property
    def max_itl_ms(self) -> float:
        """Longest time between two tokens of a request that decodes."""
        return max(iteration.duration_ms for iteration in self.iterations)

    @property
    def chunks(self) -> int:
        """Iterations that compute a part of the prompt."""
        return sum(iteration.prefill_tokens > 0 for iteration in self.iterations)


@lru_cache(maxsize=512)
def chunked_prefill(prompt_tokens: int, budget_tokens: int) -> ChunkedPrefill:
    """Let a prompt of `prompt_tokens` arrive while `DECODES` requests decode, and serve it.

    It arrives as an iteration begins.
    `budget_tokens` is the budget of an iteration (`max_num_batched_tokens`). Decodes take a token
    of it each and go first; the prompt gets the rest. Raises ValueError for a budget of less
    than two tokens per request or a prompt of less than 1, TypeError for no whole number.
    """
    prompt = whole("prompt_tokens", prompt_tokens, least=1)
    budget = whole("budget_tokens", budget_tokens, least=2 * DECODES)
    output = 100 + prompt // (budget - DECODES)  # enough to decode all the while
    start_ns, each_ns = map(CHUNK_COST.computing_ns, (_DECODE_PROMPT * DECODES, DECODES))
    arrival_ns = start_ns + _BEFORE * each_ns
    requests = [
        *crowd(DECODES, prompt_tokens=_DECODE_PROMPT, output_tokens=output),
        Request("long prompt", arrival_ns / 1e6, prompt, 1),
    ]
    tokens = sum(r.prompt_tokens + r.output_tokens + BLOCK_TOKENS for r in requests)
    config = SchedulerConfig(BLOCK_TOKENS, tokens // BLOCK_TOKENS + 1, budget, len(requests))
    run = Run(Scheduler(config, RunSettings(cost=CHUNK_COST)), requests)
    iterations = []
    run.step()
    while run.first_token_ns[-1] is None:
        start_ns, before = run.now, run.tally.scheduled_tokens
        run.step()
        start_ms, end_ms = ((ns - arrival_ns) / 1e6 for ns in (start_ns, run.now))
        prefill_tokens = run.tally.scheduled_tokens - before - DECODES
        iterations.append(ChunkIteration(start_ms, end_ms, prefill_tokens, DECODES))
    return ChunkedPrefill(tuple(iterations))
