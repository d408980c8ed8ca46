"""The same run as `simulate_plain`, in a few steps per request instead of one per iteration.

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

Not covered is `long_prefill_token_threshold`: with it several requests are in mid-prefill.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Any, Literal

from preemption.serving import scheduler, victims
from preemption.serving.results import Iteration, Result
from preemption.serving.settings import DEFAULT_COST, IterationCost, Resume, SchedulerConfig
from preemption.serving.workload import Request

NEVER = 10**400  # later than any arrival


def simulate(
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
    """Return the result of `simulate_plain`, to the last digit, in a fraction of its time.

    Arguments and errors are the same. Two settings are taken plainly, by `simulate_plain`
    itself: a `long_prefill_token_threshold` above 0, and `log=True`, which has to write every
    iteration down. With a range as `log` only these iterations are taken plainly.
    """
    requests = tuple(requests)
    scheduler.check_requests(requests, config)
    if config.long_prefill_token_threshold or log is True:
        return scheduler.simulate_plain(
            requests,
            config,
            cost=cost,
            victim=victim,
            resume=resume,
            link_gb_per_s=link_gb_per_s,
            swap_blocks=swap_blocks,
            copy_out_in_background=copy_out_in_background,
            log=log,
        )
    how = Resume(resume, link_gb_per_s, swap_blocks, copy_out_in_background, cost)
    rule = victims.rule_for(victim, config.policy)
    return run(requests, config, cost, rule, how, log)[0]


def run(
    requests: tuple[Request, ...],
    config: SchedulerConfig,
    cost: IterationCost,
    rule: victims.Rule,
    resume: Resume,
    log: bool | range,
) -> tuple[Result, int]:
    """Run checked requests; return the result and how often the loop was passed.

    A pass is an iteration taken singly, a stride, or the one followed by the other.
    """
    count = len(requests)
    block_size, budget = config.block_size, config.max_num_batched_tokens
    usable_blocks, watermark_blocks = config.usable_blocks, config.watermark_blocks
    chunked, reserve = config.enable_chunked_prefill, config.scheduler_reserve_full_isl
    max_num_seqs, blocks_for = config.max_num_seqs, config.blocks_for
    by_priority, swapping = config.policy == "priority", resume.mode != "recompute"
    floor, base_ns, per_token, per_resident_token = cost.whole_ns

    # Per request: the tokens it had when it joined the queue last, those below which it
    # prefills, and those at which it ends.
    prompt = [request.prompt for request in requests]
    tokens, prefill = prompt.copy(), prompt.copy()
    end = [request.prompt + request.output for request in requests]
    arrivals = [request.arrival_ns for request in requests] + [NEVER]
    first_token_ns: list[int | None] = [None] * count
    finished_ns: list[int | None] = [None] * count
    stay = [-1] * count  # where its last stay stands in `stays`
    stays: list[Any] = []  # while it lasts: since when

    # Heaps hold pairs (a, request) as one integer each, a * size + request: that is faster.
    size = count + 1
    waiting: deque[int] | list[int]
    join: Callable[[int], None]
    requeue: Callable[[int], None]
    leave: Callable[[], int]
    if by_priority:
        waiting = heap = list[int]()  # heap of (priority, request)
        join = requeue = lambda i: heappush(heap, requests[i].priority * size + i)
        leave = partial(heappop, heap)
    else:
        waiting = queue = deque[int]()  # requests
        join, requeue, leave = queue.append, queue.appendleft, queue.popleft
    blocked = False  # the head of the queue cannot be admitted before another request leaves
    running: dict[int, int] = {}  # decoding request -> its base, in the order of admission
    ending = [NEVER * size]  # heap of (iteration, request); those evicted since stay in it
    due = [0] * block_size  # decoding requests by the remainder of their base
    turns = 0  # sum of their bases' quotients
    chunk, chunk_computed = -1, 0  # the request in mid-prefill, if any, and what it has
    swapped: dict[int, int] = {}  # waiting request -> its tokens in the swap space
    free = usable_blocks
    swap_free = math.inf if resume.swap_blocks is None else resume.swap_blocks
    resident = 0  # tokens that have a cache
    joined = iteration = passes = 0
    preemptions = recomputed_tokens = moved_tokens = copies_ns = 0
    now = begin = arrivals[0] if requests else 0

    def evict(served: bool) -> None:
        """Preempt a victim; `served`: the decodes have been given the blocks of this iteration."""
        nonlocal free, turns, resident, chunk, swap_free
        nonlocal preemptions, recomputed_tokens, moved_tokens, copies_ns
        i = chunk if chunk >= 0 else next(reversed(running))  # the last admitted
        if rule is not victims.last_admitted:
            i = pick()
        if i == chunk:
            computed = chunk_computed
            chunk = -1
        else:
            base = running.pop(i)
            due[base % block_size] -= 1
            turns -= base // block_size
            computed = iteration - base
            tokens[i] = computed + 1
            if served and computed % block_size == 0:
                free += 1
        blocks = -(-computed // block_size)
        free += blocks
        resident -= computed
        preemptions += 1
        if swapping and blocks <= swap_free and resume.swaps(computed):
            swapped[i] = computed
            swap_free -= blocks
            moved_tokens += computed
            copies_ns += resume.out_ns(computed)
            how = "swap"
        else:
            recomputed_tokens += computed
            prefill[i] = tokens[i]
            how = "recompute"
        stays[stay[i]] = (i, stays[stay[i]], now, how)
        requeue(i)

    def pick() -> int:
        """Ask the rule for a victim."""
        candidates = [
            victims.Candidate(
                requests[i],
                i,
                iteration + 1 - base - prompt[i],
                iteration - base,
                -((base - iteration) // block_size),
            )
            for i, base in running.items()
        ]
        if chunk >= 0:
            generated, blocks = tokens[chunk] - prompt[chunk], blocks_for(chunk_computed)
            candidates.append(
                victims.Candidate(requests[chunk], chunk, generated, chunk_computed, blocks)
            )
        return candidates[victims.choose(rule, candidates)].order

    def plain_log() -> list[Iteration]:
        """Let the plain scheduler run and log the wanted iterations, from the present state."""
        plain = scheduler.Scheduler(config, rule, resume)
        plain.free, plain.swap_free = free, swap_free
        plain.joined, plain.requeued = joined, len(waiting)

        def seq(i: int, computed: int, known: int) -> scheduler.Seq:
            seq = scheduler.Seq(requests[i], i, end[i])
            seq.computed, seq.tokens, seq.prefill = computed, known, prefill[i]
            seq.preempted = stay[i] >= 0
            if by_priority:
                seq.place = (requests[i].priority, i)
            return seq

        plain.running = [
            seq(i, iteration - base, iteration - base + 1) for i, base in running.items()
        ]
        if chunk >= 0:
            plain.running.append(seq(chunk, chunk_computed, tokens[chunk]))
        for decoding in plain.running:
            decoding.blocks = blocks_for(decoding.computed)
        for position, pair in enumerate(sorted(waiting) if by_priority else waiting):
            i = pair % size
            queued = seq(i, swapped.get(i, 0), tokens[i])
            if queued.preempted and not by_priority:
                queued.place = (position - len(waiting), i)
            plain.waiting.append((queued.place, queued))
        run = scheduler.Run(plain, requests, cost, log)
        run.now, run.iterations = now, iteration
        run.stays = [(s.order, stays[stay[s.order]], None, None) for s in plain.running]
        run.open_stays = {s: k for k, s in enumerate(plain.running)}
        while run.iterations < logged_to and run.step():
            pass
        return run.log

    entries: list[Iteration] = []
    logged_from, logged_to = scheduler.window(log)
    if logged_from < logged_to:
        # Nobody's end, but a stop: one iteration early, to know who arrives before the first.
        heappush(ending, (logged_from - 2) * size + count)

    while True:
        # Requests that got their last token in the iteration before leave.
        while ending[0] < iteration * size:
            last, i = divmod(heappop(ending), size)
            if i == count:
                entries = plain_log()
                continue
            computed = end[i] - 1
            base = last + 1 - computed
            if running.get(i) == base:  # or else it was evicted since
                del running[i]
                due[base % block_size] -= 1
                turns -= base // block_size
                free -= -computed // block_size
                resident -= computed
                finished_ns[i] = now
                stays[stay[i]] = (i, stays[stay[i]], now, "finished")
                blocked = False
        while arrivals[joined] <= now:
            join(joined)
            joined += 1
            if by_priority:
                blocked = False
        if not (running or waiting or chunk >= 0):
            if joined == count:
                break
            now = arrivals[joined]
            continue
        passes += 1

        # One iteration by itself: the decodes, the request in mid-prefill, admissions.
        asked = due[iteration % block_size]
        if chunk >= 0 or asked > free or (waiting and not blocked):
            copies_ns, preempted_before, prefilled = 0, preemptions, []
            while asked > free:
                evict(served=False)
                asked = due[iteration % block_size]
            free -= asked
            n = 0
            if chunk >= 0:
                n = min(tokens[chunk] - chunk_computed, budget - len(running))
                asked = blocks_for(chunk_computed + n) - blocks_for(chunk_computed)
                while asked > free and chunk >= 0:
                    evict(served=True)
                if chunk < 0:
                    n = 0
                else:
                    free -= asked
                    chunk_computed += n
                    if chunk_computed == tokens[chunk]:
                        prefilled.append(chunk)
                        chunk = -1
            left = whole = budget - len(running) - n
            blocked = False
            seqs = len(running) + len(prefilled)
            while waiting and left > 0:
                i = waiting[0] % size
                cached = swapped.get(i, 0)
                n = tokens[i] - cached
                if n > left:
                    n = left
                    if not chunked:
                        blocked = left == whole
                        break
                must_fit = tokens[i] if reserve else cached + n
                headroom = watermark_blocks if seqs else 0
                if seqs == max_num_seqs or -(-must_fit // block_size) + headroom > free:
                    blocked = True
                    break
                if preemptions > preempted_before:
                    break  # an iteration that preempts admits nobody
                leave()
                seqs += 1
                left -= n
                free -= -(-(cached + n) // block_size)
                stay[i] = len(stays)
                stays.append(now)
                if cached:
                    del swapped[i]
                    swap_free += blocks_for(cached)
                    moved_tokens += cached
                    copies_ns += resume.in_ns(cached)
                    resident += cached
                if cached + n == tokens[i]:
                    prefilled.append(i)
                else:
                    chunk, chunk_computed = i, cached + n
            n = budget - left
            now += max(floor, base_ns + per_token * n) + per_resident_token * resident + copies_ns
            resident += n
            iteration += 1
            for i in prefilled:
                base = iteration - tokens[i]
                running[i] = base
                due[base % block_size] += 1
                turns += base // block_size
                heappush(ending, (base + end[i] - 2) * size + i)
                if first_token_ns[i] is None:
                    first_token_ns[i] = now
            if chunk >= 0 or ending[0] < iteration * size or (waiting and not blocked):
                continue

        # A stride.
        decodes = len(running)
        stop = ending[0] // size + 1
        length = stop - iteration
        step_ns = max(floor, base_ns + per_token * decodes) + per_resident_token * resident
        growth_ns = per_resident_token * decodes  # each iteration takes longer than the last
        span_ns = length * step_ns + growth_ns * (length * (length - 1) // 2)
        if not waiting or by_priority:
            gap = arrivals[joined] - now
            if gap <= 0:
                continue
            if span_ns > gap:
                # Up to the first iteration that starts after the arrival: a root, then exactly.
                half = step_ns - growth_ns / 2
                length = int(2 * gap / (half + math.sqrt(half * half + 2 * growth_ns * gap)))
                span_ns = length * step_ns + growth_ns * (length * (length - 1) // 2)
                while span_ns < gap:
                    span_ns += step_ns + growth_ns * length
                    length += 1
                stop = iteration + length
        held = decodes * (stop // block_size) - turns + sum(due[: stop % block_size])
        if held > usable_blocks:
            # Up to the first iteration that lacks blocks.
            full_turns, left = divmod(free, decodes)
            stop = iteration + full_turns * block_size
            while due[stop % block_size] <= left:
                left -= due[stop % block_size]
                stop += 1
            held = usable_blocks - left
            length = stop - iteration
            span_ns = length * step_ns + growth_ns * (length * (length - 1) // 2)
        free = usable_blocks - held
        now += span_ns
        resident += length * decodes
        iteration = stop

    result = Result(
        requests=requests,
        outcome="finished",
        iterations=iteration,
        total_ns=now - begin,
        # Each token but the last of a request once, and once more for each time it was lost.
        scheduled_tokens=sum(end) - count + recomputed_tokens,
        generated_tokens=sum(end) - sum(prompt),
        preemptions=preemptions,
        recomputed_tokens=recomputed_tokens,
        moved_tokens=moved_tokens,
        first_token_ns=tuple(first_token_ns),
        finished_ns=tuple(finished_ns),
        stays=tuple(stays),
        log=tuple(entries),
    )
    return result, passes
