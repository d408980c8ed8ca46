"""What a run is set up with: the scheduler's settings, time, victims, resuming, the log.

The clock counts whole nanoseconds, so that times are exact however they are added up.
"""

import math
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from typing import Literal

import numpy as np

from preemption.checks import MOST, choice, flag, instance, scalar, shown, whole
from preemption.costs import BLOCK_TOKENS, PER_TOKEN_BYTES, PROFILES
from preemption.serving.victims import POLICIES, Rule, rule_for


@dataclass(frozen=True)
class SchedulerConfig:
    """The scheduler's settings, under vLLM's names.

    - `block_size`: tokens per block of KV cache.
    - `num_gpu_blocks`: blocks in the pool; one of them, the null block, is never handed out.
    - `max_num_batched_tokens`: the token budget of an iteration.
    - `max_num_seqs`: requests that may run at a time; not more than the budget.
    - `max_model_len`: longest prompt + output in tokens; None: no limit but the pool.
    - `policy`: "fcfs" or "priority": the order of the queue, and who is preempted.
    - `enable_chunked_prefill`: whether a prompt may be computed in several iterations. Without
      it the budget must hold the longest request.
    - `long_prefill_token_threshold`: most tokens of one request per iteration while there are
      others; 0: no limit.
    - `scheduler_reserve_full_isl`: admit a request only if all its tokens fit, not just its
      first chunk.
    - `watermark`: share of the pool that an admission must leave free while others run.
    - `enable_prefix_caching`: whether a request finds the cache of tokens that are still in the
      pool, its own from before a preemption or those of a common prefix. vLLM's default is True.
    - `async_scheduling`: whether an iteration is decided before the tokens of the one before are
      known. vLLM's default is True.
    - `host_blocks`: offloading: blocks on the host, to which full blocks are copied as they fill,
      and from which a request gets back what is there. vLLM's default is 0, none. Not with
      asynchronous scheduling.
    - `offload_prompt_only`: copy blocks that lie in the prompt only, not generated ones.

    Raises ValueError for a value out of range, TypeError for a wrong type.
    """

    block_size: int
    num_gpu_blocks: int
    max_num_batched_tokens: int
    max_num_seqs: int
    _: KW_ONLY
    max_model_len: int | None = None
    policy: Literal["fcfs", "priority"] = "fcfs"
    enable_chunked_prefill: bool = True
    long_prefill_token_threshold: int = 0
    scheduler_reserve_full_isl: bool = True
    watermark: float = 0.0
    enable_prefix_caching: bool = False
    async_scheduling: bool = False
    host_blocks: int = 0
    offload_prompt_only: bool = True

    def __post_init__(self) -> None:
        least = {
            "block_size": 1,
            "num_gpu_blocks": 2,
            "max_num_batched_tokens": 1,
            "max_num_seqs": 1,
            "long_prefill_token_threshold": 0,
            "host_blocks": 0,
        }
        if self.max_model_len is not None:
            least["max_model_len"] = 2
        most = {
            "block_size": 10**6,
            "num_gpu_blocks": 10**7,
            "host_blocks": 10**8,
        }  # what memory is taken for
        for name, smallest in least.items():
            value = whole(name, getattr(self, name), least=smallest, most=most.get(name, MOST))
            object.__setattr__(self, name, value)
        for name in (
            "enable_chunked_prefill",
            "scheduler_reserve_full_isl",
            "enable_prefix_caching",
            "async_scheduling",
            "offload_prompt_only",
        ):
            object.__setattr__(self, name, flag(name, getattr(self, name)))
        choice("policy", self.policy, POLICIES)
        if scalar("watermark", self.watermark) >= 1:
            raise ValueError(f"watermark must be below 1, not {self.watermark!r}")
        if not self.offload_prompt_only and not self.host_blocks:
            raise ValueError("offload_prompt_only=False needs host_blocks, and there are none")
        if self.async_scheduling and self.host_blocks:
            raise ValueError(
                f"async_scheduling with host_blocks ({self.host_blocks}) is not modelled: "
                "take one of them"
            )
        budget, longest = self.max_num_batched_tokens, self.max_model_len
        if budget < self.max_num_seqs:
            raise ValueError(
                f"max_num_batched_tokens ({budget}) must not be less than "
                f"max_num_seqs ({self.max_num_seqs}): each running request needs a token"
            )
        if longest is not None and budget < longest and not self.enable_chunked_prefill:
            raise ValueError(
                f"without chunked prefill max_num_batched_tokens ({budget}) must not be less "
                f"than max_model_len ({longest})"
            )
        if longest is not None and self.long_prefill_token_threshold > longest:
            raise ValueError(
                f"long_prefill_token_threshold ({self.long_prefill_token_threshold}) must not be "
                f"more than max_model_len ({longest})"
            )

    @property
    def usable_blocks(self) -> int:
        """Blocks that requests can have: all but the null block."""
        return self.num_gpu_blocks - 1


