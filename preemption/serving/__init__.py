"""What a server does: who runs, who waits, who is evicted, iteration after iteration.

workload    requests: by hand, Azure-shaped, or the real Azure trace
settings    what a run is set up with
victims     rules that pick a victim
replay      recorded vLLM runs repeated, also from the command line
scheduler   vLLM's scheduler, readable, on a clock
fast        the same run in a few steps per request
results     what a run did
slots       which sequence holds which slot: static groups, iteration-level admission
"""

from preemption.serving.fast import simulate
from preemption.serving.results import Id, Iteration, Result, RunOutcome
from preemption.serving.scheduler import (
    Run,
    Scheduler,
    simulate_plain,
)
from preemption.serving.settings import DEFAULT_COST, IterationCost, Resume, SchedulerConfig
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
    "RULES",
    "Candidate",
    "Id",
    "Iteration",
    "IterationCost",
    "Request",
    "Result",
    "Resume",
    "Row",
    "Rule",
    "Run",
    "RunOutcome",
    "Scheduler",
    "SchedulerConfig",
    "azure_shaped",
    "choose",
    "continuous_schedule",
    "crowd",
    "eight",
    "fetch_trace",
    "last_admitted",
    "priority",
    "quantiles",
    "random_with_seed",
    "read_trace",
    "rule_for",
    "simulate",
    "simulate_plain",
    "static_schedule",
    "two",
    "utilization",
]
