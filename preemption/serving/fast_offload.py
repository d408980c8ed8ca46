"""The fast engine with offloading: what a request has on the host is one number, too.

It is `offload.OffloadingScheduler` for requests that share nothing, on a host that is never full.
Then a request finds there all the blocks that it has ever stored: the first ones of its prompt.

- Nobody but a victim ever loads. While it loads it stands in `loading`; then at the head of the
  queue, behind those that have loaded before it. Loads end in the order in which they begin, and a
  stride stops at their ends as it does at arrivals.
- Copies of victims that are under way are waited for. So of a request's stores only the end of
  the last one counts.
- They are waited for, too, if a request has ended and its blocks are handed out again. While such
  a copy is under way, iterations are taken singly. Without prefix caching free blocks are a stack:
  how many are held at one moment tells whether a block below its top has been handed out.

Not covered are the priority policy, generated blocks, and a log.
"""

from collections import deque
from collections.abc import Sequence

from preemption.serving.fast import NEVER, FastRun, NotCoveredError
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig
from preemption.serving.workload import Request


class FastOffloadingRun(FastRun):
    """One run of requests with a host to store their prompts on."""

    __slots__ = (
        *("block_ns", "stored", "stored_ns", "stores_end", "loads_end", "starting", "loading"),
        *("loaded", "found_before", "leaving", "most_held"),
    )

    def __init__(
        self,
        requests: Sequence[Request],
        config: SchedulerConfig,
        settings: RunSettings = DEFAULT_RUN,
    ) -> None:
        super().__init__(requests, config, settings)
        self.block_ns = settings.link_ns(config.block_size)
        self.stored = [0] * len(requests)  # blocks on the host
        self.stored_ns = [0] * len(requests)  # when the last store is done
        self.stores_end = self.loads_end = 0  # when the link is free in each direction
        self.starting: deque[int] = deque()  # loads of this iteration: they begin at its end
        self.loading: deque[tuple[int, int]] = deque()  # (when done, request)
        self.loaded = 0  # how many at the head of the queue have loaded
        self.found_before: dict[int, int] = {}  # request that loads or has -> found in the pool
        self.leaving: list[tuple[int, int]] = []  # ended while stored -> see `give_back`
        self.most_held = 0  # blocks, at any moment of this iteration

    def most_wanted(self) -> int:
        """Return how many blocks the next iteration asks for at most; all if it matters which."""
        return self.usable + 1 if self.leaving and self.segments else super().most_wanted()

    def let_leave_and_join(self) -> bool:
        """Do so, and let those join the queue anew that have loaded."""
        while self.loading and self.loading[0][0] <= self.now:
            _, i = self.loading.popleft()
            self.queue.insert(self.loaded, i)
            self.loaded += 1
            self.blocked = False
        return super().let_leave_and_join()

    def give_back(self, i: int, tokens: int) -> None:
        """Take back the blocks of a request; note it if they are being stored.

        On a stack they are untouched as long as no more are held than before, without those stored.
        """
        if self.stored_ns[i] > self.now:
            self.leaving.append((i, self.usable - self.free - self.stored[i]))
        super().give_back(i, tokens)

    def enqueue(self, i: int, *, at_head: bool = False) -> None:
        """Put a request into the queue: at its end, or behind those that have loaded."""
        if at_head:
            self.queue.insert(self.loaded, i)
        else:
            self.queue.append(i)

    def take_iteration(self, asked: int) -> None:
        """Take one iteration by itself; at its end copies begin."""
        self.most_held = self.usable - self.free + asked
        super().take_iteration(asked)
        if self.chunk >= 0:
            self.store(self.chunk, self.chunk_computed)
        while self.starting:
            i = self.starting.popleft()
            blocks = self.held[i] - self.found_before[i]
            self.loads_end = max(self.now, self.loads_end) + blocks * self.block_ns
            self.loading.append((self.loads_end, i))

    def let_decode(self, i: int) -> None:
        """Note that a request has come to the end of its prefill; store the end of its prompt."""
        super().let_decode(i)
        self.store(i, self.prompt[i])

    def store(self, i: int, tokens: int) -> None:
        """Copy the blocks of a prompt that are not on the host yet."""
        full = min(tokens, self.prompt[i]) // self.block_size
        if (missing := full - self.stored[i]) > 0:
            self.stored[i] = full
            self.moved_tokens += missing * self.block_size
            self.stores_end = max(self.now, self.stores_end) + missing * self.block_ns
            self.stored_ns[i] = self.stores_end

    def evict(self) -> tuple[int, int]:
        """Preempt a victim, and wait for its copies."""
        i, computed = super().evict()
        self.copies_ns = max(self.copies_ns, self.stored_ns[i] - self.now)
        self.stored_ns[i] = 0
        return i, computed

    def admit(self, left: int, prefilled: list[int], *, may: bool) -> int:
        """Admit, or let load, from the head of the queue; then see which copies to wait for."""
        if may:
            left = super().admit(left, prefilled, may=True)
        # As decodes overwrite what could be found of it, the head may come to load: that can take
        # less room than being admitted, if not all its tokens have to fit.
        if not may or (self.segments and not self.config.scheduler_reserve_full_isl):
            self.blocked = False
        if self.leaving:
            self.wait_for_copies()
        return left

    def wait_for_copies(self) -> None:
        """Wait for copies of requests that have ended, if blocks of them are handed out again."""
        most_held, still = max(self.most_held, self.usable - self.free), []
        for i, least in self.leaving:
            if self.segments:
                touched = self.segments.found(i, self.free) < self.stored[i]
            else:
                touched = most_held > least
            if touched:
                self.copies_ns = max(self.copies_ns, self.stored_ns[i] - self.now)
            elif self.stored_ns[i] > self.now:
                still.append((i, least))
        self.leaving = still

    def cached(self, i: int, *, beside_others: bool) -> int | None:
        """Return the tokens of the head of the queue that it has loaded, or that are found.

        None: there is more on the host, and so it loads. If there is no room for that, beside what
        others who load still need, it is blocked.
        """
        if i in self.held:
            return self.held[i] * self.block_size
        found = self.segments.found(i, self.free) if self.segments else 0
        blocks = self.stored[i]
        if blocks <= found:
            return found * self.block_size
        reserved = sum(-(-self.tokens[j] // self.block_size) - n for j, n in self.held.items())
        needed = blocks + reserved
        if self.config.scheduler_reserve_full_isl:
            needed = max(needed, -(-self.tokens[i] // self.block_size))
        if needed + (self.watermark if beside_others else 0) > self.free:
            self.blocked = True
            return None
        self.queue.popleft()
        self.free -= blocks
        if found and self.segments:
            self.segments.take(i)
        self.held[i], self.found_before[i] = blocks, found
        self.starting.append(i)
        return None

    def take_back(self, i: int, cached: int) -> None:
        """Take a cache that was found or loaded."""
        if i not in self.held:
            super().take_back(i, cached)
            return
        del self.held[i]
        self.loaded -= 1
        found = self.found_before.pop(i) * self.block_size
        self.resident += cached
        self.found_tokens += found
        self.loaded_tokens += cached - found
        self.moved_tokens += cached - found

    def next_ns(self) -> int:
        """Return when a stride has to stop: at an arrival, or when a request has loaded."""
        arrival = NEVER if self.waiting else self.arrivals[self.joined]
        return min(arrival, self.loading[0][0]) if self.loading else arrival

    def wait(self) -> None:
        """Let an iteration pass in which nothing is computed: until a load is done, or an arrival.

        Those that begin in this iteration do not count yet.
        """
        if not (self.loading or self.starting):
            raise NotCoveredError  # requests hold blocks, and none can go on
        until = self.loading[0][0] if self.loading else self.now
        self.now = min(until, self.arrivals[self.joined])

    def stride(self) -> None:
        """Take as many iterations as there are in which nobody but decodes has to be looked at."""
        if self.running and not self.leaving:
            super().stride()
        elif min(self.arrivals[self.joined], self.next_ns()) > self.now:
            if self.running:
                self.take_iteration(self.due[self.iteration % self.block_size])
            else:
                self.pool_use.append((self.now, self.usable - self.free))
                self.wait()
                self.iteration += 1
