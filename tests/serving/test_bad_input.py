"""Nothing that a reader calls of the serving folder takes a bad argument."""

from dataclasses import replace

import pytest

from preemption import serving
from preemption.serving import Request, RunSettings, SchedulerConfig
from tests import bad_input
from tests.bad_input import FLAG, NONE, NUMBER, POSITIVE, TEXT, WHOLE

SMALL = SchedulerConfig(16, 16, 64, 8)
SERVE = {"requests": serving.two(), "config": SMALL, "settings": RunSettings()}
EMPTY = {"a dict"}  # no requests, or no arrivals
SLOTS = {"lengths": {"a": 1}, "slots": 1, "arrivals": {}}

EXAMPLES = {
    "Request": (
        Request,
        {
            "id": 0,
            "arrival_ms": 0,
            "prompt_tokens": 9,
            "output_tokens": 1,
            "priority": 0,
            "prefix_group": "a",
            "prefix_tokens": 1,
        },
        {
            "id": WHOLE | TEXT,
            "arrival_ms": NUMBER,
            "priority": WHOLE,
            "prefix_group": WHOLE | TEXT,
        },
    ),
    "SchedulerConfig": (
        SchedulerConfig,
        {
            "block_size": 16,
            "num_gpu_blocks": 16,
            "max_num_batched_tokens": 64,
            "max_num_seqs": 8,
            "max_model_len": 50,
            "policy": "fcfs",
            "enable_chunked_prefill": True,
            "long_prefill_token_threshold": 0,
            "scheduler_reserve_full_isl": True,
            "watermark": 0.1,
            "enable_prefix_caching": True,
        },
        {
            "max_model_len": NONE,
            "enable_chunked_prefill": FLAG,
            "scheduler_reserve_full_isl": FLAG,
            "watermark": {"1e-301"},
            "enable_prefix_caching": FLAG,
        },
    ),
    "RunSettings": (
        RunSettings,
        {
            "cost": serving.DEFAULT_COST,
            "victim": None,
            "resume": "swap",
            "link_gb_per_s": 25,
            "copy_start_us": 6,
            "swap_blocks": 1,
            "copy_out_in_background": True,
            "log": True,
        },
        {
            "victim": NONE | {"a function"},
            "link_gb_per_s": POSITIVE | {"infinity"},
            "copy_start_us": NUMBER,
            "swap_blocks": NONE,
            "copy_out_in_background": FLAG,
            "log": FLAG,
        },
    ),
    "simulate": (serving.simulate, SERVE, {"requests": EMPTY}),
    "simulate_plain": (serving.simulate_plain, SERVE, {"requests": EMPTY}),
    "simulate_pools": (
        serving.simulate_pools,
        SERVE | {"num_gpu_blocks": [16]},
        {"requests": EMPTY, "num_gpu_blocks": {"bytes"}},
    ),
    "frames_of": (
        serving.frames_of,
        SERVE | {"settings": RunSettings(log=True)},
        {"requests": EMPTY},
    ),
    "run_fault": (
        serving.run_fault,
        {"name": "cached victim", "broken": True},
        {"broken": FLAG},
    ),
    "crowd": (
        serving.crowd,
        {"count": 1, "prompt_tokens": 1, "output_tokens": 1, "every_ms": 1},
        {"every_ms": NUMBER},
    ),
    "azure_shaped": (
        serving.azure_shaped,
        {"seed": 0, "minutes": 1, "kind": "code"},
        {"seed": WHOLE, "minutes": POSITIVE},
    ),
    "quantiles": (serving.quantiles, {"kind": "code"}, {}),
    "static_schedule": (
        serving.static_schedule,
        SLOTS,
        {"lengths": EMPTY, "arrivals": NONE | EMPTY},
    ),
    "continuous_schedule": (
        serving.continuous_schedule,
        SLOTS,
        {"lengths": EMPTY, "arrivals": NONE | EMPTY},
    ),
    "a length": (
        lambda lengths: serving.continuous_schedule({"a": lengths}, 1),
        {"lengths": 1},
        {},
    ),
    "an arrival": (
        lambda arrivals: serving.static_schedule({"a": 1}, 1, {"a": arrivals}),
        {"arrivals": 1},
        {},
    ),
    "utilization": (serving.utilization, {"rows": [["a"]]}, {}),
    "a row": (lambda row: serving.utilization([row]), {"row": ["a"]}, {"row": {"texts"}}),
    "a name": (lambda row: serving.utilization([[row]]), {"row": "a"}, {"row": TEXT | NONE}),
    "random_with_seed": (serving.random_with_seed, {"seed": 0}, {}),
    "rule_for": (
        serving.rule_for,
        {"victim": None, "policy": "fcfs"},
        {"victim": NONE | {"a function"}},
    ),
}

# Parts of the engine: `simulate` gives them what it has checked. `fetch_trace` asks the network.
PARTS = {
    *(
        "BlockPool",
        "CachingPool",
        "Candidate",
        "Copied",
        "Decision",
        "FastRun",
        "Fault",
        "Frame",
        "HostPool",
        "Link",
        "Iteration",
        "NotCoveredError",
    ),
    *("Pause", "Phase", "Preempted", "Result", "Run", "Scheduled", "Scheduler", "Segments", "Seq"),
    *("choose", "covers", "fetch_trace", "outputs_of", "pauses", "phases", "scheduler_for"),
}
# Without arguments, or rules, which get what the engine offers.
NONE_TO_CHECK = {"two", "eight", "last_admitted", "priority"}
# Tried in test_settings, test_workload and test_faults.
ELSEWHERE = {"IterationCost", "read_trace", "Fault", "run_fault"}


def test_no_function_is_left_out():
    names = bad_input.callables(serving) - PARTS - NONE_TO_CHECK - ELSEWHERE
    assert names <= EXAMPLES.keys()


@pytest.mark.parametrize(("title", "name"), bad_input.places(EXAMPLES))
def test_bad_arguments_are_refused(title, name):
    assert bad_input.taken(EXAMPLES[title], name) == {}


def test_numbers_that_no_memory_holds_are_refused():
    for call, said in (
        (lambda: replace(SMALL, block_size=10**12), "block_size must be 1,000,000 or less"),
        (lambda: replace(SMALL, num_gpu_blocks=10**12), "num_gpu_blocks must be 10,000,000 or"),
        (lambda: serving.crowd(10**12, prompt_tokens=1, output_tokens=1), "count must be 10,000,0"),
        (
            lambda: serving.azure_shaped(0, 1e12),
            r"requests in 1e\+12 minutes must be 10,000,000 or",
        ),
        (lambda: serving.static_schedule({"a": 10**12}, 1), "slots x .* not 1,000,000,000,000"),
        (lambda: serving.continuous_schedule({"a": 1}, 10**12), "slots x .* must be 10,000,000 or"),
        (
            lambda: serving.static_schedule({"a": 1}, 1, {"a": 10**12}),
            "slots x .the last of arrivals",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            call()
