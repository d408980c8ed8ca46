"""Random loads for the scheduler's tests: crowded, so that requests are preempted."""

import math
import os
import random
from dataclasses import replace
from pathlib import Path

from preemption import serving, studies
from preemption.serving import IterationCost, Request, RunSettings, SchedulerConfig
from preemption.serving.replay import read_recorded

TESTS = Path(__file__).parents[1]
SHIPPED = Path(studies.__file__).parent / "data" / "recorded"


def traces(folder, *shipped):
    """The recorded runs of a folder, and those that the package has of their kind, by name."""
    found = [*(TESTS / folder).glob("*.json*"), *(SHIPPED / f"{name}.json.gz" for name in shipped)]
    return sorted(found, key=lambda path: path.name)


TRACES = traces("traces", "s13_eight_thrash")
CACHING = traces("traces_caching", "p15_eight_thrash")  # with prefix caching
ASYNC = traces("traces_async", "a04_eight_thrash")  # with asynchronous scheduling
OFFLOAD = traces("traces_offload")  # with offloading
AZURE = Path(os.environ.get("AZURE_TRACES", Path(__file__).parents[3] / "shared" / "data"))
NO_AZURE = "the Azure trace is missing: set AZURE_TRACES to the folder that holds its .csv files"


def recorded(path):
    """The recorded run of a file that has one."""
    (trace,) = read_recorded(path)
    return trace


def random_requests(rng):
    """1 to 40 requests that arrive together, at random, or on the grid of short iterations."""
    count, longest = rng.randint(1, rng.choice([5, 20, 40, 40])), rng.choice([3, 20, 60])
    output, priorities = rng.choice([1, 20, 40, 80]), rng.choice([1, 2, 5])
    gap, on_grid = rng.choice([0, 0, 3, 9.7, 30]), rng.random() < 0.5
    requests, now = [], rng.choice([0, 0, 5.5])
    for i in range(count):
        prompt, generated = rng.randint(1, longest), rng.randint(1, output)
        requests.append(Request(i, now, prompt, generated, rng.randrange(priorities)))
        if gap:
            now += gap * rng.randrange(3) if on_grid else rng.expovariate(1 / gap)
    return requests


def random_config(rng, requests, **settings):
    """A pool that is too small for most loads, but not for their longest request."""
    longest = max(request.prompt_tokens + request.output_tokens for request in requests)
    block_size = rng.choice([1, 2, 3, 4, 8, 16, 32])
    needed = max(1, -(-(longest - 1) // block_size))
    max_num_seqs = rng.choice([1, 3, 8, 40, 40, 40])
    chunked = rng.random() < 0.8
    budget = max(max_num_seqs, rng.choice([1, 7, 16, 64, 256]))
    settings = {
        "policy": rng.choice(["fcfs", "priority"]),
        "scheduler_reserve_full_isl": rng.random() < 0.6,
        "watermark": rng.choice([0, 0, 0, 0, 0.05, 0.3]),
        "enable_chunked_prefill": chunked,
        "max_model_len": rng.choice([None, longest]),
        **settings,
    }
    return SchedulerConfig(
        block_size,
        1 + needed + rng.choice([0, 1, needed // 3, needed // 2, needed, 2 * needed]),
        budget if chunked else max(budget, longest),
        max_num_seqs,
        **settings,
    )


def random_settings(rng):
    """Who is preempted, how victims come back, and what an iteration costs."""
    return RunSettings(
        victim=rng.choice(
            [None, *serving.RULES, serving.random_with_seed(3), lambda running: running[0]]
        ),
        resume=rng.choice(["recompute", "swap", "cheaper"]),
        link_gb_per_s=rng.choice([0.5, 3.0, 4.5, 25.0, math.inf]),
        copy_start_us=rng.choice([0.0, 0.0, 384.0, 0.3]),
        swap_blocks=rng.choice([None, None, 0, 3, 10]),
        copy_out_in_background=rng.random() < 0.3,
        cost=rng.choice(
            [
                IterationCost(),
                IterationCost(((1, 1.1), (9, 1.2), (30, 3.7)), 0.001),
                IterationCost(((5, 5), (6, 6)), 0),
            ]
        ),
    )


def sharing(rng, requests):
    """The same requests, two of three with the prefix of a group."""
    shared = []
    for request in requests:
        if rng.random() < 0.66:
            group, tokens = rng.choice([0, 1, "a"]), rng.randint(1, request.prompt_tokens)
            request = replace(request, prefix_group=group, prefix_tokens=tokens)
        shared.append(request)
    return shared


def random_load(seed, **settings):
    rng = random.Random(seed)
    requests = random_requests(rng)
    return requests, random_config(rng, requests, **settings), random_settings(rng)
