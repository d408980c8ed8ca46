"""Asynchronous scheduling, vLLM's default: an iteration is decided before the last one's tokens.

What differs from `scheduler`: the tokens of an iteration are known at the end of the next one. A
request whose last token is under way is not scheduled, but still runs, holds its blocks and can be
preempted, needlessly; then it ends while it waits. Prefix caching finds a block that a decode
filled one iteration later.
"""

import heapq

from preemption.serving.scheduler import Decision, Scheduler
from preemption.serving.sequence import Seq
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig


class AsyncScheduler(Scheduler):
    """A scheduler that learns the tokens of each iteration one iteration later."""

    def __init__(self, config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN) -> None:
        super().__init__(config, settings)
        self.under_way: list[Seq] = []  # whose next token the last iteration computes

    def idle(self, decision: Decision) -> bool:
        """Whether there is nothing to do, and no token to wait for."""
        return super().idle(decision) and not self.under_way

    def update(self, decision: Decision) -> None:
        """Let caches grow; then learn the tokens of the iteration before, and who ends with them.

        A token counts among a request's `tokens` from the time it is under way.
        """
        decision.sampled = self.under_way
        self.under_way = []
        for seq, n in decision.scheduled.items():
            seq.computed += n
            if seq.computed == seq.tokens:
                seq.tokens += 1
                seq.under_way += 1
                self.under_way.append(seq)
        for seq in decision.sampled:
            seq.under_way -= 1
            if seq.blocks:  # else it was preempted
                self.pool.give_keys(seq, seq.computed - seq.under_way)
            if seq.tokens - seq.under_way >= seq.end:
                decision.finished.append(seq)
        if decision.finished:
            self.remove(decision.finished)

    def remove(self, finished: list[Seq]) -> None:
        """Take requests that end from where they are: running, or waiting since a preemption."""
        ended = set(finished)
        for seq in finished:
            if not seq.blocks:
                self.swap_free += self.pool.blocks_for(seq.computed)
            self.pool.release(seq)
        self.running = [seq for seq in self.running if seq not in ended]
        if any(seq in ended for _, seq in self.waiting):
            self.waiting = [(place, seq) for place, seq in self.waiting if seq not in ended]
            heapq.heapify(self.waiting)
