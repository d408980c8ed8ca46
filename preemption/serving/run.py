"""A scheduler at work on a clock: `step` by `step`, then the result.

The clock jumps over the time in which there is nothing to do.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from preemption.serving.results import Copied, Id, Iteration, Result, RunOutcome, StayEnd
from preemption.serving.scheduler import Decision, Scheduler
from preemption.serving.sequence import Seq
from preemption.serving.tally import Tally
from preemption.serving.workload import Request


class Run:
    """One run: the requests join as they arrive, and every iteration takes its time."""

    def __init__(self, scheduler: Scheduler, requests: Iterable[Request]) -> None:
        self.scheduler = scheduler
        self.requests = tuple(requests)
        self.cost = scheduler.settings.cost
        self.logged_from, self.logged_to = scheduler.settings.log_window
        self.arrivals = [request.arrival_ns for request in self.requests]
        self.now = self.begin = self.arrivals[0] if self.arrivals else 0
        self.total_ns = 0
        self.outcome: RunOutcome = "running"
        self.iterations = 0
        self.tally = Tally()
        self.generated_tokens = 0
        self.first_token_ns: list[int | None] = [None] * len(self.requests)
        self.finished_ns: list[int | None] = [None] * len(self.requests)
        self.stays: list[tuple[int, int, int | None, StayEnd | None]] = []
        self.open_stays: dict[Seq, int] = {}
        self.log: list[Iteration] = []
        self.pool_use: list[tuple[int, int]] = []
        self.seen: set[object] = set()

    @classmethod
    def restored(
        cls,
        scheduler: Scheduler,
        requests: Sequence[Request],
        *,
        now: int,
        iterations: int,
        admitted_ns: Mapping[int, int],
    ) -> Self:
        """Return a run that goes on with `scheduler` from its time and iteration on.

        `admitted_ns` tells since when each running request is there, by its order of arrival.
        Of what was before nothing else is known: only the log is of use.
        """
        run = cls(scheduler, requests)
        run.now, run.iterations = now, iterations
        for seq in scheduler.running:
            run.open_stay(seq, admitted_ns[seq.order])
        return run

    def step(self) -> bool:
        """Run one iteration. False: the run is over, and `outcome` says how."""
        scheduler = self.scheduler
        arrived = self.let_join()
        while not (scheduler.running or scheduler.queued):
            if not self.wait_for_arrival("finished"):
                return False
            arrived += self.let_join()
        scheduler.now = self.now
        held = scheduler.config.usable_blocks - scheduler.pool.free
        decision = scheduler.schedule()
        while not decision.scheduled and scheduler.idle(decision):
            if not self.wait_for_arrival("stalled"):
                return False
            arrived += self.let_join()
            scheduler.now = self.now
            decision = scheduler.schedule()
        self.pool_use.append((self.now, held))
        self.carry_out(decision, arrived)
        # In circles nothing changes until somebody arrives: no need to count them.
        return not self.goes_in_circles(decision, arrived) or self.wait_for_arrival("endless")

    def carry_out(self, decision: Decision, arrived: list[Id]) -> None:
        """Let an iteration take its time; count and note what it does."""
        scheduler, start = self.scheduler, self.now
        resident = sum([seq.computed for seq in decision.scheduled])
        tokens = self.tally.add(decision)
        if decision.scheduled or decision.preempted:
            self.now += self.cost.ns(tokens, resident) + decision.copies_ns
        else:  # there is only a copy to wait for, or a token to learn
            self.now = min(
                scheduler.wakes_at(), *self.arrivals[scheduler.joined :][:1] or [sys.maxsize]
            )
        for seq, event in decision.preempted:
            self.close_stay(seq, start, event.how)
        for seq in decision.admitted:
            self.open_stay(seq, start)

        wanted = self.logged_from <= self.iterations < self.logged_to
        scheduled = decision.described() if wanted else ()
        decided = scheduler.snapshot() if wanted else None
        scheduler.now = self.now
        scheduler.update(decision)
        # Tokens that are known late are those of the iteration before, which ended at the start.
        known = start if scheduler.config.async_scheduling else self.now
        self.generated_tokens += len(decision.sampled)
        for seq in decision.sampled:
            if seq.tokens - seq.under_way == seq.request.prompt_tokens + 1:
                self.first_token_ns[seq.order] = known
        for seq in decision.finished:
            self.finished_ns[seq.order] = known
            if seq in self.open_stays:  # else its last token came while it waited
                self.close_stay(seq, known, "finished")
        if decided is not None:
            self.log.append(
                Iteration(
                    number=self.iterations,
                    start_ns=start,
                    duration_ns=self.now - start,
                    arrived=tuple(arrived),
                    scheduled=scheduled,
                    preempted=tuple(event for _, event in decision.preempted),
                    found=decision.found(),
                    overwritten=tuple(scheduler.pool.overwritten),
                    decided=decided,
                    sampled=tuple(seq.request.id for seq in decision.sampled),
                    finished=tuple(seq.request.id for seq in decision.finished),
                    end=scheduler.snapshot(),
                    loads=self.copied(decision.loads),
                    stores=self.copied(decision.stores),
                )
            )
        self.iterations += 1
        self.total_ns = self.now - self.begin

    def copied(self, blocks: Mapping[Seq, int]) -> tuple[Copied, ...]:
        """Return what begins to be copied, for the log."""
        size = self.scheduler.config.block_size
        return tuple(Copied(seq.request.id, n, n * size) for seq, n in blocks.items())

    def let_join(self) -> list[Id]:
        """Let the requests that have arrived by now join the queue."""
        arrived: list[Id] = []
        joined = self.scheduler.joined
        while joined < len(self.arrivals) and self.arrivals[joined] <= self.now:
            self.scheduler.join(self.requests[joined])
            arrived.append(self.requests[joined].id)
            joined += 1
        return arrived

    def wait_for_arrival(self, otherwise: RunOutcome) -> bool:
        """Move the clock to the next arrival. If none is to come, the run is over."""
        if self.scheduler.joined == len(self.arrivals):
            self.outcome = otherwise
            return False
        self.now = max(self.now, self.arrivals[self.scheduler.joined])
        return True

    def open_stay(self, seq: Seq, now: int) -> None:
        """Note when a stay among the running requests began."""
        self.open_stays[seq] = len(self.stays)
        self.stays.append((seq.order, now, None, None))

    def close_stay(self, seq: Seq, now: int, end: StayEnd) -> None:
        """Note when and how it ended."""
        stay = self.open_stays.pop(seq)
        order, admitted, _, _ = self.stays[stay]
        self.stays[stay] = (order, admitted, now, end)

    def goes_in_circles(self, decision: Decision, arrived: list[Id]) -> bool:
        """Whether this state was there before, and nobody got a token or arrived since.

        Caches only grow between preemptions, so it is enough to look after those.
        """
        if decision.sampled or arrived:
            self.seen.clear()
        elif decision.preempted and self.scheduler.wakes_at() <= self.now:
            state = (
                tuple((seq.order, seq.computed) for seq in self.scheduler.running),
                tuple((seq.order, seq.computed) for _, seq in sorted(self.scheduler.waiting)),
                self.scheduler.pool.contents(),
            )
            if state in self.seen:
                return True
            self.seen.add(state)
        return False

    def result(self) -> Result:
        """Return what the run did up to now."""
        tally = self.tally
        return Result(
            requests=self.requests,
            outcome=self.outcome,
            iterations=self.iterations,
            total_ns=self.total_ns,
            scheduled_tokens=tally.scheduled_tokens,
            generated_tokens=self.generated_tokens,
            preemptions=tally.preemptions,
            lost_tokens=tally.lost_tokens,
            found_tokens=tally.found_tokens,
            recomputed_tokens=tally.recomputed_tokens,
            skipped_tokens=tally.skipped_tokens,
            loaded_tokens=tally.loaded_tokens,
            moved_tokens=tally.moved_tokens,
            first_token_ns=tuple(self.first_token_ns),
            finished_ns=tuple(self.finished_ns),
            stays=tuple(self.stays),
            log=tuple(self.log),
            pool_use=tuple(self.pool_use),
        )
