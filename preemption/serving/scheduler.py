"""vLLM's scheduler, one iteration after another: readable, and checked against recorded runs.

`Scheduler.schedule` decides one iteration as vLLM 0.33.0 does (prefix caching and asynchronous
scheduling off). `simulate` runs a load through it on a clock and returns what happened;
"""

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from preemption.serving import victims
from preemption.serving.results import (
    How,
    Id,
    Iteration,
    Preempted,
    Result,
    RunOutcome,
    Scheduled,
    Snapshot,
    StayEnd,
)
from preemption.serving.settings import DEFAULT_COST, IterationCost, Resume, SchedulerConfig
from preemption.serving.workload import Request


class Seq:
    """A request in the scheduler, with the state that changes."""

    __slots__ = (
        "blocks",
        "computed",
        "end",
        "order",
        "place",
        "preempted",
        "prefill",
        "request",
        "tokens",
    )

    def __init__(self, request: Request, order: int, end: int) -> None:
        self.request = request
        self.order = order  # of arrival
        self.tokens = request.prompt  # prompt and generated so far; vLLM: num_tokens
        # Tokens whose cache exists (while it waits: in swap space); vLLM: num_computed_tokens.
        self.computed = 0
        self.prefill = request.prompt  # computed below this: prefill, from it on: decode
        self.end = end  # tokens at which it is finished
        self.blocks = 0  # blocks held
        self.place: tuple[int, int] = (0, order)  # in the queue, smallest first
        self.preempted = False  # at least once


class Decision:
    """What one iteration does."""

    def __init__(self) -> None:
        self.scheduled: dict[Seq, int] = {}  # tokens to compute, in order
        self.preempted: list[tuple[Seq, Preempted]] = []
        self.admitted: list[Seq] = []
        self.copies_ns = 0
        self.moved_tokens = 0
        self.sampled: list[Seq] = []  # known once the iteration has run
        self.finished: list[Seq] = []


