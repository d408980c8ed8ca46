"""The same run as the plain one, in a few steps per request instead of one per iteration.

Most iterations only give every running request one more token. So nothing is done per token:

- Of a decoding request two numbers say everything. Its computed tokens grow by one in every
  iteration, so iteration - computed tokens, its *base*, stays the same; and the iteration in
  which it *ends* is known from the start.
- Before iteration x it holds (x - base) / block size blocks, rounded up: the difference of the
  quotients, and one more if x leaves a larger remainder than the base. So it needs a block in the
  iterations with the remainder of its base. `due` counts the requests for each remainder and
  `turns` sums the quotients up; that gives the blocks of all of them, now or later, at once.
- A *stride* is a run of iterations in which nothing else happens. It stops at the first end, at
  an arrival that could be admitted, and before the first iteration that lacks blocks. Stopping
  too early is harmless. Its time is an exact sum of whole nanoseconds.
- All other iterations are taken singly: those with a prefill, an admission or a preemption. Even
  they cost no work per running request. The budget is at least `max_num_seqs`, so all decodes
  are served, and at most one request is in mid-prefill: the last one admitted.
- At a shortage the scheduler asks one request after the other and evicts. That comes to the same
  as evicting until the need of all who are left fits, since a rule does not see who asks. The
  request in mid-prefill asks after all others, for a chunk of a size that is then fixed.

With prefix caching the queue of free blocks is kept in segments (see `segments`). What can be
found does not change how many blocks an admission needs, since all of them are free.

Offloading is a variation (see `fast_offload`).

Not covered are `long_prefill_token_threshold`, with which several requests are in mid-prefill, and
prefix caching together with common prefixes, swapping or a log.
"""

import copy
import math
from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

from preemption.serving import victims
from preemption.serving.blocks import watermark_blocks
from preemption.serving.results import Iteration, Result, StayEnd
from preemption.serving.run import Run
from preemption.serving.scheduler import Scheduler
from preemption.serving.segments import Segments
from preemption.serving.sequence import Seq
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig
from preemption.serving.workload import Request

NEVER = 10**400  # later than any arrival


class NotCoveredError(Exception):
    """The run came to something that only the plain engine follows."""


