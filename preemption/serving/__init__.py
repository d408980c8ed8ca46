"""What a server does: who runs, who waits, who is evicted, iteration after iteration.

workload    requests: by hand, Azure-shaped, or the real Azure trace
settings    what a run is set up with
victims     rules that pick a victim
sequence    a request in the scheduler
blocks      the pool of KV cache blocks
prefix_cache  a pool whose free blocks can be found again
scheduler   vLLM's scheduler, readable: it decides one iteration
asynchronous  a scheduler that learns tokens one iteration later: vLLM's default
offload     a scheduler with a host: full blocks stored as they fill, loaded back
run         the scheduler on a clock, iteration after iteration
fast        the same run in a few steps per request
fast_offload  with a host
segments    its queue of free blocks with prefix caching
simulation  requests served, quickly where that is possible, or plainly
tally       the tokens of a plain run: scheduled, lost, found, computed again
results     what a run did
outputs     what requests write, by a toy model
frames      a run block by block, and what became of each preemption
faults      faults of real engines, broken and mended
replay      recorded vLLM runs repeated, also from the command line
slots       which sequence holds which slot: static groups, iteration-level admission
"""

from preemption.serving.blocks import BlockPool
from preemption.serving.fast import FastRun, NotCoveredError, covers
from preemption.serving.faults import FAULTS, SCENE_ITERATIONS, Fault, run_fault
from preemption.serving.frames import Frame, Pause, Phase, frames_of, pauses, phases
from preemption.serving.offload import HostPool, Link
from preemption.serving.outputs import outputs_of
from preemption.serving.prefix_cache import CachingPool
from preemption.serving.results import (
    Copied,
    Id,
    Iteration,
    Preempted,
    Result,
    RunOutcome,
    Scheduled,
    StayEnd,
)
from preemption.serving.run import Run
from preemption.serving.scheduler import Decision, Scheduler
from preemption.serving.segments import Segments
from preemption.serving.sequence import Seq
from preemption.serving.settings import DEFAULT_COST, IterationCost, RunSettings, SchedulerConfig
from preemption.serving.simulation import scheduler_for, simulate, simulate_plain, simulate_pools
from preemption.serving.slots import Row, continuous_schedule, static_schedule, utilization
from preemption.serving.victims import (
    RULES,
    Candidate,
    Rule,
    choose,
    last_admitted,
    priority,
    random_with_seed,
    rule_for,
)
from preemption.serving.workload import (
    Request,
    azure_shaped,
    crowd,
    eight,
    fetch_trace,
    quantiles,
    read_trace,
    two,
)

__all__ = [
    "DEFAULT_COST",
    "FAULTS",
    "RULES",
    "SCENE_ITERATIONS",
    "BlockPool",
    "CachingPool",
    "Candidate",
    "Copied",
    "Decision",
    "FastRun",
    "Fault",
    "Frame",
    "HostPool",
    "Id",
    "Iteration",
    "IterationCost",
    "Link",
    "NotCoveredError",
    "Pause",
    "Phase",
    "Preempted",
    "Request",
    "Result",
    "Row",
    "Rule",
    "Run",
    "RunOutcome",
    "RunSettings",
    "Scheduled",
    "Scheduler",
    "SchedulerConfig",
    "Segments",
    "Seq",
    "StayEnd",
    "azure_shaped",
    "choose",
    "continuous_schedule",
    "covers",
    "crowd",
    "eight",
    "fetch_trace",
    "frames_of",
    "last_admitted",
    "outputs_of",
    "pauses",
    "phases",
    "priority",
    "quantiles",
    "random_with_seed",
    "read_trace",
    "rule_for",
    "run_fault",
    "scheduler_for",
    "simulate",
    "simulate_plain",
    "simulate_pools",
    "static_schedule",
    "two",
    "utilization",
]
