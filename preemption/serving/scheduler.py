"""vLLM's scheduler, one iteration after another: readable, and checked against recorded runs.

`Scheduler.schedule` decides one iteration as vLLM 0.33.0 does (asynchronous scheduling off): it
serves the running requests, then admits waiting ones. A variation is a subclass that overrides
what differs, as `asynchronous` does.
"""

import heapq
import math
import sys
from collections.abc import Sequence
from typing import Self

from preemption.serving import victims
from preemption.serving.blocks import BlockPool, Prefix
from preemption.serving.prefix_cache import CachingPool
from preemption.serving.results import Found, How, Preempted, Scheduled, Snapshot
from preemption.serving.sequence import Seq
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig
from preemption.serving.workload import Request

NO_LIMIT = sys.maxsize


class Decision:
    """What one iteration does."""

    def __init__(self, budget: int, threshold: int) -> None:
        self.budget = budget  # tokens that may still be scheduled
        self.threshold = threshold  # most tokens of one request
        self.scheduled: dict[Seq, int] = {}  # tokens to compute, in order
        self.preempted: list[tuple[Seq, Preempted]] = []
        self.admitted: dict[Seq, Prefix] = {}  # and what was found of each
        self.copies_ns = 0
        self.moved_tokens = 0
        self.loaded_tokens = 0
        self.loads: dict[Seq, int] = {}  # blocks that begin to come from the host: offloading
        self.stores: dict[Seq, int] = {}  # and to go there
        self.sampled: list[Seq] = []  # known once the iteration has run
        self.finished: list[Seq] = []

    def described(self) -> tuple[Scheduled, ...]:
        """Return what is scheduled, for the log; before the iteration is carried out."""
        admitted = self.admitted
        return tuple(
            Scheduled(
                seq.request.id,
                n,
                seq.computed,
                "running" if seq not in admitted else "resumed" if seq.preempted else "new",
                seq.computed < seq.prefill,
            )
            for seq, n in self.scheduled.items()
        )

    def found(self) -> tuple[Found, ...]:
        """Return what was found of the requests admitted, for the log."""
        return tuple(
            Found(seq.request.id, prefix.tokens, prefix.blocks)
            for seq, prefix in self.admitted.items()
            if prefix.blocks
        )