def covers(requests: Iterable[Request], config: SchedulerConfig, settings: RunSettings) -> bool:
    """Whether these settings can be taken in a few steps. Very rarely a run shows only later."""
    if config.long_prefill_token_threshold or config.async_scheduling or settings.log is True:
        return False
    if not (config.enable_prefix_caching or config.host_blocks):
        return True
    requests = tuple(requests)
    if config.host_blocks:
        prompts_blocks = sum(request.prompt_tokens // config.block_size for request in requests)
        never_full = config.offload_prompt_only and prompts_blocks <= config.host_blocks
        if config.policy == "priority" or not never_full:
            return False
    shares = any(request.prefix_tokens >= config.block_size for request in requests)
    return not (shares or settings.log or settings.resume != "recompute")


class FastRun:
    """One run of requests that can all be served; `result` takes it from start to end.

    A request is known by its place in the order of arrival. Heaps hold pairs (a, request) as one
    integer each, a * size + request: that is faster.
    """

    __slots__ = (
        *("requests", "config", "settings", "rule", "swapping", "by_priority", "watermark"),
        *("block_size", "budget", "computing_ns", "per_resident_ns"),
        *("prompt", "tokens", "prefill", "end", "arrivals", "first_token_ns", "finished_ns"),
        *("stay", "stays", "size", "queue", "heap", "waiting", "blocked", "running", "ending"),
        *("due", "turns", "chunk", "chunk_computed", "swapped", "usable", "free", "swap_free"),
        *("resident", "joined", "iteration", "rounds", "now", "log", "logged_to", "segments"),
        *("preemptions", "lost_tokens", "found_tokens", "loaded_tokens", "moved_tokens"),
        *("copies_ns", "held", "pool_use"),
    )

    def __init__(
        self,
        requests: Sequence[Request],
        config: SchedulerConfig,
        settings: RunSettings = DEFAULT_RUN,
    ) -> None:
        self.requests = tuple(requests)
        self.config, self.settings = config, settings
        self.rule = victims.rule_for(settings.victim, config.policy)
        self.swapping = settings.resume != "recompute"
        self.by_priority = config.policy == "priority"
        self.watermark = watermark_blocks(config)
        self.block_size, self.budget = config.block_size, config.max_num_batched_tokens
        self.computing_ns = settings.cost.computing_ns
        self.per_resident_ns = settings.cost.per_resident_token_ns

        # Per request: the tokens it had when it joined the queue last, those below which it
        # prefills, and those at which it ends.
        self.prompt = [request.prompt_tokens for request in requests]
        self.tokens, self.prefill = self.prompt.copy(), self.prompt.copy()
        self.end = [request.prompt_tokens + request.output_tokens for request in requests]
        self.arrivals = [request.arrival_ns for request in requests] + [NEVER]
        self.first_token_ns: list[int | None] = [None] * len(requests)
        self.finished_ns: list[int | None] = [None] * len(requests)
        self.stay = [-1] * len(requests)  # where its last stay stands in `stays`
        self.stays: list[Any] = []  # while it lasts: since when

        self.size = len(requests) + 1
        self.queue: deque[int] = deque()  # requests that wait, under FCFS
        self.heap: list[int] = []  # of (priority, request), under the priority policy
        self.waiting: deque[int] | list[int] = self.heap if self.by_priority else self.queue
        self.blocked = False  # the head of the queue cannot be admitted before somebody leaves
        self.running: dict[int, int] = {}  # decoding -> its base, in the order of admission
        self.ending = [NEVER * self.size]  # heap of (iteration, request), also of some evicted
        self.due = [0] * config.block_size  # decoding requests by the remainder of their base
        self.turns = 0  # sum of their bases' quotients
        self.chunk, self.chunk_computed = -1, 0  # who is in mid-prefill, if anybody, and how far
        self.swapped: dict[int, int] = {}  # waiting request -> its tokens in the swap space
        self.held: dict[int, int] = {}  # waiting request -> blocks of the pool: with offloading
        self.usable = self.free = config.usable_blocks
        self.segments = Segments(self.free) if config.enable_prefix_caching else None
        self.swap_free = math.inf if settings.swap_blocks is None else settings.swap_blocks
        self.resident = 0  # tokens that have a cache
        self.joined = self.iteration = self.rounds = 0
        self.now = self.arrivals[0] if requests else 0
        self.found_tokens = self.loaded_tokens = 0
        self.preemptions = self.lost_tokens = self.moved_tokens = self.copies_ns = 0
        self.log: list[Iteration] = []
        self.pool_use: list[tuple[int, int]] = []
        logged_from, self.logged_to = settings.log_window
        if logged_from < self.logged_to:
            # Nobody's end, but a stop: one iteration early, to know who arrives before the first.
            heappush(self.ending, (logged_from - 2) * self.size + len(requests))

    def advance(self, *, while_roomy: bool = False) -> bool:
        """Run to the end and return True; or False before blocks might be short for the first time.

        The latter only `while_roomy`. `rounds` says how often it went round: an iteration taken
        singly, a stride, or the one followed by the other.
        """
        while self.let_leave_and_join():
            if while_roomy and self.most_wanted() > self.free:
                return False
            self.rounds += 1
            asked = self.due[self.iteration % self.block_size]
            if self.chunk >= 0 or asked > self.free or (self.waiting and not self.blocked):
                self.take_iteration(asked)
                if self.chunk >= 0 or self.ending[0] < self.iteration * self.size:
                    continue
                if self.waiting and not self.blocked:
                    continue
            self.stride()
        return True

    def most_wanted(self) -> int:
        """Return how many blocks the next iteration asks for at most."""
        wanted = self.due[self.iteration % self.block_size]
        joining = [pair % self.size for pair in self.waiting] if not self.blocked else []
        if joining:
            wanted += self.watermark
        if self.chunk >= 0:
            joining.append(self.chunk)
        return wanted + sum(-(-self.tokens[i] // self.block_size) for i in joining)

    def widened(self, config: SchedulerConfig) -> "FastRun":
        """Return this run, at this moment, in the larger pool of `config`.

        Until now no decision may have hung on how many blocks are free.
        """
        wider = copy.copy(self)
        for kind in type(self).__mro__[:-1]:
            for name in kind.__slots__:  # type: ignore[attr-defined]
                if isinstance(value := getattr(self, name), list | dict | deque):
                    setattr(wider, name, value.copy())
        wider.waiting = wider.heap if wider.by_priority else wider.queue
        wider.config, wider.watermark = config, watermark_blocks(config)
        more = config.usable_blocks - self.usable
        wider.usable += more
        wider.free += more
        if self.segments:
            wider.segments = self.segments.widened(more)
        return wider

    def result(self) -> Result:
        """Run to the end and return what happened."""
        self.advance()
        useful = sum(self.end) - len(self.requests)  # each token but the last of a request
        recomputed = self.lost_tokens - self.found_tokens - self.loaded_tokens
        return Result(
            requests=self.requests,
            outcome="finished",
            iterations=self.iteration,
            total_ns=self.now - self.arrivals[0] if self.requests else 0,
            scheduled_tokens=useful + recomputed,
            generated_tokens=sum(self.end) - sum(self.prompt),
            preemptions=self.preemptions,
            lost_tokens=self.lost_tokens,
            found_tokens=self.found_tokens,
            recomputed_tokens=recomputed,
            skipped_tokens=0,
            loaded_tokens=self.loaded_tokens,
            moved_tokens=self.moved_tokens,
            first_token_ns=tuple(self.first_token_ns),
            finished_ns=tuple(self.finished_ns),
            stays=tuple(self.stays),
            log=tuple(self.log),
            pool_use=tuple(self.pool_use),
        )

    def let_leave_and_join(self) -> bool:
        """Let those leave who got their last token, and those join who have arrived.

        False: nobody is left.
        """
        if self.ending[0] < self.iteration * self.size:
            self.let_leave()
        while True:
            while self.arrivals[self.joined] <= self.now:
                self.enqueue(self.joined)
                self.joined += 1
                if self.by_priority:
                    self.blocked = False
            if self.running or self.waiting or self.chunk >= 0 or self.held:
                return True
            if self.joined == len(self.requests):
                return False
            self.now = self.arrivals[self.joined]

    def let_leave(self) -> None:
        """Let those go who got their last token in the last iteration; write the log if it is time.

        They give their blocks back in the order of their admission.
        """
        ended, log_now = [], False
        while self.ending[0] < self.iteration * self.size:
            last, i = divmod(heappop(self.ending), self.size)
            if i == len(self.requests):
                log_now = True
            elif self.running.get(i) == last + 2 - self.end[i]:  # or else it was evicted since
                ended.append(i)
        if len(ended) > 1:
            ended.sort(key=self.stay.__getitem__)
        for i in ended:
            computed = self.end[i] - 1
            self.forget(i)
            self.give_back(i, computed)
            self.resident -= computed
            self.finished_ns[i] = self.now
            self.close_stay(i, "finished")
            self.blocked = False
        if log_now:
            self.log = self.plain_log()

    def give_back(self, i: int, tokens: int) -> None:
        """Take back the blocks of a request that holds them for this many tokens."""
        if self.segments:
            full, rest = divmod(tokens, self.block_size)
            self.segments.give_back(i, full=full, rest=rest > 0, free=self.free)
        self.free -= -tokens // self.block_size

    def forget(self, i: int) -> int:
        """Take a decoding request out of the counts; return its base."""
        base = self.running.pop(i)
        self.due[base % self.block_size] -= 1
        self.turns -= base // self.block_size
        return base

    def close_stay(self, i: int, end: StayEnd) -> None:
        """Note when and how a stay among the running requests ended."""
        self.stays[self.stay[i]] = (i, self.stays[self.stay[i]], self.now, end)

    def enqueue(self, i: int, *, at_head: bool = False) -> None:
        """Put a request into the queue: at an end of it, or where its priority belongs."""
        if self.by_priority:
            heappush(self.heap, self.requests[i].priority * self.size + i)
        elif at_head:
            self.queue.appendleft(i)
        else:
            self.queue.append(i)

    def take_iteration(self, asked: int) -> None:
        """Take one iteration by itself: the decodes, the request in mid-prefill, admissions.

        `asked` are the blocks that the decodes need.
        """
        self.copies_ns, preempted_before = 0, self.preemptions
        self.pool_use.append((self.now, self.usable - self.free))
        while asked > self.free:
            victim, computed = self.evict()
            self.free -= -computed // self.block_size
            asked = self.due[self.iteration % self.block_size]
        self.free -= asked
        if self.segments and self.preemptions > preempted_before:
            # Each victim went when no block was free, so only blocks of the last are left.
            self.segments.only(victim, full=computed // self.block_size, free=self.free)
        prefilled: list[int] = []  # who gets to the end of a prefill
        n = self.serve_chunk(prefilled) if self.chunk >= 0 else 0
        left = self.budget - len(self.running) - n
        evicted = self.preemptions > preempted_before
        left = self.admit(left, prefilled, may=not evicted)
        n = self.budget - left
        if n or evicted:
            self.now += self.computing_ns(n) + self.per_resident_ns * self.resident + self.copies_ns
        else:
            self.wait()
        self.resident += n
        self.iteration += 1
        for i in prefilled:
            self.let_decode(i)

    def wait(self) -> None:
        """Let an iteration pass in which nothing is computed: only with offloading."""
        raise NotCoveredError

    def serve_chunk(self, prefilled: list[int]) -> int:
        """Compute a chunk of the request in mid-prefill; return its tokens, 0 if it is evicted."""
        left = self.budget - len(self.running)
        n = min(self.tokens[self.chunk] - self.chunk_computed, left)
        computed = self.chunk_computed + n
        asked = -(-computed // self.block_size) + -self.chunk_computed // self.block_size
        unfilled = False
        while asked > self.free:
            victim, held = self.evict()
            if self.chunk < 0:
                if unfilled:
                    raise NotCoveredError
                self.give_back(victim, held)
                return 0
            # A decode has been given the block of this iteration. If that would have filled it,
            # it has a key, and is handed out for the chunk, unless the chunk has to go too.
            self.give_back(victim, held + 1)
            unfilled |= (held + 1) % self.block_size == 0
        self.free -= asked
        self.chunk_computed = computed
        if computed == self.tokens[self.chunk]:
            prefilled.append(self.chunk)
            self.chunk = -1
        return n

    def admit(self, left: int, prefilled: list[int], *, may: bool) -> int:
        """Admit from the head of the queue; return what is left of the budget.

        An iteration that preempts admits nobody, but it finds out whether the head is blocked.
        """
        whole, block_size, waiting = left, self.block_size, self.waiting
        config = self.config
        seqs = len(self.running) + len(prefilled)
        self.blocked = False
        while waiting and left > 0 and not self.blocked:
            i = waiting[0] % self.size
            if seqs == config.max_num_seqs:
                self.blocked = True
                break
            cached = self.cached(i, beside_others=seqs > 0)
            if cached is None:
                continue
            held = self.held.get(i, 0)
            n = self.tokens[i] - cached
            if n > left:
                n = left
                if not config.enable_chunked_prefill:
                    self.blocked = left == whole
                    break
            must_fit = self.tokens[i] if config.scheduler_reserve_full_isl else cached + n
            headroom = self.watermark if seqs else 0
            if -(-must_fit // block_size) - held + headroom > self.free:
                self.blocked = True
                break
            if not may:
                break
            if self.by_priority:
                heappop(self.heap)
            else:
                self.queue.popleft()
            seqs += 1
            left -= n
            self.free -= -(-(cached + n) // block_size) - held
            self.stay[i] = len(self.stays)
            self.stays.append(self.now)
            if cached:
                self.take_back(i, cached)
            if cached + n == self.tokens[i]:
                prefilled.append(i)
            else:
                self.chunk, self.chunk_computed = i, cached + n
        return left

    def cached(self, i: int, *, beside_others: bool) -> int | None:  # noqa: ARG002
        """Return the tokens of the head of the queue that are found, or in swap space.

        None: it is not to be admitted now. Only with offloading.
        """
        if self.segments:
            return self.segments.found(i, self.free) * self.block_size
        return self.swapped.get(i, 0)

    def take_back(self, i: int, cached: int) -> None:
        """Take a cache that was found, or copy it back from the swap space."""
        self.resident += cached
        if self.segments:
            self.found_tokens += cached
            self.segments.take(i)
            return
        del self.swapped[i]
        self.swap_free -= -cached // self.block_size
        self.moved_tokens += cached
        self.copies_ns += self.settings.copy_in_ns(cached)

    def let_decode(self, i: int) -> None:
        """Note that a request has come to the end of its prefill and got a token."""
        base = self.iteration - self.tokens[i]
        self.running[i] = base
        self.due[base % self.block_size] += 1
        self.turns += base // self.block_size
        heappush(self.ending, (base + self.end[i] - 2) * self.size + i)
        if self.first_token_ns[i] is None:
            self.first_token_ns[i] = self.now

    def evict(self) -> tuple[int, int]:
        """Preempt a victim; return it and its computed tokens. Its blocks are still to be freed."""
        # The last admitted, or whom the rule picks.
        i = self.chunk if self.chunk >= 0 else next(reversed(self.running))
        if self.rule is not victims.last_admitted:
            i = self.pick()
        if i == self.chunk:
            computed = self.chunk_computed
            self.chunk = -1
        else:
            computed = self.iteration - self.forget(i)
            self.tokens[i] = computed + 1
        self.resident -= computed
        self.preemptions += 1
        how: StayEnd = "recompute"
        blocks = -(-computed // self.block_size)
        if self.swapping and blocks <= self.swap_free and self.settings.swaps(computed):
            how = "swap"
            self.swapped[i] = computed
            self.swap_free -= blocks
            self.moved_tokens += computed
            self.copies_ns += self.settings.copy_out_ns(computed)
        else:
            self.lost_tokens += computed
            self.prefill[i] = self.tokens[i]
        self.close_stay(i, how)
        self.enqueue(i, at_head=True)
        return i, computed

    def pick(self) -> int:
        """Ask the rule for a victim."""
        requests, prompt, iteration = self.requests, self.prompt, self.iteration
        candidates = [
            victims.Candidate(
                requests[i],
                i,
                iteration + 1 - base - prompt[i],
                iteration - base,
                -((base - iteration) // self.block_size),
            )
            for i, base in self.running.items()
        ]
        if (i := self.chunk) >= 0:
            generated, computed = self.tokens[i] - prompt[i], self.chunk_computed
            blocks = -(-computed // self.block_size)
            candidates.append(victims.Candidate(requests[i], i, generated, computed, blocks))
        return candidates[victims.choose(self.rule, tuple(candidates))].order

    def stride(self) -> None:
        """Take as many iterations as there are in which everybody gets a token, and no more."""
        decodes, block_size, iteration = len(self.running), self.block_size, self.iteration
        due = self.due
        step_ns = self.computing_ns(decodes) + self.per_resident_ns * self.resident
        growth_ns = self.per_resident_ns * decodes  # each iteration takes longer than the last
        stop = self.ending[0] // self.size + 1
        length = stop - iteration
        span_ns = length * step_ns + growth_ns * (length * (length - 1) // 2)
        gap = self.next_ns() - self.now
        if gap <= 0:
            return
        if span_ns > gap:
            # Up to the first iteration that starts after that: a root, then exactly.
            half = step_ns - growth_ns / 2
            length = int(2 * gap / (half + math.sqrt(half * half + 2 * growth_ns * gap)))
            span_ns = length * step_ns + growth_ns * (length * (length - 1) // 2)
            while span_ns < gap:
                span_ns += step_ns + growth_ns * length
                length += 1
            stop = iteration + length
        self.pool_use.append((self.now, self.usable - self.free))
        usable = self.usable - sum(self.held.values())
        held = decodes * (stop // block_size) - self.turns + sum(due[: stop % block_size])
        if held > usable:
            # Up to the first iteration that lacks blocks.
            full_turns, left = divmod(self.free, decodes)
            stop = iteration + full_turns * block_size
            while due[stop % block_size] <= left:
                left -= due[stop % block_size]
                stop += 1
            held = usable - left
            length = stop - iteration
            span_ns = length * step_ns + growth_ns * (length * (length - 1) // 2)
        self.free = usable - held
        self.now += span_ns
        self.resident += length * decodes
        self.iteration = stop

    def next_ns(self) -> int:
        """Return when a stride has to stop: at an arrival that could be admitted."""
        blocked = self.waiting and not self.by_priority
        return NEVER if blocked else self.arrivals[self.joined]

    def plain_log(self) -> list[Iteration]:
        """Let the plain scheduler run and log the wanted iterations, from the present state."""
        running = [self.seq(i, self.iteration - base) for i, base in self.running.items()]
        for decoding in running:
            decoding.tokens = decoding.computed + 1
        if self.chunk >= 0:
            running.append(self.seq(self.chunk, self.chunk_computed))
        queue = [pair % self.size for pair in sorted(self.heap)] or self.queue
        scheduler = Scheduler.restored(
            self.config,
            self.settings,
            running=running,
            waiting=[self.seq(i, self.swapped.get(i, 0)) for i in queue],
            joined=self.joined,
        )
        run = Run.restored(
            scheduler,
            self.requests,
            now=self.now,
            iterations=self.iteration,
            admitted_ns={seq.order: self.stays[self.stay[seq.order]] for seq in running},
        )
        while run.iterations < self.logged_to and run.step():
            pass
        return run.log

    def seq(self, i: int, computed: int) -> Seq:
        """Return a request as the plain scheduler has it."""
        seq = Seq(self.requests[i], i, self.config.max_model_len)
        seq.computed, seq.tokens, seq.prefill = computed, self.tokens[i], self.prefill[i]
        seq.preempted = self.stay[i] >= 0
        return seq
