"""Seven faults of real engines, each repeated small: broken, and mended.

A broken engine is the scheduler with one step done otherwise, or with a setting that an engine
has. The public threads are rows of `studies.FIELD_GUIDE`.
"""

from dataclasses import replace
from typing import NamedTuple

from preemption.checks import choice, flag
from preemption.serving.blocks import Released
from preemption.serving.prefix_cache import CachingPool
from preemption.serving.results import Result
from preemption.serving.run import Run
from preemption.serving.scheduler import Decision, Scheduler
from preemption.serving.sequence import Seq
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig
from preemption.serving.workload import Request

SCENE_ITERATIONS = 240
"""A broken engine may go on for ever; a scene ends here."""


class LosesGenerated(Scheduler):
    """Forgets what a victim has generated: it comes back with its prompt only."""

    def preempt(self, seq: Seq, asker: Seq, n: int, decision: Decision) -> None:
        """Preempt; then drop the generated tokens, which count as delivered all the same."""
        super().preempt(seq, asker, n, decision)
        seq.end -= seq.tokens - seq.request.prompt_tokens
        seq.tokens = seq.prefill = seq.request.prompt_tokens


class LeavesScheduled(Scheduler):
    """Leaves a victim among those that the iteration computes, and its tokens in the budget."""

    def unschedule(self, victim: Seq, decision: Decision) -> int:  # noqa: ARG002
        """Give nothing back."""
        return 0


class FreesLate(Scheduler):
    """Gets a victim's blocks back one iteration late, as if another still wrote into them."""

    def __init__(self, config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN) -> None:
        super().__init__(config, settings)
        self.late = 0  # blocks

    def preempt(self, seq: Seq, asker: Seq, n: int, decision: Decision) -> None:
        """Preempt; keep the blocks back."""
        free = self.pool.free
        super().preempt(seq, asker, n, decision)
        self.late += self.pool.free - free
        self.pool.free = free

    def schedule(self) -> Decision:
        """Free what was kept back, and decide."""
        self.pool.free += self.late
        self.late = 0
        return super().schedule()


class WaitsForBlocks(Scheduler):
    """Preempts nobody whom the last iteration computed: its blocks would come late.

    As vLLM does since pull request 49675, where blocks are freed late.
    """

    def __init__(self, config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN) -> None:
        super().__init__(config, settings)
        self.computed: set[Seq] = set()

    def victim_position(self) -> int | None:
        """Return the place of the victim of the rule, unless its blocks would come late."""
        at = super().victim_position()
        return None if at is None or self.running[at] in self.computed else at

    def schedule(self) -> Decision:
        """Decide, and note who is computed."""
        decision = super().schedule()
        self.computed = set(decision.scheduled)
        return decision

    def idle(self, decision: Decision) -> bool:
        """Whether nobody runs; who only waits for blocks is served in the next iteration."""
        return super().idle(decision) and not self.running


class ComputedOnly(CachingPool):
    """Forgets the keys of blocks that were to be filled and never were. vLLM 0.33.0 does not."""

    def release(self, seq: Seq) -> Released:
        """Take the keys off what was not computed, and the blocks back."""
        computed = seq.computed // self.block_size
        for block in seq.table[computed : seq.keyed]:
            if (key := self.keys[block]) is not None:
                self.index[key].remove(block)
                if not self.index[key]:
                    del self.index[key]
                self.keys[block] = None
        seq.keyed = min(seq.keyed, computed)
        return super().release(seq)


class IndexesComputed(Scheduler):
    """Lets requests find only what was computed."""

    def __init__(self, config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN) -> None:
        super().__init__(config, settings)
        self.pool = ComputedOnly(config)


class Engine(NamedTuple):
    """A scheduler with its settings."""

    config: SchedulerConfig
    scheduler: type[Scheduler] = Scheduler
    refuses: bool = True
    """Whether a request that can never fit is refused at once."""


class Fault(NamedTuple):
    """A load, an engine that fails it, and one that does not."""

    requests: tuple[Request, ...]
    broken: Engine
    mended: Engine


def _faults() -> dict[str, Fault]:
    small = SchedulerConfig(16, 17, 64, 8)
    narrow = SchedulerConfig(4, 11, 16, 8, policy="priority", enable_prefix_caching=True)
    long = tuple(Request(i, 0.0, 40, 60) for i in range(2))
    crowd = tuple(Request(i, 0.0, 30, 40) for i in range(5))
    return {
        "first chunk": Fault(
            (*long, Request("long", 5.0, 200, 4)),
            Engine(replace(small, scheduler_reserve_full_isl=False)),
            Engine(small),
        ),
        "huge request": Fault(
            (Request(0, 0.0, 40, 20), Request("huge", 5.0, 300, 4), Request(2, 10.0, 40, 20)),
            Engine(small, refuses=False),
            Engine(small),
        ),
        "victim returns": Fault(crowd, Engine(small, LosesGenerated), Engine(small)),
        "urgent request": Fault(
            (Request(0, 0.0, 36, 30, priority=1), Request(1, 5.0, 30, 40, priority=0)),
            Engine(replace(small, num_gpu_blocks=6, policy="priority"), LeavesScheduled),
            Engine(replace(small, num_gpu_blocks=6, policy="priority")),
        ),
        "freed late": Fault(crowd, Engine(small, FreesLate), Engine(small, WaitsForBlocks)),
        "newcomers": Fault(
            tuple(Request(i, 4.0 * i, 30, 60) for i in range(8)),
            Engine(small),
            Engine(replace(small, watermark=0.25)),
        ),
        "cached victim": Fault(
            (Request(0, 0.0, 40, 1, priority=9), Request(1, 1.0, 8, 3)),
            Engine(replace(narrow, long_prefill_token_threshold=8)),
            Engine(replace(narrow, long_prefill_token_threshold=8), IndexesComputed),
        ),
    }


FAULTS = _faults()
"""The faults by name."""


def run_fault(name: str, *, broken: bool) -> Result:
    """Run the scene of a fault with its broken engine or the mended one; log every iteration.

    It ends after 240 iterations at the latest. A request that can never fit is left out where
    the engine refuses it. Raises ValueError for an unknown name, TypeError for a wrong type.
    """
    fault = FAULTS[choice("name", name, FAULTS)]
    engine = fault.broken if flag("broken", broken) else fault.mended
    most = engine.config.usable_blocks * engine.config.block_size + 1
    requests = [
        request
        for request in fault.requests
        if request.prompt_tokens + request.output_tokens <= most or not engine.refuses
    ]
    run = Run(engine.scheduler(engine.config, RunSettings(log=True)), requests)
    while run.iterations < SCENE_ITERATIONS and run.step():
        pass
    return run.result()
