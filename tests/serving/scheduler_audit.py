"""Checks a log against vLLM's rules, stated anew from the log's own figures."""

import math
from collections import Counter


class Audit:
    """Follows a run from iteration to iteration."""

    def __init__(self, requests, config, how):
        by_policy = "priority" if config.policy == "priority" else "last admitted"
        self.config = config
        self.victim = how.victim or by_policy
        self.resume = how.resume
        self.request = {request.id: request for request in requests}
        self.order = {request.id: i for i, request in enumerate(requests)}
        self.tokens = {request.id: request.prompt_tokens for request in requests}
        self.prefilled = dict(self.tokens)  # from here on its tokens are decodes
        self.swap_space = math.inf if how.swap_blocks is None else how.swap_blocks
        self.kept = Counter()  # tokens in the swap space
        self.seen = set()  # admitted before
        self.state = {}
        self.running = ()
        self.waiting = ()
        self.free = config.num_gpu_blocks - 1

    def check(self, log):
        self.victims = [event.id for event in log.preempted]
        self.survivors = [name for name in self.running if name not in self.victims]
        self.old = [row for row in log.scheduled if row.kind == "running"]
        self.new = [row for row in log.scheduled if row.kind != "running"]
        queue = [*self.waiting, *log.arrived]
        crowded = len(self.running) + len(queue) > 1
        self.cut = self.config.long_prefill_token_threshold if crowded else 0
        self.who_runs(log)
        self.how_many_tokens(log, queue)
        self.who_is_evicted(log)
        self.who_is_admitted(queue)
        self.what_comes_of_it(log)
        self.in_which_order(log)
        self.running, self.waiting = log.end.running, log.end.waiting
        self.state, self.free = log.end.state, log.end.free_blocks

    def who_runs(self, log):
        scheduled = [row.id for row in self.old]
        assert list(log.decided.running) == self.survivors + [row.id for row in self.new]
        assert scheduled == [name for name in self.survivors if name in scheduled]
        assert len(log.decided.running) <= self.config.max_num_seqs
        for row in log.scheduled:
            first = "resumed" if row.id in self.seen else "new"
            assert row.kind == ("running" if row.id in self.running else first)

    def how_many_tokens(self, log, queue):
        left = self.config.max_num_batched_tokens
        for row in log.scheduled:
            before = self.kept[row.id] if row.id in queue else self.state[row.id][0]
            assert row.computed_tokens == before
            assert row.prefill == (row.computed_tokens < self.prefilled[row.id])
            wanted = self.limited(self.tokens[row.id] - row.computed_tokens)
            assert 1 <= row.tokens <= min(wanted, left)
            if not self.victims:  # whose tokens were given back in mid-iteration
                assert row.tokens == min(wanted, left)
            left -= row.tokens
            assert log.decided.state[row.id][2] == self.blocks(row.computed_tokens + row.tokens)
        if left and not self.victims:
            assert len(self.old) == len(self.running)

    def who_is_evicted(self, log):
        remaining = list(self.running)
        for event in log.preempted:
            assert event.needed_by in self.running
            assert event.blocks_needed > event.blocks_free
            if self.victim == "last admitted":
                assert event.id == remaining[-1]
            elif self.victim == "priority":
                assert event.id == max(remaining, key=self.urgency)
            remaining.remove(event.id)
            assert (event.computed_tokens, event.tokens) == self.state[event.id][:2]
            room = self.blocks(event.computed_tokens) <= self.swap_space
            if self.resume != "cheaper":
                assert event.how == ("swap" if self.resume == "swap" and room else "recompute")
            if event.how == "swap":
                assert room
                self.swap_space -= self.blocks(event.computed_tokens)
        decodes = all(self.state[name][0] == self.state[name][1] - 1 for name in self.running)
        if self.victims and decodes and not self.cut:
            # Without the last victim there would have been too few blocks.
            alive = [*self.survivors, self.victims[-1]]
            need = sum(self.state[name][0] % self.config.block_size == 0 for name in alive)
            freed = sum(self.blocks(self.state[name][0]) for name in self.victims[:-1])
            assert need > self.free + freed

    def who_is_admitted(self, queue):
        if self.victims:
            assert not self.new
            return
        grown = (
            self.blocks(row.computed_tokens + row.tokens) - self.state[row.id][2]
            for row in self.old
        )
        free = self.free - sum(grown)
        left = self.config.max_num_batched_tokens - sum(row.tokens for row in self.old)
        count = len(self.running)
        for row in self.new:
            assert row.id == self.head(queue)
            assert self.fits(row.id, left, free, count)
            queue.remove(row.id)
            free -= self.blocks(row.computed_tokens + row.tokens)
            left -= row.tokens
            count += 1
        if queue and left:
            assert not self.fits(self.head(queue), left, free, count)

    def what_comes_of_it(self, log):
        for row in log.scheduled:
            full = row.computed_tokens + row.tokens == self.tokens[row.id]
            assert full == (row.id in log.sampled)
            self.tokens[row.id] += full
            request = self.request[row.id]
            ended = self.tokens[row.id] == request.prompt_tokens + request.output_tokens
            assert ended == (row.id in log.finished) == (row.id not in log.end.running)
            self.swap_space += self.blocks(self.kept[row.id])
            self.kept[row.id] = 0
            self.seen.add(row.id)
        for event in log.preempted:
            if event.how == "swap":
                self.kept[event.id] = event.computed_tokens
            else:
                self.prefilled[event.id] = event.tokens
        for name, (computed, tokens, blocks) in log.end.state.items():
            assert (tokens, blocks) == (self.tokens[name], self.blocks(computed))

    def in_which_order(self, log):
        for snapshot in (log.decided, log.end):
            held = sum(blocks for _, _, blocks in snapshot.state.values())
            assert snapshot.free_blocks + held == self.config.num_gpu_blocks - 1
            everybody = [*snapshot.running, *snapshot.waiting]
            assert len(everybody) == len(set(everybody))
            if self.config.policy == "priority":
                assert list(snapshot.waiting) == sorted(snapshot.waiting, key=self.urgency)
            elif self.victim == "last admitted":
                assert everybody == sorted(everybody, key=self.order.get)
            else:
                assert list(snapshot.waiting[: len(self.victims)]) == self.victims[::-1]

    def blocks(self, tokens):
        return math.ceil(tokens / self.config.block_size)

    def urgency(self, name):
        return (self.request[name].priority, self.order[name])

    def head(self, queue):
        return min(queue, key=self.urgency) if self.config.policy == "priority" else queue[0]

    def limited(self, tokens):
        return min(tokens, self.cut) if self.cut else tokens

    def fits(self, name, left, free, count):
        config = self.config
        wanted = self.limited(self.tokens[name] - self.kept[name])
        if count == config.max_num_seqs or (wanted > left and not config.enable_chunked_prefill):
            return False
        tokens = self.kept[name] + min(wanted, left)
        if config.scheduler_reserve_full_isl:
            tokens = self.tokens[name]
        headroom = int(config.watermark * config.num_gpu_blocks) if count else 0
        return self.blocks(tokens) + headroom <= free
