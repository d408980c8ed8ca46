"""Repeat recorded vLLM runs, iteration by iteration, and compare.

On the command line: python -m preemption.serving.replay FILE...
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from preemption.serving.replay.repeat import Repeated
from preemption.serving.settings import SchedulerConfig
from preemption.serving.workload import Request

_OUR_NAMES = {"arrival": "arrival_ms", "prompt": "prompt_tokens", "output": "output_tokens"}
# What a trace says of its settings besides: figures that follow from them.
_FOLLOWS = {"effective", "watermark_blocks", "free_blocks_initial", "load_steps", "store_steps"}
_SETTINGS = {"host_chunks": "host_blocks"}
# What is modelled of each of these, besides nothing.
_MODELLED = {
    "connector": "OffloadingConnector",
    "host_policy": "LRUCachePolicy",
    "eviction_policy": "lru",
    "blocks_per_chunk": 1,
}


def replay(trace: Mapping[str, Any]) -> str:
    """Repeat a recorded vLLM run; compare every recorded field of every iteration, in order.

    Then every figure of its summary. `trace` is a run as in `tests/traces`. Returns "identical:
    N iterations" or the first difference. The run has one iteration per tick of the recorded
    arrivals and exactly as many as were recorded, so that a recorded stall is repeated too.
    Raises ValueError for a trace without iterations or with an empty one, or of an engine with
    settings that are not modelled.
    """
    run = Repeated(config_of(trace), requests_of(trace), trace["config"])
    if not trace["iterations"]:
        raise ValueError("the trace has no iterations")
    for t, recorded in enumerate(trace["iterations"]):
        if not recorded.keys() - {"t"}:
            raise ValueError(f"iteration {t} has nothing recorded to compare")
        if difference := _difference(recorded, run.step()):
            return f"iteration {t}: {difference}"
    if difference := _difference(trace.get("summary", {}), run.summary()):
        return f"summary: {difference}"
    return f"identical: {len(trace['iterations'])} iterations"


def _difference(recorded: Mapping[str, Any], ours: Mapping[str, Any]) -> str | None:
    for name, value in recorded.items():
        if name not in ours:
            return f"{name} is recorded, but not known here"
        if value != ours[name]:
            return f"{name} is recorded as {value}, here {ours[name]}"
    return None


def config_of(trace: Mapping[str, Any]) -> SchedulerConfig:
    """Return the settings of a recorded run; ValueError for those that are not modelled."""
    settings = trace["config"] | trace["config"].get("effective", {})
    known = {field.name for field in fields(SchedulerConfig)} & settings.keys()
    settings = {_SETTINGS.get(name, name): value for name, value in settings.items()}
    known |= {_SETTINGS[name] for name in _SETTINGS} & settings.keys()
    for name in [name for name in settings if name not in known | _FOLLOWS]:
        value = settings[name]
        off = settings["block_size"] if name == "hash_block_size" else _MODELLED.get(name, False)
        if value is not None and value != off:
            raise ValueError(f"a run with {name} {value!r} cannot be replayed: it is not modelled")
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
