"""Offloading as vLLM 0.33.0 has it: a write-through cache of full blocks in host memory.

Nothing is copied because of a preemption. Blocks are stored as they fill, in the background; what
is on the host is loaded back when a request is admitted, new or preempted, however slow the link.
While it loads, a request waits with its blocks, cannot be a victim, and younger ones overtake it.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from preemption.serving.blocks import NOTHING, Prefix
from preemption.serving.prefix_cache import CachingPool
from preemption.serving.scheduler import Decision, Scheduler
from preemption.serving.sequence import Seq
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig

Copier: TypeAlias = Callable[[bool, int, int], int]
"""Tells when a copy is done: of loading or storing, how many blocks, ready to start when."""


class OffloadPool(CachingPool):
    """Blocks by number, with prefix caching or without; it knows which were handed out."""

    def __init__(self, config: SchedulerConfig) -> None:
        super().__init__(config)
        self.caching = config.enable_prefix_caching
        self.handed_out: set[int] = set()  # in this iteration

    def find(self, seq: Seq) -> Prefix:
        """Look the blocks of a waiting request up; without prefix caching none is found."""
        return super().find(seq) if self.caching else NOTHING

    def give_keys(self, seq: Seq, tokens: int) -> None:
        """Let full blocks be found, with prefix caching."""
        if self.caching:
            super().give_keys(seq, tokens)

    def hand_out(self) -> int:
        """Take the block at the front of the queue."""
        block = super().hand_out()
        self.handed_out.add(block)
        return block

    def admit(self, seq: Seq, prefix: Prefix, tokens: int) -> None:
        """Give a request what was found of it, if it has not got it yet, and new blocks."""
        if seq.blocks:
            self.grow(seq, tokens)
        else:
            super().admit(seq, prefix, tokens)

    def reserve(self, seq: Seq, prefix: Prefix, blocks: int) -> None:
        """Give a request what was found of it, and new blocks to load into."""
        self.admit(seq, prefix, prefix.tokens)
        seq.table += [self.hand_out() for _ in range(blocks)]
        seq.blocks += blocks


@dataclass(eq=False)
class Job:
    """A copy of blocks between the pool and the host."""

    number: int
    seq: Seq
    load: bool
    keys: list[int]
    blocks: list[int]
    slots: list[int]
    prefix: Prefix = NOTHING  # what was found before the blocks to load
    done: int | None = None  # when, once it has been handed to the copier


class Link:
    """A link to the host: copies in one direction follow one another."""

    def __init__(self, block_ns: int) -> None:
        self.block_ns = block_ns
        self.free_at = {True: 0, False: 0}

    def __call__(self, load: bool, blocks: int, now: int) -> int:
        """Return when a copy of `blocks` blocks is done that is ready to begin now, in ns."""
        self.free_at[load] = max(now, self.free_at[load]) + blocks * self.block_ns
        return self.free_at[load]


@dataclass
class Slot:
    """A block on the host."""

    number: int
    rank: tuple[int, int] = (0, 0)  # the smallest is dropped first
    written: bool = False
    readers: int = 0


class HostPool:
    """Blocks on the host by their keys. LRU by request: within one the last block goes first."""

    def __init__(self, slots: int) -> None:
        self.size = slots
        self.slots: dict[int, Slot] = {}
        self.used = 0  # slots handed out at least once
        self.free: list[int] = []  # those dropped since
        self.droppable: set[int] = set()  # keys of blocks that nobody writes or reads
        self.order: list[tuple[tuple[int, int], int]] = []  # heap of (rank, key), also of old ranks

    def make_room(self, missing: int, keep: set[int]) -> bool:
        """Drop blocks until `missing` slots are free; if that cannot be, none, and return False."""
        lacking = missing - (self.size - self.used) - len(self.free)
        if lacking <= 0:
            return True
        if len(self.droppable) - len(self.droppable & keep) < lacking:
            return False
        kept = []
        while lacking:
            rank, key = entry = heapq.heappop(self.order)
            if key not in self.droppable or self.slots[key].rank != rank:
                continue
            if key in keep:
                kept.append(entry)
                continue
            self.droppable.remove(key)
            self.free.append(self.slots.pop(key).number)
            lacking -= 1
        for entry in kept:
            heapq.heappush(self.order, entry)
        return True

    def add(self, key: int) -> None:
        """Give a block a slot."""
        if self.used < self.size:
            number = self.used
            self.used += 1
        else:
            number = self.free.pop()
        self.slots[key] = Slot(number)

    def give_rank(self, key: int, rank: tuple[int, int]) -> None:
        """Say when a block may be dropped: the one with the smallest rank is first."""
        self.slots[key].rank = rank
        if key in self.droppable:
            heapq.heappush(self.order, (rank, key))

    def begin_reading(self, key: int) -> None:
        """Keep a block for a load."""
        self.slots[key].readers += 1
        self.droppable.discard(key)

    def end_copy(self, key: int, *, load: bool) -> None:
        """Note that a load has read a block, or that a store has written it."""
        slot = self.slots[key]
        slot.written = True
        slot.readers -= load
        if not slot.readers:
            self.droppable.add(key)
            heapq.heappush(self.order, (slot.rank, key))


@dataclass
class Offloaded:
    """What a request has to do with the host."""

    offered: int = 0  # blocks
    rank: int | None = None
    keys: dict[int, int] = field(default_factory=dict)  # stored or loaded -> place in the request


class OffloadingScheduler(Scheduler):
    """A scheduler with a host to store blocks on and to load them from."""

    pool: OffloadPool

    def __init__(
        self, config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN, *, copier: Copier
    ) -> None:
        super().__init__(config, settings)
        self.pool = OffloadPool(config)
        self.host = HostPool(config.host_blocks)
        self.copier = copier
        self.of: defaultdict[Seq, Offloaded] = defaultdict(Offloaded)
        self.loading: dict[Seq, Job] = {}
        self.loaded: dict[Seq, tuple[Prefix, int]] = {}  # found before, and tokens loaded
        self.jobs: list[Job] = []  # under way
        self.loads: list[Job] = []  # begun in this iteration
        self.stores: list[Job] = []  # likewise
        self.flushed: list[Job] = []  # that this iteration waits for
        self.jobs_done: list[Job] = []  # in this iteration
        self.ended: list[Seq] = []  # in the last iteration
        self.jobs_started = self.ranks = 0

    @property
    def queued(self) -> int:
        """How many requests wait or load."""
        return len(self.waiting) + len(self.aside)

    def idle(self, decision: Decision) -> bool:
        """Whether there is nothing to do, and nothing to wait for."""
        return super().idle(decision) and not self.loading

    def wakes_at(self) -> int:
        """Return when there is something to do again, if nothing is scheduled: after a load."""
        done = [job.done for job in self.loading.values() if job.done is not None]
        return min(done, default=self.now)

    def schedule(self) -> Decision:
        """Decide an iteration; then which copies it has to wait for, and what is stored."""
        self.pool.handed_out.clear()
        self.loads, self.stores, self.flushed = [], [], []
        decision = super().schedule()
        victims, handed_out = {seq for seq, _ in decision.preempted}, self.pool.handed_out
        for job in self.jobs:
            if not job.load and (
                job.seq in victims
                or (job.seq.tokens >= job.seq.end and not handed_out.isdisjoint(job.blocks))
            ):
                self.flushed.append(job)
                decision.copies_ns = max(decision.copies_ns, (job.done or 0) - self.now)
        for seq, n in decision.scheduled.items():
            self.store(seq, seq.computed + n)
        decision.loads = {job.seq: len(job.blocks) for job in self.loads}
        decision.stores = {job.seq: len(job.blocks) for job in self.stores}
        decision.moved_tokens += sum(decision.stores.values()) * self.config.block_size
        for seq in self.ended:
            self.renew(seq)
        self.ended = []
        return decision

    def admit_waiting(self, decision: Decision) -> None:
        """Admit requests, or let them load, up to the first that does not fit.

        Those that load and those whose blocks are being copied are passed over.
        """
        most = self.config.max_num_seqs
        passed_over, loading = [], []
        while self.queued and decision.budget > 0 and len(self.running) < most:
            from_aside = bool(self.aside)
            seq = self.aside[0] if from_aside else self.waiting[0][1]
            on_host: int | None = 0
            if seq in self.loading:
                on_host = None
            elif seq not in self.loaded:
                prefix = self.pool.find(seq)
                on_host = self.look_up(seq, prefix)
            else:
                self.pool.give_keys(seq, seq.computed)
                prefix = Prefix(tuple(seq.table), seq.computed, 0)
                seq.computed = min(seq.computed, seq.tokens - 1)
            if on_host:
                if not self.load(seq, prefix, on_host):
                    break
            elif on_host == 0 and not self.admit(seq, prefix, decision):
                break
            if from_aside:
                del self.aside[0]
            else:
                heapq.heappop(self.waiting)
            if seq in self.loading:
                loading.append(seq)
            elif on_host is None:
                passed_over.append(seq)
            elif seq in self.loaded:
                decision.admitted[seq], loaded = self.loaded.pop(seq)
                decision.loaded_tokens += loaded
                decision.moved_tokens += loaded
        for seq in passed_over:
            heapq.heappush(self.waiting, (seq.place, seq))
        self.aside[:0] = loading
        if self.config.policy == "priority":
            self.aside.sort(key=lambda seq: seq.place)

    def swap_in(self, seq: Seq, decision: Decision) -> None:
        """Do nothing: what was loaded is in the pool already."""

    def look_up(self, seq: Seq, prefix: Prefix) -> int | None:
        """Return how many blocks behind those found are on the host; None: not to be known yet."""
        of = self.of[seq]
        of.offered = 0
        if any(job.seq is seq for job in self.jobs):
            return None
        found = 0
        first, last = len(prefix.blocks), seq.tokens // self.config.block_size
        for key in self.pool.keys_of(seq, first, last):
            slot = self.host.slots.get(key)
            if slot is None:
                break
            if not slot.written or (slot.readers and self.config.enable_prefix_caching):
                return None
            found += 1
        return found

    def load(self, seq: Seq, prefix: Prefix, blocks: int) -> bool:
        """Let a request load, if there is room beside what others still need of the pool."""
        pool, size = self.pool, self.config.block_size
        tokens = prefix.tokens + blocks * size
        beside = bool(self.running)
        if self.config.scheduler_reserve_full_isl and not pool.has_room(
            seq.tokens, prefix, beside_others=beside
        ):
            return False
        others = [*self.running, *self.loading, *self.loaded]
        reserved = sum(max(0, pool.blocks_for(o.tokens) - o.blocks) for o in others)
        if not pool.has_room(tokens + reserved * size, prefix, beside_others=beside):
            return False
        pool.reserve(seq, prefix, blocks)
        keys = list(pool.keys_of(seq, len(prefix.blocks), len(prefix.blocks) + blocks))
        self.touch(seq, keys, len(prefix.blocks))
        job = self.job(seq, keys, load=True)
        self.of[seq].offered = len(prefix.blocks) + blocks
        seq.computed = tokens
        self.loading[seq] = job
        job.prefix = prefix
        self.loads.append(job)
        for key in keys:
            self.host.begin_reading(key)
        return True

    def store(self, seq: Seq, tokens: int) -> None:
        """Store the full blocks of a request that were not offered yet: all of them or none."""
        of = self.of[seq]
        if self.config.offload_prompt_only:
            tokens = min(tokens, seq.request.prompt_tokens)
        last = tokens // self.config.block_size
        if last <= of.offered:
            return
        keys = list(self.pool.keys_of(seq, of.offered, last))
        missing = [key for key in keys if key not in self.host.slots]
        if not self.host.make_room(len(missing), set(keys)):
            return
        first, of.offered = of.offered, last
        for key in missing:
            self.host.add(key)
        self.touch(seq, keys, first)
        if missing:
            self.stores.append(self.job(seq, missing, load=False))

    def touch(self, seq: Seq, keys: list[int], first: int) -> None:
        """Give blocks on the host the rank of a request's first such access."""
        of = self.of[seq]
        if of.rank is None:
            self.ranks += 1
            of.rank = self.ranks
        for place, key in enumerate(keys, first):
            of.keys[key] = place
            self.host.give_rank(key, max(self.host.slots[key].rank, (of.rank, -place)))

    def job(self, seq: Seq, keys: list[int], *, load: bool) -> Job:
        """Return a copy that begins when the iteration is over."""
        job = Job(
            self.jobs_started,
            seq,
            load,
            keys,
            [seq.table[self.of[seq].keys[key]] for key in keys],
            [self.host.slots[key].number for key in keys],
        )
        self.jobs_started += 1
        self.jobs.append(job)
        return job

    def update(self, decision: Decision) -> None:
        """Carry an iteration out; then copies begin and end."""
        super().update(decision)
        for job in self.flushed:
            job.done = self.now
        under_way: list[Job] = []
        self.jobs_done = []
        for job in self.jobs:
            if job.done is None:
                job.done = self.copier(job.load, len(job.blocks), self.now)
            (self.jobs_done if job.done <= self.now else under_way).append(job)
        self.jobs = under_way
        for job in self.jobs_done:
            for key in job.keys:
                self.host.end_copy(key, load=job.load)
            if job.load:
                self.end_load(job)
        self.ended = decision.finished

    def end_load(self, job: Job) -> None:
        """Let a request go on with what it has loaded; its last token is computed in any case."""
        seq = job.seq
        del self.loading[seq]
        self.loaded[seq] = job.prefix, len(job.blocks) * self.config.block_size

    def renew(self, seq: Seq) -> None:
        """Make the blocks of a request that ends the most recent ones."""
        self.ranks += 1
        for key, place in self.of.pop(seq).keys.items():
            if key in self.host.slots:
                self.host.give_rank(key, (self.ranks, -place))
