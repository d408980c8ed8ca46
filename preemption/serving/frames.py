"""A run block by block: who holds which block in each iteration, and whose cache is left in it."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from preemption.serving.prefix_cache import CachingPool
from preemption.serving.results import Id, Iteration, Preempted, Scheduled
from preemption.serving.run import Run
from preemption.serving.scheduler import Decision, Scheduler
from preemption.serving.sequence import Seq
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig
from preemption.serving.simulation import checked, scheduler_for
from preemption.serving.workload import Request


class Frame(NamedTuple):
    """The pool while an iteration runs. Places count from 0."""

    iteration: Iteration
    owner: tuple[Id | None, ...]
    """For each block who holds it; None: it is free. Of several holders, the first admitted."""
    left: tuple[Id | None, ...]
    """For each free block whose cache can still be found in it; None: nobody's. Only with prefix
    caching; a common prefix counts as that of the first request of its group."""
    free_queue: tuple[int, ...]
    """The free blocks in the order in which they are handed out."""


class Pause(NamedTuple):
    """From a preemption to the iteration that has computed again what was lost."""

    id: Id
    preempted_in: int
    """Number of the iteration."""
    resumed_in: int
    waited_ms: float
    """From the start of the iteration that preempts to the start of the one that admits again,
    without a load from the host."""
    copy_ms: float
    """What the copies out and back take in a run that swaps, or a load from the host."""
    recompute_ms: float
    """How long the iterations take in which its lost tokens are computed again."""


class Phase(NamedTuple):
    """What a request does for some iterations on end."""

    id: Id
    kind: Literal["queues", "runs", "paused", "recomputes"]
    first: int
    """Number of the iteration with which it begins."""
    last: int


def frames_of(
    requests: Iterable[Request], config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN
) -> tuple[Frame, ...]:
    """Serve `requests` as `simulate_plain` does, and return a frame for each iteration.

    `settings` must ask for the whole log. Raises what `simulate_plain` raises, ValueError for
    settings without it.
    """
    requests = checked(requests, config, settings)
    if settings.log is not True:
        raise ValueError(f"frames need settings with log=True, not {settings.log!r}")
    run = _FramedRun(scheduler_for(config, settings), requests)
    while run.step():
        pass
    return tuple(run.frames)


Looked: TypeAlias = tuple[tuple[Id | None, ...], tuple[Id | None, ...], tuple[int, ...]]


class _FramedRun(Run):
    """A run that keeps what the pool looks like in each iteration."""

    def __init__(self, scheduler: Scheduler, requests: Iterable[Request]) -> None:
        super().__init__(scheduler, requests)
        self.frames: list[Frame] = []
        self.numbers: dict[Seq, list[int]] = {}
        self.unused = list(range(scheduler.config.usable_blocks))

    def carry_out(self, decision: Decision, arrived: list[Id]) -> None:
        """Look at the pool, then carry the iteration out."""
        pool = self.scheduler.pool
        looked = self.look_at(pool) if isinstance(pool, CachingPool) else self.number()
        super().carry_out(decision, arrived)
        self.frames.append(Frame(self.log[-1], *looked))

    def look_at(self, pool: CachingPool) -> Looked:
        """Return who holds each block, whose cache is left in it, and the queue of free blocks."""
        # The pool counts blocks from 1 on; its block 0 is never handed out.
        blocks = range(1, self.scheduler.config.num_gpu_blocks)
        holders = [*self.scheduler.running, *self.scheduler.aside]
        held = {block: seq.request.id for seq in reversed(holders) for block in seq.table}
        left = [None if block in held else self.whose(pool, block) for block in blocks]
        return tuple(map(held.get, blocks)), tuple(left), tuple(block - 1 for block in pool.queue)

    def whose(self, pool: CachingPool, block: int) -> Id | None:
        """Return whose cache can be found in a block."""
        owner = pool.owner_of(block)
        if owner is None:
            return None
        if isinstance(owner, int):
            return self.requests[owner].id
        return next(each.id for each in self.requests if (each.prefix_group,) == owner)

    def number(self) -> Looked:
        """Do the same for a pool that only counts: a request is given the lowest free numbers."""
        running = self.scheduler.running
        for seq in self.numbers.keys() - running:
            self.unused += self.numbers.pop(seq)
        self.unused.sort(reverse=True)
        for seq in running:
            held = self.numbers.setdefault(seq, [])
            held += [self.unused.pop() for _ in range(seq.blocks - len(held))]
        owner = {block: seq.request.id for seq, held in self.numbers.items() for block in held}
        blocks = range(self.scheduler.config.usable_blocks)
        return tuple(map(owner.get, blocks)), (None,) * len(blocks), tuple(reversed(self.unused))


def pauses(log: Sequence[Iteration], settings: RunSettings = DEFAULT_RUN) -> tuple[Pause, ...]:
    """Return what became of each preemption in a whole log, in their order.

    A victim that is preempted again before it has caught up has a pause for each; one that never
    came back has none.
    """
    found = []
    for iteration in log:
        for event in iteration.preempted:
            later = log[iteration.number + 1 :]
            back = next((each for each in later if _row(each, event.id)), None)
            if back is not None:
                loads = [
                    load
                    for each in log[iteration.number : back.number]
                    for load in each.loads
                    if load.id == event.id
                ]
                load_ns = sum(settings.link_ns(load.tokens) for load in loads)
                copy_ns = load_ns
                if event.how == "swap":
                    copy_ns += settings.copy_out_ns(event.computed_tokens)
                    copy_ns += settings.copy_in_ns(event.computed_tokens)
                found.append(
                    Pause(
                        event.id,
                        iteration.number,
                        back.number,
                        waited_ms=back.start_ms - iteration.start_ms - load_ns / 1e6,
                        copy_ms=copy_ns / 1e6,
                        recompute_ms=_recompute_ms(log[back.number :], event),
                    )
                )
    return tuple(found)


def phases(log: Sequence[Iteration]) -> tuple[Phase, ...]:
    """Return what each request does in a whole log, by the iteration with which it begins.

    It queues, runs, is paused after a preemption, and recomputes what it lost.
    """
    lost: dict[Id, int] = {}
    open_: dict[Id, Phase] = {}
    found: list[Phase] = []
    for iteration in log:
        for event in iteration.preempted:
            lost[event.id] = event.computed_tokens
        kinds: dict[Id, Literal["queues", "runs", "paused", "recomputes"]] = {
            name: "paused" if name in lost else "queues"
            for name in (*iteration.decided.loading, *iteration.decided.waiting)
        }
        for row in iteration.scheduled:
            again = row.prefill and row.computed_tokens < lost.get(row.id, 0)
            kinds[row.id] = "recomputes" if again else "runs"
        for name, kind in kinds.items():
            before = open_.get(name)
            if before is None or (before.kind, before.last) != (kind, iteration.number - 1):
                if before:
                    found.append(before)
                before = Phase(name, kind, iteration.number, iteration.number)
            open_[name] = before._replace(last=iteration.number)
    return tuple(sorted([*found, *open_.values()], key=lambda phase: phase.first))


def _row(iteration: Iteration, name: Id) -> Scheduled | None:
    return next((row for row in iteration.scheduled if row.id == name), None)


def _recompute_ms(log: Sequence[Iteration], event: Preempted) -> float:
    """Return how long the iterations take that compute a victim's lost tokens again."""
    spent_ms = 0.0
    for iteration in log:
        row = _row(iteration, event.id)
        if row is None or row.computed_tokens >= event.computed_tokens:
            break
        spent_ms += iteration.duration_ms
    return spent_ms
