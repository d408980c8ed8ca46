"""What a run of the scheduler did: times per request, totals, and a log of iterations.

Times are kept in whole nanoseconds, so that two runs can be compared exactly; properties give
them in ms. What a picture does not ask for is not computed.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from preemption.costs import PER_TOKEN_BYTES
from preemption.serving.workload import Request

Id: TypeAlias = int | str
How: TypeAlias = Literal["recompute", "swap"]
StayEnd: TypeAlias = Literal["finished", "recompute", "swap"]
RunOutcome: TypeAlias = Literal["running", "finished", "stalled", "endless"]


class Scheduled(NamedTuple):
    """What one request computes in one iteration."""

    id: Id
    tokens: int
    computed_tokens: int
    """Its tokens whose cache exists before the iteration."""
    kind: Literal["running", "new", "resumed"]
    prefill: bool
    """Whether the tokens are prefill (also of an evicted cache), or else one decode."""


class Preempted(NamedTuple):
    """One preemption."""

    id: Id
    computed_tokens: int
    """Cached tokens lost, or moved out."""
    tokens: int
    """Prompt and generated tokens so far."""
    blocks_freed: int
    needed_by: Id
    """The request that asked for blocks; a request can be its own victim."""
    blocks_needed: int
    """How many it asked for."""
    blocks_free: int
    """How many of them were free: too few."""
    how: How
    blocks_held: int
    """More than were freed if others hold some of them too."""
    blocks_indexed: int = 0
    """Of the blocks held, those that prefix caching can find again while they last."""


class Found(NamedTuple):
    """What prefix caching found of a request when it was admitted."""

    id: Id
    tokens: int
    blocks: tuple[int, ...]
    """Their ids, in the order of the tokens."""


class Copied(NamedTuple):
    """What a request begins to load from the host, or to store there, at an iteration's end."""

    id: Id
    blocks: int
    tokens: int


class Snapshot(NamedTuple):
    """The scheduler's state at one moment."""

    free_blocks: int
    running: tuple[Id, ...]
    """In the order of admission."""
    waiting: tuple[Id, ...]
    """The queue, its head first."""
    state: dict[Id, tuple[int, int, int]]
    """Per running request: computed tokens, prompt and generated tokens, blocks held."""
    loading: tuple[Id, ...] = ()
    """Before the queue: those that hold blocks to load into, or have loaded. With offloading."""


@dataclass(frozen=True, kw_only=True)
class Iteration:
    """One iteration: what was decided, and the state after the decision and at its end."""

    number: int
    start_ns: int
    duration_ns: int
    arrived: tuple[Id, ...]
    """Requests that joined the queue just before it."""
    scheduled: tuple[Scheduled, ...]
    preempted: tuple[Preempted, ...]
    found: tuple[Found, ...]
    """For each request admitted of which something was cached."""
    overwritten: tuple[int, ...]
    """Ids of cached blocks that were handed out, in order."""
    decided: Snapshot
    sampled: tuple[Id, ...]
    """Requests that got a generated token."""
    finished: tuple[Id, ...]
    end: Snapshot
    loads: tuple[Copied, ...] = ()
    stores: tuple[Copied, ...] = ()

    @property
    def start_ms(self) -> float:
        """When it starts, in ms."""
        return self.start_ns / 1e6

    @property
    def duration_ms(self) -> float:
        """How long it takes, in ms."""
        return self.duration_ns / 1e6

    @property
    def prefill_tokens(self) -> int:
        """Tokens of prompts, and of evicted caches, that it computes."""
        return sum(row.tokens for row in self.scheduled if row.prefill)

    @property
    def decode_tokens(self) -> int:
        """Tokens that it computes one by one for requests past their prefill."""
        return sum(row.tokens for row in self.scheduled if not row.prefill)

    @property
    def blocks(self) -> dict[Id, int]:
        """Blocks that each running request holds while it runs, in the order of admission."""
        return {name: blocks for name, (_, _, blocks) in self.decided.state.items()}


