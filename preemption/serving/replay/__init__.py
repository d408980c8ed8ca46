"""Repeat recorded vLLM runs, iteration by iteration, and compare.

On the command line: python -m preemption.serving.replay FILE...
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from preemption.serving.scheduler import Scheduler
from preemption.serving.settings import SchedulerConfig
from preemption.serving.workload import Request

_OUR_NAMES = {"arrival": "arrival_ms", "prompt": "prompt_tokens", "output": "output_tokens"}


def replay(trace: Mapping[str, Any]) -> str:
    """Repeat a recorded vLLM run and compare every recorded field of every iteration, in order.

    `trace` is a run as in `tests/traces`. Returns "identical: N iterations" or the first
    difference. The run has one iteration per tick of the recorded arrivals and exactly as many
    as were recorded, so that a recorded stall is repeated too. Raises ValueError for a trace
    without iterations or with an empty one, or of an engine with settings that are not modelled.
    """
    for t, (recorded, ours) in enumerate(zip(trace["iterations"], _repeat(trace), strict=True)):
        if not recorded.keys() - {"t"}:
            raise ValueError(f"iteration {t} has nothing recorded to compare")
        for name, value in recorded.items():
            if name not in ours:
                return f"iteration {t}: {name} is recorded, but not known here"
            if value != ours[name]:
                return f"iteration {t}: {name} is recorded as {value}, here {ours[name]}"
    return f"identical: {len(trace['iterations'])} iterations"


def _repeat(trace: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Run the load of a recorded trace and yield its iterations in the recorded form."""
    if not trace["iterations"]:
        raise ValueError("the trace has no iterations")
    scheduler = Scheduler(config_of(trace))
    requests = requests_of(trace)
    for t in range(len(trace["iterations"])):
        arrived = []
        while scheduler.joined < len(requests) and requests[scheduler.joined].arrival_ms <= t:
            arrived.append(scheduler.join(requests[scheduler.joined]).request.id)
        decision = scheduler.schedule()
        scheduled, decided = decision.described(), scheduler.snapshot()
        scheduler.update(decision)
        end = scheduler.snapshot()
        yield {
            "t": t,
            "arrived": arrived,
            "scheduled": [list(row[:4]) for row in scheduled],
            "preempted": [
                {
                    "id": event.id,
                    "num_computed_lost": event.computed_tokens,
                    "num_tokens": event.tokens,
                    "blocks_freed": event.blocks_freed,
                    "needed_by": event.needed_by,
                }
                for _, event in decision.preempted
            ],
            "free_after_schedule": decided.free_blocks,
            "running_after_schedule": list(decided.running),
            "waiting_after_schedule": list(decided.waiting),
            "sampled": [seq.request.id for seq in decision.sampled],
            "finished": [seq.request.id for seq in decision.finished],
            "free_end": end.free_blocks,
            "running_end": list(end.running),
            "waiting_end": list(end.waiting),
            "state_end": {str(name): list(state) for name, state in end.state.items()},
        }


def config_of(trace: Mapping[str, Any]) -> SchedulerConfig:
    """Return the settings of a recorded run; ValueError for those that are not modelled."""
    settings = trace["config"] | trace["config"].get("effective", {})
    for name in ("enable_prefix_caching", "async_scheduling"):
        if settings.get(name):
            raise ValueError(f"a run with {name} cannot be replayed: it is not modelled")
    known = {field.name for field in fields(SchedulerConfig)} & settings.keys()
    return SchedulerConfig(**{name: settings[name] for name in known})


def requests_of(trace: Mapping[str, Any]) -> list[Request]:
    """Return the requests of a recorded run as they join: by arrival, then by id.

    Recorded arrivals count in iterations; here each is a millisecond.
    """
    requests = [
        Request(**{_OUR_NAMES.get(name, name): value for name, value in request.items()})
        for request in trace["requests"]
    ]
    return sorted(requests, key=lambda request: (request.arrival_ms, request.id))


def read_recorded(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the recorded runs of a file: .json or .json.gz with one, .jsonl.gz with one a line."""
    path = Path(path)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        if ".jsonl" in path.suffixes:
            yield from (json.loads(line) for line in file if line.strip())
        else:
            yield json.load(file)