# Measured: the mean where a number of tokens was measured twice.
_PROFILE = PROFILES["Llama-3-8B on A100"].points
_POINTS = tuple(
    (tokens, fmean(ms for each, ms in _PROFILE if each == tokens))
    for tokens in sorted({tokens for tokens, _ in _PROFILE})
)
_MOST_TOKENS = 1_000_000


@dataclass(frozen=True)
class IterationCost:
    """How long an iteration takes, in ms: to compute its tokens, and to read their caches.

    - `points`: (tokens, ms), measured; between two of them lies a straight line. Fewer tokens
      take as long as the first point says, more go on like the last two. The default is the
      profile of Llama-3-8B on one A100 that Vidur publishes (MIT licence), without attention.
    - `per_resident_token_ms`: time to read the KV cache of one resident token; by default
      131,072 B at 1,555 GB/s, about three quarters of the peak of an A100 with 80 GB.

    Raises ValueError for no points, points of which one is not above the one before in tokens or
    is below it in ms, or a value out of range; TypeError for a wrong type.
    """

    points: tuple[tuple[float, float], ...] = _POINTS
    per_resident_token_ms: float = 8.4e-5

    def __post_init__(self) -> None:
        try:
            points = tuple((tokens, ms) for tokens, ms in self.points)
        except (TypeError, ValueError):
            raise TypeError(
                f"points must be pairs (tokens, ms), not {shown(self.points)}"
            ) from None
        if not points:
            raise ValueError("points must hold at least one pair (tokens, ms), not none")
        for tokens, ms in points:
            whole("tokens of a point", tokens, least=1, most=_MOST_TOKENS)
            scalar("ms of a point", ms, positive=True)
        for before, after in pairwise(points):
            if after[0] <= before[0] or after[1] < before[1]:
                raise ValueError(f"points must rise, not go from {before} to {after}")
        object.__setattr__(self, "points", points)
        scalar("per_resident_token_ms", self.per_resident_token_ms)

    @cached_property
    def _ns(self) -> list[int]:
        """Time to compute 0, 1, 2, ... tokens, up to the last point, in whole ns."""
        tokens, ms = zip(*self.points, strict=True)
        of_tokens = np.interp(np.arange(tokens[-1] + 1), tokens, ms)
        return [round(each) for each in (1e6 * of_tokens).tolist()]

    @cached_property
    def _per_token_ns(self) -> int:
        """Time for each token beyond the last point, in whole ns."""
        if len(self.points) == 1:
            return 0
        (tokens, ms), (last_tokens, last_ms) = self.points[-2:]
        return round(1e6 * (last_ms - ms) / (last_tokens - tokens))

    @cached_property
    def per_resident_token_ns(self) -> int:
        """Time to read the KV cache of one resident token, in whole ns."""
        return round(self.per_resident_token_ms * 1e6)

    def computing_ns(self, tokens: int) -> int:
        """Time in ns to compute this many tokens (0 or more), without reading caches."""
        beyond = tokens - len(self._ns) + 1
        return self._ns[tokens] if beyond <= 0 else self._ns[-1] + self._per_token_ns * beyond

    def ns(self, scheduled: int, resident: int) -> int:
        """Duration in ns of an iteration that computes `scheduled` tokens.

        `resident` are the tokens of the scheduled requests whose KV cache exists before it.
        """
        return self.computing_ns(scheduled) + self.per_resident_token_ns * resident


