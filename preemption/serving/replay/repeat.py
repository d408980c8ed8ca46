"""A recorded load served here, and what comes of it in the recorded form."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from preemption.serving.offload import OffloadingScheduler
from preemption.serving.prefix_cache import CachingPool
from preemption.serving.results import Snapshot
from preemption.serving.scheduler import Decision
from preemption.serving.sequence import Seq
from preemption.serving.settings import SchedulerConfig
from preemption.serving.simulation import scheduler_for
from preemption.serving.tally import Tally
from preemption.serving.workload import Request


class Repeated:
    """The load of a recorded run, one iteration per tick of its arrivals."""

    def __init__(
        self, config: SchedulerConfig, requests: Sequence[Request], steps: Mapping[str, int]
    ) -> None:
        def copied(load: bool, blocks: int, now: int) -> int:  # noqa: ARG001
            """Return when a copy ends that takes the recorded number of iterations."""
            return now + (steps["load_steps"] - 1 if load else steps["store_steps"])

        self.scheduler = scheduler_for(config, copier=copied)
        self.requests = requests
        self.iterations = 0
        self.tally = Tally()
        self.idle = False  # the last iteration did nothing
        self.finished: list[Seq] = []
        self.preempted: Counter[str] = Counter()
        self.most_preempted = self.iterations_with_preemption = 0
        self.least_free = config.usable_blocks
        self.overwritten = 0
        self.loaded = {"new": 0, "resumed": 0}
        self.stored_blocks = self.loads = self.flushed = 0
        self.loaded_for: dict[Seq, int] = {}  # tokens from the host, since they were last looked up
        self.lost: dict[Seq, int] = {}  # tokens that a request lost when it was last preempted
        self.found = {"new": 0, "resumed": 0}  # tokens
        self.resumes: Counter[str] = Counter()
        self.never_computed: list[int] = []  # blocks found, per admission with any

    def step(self) -> dict[str, Any]:
        """Run one iteration and return it as it would be recorded."""
        scheduler, requests = self.scheduler, self.requests
        arrived = []
        while scheduler.joined < len(requests):
            request = requests[scheduler.joined]
            if request.arrival_ms > self.iterations:
                break
            scheduler.join(request)
            arrived.append(request.id)
        caching = scheduler.config.enable_prefix_caching
        asynchronous = scheduler.config.async_scheduling
        offloading = bool(scheduler.config.host_blocks)
        decision = scheduler.schedule()
        self.tally.add(decision)
        self.count(decision)
        scheduled, decided = decision.described(), scheduler.snapshot()
        scheduler.now = self.iterations + 1
        scheduler.update(decision)
        self.finished += decision.finished
        self.iterations += 1
        end = scheduler.snapshot()
        return {
            "t": self.iterations - 1,
            "arrived": arrived,
            "scheduled": [list(row[:4]) for row in scheduled],
            "preempted": preempted_of(decision, indexed=caching or asynchronous or offloading),
            "free_after_schedule": decided.free_blocks,
            "running_after_schedule": list(decided.running),
            "waiting_after_schedule": list(decided.waiting),
            "sampled": [seq.request.id for seq in decision.sampled],
            "finished": [seq.request.id for seq in decision.finished],
            "free_end": end.free_blocks,
            "running_end": list(end.running),
            "waiting_end": list(end.waiting),
            "state_end": {
                str(seq.request.id): [
                    seq.computed,
                    seq.tokens - seq.under_way,
                    *([seq.under_way] if asynchronous else []),
                    seq.blocks,
                ]
                for seq in [*scheduler.running, *scheduler.aside]
            },
            "processed": self.iterations - 2 if self.iterations > 1 else None,
            **self.cache_of(decision),
            **self.host_of(decision, decided, end),
        }

    def cache_of(self, decision: Decision) -> dict[str, Any]:
        """Return what is recorded of the prefix cache, if there is one."""
        pool = self.scheduler.pool
        if not isinstance(pool, CachingPool):
            return {"evicted": [], "free_indexed_end": 0}
        return {
            "admitted": [
                {
                    "id": seq.request.id,
                    "cached_tokens": prefix.tokens,
                    "cached_blocks": len(prefix.blocks),
                    "cached_blocks_from_free": prefix.idle,
                }
                | ({"phantom_blocks": [*prefix.never_computed]} if prefix.never_computed else {})
                for seq, prefix in decision.admitted.items()
            ],
            "evicted": [*pool.overwritten],
            "free_indexed_end": sum(pool.keys[block] is not None for block in pool.queue),
            # Blocks without a key are recorded as negative.
            "free_queue_end": [-b if pool.keys[b] is None else b for b in pool.queue],
            "blocks_end": {str(seq.request.id): seq.table for seq in self.scheduler.running},
        }

    def host_of(self, decision: Decision, decided: Snapshot, end: Snapshot) -> dict[str, Any]:
        """Return what is recorded of the host, if there is one."""
        scheduler = self.scheduler
        if not isinstance(scheduler, OffloadingScheduler):
            return {}
        self.stored_blocks += sum(len(job.blocks) for job in scheduler.stores)
        self.loads += len(scheduler.loads)
        self.flushed += len(scheduler.flushed)
        for job in scheduler.loads:
            self.loaded["resumed" if job.seq.preempted else "new"] += (
                len(job.blocks) * scheduler.config.block_size
            )
            self.loaded_for[job.seq] = len(job.blocks) * scheduler.config.block_size
        return {
            "admitted": [
                {
                    "id": seq.request.id,
                    "cached_tokens": prefix.tokens,
                    "loaded_tokens": self.loaded_for.pop(seq, 0),
                }
                for seq, prefix in decision.admitted.items()
            ],
            "load_started": [
                {
                    "id": job.seq.request.id,
                    "job": job.number,
                    "sync": False,
                    "local_cached_tokens": job.prefix.tokens,
                    "loaded_tokens": len(job.blocks) * scheduler.config.block_size,
                    "gpu_blocks": job.blocks,
                    "host_chunks": job.slots,
                    "kind": "resumed" if job.seq.preempted else "new",
                }
                for job in scheduler.loads
            ],
            "store_started": [
                {
                    "id": job.seq.request.id,
                    "job": job.number,
                    "gpu_blocks": job.blocks,
                    "host_chunks": job.slots,
                }
                for job in scheduler.stores
            ],
            "flush": [job.number for job in scheduler.flushed],
            "jobs_done": [job.number for job in scheduler.jobs_done],
            "load_done": sorted(job.seq.request.id for job in scheduler.jobs_done if job.load),
            "loading_after_schedule": list(decided.loading),
            "loading_end": list(end.loading),
            "host_used_end": len(scheduler.host.slots),
        }

    def count(self, decision: Decision) -> None:
        """Count what the summary asks for."""
        self.idle = self.scheduler.idle(decision)
        self.least_free = min(self.least_free, self.scheduler.pool.free)
        self.overwritten += len(self.scheduler.pool.overwritten)
        self.most_preempted = max(self.most_preempted, len(decision.preempted))
        self.iterations_with_preemption += bool(decision.preempted)
        for seq, event in decision.preempted:
            self.preempted[str(seq.request.id)] += 1
            self.lost[seq] = event.computed_tokens
        for seq, prefix in decision.admitted.items():
            if prefix.never_computed:
                self.never_computed.append(len(prefix.never_computed))
            if not seq.preempted:
                self.found["new"] += prefix.tokens
                continue
            self.found["resumed"] += prefix.tokens
            full_blocks = self.lost[seq] // self.scheduler.config.block_size
            self.resumes["all"] += 1
            self.resumes["none"] += not prefix.blocks
            self.resumes["full"] += len(prefix.blocks) >= full_blocks

    def summary(self) -> dict[str, Any]:
        """Return the figures of the whole run as they would be recorded."""
        tally, done = self.tally, len(self.finished) == len(self.requests)
        return {
            "iterations": self.iterations,
            "requests": len(self.requests),
            "finished": len(self.finished),
            "stalled": self.idle and not done,
            "hit_max_iters": not (self.idle or done),
            "useful_tokens": sum(seq.tokens - 1 for seq in self.finished),
            "scheduled_tokens": tally.scheduled_tokens,
            "preemptions": tally.preemptions,
            "preemptions_by_request": self.preempted,
            "iterations_with_preemption": self.iterations_with_preemption,
            "max_preempted_in_one_iteration": self.most_preempted,
            "min_free_after_schedule": self.least_free,
            "lost_tokens": tally.lost_tokens,
            "recomputed_tokens": tally.recomputed_tokens,
            "cached_tokens_new": self.found["new"],
            "cached_tokens_resumed": self.found["resumed"],
            "blocks_overwritten": self.overwritten,
            "phantom_hits": len(self.never_computed),
            "phantom_tokens": sum(self.never_computed) * self.scheduler.config.block_size,
            "loaded_tokens_new": self.loaded["new"],
            "loaded_tokens_resumed": self.loaded["resumed"],
            "stored_blocks": self.stored_blocks,
            "loads": self.loads,
            "flushed_jobs": self.flushed,
            "wrong_blocks_read": 0,  # blocks have no contents here
            "resumes": self.resumes["all"],
            "resumes_full_hit": self.resumes["full"],
            "resumes_no_hit": self.resumes["none"],
        }


def preempted_of(decision: Decision, *, indexed: bool) -> list[dict[str, Any]]:
    """Return the preemptions of an iteration as they are recorded."""
    return [
        {
            "id": event.id,
            "num_computed_lost": event.computed_tokens,
            "num_tokens": event.tokens,
            "blocks_freed": event.blocks_held,
            "needed_by": event.needed_by,
        }
        | (
            {"blocks_indexed": event.blocks_indexed, "blocks_returned": event.blocks_freed}
            if indexed
            else {}
        )
        for _, event in decision.preempted
    ]
