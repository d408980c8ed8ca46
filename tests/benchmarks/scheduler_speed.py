"""CPU time of `serving.simulate` beside `simulate_plain`, in turns; with memory.

    python -m tests.benchmarks.scheduler_speed [ROUNDS]

Prints a table: medians of ROUNDS (5) runs each, their ratio and the bound on it, rounds of the
fast loop per request, and, for the first setting of each load, the most memory that each holds
above what it was given (tracemalloc, in a run of its own). A difference in a result stops it.
Without the real Azure trace (see `tests/scheduler_loads.py`) the loads are only shaped like it,
and the table says so.
"""

import platform
import sys
import time
import tracemalloc
from dataclasses import replace
from statistics import median

from preemption import serving
from preemption.serving import FastRun, RunSettings, SchedulerConfig, simulate, simulate_plain
from tests.serving.scheduler_loads import AZURE

COLUMNS = (
    "| load | settings | iterations | preempted | plain s | fast s | ratio | at least "
    "| rounds per request | plain MB | fast MB |"
)


def main(rounds: int) -> None:
    trace = AZURE / "AzureLLMInferenceTrace_conv.csv"
    if trace.exists():
        name, hour = "Azure", serving.read_trace(trace)
        minutes = serving.read_trace(trace, 5)
    else:
        name, hour = "Azure-shaped", serving.azure_shaped(0, 60)
        minutes = serving.azure_shaped(0, 5)
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    print(f"medians of {rounds}; 1 MB = 1e6 B\n")
    print(COLUMNS)
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    crowd = serving.crowd(1000, prompt_tokens=16, output_tokens=512)
    crowded = SchedulerConfig(16, 1 + 128 * 20, 2048, 128)  # each needs 33 at its end
    row(rounds, "decode-heavy crowd", crowd, crowded, 40)
    for load, requests, blocks in (
        (f"{name}, 5 minutes", minutes, 1251),
        (f"{name}, hour", hour, 3751),
    ):
        config = SchedulerConfig(16, blocks, 2048, 256)
        row(rounds, load, requests, config, 15)
        urgent = [replace(request, priority=request.id % 3) for request in requests]
        row(rounds, load, urgent, replace(config, policy="priority"), 10)
        for each, served in ((requests, config), (urgent, replace(config, policy="priority"))):
            row(rounds, load, each, replace(served, enable_prefix_caching=True), 8)
        for rule in serving.RULES:
            if rule != "last admitted":
                row(rounds, load, requests, config, 10, victim=rule)
        for resume in ("swap", "cheaper"):
            row(rounds, load, requests, config, 10, resume=resume)


def row(rounds, load, requests, config, bound, **how):
    given = RunSettings(**how)
    seconds = {simulate_plain: [], simulate: []}
    results = {}
    for _ in range(rounds):
        for serve, times in seconds.items():
            start = time.process_time()
            results[serve] = serve(requests, config, given)
            times.append(time.process_time() - start)
    if results[simulate] != results[simulate_plain]:
        sys.exit(f"the results differ: {load}, {how}")
    plain_s, fast_s = (median(times) for times in seconds.values())
    caching = ["prefix caching"] if config.enable_prefix_caching else []
    settings = ", ".join([f"{config.policy} policy", *caching, *how.values()])
    memory = "| |"
    if config.policy == "fcfs" and not caching and not how:
        peaks = (peak_mb(serve, requests, config) for serve in (simulate_plain, simulate))
        memory = "| {:.1f} | {:.1f}".format(*peaks)
    print(
        f"| {load} | {settings} | {results[simulate].iterations:,} "
        f"| {results[simulate].preemptions:,} | {plain_s:.3f} | {fast_s:.4f} "
        f"| **{plain_s / fast_s:.1f}** | {bound} | {rounds_of(requests, config, given):.2f} "
        f"{memory} |",
        flush=True,
    )


def rounds_of(requests, config, given):
    run = FastRun(requests, config, given)
    run.result()
    return run.rounds / len(requests)


def peak_mb(serve, requests, config):
    tracemalloc.start()
    serve(requests, config)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