DEFAULT_COST = IterationCost()


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """What a run is given besides the scheduler's settings.

    - `cost`: how long an iteration takes.
    - `victim`: who is preempted. None follows the policy; else a rule's name, or a function
      (see `victims`) that gives the same answer for the same batch.
    - `resume`: how a victim comes back. "recompute": its cache is dropped and prefilled again.
      "swap": its cache is copied out over the link, and back when all its blocks are free at
      once. "cheaper": for each victim whichever of the two takes less time.
      The last two are the lesson's model, which vLLM does not have; it has offloading.
    - `link_gb_per_s`: bandwidth of the link in one direction, 1e9 B/s; may be infinite. A cached
      token has 131,072 B. While a copy of a swap runs nothing else does; offloading copies in the
      background, in each direction one after another.
    - `copy_start_us`: what a swap takes besides to start the copies of each 16 tokens, in each
      direction. 384 if each of 32 layers has its keys and its values copied apart, 6 us each.
    - `swap_blocks`: blocks of swap space; a victim that finds too few is recomputed. None: no
      bound.
    - `copy_out_in_background`: copies out take no time; their blocks are free at once all the
      same.
    - `log`: True logs all iterations, a range (`range(100, 200)`) those with these numbers.

    Raises ValueError for an unknown name or a value out of range, TypeError for a wrong type.
    """

    cost: IterationCost = DEFAULT_COST
    victim: Rule | str | None = None
    resume: Literal["recompute", "swap", "cheaper"] = "recompute"
    link_gb_per_s: float = 25.0
    copy_start_us: float = 0.0
    swap_blocks: int | None = None
    copy_out_in_background: bool = False
    log: bool | range = False

    def __post_init__(self) -> None:
        instance("cost", self.cost, IterationCost)
        rule_for(self.victim, "fcfs")
        choice("resume", self.resume, ("recompute", "swap", "cheaper"))
        link = self.link_gb_per_s
        if not (isinstance(link, float) and link == math.inf):
            scalar("link_gb_per_s", link, positive=True)
        scalar("copy_start_us", self.copy_start_us)
        if self.swap_blocks is not None:
            whole("swap_blocks", self.swap_blocks, least=0)
        flag("copy_out_in_background", self.copy_out_in_background)
        log = self.log
        if not isinstance(log, bool | range) or (
            isinstance(log, range) and (log.step != 1 or log.start < 0)
        ):
            raise ValueError(f"log must be True, False or a range of iterations, not {shown(log)}")

    @property
    def log_window(self) -> tuple[int, float]:
        """The first iteration that is logged, and the one after the last."""
        if isinstance(self.log, range):
            return self.log.start, self.log.stop
        return 0, math.inf if self.log else 0

    def link_ns(self, tokens: int) -> int:
        """Time in ns that the cache of `tokens` tokens is on the link; 1 GB/s is 1 B/ns."""
        return round(tokens * PER_TOKEN_BYTES / self.link_gb_per_s)

    def copy_in_ns(self, tokens: int) -> int:
        """Time in ns to copy the cache of `tokens` tokens in, with the starts of its copies."""
        starts = math.ceil(tokens / BLOCK_TOKENS)
        return self.link_ns(tokens) + round(1e3 * self.copy_start_us * starts)

    def copy_out_ns(self, tokens: int) -> int:
        """Time in ns that everybody waits for a copy out: none if it runs in the background."""
        return 0 if self.copy_out_in_background else self.copy_in_ns(tokens)

    def swaps(self, tokens: int) -> bool:
        """Whether a victim with `tokens` cached tokens should be copied out.

        "cheaper" compares the copies with the time that the tokens add to an iteration in which
        they are computed again; a tie goes to recompute.
        """
        if self.resume == "cheaper":
            recompute_ns = self.cost.computing_ns(tokens) - self.cost.computing_ns(0)
            return self.copy_out_ns(tokens) + self.copy_in_ns(tokens) < recompute_ns
        return self.resume == "swap"


DEFAULT_RUN = RunSettings()