class Scheduler:
    """The state of the scheduler; `schedule` decides an iteration, `update` carries it out."""

    def __init__(
        self,
        config: SchedulerConfig,
        victim: victims.Rule | str | None = None,
        resume: Resume | None = None,
    ) -> None:
        self.config = config
        self.rule = victims.rule_for(victim, config.policy)
        self.resume = Resume() if resume is None else resume
        self.free = config.usable_blocks
        swap_blocks = self.resume.swap_blocks
        self.swap_free = math.inf if swap_blocks is None else swap_blocks
        self.running: list[Seq] = []
        self.waiting: list[tuple[tuple[int, int], Seq]] = []  # a heap on the place
        self.joined = 0
        self.requeued = 0

    def join(self, request: Request) -> Seq:
        """Let a request join the queue: at its end, or where its priority belongs.

        A request ends at `max_model_len` tokens at the latest. So vLLM's cut of a running
        request's tokens to that length never bites, and `schedule` does without it.
        """
        end = request.prompt + request.output
        if self.config.max_model_len is not None:
            end = min(end, self.config.max_model_len)
        seq = Seq(request, self.joined, end)
        self.joined += 1
        if self.config.policy == "priority":
            seq.place = (request.priority, seq.order)
        heapq.heappush(self.waiting, (seq.place, seq))
        return seq

    def schedule(self) -> Decision:
        """Decide one iteration: who computes how many tokens, who has to go, who is admitted."""
        config, block_size = self.config, self.config.block_size
        running, waiting = self.running, self.waiting
        decision = Decision()
        scheduled = decision.scheduled
        budget = config.max_num_batched_tokens
        alone = len(running) + len(waiting) <= 1
        threshold = 0 if alone else config.long_prefill_token_threshold

        # Running requests first, in the order of their admission; decodes and chunks of a
        # prefill are treated alike.
        position = 0
        while position < len(running) and budget > 0:
            seq = running[position]
            n = seq.tokens - seq.computed
            if 0 < threshold < n:
                n = threshold
            if n > budget:
                n = budget
            need = -(-(seq.computed + n) // block_size) - seq.blocks  # rounded up
            while need > self.free:
                at = self.victim_position()
                victim = running.pop(at)
                if at < position:
                    position -= 1
                budget += scheduled.pop(victim, 0)
                self.preempt(victim, seq, decision)
                if victim is seq:
                    break
            else:
                self.free -= need
                seq.blocks += need
                scheduled[seq] = n
                budget -= n
                position += 1

        # Waiting requests only if nobody was preempted. They never preempt: the first that
        # does not fit ends the pass.
        while not decision.preempted and waiting and budget > 0:
            if len(running) == config.max_num_seqs:
                break
            seq = waiting[0][1]
            n = seq.tokens - seq.computed  # computed is 0, unless the cache was swapped out
            if 0 < threshold < n:
                n = threshold
            if n > budget and not config.enable_chunked_prefill:
                break
            n = min(n, budget)
            must_fit = seq.tokens if config.scheduler_reserve_full_isl else seq.computed + n
            headroom = config.watermark_blocks if running else 0
            if config.blocks_for(must_fit) + headroom > self.free:
                break
            heapq.heappop(waiting)
            running.append(seq)
            decision.admitted.append(seq)
            if seq.computed > 0:
                self.swap_in(seq, decision)
            seq.blocks = config.blocks_for(seq.computed + n)
            self.free -= seq.blocks
            scheduled[seq] = n
            budget -= n
        return decision

    def victim_position(self) -> int:
        """Ask the rule for a victim and return its place in `running`."""
        candidates = [
            victims.Candidate(
                seq.request,
                seq.order,
                seq.tokens - seq.request.prompt,
                seq.computed,
                self.config.blocks_for(seq.computed),
            )
            for seq in self.running
        ]
        return victims.choose(self.rule, candidates)

    def preempt(self, seq: Seq, asker: Seq, decision: Decision) -> None:
        """Take a request's blocks away and put it back into the queue.

        Generated tokens are kept. Its cache is lost, or copied out if that is wanted and there
        is swap space for it.
        """
        swap_blocks = self.config.blocks_for(seq.computed)
        swap = self.resume.swaps(seq.computed) and swap_blocks <= self.swap_free
        how: How = "swap" if swap else "recompute"
        event = Preempted(
            seq.request.id, seq.computed, seq.tokens, seq.blocks, asker.request.id, how
        )
        decision.preempted.append((seq, event))
        self.free += seq.blocks
        seq.blocks = 0
        seq.preempted = True
        if swap:
            self.swap_free -= swap_blocks
            decision.moved_tokens += seq.computed
            decision.copies_ns += self.resume.out_ns(seq.computed)
        else:
            seq.computed = 0
            seq.prefill = seq.tokens
        if self.config.policy == "fcfs":
            self.requeued += 1
            seq.place = (-self.requeued, seq.order)  # the head of the queue
        heapq.heappush(self.waiting, (seq.place, seq))

    def swap_in(self, seq: Seq, decision: Decision) -> None:
        """Copy a cache back from the swap space, which it then leaves."""
        self.swap_free += self.config.blocks_for(seq.computed)
        decision.moved_tokens += seq.computed
        decision.copies_ns += self.resume.in_ns(seq.computed)

    def update(self, decision: Decision) -> None:
        """Carry an iteration out: caches grow, tokens are generated, requests end.

        Blocks of a request that ends can be used from the next iteration on.
        """
        for seq, n in decision.scheduled.items():
            seq.computed += n
            if seq.computed == seq.tokens:
                seq.tokens += 1
                decision.sampled.append(seq)
                if seq.tokens >= seq.end:
                    decision.finished.append(seq)
                    self.free += seq.blocks
        if decision.finished:
            self.running = [seq for seq in self.running if seq.tokens < seq.end]

    def snapshot(self) -> Snapshot:
        """Return the present state, for the log."""
        return Snapshot(
            self.free,
            tuple(seq.request.id for seq in self.running),
            tuple(seq.request.id for _, seq in sorted(self.waiting)),
            {seq.request.id: (seq.computed, seq.tokens, seq.blocks) for seq in self.running},
        )


class Run:
    """A scheduler at work on a clock: `step` by `step`, then `result`."""

    def __init__(
        self,
        scheduler: Scheduler,
        requests: Sequence[Request],
        cost: IterationCost = DEFAULT_COST,
        log: bool | range = False,
    ) -> None:
        self.scheduler = scheduler
        self.requests = tuple(requests)
        self.cost = cost
        self.logged_from, self.logged_to = window(log)
        self.arrivals = [request.arrival_ns for request in self.requests]
        self.now = self.begin = self.arrivals[0] if self.arrivals else 0
        self.total_ns = 0
        self.outcome: RunOutcome = "running"
        self.iterations = 0
        self.scheduled_tokens = 0
        self.generated_tokens = 0
        self.preemptions = 0
        self.recomputed_tokens = 0
        self.moved_tokens = 0
        self.first_token_ns: list[int | None] = [None] * len(self.requests)
        self.finished_ns: list[int | None] = [None] * len(self.requests)
        self.stays: list[tuple[int, int, int | None, StayEnd | None]] = []
        self.open_stays: dict[Seq, int] = {}
        self.log: list[Iteration] = []
        self.seen: set[object] = set()

    def step(self) -> bool:
        """Run one iteration. False: the run is over, and `outcome` says how."""
        scheduler = self.scheduler
        arrived = self.let_join()
        while not (scheduler.running or scheduler.waiting):
            if not self.wait_for_arrival("finished"):
                return False
            arrived += self.let_join()
        decision = scheduler.schedule()
        while not (decision.scheduled or decision.preempted):
            if not self.wait_for_arrival("stalled"):
                return False
            arrived += self.let_join()
            decision = scheduler.schedule()

        start = self.now
        resident = sum([seq.computed for seq in decision.scheduled])
        tokens = sum(decision.scheduled.values())
        self.now += self.cost.ns(tokens, resident) + decision.copies_ns
        self.scheduled_tokens += tokens
        self.moved_tokens += decision.moved_tokens
        for seq, event in decision.preempted:
            self.preemptions += 1
            self.recomputed_tokens += event.computed if event.how == "recompute" else 0
            self.close_stay(seq, start, event.how)
        for seq in decision.admitted:
            self.open_stays[seq] = len(self.stays)
            self.stays.append((seq.order, start, None, None))

        wanted = self.logged_from <= self.iterations < self.logged_to
        scheduled = describe(decision) if wanted else ()
        decided = scheduler.snapshot() if wanted else None
        scheduler.update(decision)
        self.generated_tokens += len(decision.sampled)
        for seq in decision.sampled:
            if seq.tokens == seq.request.prompt + 1:
                self.first_token_ns[seq.order] = self.now
        for seq in decision.finished:
            self.finished_ns[seq.order] = self.now
            self.close_stay(seq, self.now, "finished")
        if decided is not None:
            self.log.append(
                Iteration(
                    self.iterations,
                    start,
                    self.now - start,
                    tuple(arrived),
                    scheduled,
                    tuple(event for _, event in decision.preempted),
                    decided,
                    tuple(seq.request.id for seq in decision.sampled),
                    tuple(seq.request.id for seq in decision.finished),
                    scheduler.snapshot(),
                )
            )
        self.iterations += 1
        self.total_ns = self.now - self.begin
        # In circles nothing changes until somebody arrives: no need to count them.
        return not self.goes_in_circles(decision, arrived) or self.wait_for_arrival("endless")

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

    def close_stay(self, seq: Seq, now: int, end: StayEnd) -> None:
        """Note when and how a stay among the running requests ended."""
        stay = self.open_stays.pop(seq)
        order, admitted, _, _ = self.stays[stay]
        self.stays[stay] = (order, admitted, now, end)

    def goes_in_circles(self, decision: Decision, arrived: list[Id]) -> bool:
        """Whether this state was there before, and nobody got a token or arrived since.

        Caches only grow between preemptions, so it is enough to look after those.
        """
        if decision.sampled or arrived:
            self.seen.clear()
        elif decision.preempted:
            state = (
                tuple((seq.order, seq.computed) for seq in self.scheduler.running),
                tuple((seq.order, seq.computed) for _, seq in sorted(self.scheduler.waiting)),
            )
            if state in self.seen:
                return True
            self.seen.add(state)
        return False

    def result(self) -> Result:
        """Return what the run did up to now."""
        return Result(
            self.requests,
            self.outcome,
            self.iterations,
            self.total_ns,
            self.scheduled_tokens,
            self.generated_tokens,
            self.preemptions,
            self.recomputed_tokens,
            self.moved_tokens,
            tuple(self.first_token_ns),
            tuple(self.finished_ns),
            tuple(self.stays),
            tuple(self.log),
        )


def simulate_plain(
    requests: Sequence[Request],
    config: SchedulerConfig,
    *,
    cost: IterationCost = DEFAULT_COST,
    victim: victims.Rule | str | None = None,
    resume: Literal["recompute", "swap", "cheaper"] = "recompute",
    link_gb_per_s: float = 25.0,
    swap_blocks: int | None = None,
    copy_out_in_background: bool = False,
    log: bool | range = False,
) -> Result:
    """Serve `requests` (in the order of arrival) with vLLM's scheduler and return what happened.

    - `cost`: how long an iteration takes.
    - `victim`: who is preempted. None follows the policy; else a rule's name, or a function
      (see `victims`) that gives the same answer for the same batch.
    - `resume`: how a victim comes back. "recompute": its cache is dropped and prefilled again.
      "swap": its cache is copied out over the link, and back when all its blocks are free at
      once. "cheaper": for each victim whichever of the two takes less time.
    - `link_gb_per_s`: bandwidth of the link in one direction, 1e9 B/s; may be infinite.
    - `swap_blocks`: blocks of swap space; a victim that finds too few is recomputed. None: no
      bound.
    - `copy_out_in_background`: copies out take no time; their blocks are free at once all the
      same.
    - `log`: True logs all iterations, a range (`range(100, 200)`) those with these numbers.

    Raises ValueError for a request that can never fit, ids that come twice, arrivals out of
    order, an unknown rule or a bad value; TypeError for a wrong type.
    """
    how = Resume(resume, link_gb_per_s, swap_blocks, copy_out_in_background, cost)
    requests = tuple(requests)
    check_requests(requests, config)
    run = Run(Scheduler(config, victim, how), requests, cost, log)
    while run.step():
        pass
    return run.result()


def check_requests(requests: Sequence[Request], config: SchedulerConfig) -> None:
    """Refuse requests that cannot be served, with a ValueError that says which and why.

    TypeError for anything but requests and a SchedulerConfig.
    """
    if not isinstance(config, SchedulerConfig):
        raise TypeError(f"config must be a SchedulerConfig, not {config!r}")
    for request in requests:
        if not isinstance(request, Request):
            raise TypeError(f"requests must hold Requests, not {request!r}")
    for before, after in itertools.pairwise(requests):
        if after.arrival < before.arrival:
            raise ValueError(
                f"requests must be in the order of arrival: request {after.id!r} arrives at "
                f"{after.arrival} ms, after {before.id!r} at {before.arrival} ms"
            )
    ids = [request.id for request in requests]
    if len(set(ids)) < len(ids):
        raise ValueError(f"id {Counter(ids).most_common(1)[0][0]!r} comes twice")
    # The last generated token needs no cache.
    limits = [(config.usable_blocks * config.block_size + 1, "the pool")]
    if config.max_model_len is not None:
        limits.append((config.max_model_len, "max_model_len"))
    if not config.enable_chunked_prefill:
        limits.append((config.max_num_batched_tokens + 1, "max_num_batched_tokens, unchunked,"))
    most, limit = min(limits)
    sizes = [request.prompt + request.output for request in requests]
    if sizes and max(sizes) > most:
        request = requests[sizes.index(max(sizes))]
        raise ValueError(
            f"request {request.id!r} can never fit: prompt + output are {max(sizes)} tokens, "
            f"and {limit} allows {most}"
        )


def window(log: bool | range) -> tuple[int, float]:
    """Return the first iteration that `log` wants, and the one after the last."""
    if isinstance(log, bool):
        return 0, math.inf if log else 0
    if not isinstance(log, range) or log.step != 1 or log.start < 0:
        raise ValueError(f"log must be True, False or a range of iterations, not {log!r}")
    return log.start, log.stop


def describe(decision: Decision) -> tuple[Scheduled, ...]:
    """Return what a decision schedules, for the log; before the iteration is carried out."""
    admitted = set(decision.admitted)
    return tuple(
        Scheduled(
            seq.request.id,
            n,
            seq.computed,
            "running" if seq not in admitted else "resumed" if seq.preempted else "new",
            seq.computed < seq.prefill,
        )
        for seq, n in decision.scheduled.items()
    )