class Scheduler:
    """The state of the scheduler; `schedule` decides an iteration, `update` carries it out."""

    def __init__(self, config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN) -> None:
        self.config = config
        self.settings = settings
        self.rule = victims.rule_for(settings.victim, config.policy)
        self.pool = (CachingPool if config.enable_prefix_caching else BlockPool)(config)
        swap_blocks = settings.swap_blocks
        self.swap_free = math.inf if swap_blocks is None else swap_blocks
        self.running: list[Seq] = []  # in the order of admission
        self.waiting: list[tuple[tuple[int, int], Seq]] = []  # a heap on the place
        # Those that load or have loaded, in the order of the queue: offloading.
        self.aside: list[Seq] = []
        self.joined = 0
        self.requeued = 0
        self.now = 0  # the time, for copies in the background

    @classmethod
    def restored(
        cls,
        config: SchedulerConfig,
        settings: RunSettings,
        *,
        running: list[Seq],
        waiting: Sequence[Seq],
        joined: int,
    ) -> Self:
        """Return a scheduler in the middle of a run, between two iterations.

        `waiting` is the queue, its head first; `joined` counts the requests that have joined it
        up to now. What a sequence holds, in the pool or in swap space, follows from its computed
        tokens.
        """
        scheduler = cls(config, settings)
        scheduler.joined = joined
        scheduler.running = running
        for seq in running:
            scheduler.pool.grow(seq, seq.computed)
        for seq in reversed(waiting):
            scheduler.swap_free -= scheduler.pool.blocks_for(seq.computed)
            scheduler.enqueue(seq, at_head=seq.preempted)
        return scheduler

    def join(self, request: Request) -> Seq:
        """Let a request join the queue."""
        seq = Seq(request, self.joined, self.config.max_model_len)
        self.joined += 1
        self.enqueue(seq)
        return seq

    def enqueue(self, seq: Seq, *, at_head: bool = False) -> None:
        """Put a request into the queue: at an end of it, or where its priority belongs."""
        if self.config.policy == "priority":
            seq.place = (seq.request.priority, seq.order)
        elif at_head:
            self.requeued += 1
            seq.place = (-self.requeued, seq.order)
        heapq.heappush(self.waiting, (seq.place, seq))

    @property
    def queued(self) -> int:
        """How many requests wait."""
        return len(self.waiting)

    def queue(self) -> list[Seq]:
        """Return those that wait without blocks, in the order in which they are looked at."""
        return [seq for _, seq in sorted(self.waiting)]

    def schedule(self) -> Decision:
        """Decide one iteration: who computes how many tokens, who has to go, who is admitted."""
        threshold = self.config.long_prefill_token_threshold
        if threshold and len(self.running) + self.queued <= 1:
            threshold = 0
        decision = Decision(self.config.max_num_batched_tokens, threshold or NO_LIMIT)
        self.pool.overwritten.clear()
        self.serve_running(decision)
        if not decision.preempted:
            self.admit_waiting(decision)
        return decision

    def wakes_at(self) -> int:
        """Return when there is something to do again, if nothing is scheduled: at once."""
        return self.now

    def idle(self, decision: Decision) -> bool:
        """Whether there is nothing to do in this iteration."""
        return not (decision.scheduled or decision.preempted)

    def serve_running(self, decision: Decision) -> None:
        """Give the running requests their tokens, in the order of their admission.

        Decodes and chunks of a prefill are treated alike. Where blocks are lacking, victims go
        until there are enough or the asker itself is the victim.
        """
        running, scheduled, grow = self.running, decision.scheduled, self.pool.grow
        budget, position = decision.budget, 0
        while position < len(running) and budget > 0:
            seq = running[position]
            if seq.tokens == seq.end:  # the last token is under way
                position += 1
                continue
            n = seq.tokens - seq.computed
            if n > 1:
                n = min(n, decision.threshold, budget)
            while not grow(seq, seq.computed + n):
                at = self.victim_position()
                if at is None:
                    decision.budget = budget
                    return
                victim = running.pop(at)
                if at < position:
                    position -= 1
                budget += self.unschedule(victim, decision)
                self.preempt(victim, seq, n, decision)
                if victim is seq:
                    break
            else:
                scheduled[seq] = n
                budget -= n
                position += 1
        decision.budget = budget

    def unschedule(self, victim: Seq, decision: Decision) -> int:
        """Take back what a victim has been given in this iteration; return the tokens."""
        return decision.scheduled.pop(victim, 0)

    def admit_waiting(self, decision: Decision) -> None:
        """Admit requests from the head of the queue, up to the first that does not fit.

        They never preempt anybody.
        """
        most = self.config.max_num_seqs
        while self.waiting and decision.budget > 0 and len(self.running) < most:
            seq = self.waiting[0][1]
            if not self.admit(seq, self.pool.find(seq), decision):
                break
            heapq.heappop(self.waiting)

    def admit(self, seq: Seq, prefix: Prefix, decision: Decision) -> bool:
        """Admit a request of which `prefix` was found, if it fits."""
        config, pool = self.config, self.pool
        computed = seq.computed or prefix.tokens  # from swap space, or found, or none
        n = min(seq.tokens - computed, decision.threshold)
        if n > decision.budget and not config.enable_chunked_prefill:
            return False
        n = min(n, decision.budget)
        must_fit = seq.tokens if config.scheduler_reserve_full_isl else computed + n
        if not pool.has_room(must_fit, prefix, beside_others=bool(self.running)):
            return False
        if seq.computed > 0:
            self.swap_in(seq, decision)
        pool.admit(seq, prefix, computed + n)
        seq.computed = computed
        self.running.append(seq)
        decision.admitted[seq] = prefix
        decision.scheduled[seq] = n
        decision.budget -= n
        return True

    def victim_position(self) -> int | None:
        """Ask the rule for a victim and return its place in `running`.

        None: nobody can go yet, so the asker waits, and with it all behind it.
        """
        candidates = tuple(
            [
                victims.Candidate(
                    seq.request,
                    seq.order,
                    seq.tokens - seq.request.prompt_tokens,
                    seq.computed,
                    self.pool.blocks_for(seq.computed),
                )
                for seq in self.running
            ]
        )
        return victims.choose(self.rule, candidates)

    def preempt(self, seq: Seq, asker: Seq, n: int, decision: Decision) -> None:
        """Take a request's blocks away, for `n` tokens of another or its own; let it queue again.

        Generated tokens are kept. Its cache is lost, or copied out if that is wanted and there
        is swap space for it.
        """
        swap_blocks = self.pool.blocks_for(seq.computed)
        swap = self.settings.swaps(seq.computed) and swap_blocks <= self.swap_free
        how: How = "swap" if swap else "recompute"
        blocks_needed = self.pool.blocks_for(asker.computed + n) - asker.blocks
        blocks_free = self.pool.free
        released = self.pool.release(seq)
        event = Preempted(
            id=seq.request.id,
            computed_tokens=seq.computed,
            tokens=seq.tokens - seq.under_way,
            blocks_freed=released.freed,
            needed_by=asker.request.id,
            blocks_needed=blocks_needed,
            blocks_free=blocks_free,
            how=how,
            blocks_held=released.held,
            blocks_indexed=released.indexed,
        )
        decision.preempted.append((seq, event))
        seq.preempted = True
        if swap:
            self.swap_free -= swap_blocks
            decision.moved_tokens += seq.computed
            decision.copies_ns += self.settings.copy_out_ns(seq.computed)
        else:
            seq.computed = 0
            seq.prefill = seq.tokens
        self.enqueue(seq, at_head=True)

    def swap_in(self, seq: Seq, decision: Decision) -> None:
        """Copy a cache back from the swap space, which it then leaves."""
        self.swap_free += self.pool.blocks_for(seq.computed)
        decision.moved_tokens += seq.computed
        decision.copies_ns += self.settings.copy_in_ns(seq.computed)

    def update(self, decision: Decision) -> None:
        """Carry an iteration out: caches grow, tokens are generated, requests end.

        Blocks of a request that ends can be used from the next iteration on.
        """
        sampled = decision.sampled
        for seq, n in decision.scheduled.items():
            seq.computed += n
            if seq.computed == seq.tokens:
                seq.tokens += 1
                sampled.append(seq)
                if seq.tokens >= seq.end:
                    decision.finished.append(seq)
                    self.pool.release(seq)
        if decision.finished:
            self.running = [seq for seq in self.running if seq.tokens < seq.end]

    def snapshot(self) -> Snapshot:
        """Return the present state, for the log."""
        return Snapshot(
            self.pool.free,
            tuple(seq.request.id for seq in self.running),
            tuple(seq.request.id for seq in self.queue()),
            {
                seq.request.id: (seq.computed, seq.tokens - seq.under_way, seq.blocks)
                for seq in self.running
            },
            tuple(seq.request.id for seq in self.aside),
        )