class Stay(NamedTuple):
    """One stay of a request among the running ones."""

    id: Id
    admitted_ms: float
    left_ms: float | None
    end: StayEnd | None
    """How it ended; the last two are preemptions. None: the run ended first."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a run did. Times count from 0 on the clock of the arrivals."""

    requests: tuple[Request, ...]
    outcome: RunOutcome
    """"finished"; "stalled": nothing runs, the head of the queue does not fit, and nobody is to
    come; "endless": the same state came again without one generated token, and nobody is to
    come; "running": not over yet."""
    iterations: int
    """Iterations that scheduled or preempted something."""
    total_ns: int
    """From the first arrival to the end of the last iteration."""
    scheduled_tokens: int
    generated_tokens: int
    preemptions: int
    lost_tokens: int
    """Cached tokens that preemptions dropped."""
    found_tokens: int
    """Tokens that were still in the pool when a request was admitted, or those of a common
    prefix. Only with prefix caching."""
    recomputed_tokens: int
    """Tokens computed although the same request had had them computed, or found, before."""
    skipped_tokens: int
    """Tokens found that the request had never had before. In a run that finishes, scheduled
    tokens = useful ones (all but the last of each request) + recomputed - skipped."""
    moved_tokens: int
    """Cached tokens copied out, plus those copied back; with offloading, stored and loaded ones."""
    first_token_ns: tuple[int | None, ...]
    """Per request, in the order of `requests`; None: it got none."""
    finished_ns: tuple[int | None, ...]
    """Likewise; None: it did not finish."""
    stays: tuple[tuple[int, int, int | None, StayEnd | None], ...]
    """In the order of admission: index of the request, admitted and left in ns, how it ended."""
    log: tuple[Iteration, ...] = ()
    loaded_tokens: int = 0
    """Tokens that came back from the host. Only with offloading."""
    pool_use: tuple[tuple[int, int], ...] = field(default=(), compare=False, repr=False)
    """When an iteration starts, in ns, and the blocks that requests hold just before it. Of every
    iteration, or of some of them, between which nobody comes or goes: so it is not compared."""

    @property
    def total_ms(self) -> float:
        """From the first arrival to the end of the last iteration, in ms."""
        return self.total_ns / 1e6

    @property
    def recompute_share(self) -> float:
        """Share of all computed tokens that had been computed before."""
        return self.recomputed_tokens / self.scheduled_tokens if self.scheduled_tokens else 0.0

    @property
    def moved_bytes(self) -> int:
        """Bytes copied over the link, out and back, at 131,072 B per token."""
        return self.moved_tokens * PER_TOKEN_BYTES

    @property
    def tokens_per_s(self) -> float:
        """Generated tokens per second of `total_ms`."""
        return self.generated_tokens / self.total_ns * 1e9 if self.total_ns else 0.0

    @cached_property
    def ttft_ms(self) -> dict[Id, float]:
        """Time to first token: from arrival, in ms, for each request that got one."""
        return {
            request.id: (first - request.arrival_ns) / 1e6
            for request, first in zip(self.requests, self.first_token_ns, strict=True)
            if first is not None
        }

    @cached_property
    def tpot_ms(self) -> dict[Id, float]:
        """Time per output token after the first, in ms, for each request that finished.

        A request with one output token has none.
        """
        times = zip(self.requests, self.first_token_ns, self.finished_ns, strict=True)
        return {
            request.id: (end - first) / (request.output_tokens - 1) / 1e6
            for request, first, end in times
            if first is not None and end is not None and request.output_tokens > 1
        }

    @cached_property
    def time_line(self) -> tuple[Stay, ...]:
        """Every stay of a request among the running ones, in the order of admission."""
        return tuple(
            Stay(self.requests[index].id, admitted / 1e6, None if left is None else left / 1e6, end)
            for index, admitted, left, end in self.stays
        )

    @property
    def unfinished(self) -> tuple[Id, ...]:
        """Requests that did not finish."""
        ends = zip(self.requests, self.finished_ns, strict=True)
        return tuple(request.id for request, end in ends if end is None)
