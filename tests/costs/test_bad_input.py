"""No function of the costs takes a bad argument, and none answers with NaN."""

import itertools
import math

import numpy as np
import pytest

from preemption import costs
from preemption.costs import Copy, Device, Link, Model, Profile, Recompute
from tests import bad_input
from tests.bad_input import (
    COPY,
    COUNT,
    DEVICE,
    FLAG,
    MODEL,
    NONE,
    NUMBER,
    POSITIVE,
    RECOMPUTE,
    TEXT,
)

ONE_WAY = Copy(model=MODEL, bandwidth_bytes_per_s=25e9, round_trip=False)
LINK = Link(name="mine", source=f"{costs.OWN}", sure="checked", nominal_gb_per_s=1)
ENTRY = {"name": "mine", "source": "a test", "sure": "derived"}
ENTRIES = {"name": TEXT, "source": TEXT}
PAIR = {"recompute": RECOMPUTE, "copy": COPY}
PAIRS = {"recompute": {"a recompute"}, "copy": {"a copy"}}
OF = {"model": {"a model"}, "device": {"a device"}, "efficiency": COUNT}

# Function, right arguments, and what is right besides for each of them.
EXAMPLES = {
    "recompute_ms": (
        costs.recompute_ms,
        {"tokens": 1000, "ms_per_token": 0.1},
        {"tokens": NUMBER, "ms_per_token": NUMBER},
    ),
    "swap_ms": (
        costs.swap_ms,
        {"tokens": 1, "per_token_bytes": 1, "bandwidth_bytes_per_s": 1, "round_trip": True},
        {
            "tokens": NUMBER,
            "per_token_bytes": NUMBER,
            "bandwidth_bytes_per_s": POSITIVE,
            "round_trip": FLAG,
        },
    ),
    "cheaper": (
        costs.cheaper,
        {"tokens": 1, "per_token_bytes": 1, "bandwidth_bytes_per_s": 1},
        {"tokens": NUMBER, "per_token_bytes": NUMBER, "bandwidth_bytes_per_s": POSITIVE},
    ),
    "crossover_bandwidth": (
        costs.crossover_bandwidth,
        {"per_token_bytes": 1, "ms_per_token": 1, "round_trip": True},
        {"per_token_bytes": NUMBER, "ms_per_token": POSITIVE, "round_trip": FLAG},
    ),
    "pick_victim": (costs.pick_victim, {"seqs": {"a": 1}}, {}),
    "pick_victim of a count": (
        lambda seqs: costs.pick_victim({"a": seqs}),
        {"seqs": 1},
        {"seqs": NUMBER},
    ),
    "eviction_overhead": (costs.eviction_overhead, {"evictions": []}, {}),
    "eviction_overhead of an event": (
        lambda evictions: costs.eviction_overhead([evictions]),
        {"evictions": (1, "swap")},
        {},
    ),
    "eviction_overhead of tokens": (
        lambda event: costs.eviction_overhead([(event, "swap")]),
        {"event": 1},
        {"event": NUMBER},
    ),
    "eviction_overhead of a strategy": (
        lambda strategy: costs.eviction_overhead([(1, strategy)]),
        {"strategy": "swap"},
        {},
    ),
    "Model": (
        Model,
        {
            **ENTRY,
            "note": "",
            "layers": 4,
            "heads": 4,
            "head_dim": 64,
            "kv_heads": 2,
            "value_dim": 64,
            "windowed_layers": 1,
            "window": 100,
            "parameters": 1e9,
            "active_parameters": 1e8,
            "weight_bits": 16,
        },
        ENTRIES
        | {"note": TEXT, "value_dim": NONE, "active_parameters": NONE, "weight_bits": POSITIVE},
    ),
    "Model with a latent": (
        Model,
        {**ENTRY, "layers": 1, "heads": 1, "head_dim": 1, "latent_dim": 1},
        ENTRIES,
    ),
    "Model.from_config": (
        Model.from_config,
        {
            "config": {"model_type": "llama"},
            "name": "mine",
            "parameters": 1e9,
            "active_parameters": 1e8,
        },
        {"config": TEXT | {"a dict"}, "name": TEXT | NONE, "active_parameters": NONE},
    ),
    "cache_bytes": (MODEL.cache_bytes, {"tokens": 1, "bits": 16}, {"tokens": NUMBER}),
    "Device": (
        Device,
        {**ENTRY, "bf16_tflop_per_s": 1, "memory_gb": 1, "memory_gb_per_s": 1, "host_link": "PCIe"},
        ENTRIES
        | {
            "bf16_tflop_per_s": POSITIVE,
            "memory_gb": POSITIVE,
            "memory_gb_per_s": POSITIVE,
            "host_link": TEXT | NONE,
        },
    ),
    "Link": (
        Link,
        {
            **ENTRY,
            "nominal_gb_per_s": 2,
            "achieved_gb_per_s": 1,
            "achieved_source": "a test",
            "achieved_sure": "checked",
            "launch_us": 1,
            "fixed_ms": 1,
            "points": ((1, 1, 1),),
        },
        ENTRIES
        | {"nominal_gb_per_s": POSITIVE, "achieved_gb_per_s": POSITIVE, "achieved_source": TEXT}
        | {"launch_us": NUMBER | NONE, "fixed_ms": NUMBER},
    ),
    "Profile": (
        Profile,
        {
            **ENTRY,
            "model": "mine",
            "devices": ("A100",),
            "floor_ms": 1,
            "start_ms": 1,
            "ms_per_token": 1,
            "ms_per_token2": 1,
            "points": ((1, 1),),
        },
        ENTRIES
        | {"model": TEXT, "floor_ms": NUMBER, "start_ms": NUMBER, "ms_per_token": POSITIVE}
        | {"ms_per_token2": NUMBER | NONE},
    ),
    "Profile of points": (
        lambda points: Profile(
            **ENTRY,
            model="mine",
            devices=("A100",),
            floor_ms=1,
            start_ms=1,
            ms_per_token=1,
            points=((1, points),),
        ),
        {"points": 1},
        {"points": POSITIVE},
    ),
    "add_own": (costs.add_own, {"entries": []}, {}),
    "add_own of an entry": (lambda entries: costs.add_own([entries]), {"entries": LINK}, {}),
    "add": (costs.Catalogue(Model).add, {"entry": MODEL}, {"entry": {"a model"}}),
    "profile_of": (costs.profile_of, {"model": MODEL, "device": DEVICE}, OF),
    "Recompute": (
        Recompute,
        {
            "floor_ms": 1,
            "start_ms": 1,
            "ms_per_token": 1,
            "ms_per_token2": 1,
            "windowed_ms_per_token2": 1,
            "window": 1,
            "source": "a test",
            "sure": "derived",
        },
        {
            "floor_ms": NUMBER,
            "start_ms": NUMBER,
            "ms_per_token": NUMBER,
            "ms_per_token2": NUMBER,
            "windowed_ms_per_token2": NUMBER,
            "window": POSITIVE,
            "source": TEXT,
        },
    ),
    "Recompute.of": (
        Recompute.of,
        {"model": MODEL, "device": DEVICE, "efficiency": 0.5, "measured": True},
        OF | {"measured": FLAG},
    ),
    "Recompute.linear": (
        Recompute.linear,
        {"model": MODEL, "device": DEVICE, "efficiency": 0.5},
        OF,
    ),
    "Recompute.ms": (RECOMPUTE.ms, {"tokens": 1}, {"tokens": NUMBER}),
    "Recompute.linear_ms": (RECOMPUTE.linear_ms, {"tokens": 1}, {"tokens": NUMBER}),
    "Recompute.ms_per_token_at": (RECOMPUTE.ms_per_token_at, {"tokens": 1}, {"tokens": POSITIVE}),
    "Recompute.attention_ms": (RECOMPUTE.attention_ms, {"tokens": 1}, {"tokens": NUMBER}),
    "Copy": (
        Copy,
        {
            "model": MODEL,
            "bandwidth_bytes_per_s": 1,
            "bits": 16,
            "block_tokens": 16,
            "layout": "layer",
            "launch_us": 10,
            "fixed_ms": 0,
            "round_trip": True,
        },
        {
            "model": {"a model"},
            "bandwidth_bytes_per_s": POSITIVE,
            "block_tokens": POSITIVE,
            "launch_us": NUMBER,
            "fixed_ms": NUMBER,
            "round_trip": FLAG,
        },
    ),
    "Copy.ms": (COPY.ms, {"tokens": 1}, {"tokens": NUMBER}),
    "Copy.copies": (COPY.copies, {"tokens": 1}, {"tokens": NUMBER}),
    "Copy.overhead_ms": (COPY.overhead_ms, {"tokens": 1}, {"tokens": NUMBER}),
    "Copy.over_links_ms": (
        COPY.over_links_ms,
        {"tokens": 1, "bandwidth_bytes_per_s": 1},
        {"tokens": NUMBER, "bandwidth_bytes_per_s": POSITIVE},
    ),
    "Copy.over_blocks_ms": (
        COPY.over_blocks_ms,
        {"tokens": 1, "block_tokens": 1},
        {"tokens": NUMBER, "block_tokens": POSITIVE},
    ),
    "crossover_tokens": (costs.crossover_tokens, PAIR, PAIRS),
    "cheaper_ways": (
        costs.cheaper_ways,
        PAIR | {"crossovers": (1.0,)},
        PAIRS | {"crossovers": {"bytes"}},
    ),
    "most_ahead": (
        costs.most_ahead,
        PAIR | {"low": 1, "high": 10},
        PAIRS | {"low": POSITIVE, "high": POSITIVE},
    ),
    "bends": (costs.bends, PAIR, PAIRS),
    "crossover_bandwidth_at": (
        costs.crossover_bandwidth_at,
        PAIR | {"tokens": 1, "block_tokens": 1},
        PAIRS | {"tokens": NUMBER, "block_tokens": POSITIVE | NONE},
    ),
    "crossover_block_tokens": (
        costs.crossover_block_tokens,
        PAIR | {"tokens": 1},
        PAIRS | {"tokens": NUMBER},
    ),
    "least_block_tokens": (
        costs.least_block_tokens,
        PAIR | {"tokens": 1},
        PAIRS | {"tokens": NUMBER},
    ),
    "linear_crossover_bandwidth": (
        costs.linear_crossover_bandwidth,
        {"model": MODEL, "device": DEVICE, "efficiency": 0.5, "bits": 16, "round_trip": True},
        OF | {"round_trip": FLAG},
    ),
    "linear_crossover_bandwidths": (
        costs.linear_crossover_bandwidths,
        {"models": [MODEL], "devices": [DEVICE], "efficiency": 0.5, "bits": 16, "round_trip": True},
        {"round_trip": FLAG},
    ),
    "weight_bytes": (costs.weight_bytes, {"model": MODEL}, OF),
    "devices_for_weights": (costs.devices_for_weights, {"model": MODEL, "device": DEVICE}, OF),
    "mix_ms": (
        costs.mix_ms,
        {"tokens": 1, "share": 0.5, "recompute": RECOMPUTE, "copy": ONE_WAY},
        PAIRS | {"tokens": NUMBER, "share": {"1e-301"}},
    ),
    "mix_parts_ms": (
        costs.mix_parts_ms,
        {"tokens": 1, "share": 0.5, "recompute": RECOMPUTE, "copy": ONE_WAY},
        PAIRS | {"tokens": NUMBER, "share": {"1e-301"}},
    ),
    "best_mix": (
        costs.best_mix,
        {"tokens": 1, "recompute": RECOMPUTE, "copy": ONE_WAY},
        PAIRS | {"tokens": NUMBER},
    ),
}


# Entries of the catalogue have narrower ranges, with units.
RANGES = {"Model", "Device", "Link", "Profile", "Profile of points", "add"}
# Answers that say "no link, or no block, is large enough".
MAY_BE_INFINITE = {"crossover_bandwidth_at", "crossover_block_tokens", "least_block_tokens"}


def test_no_function_is_left_out():
    left_out = {"Catalogue", "Entry", "Mix", "load", "read_own"}
    assert bad_input.callables(costs) - left_out <= EXAMPLES.keys()


@pytest.mark.parametrize(("title", "name"), bad_input.places(EXAMPLES))
def test_bad_arguments_are_refused(title, name):
    assert bad_input.taken(EXAMPLES[title], name) == {}


@pytest.mark.parametrize("title", [title for title in EXAMPLES if title not in RANGES])
@pytest.mark.filterwarnings("error")
def test_the_largest_and_the_smallest_numbers_give_finite_answers(title):
    call, arguments, kinds = EXAMPLES[title]
    numbers = [name for name, kind in kinds.items() if "1.5" in kind]
    for values in itertools.product((1e-50, 1e50), repeat=len(numbers)):
        answer = call(**arguments | dict(zip(numbers, values, strict=True)))
        for number in np.ravel(answer) if isinstance(answer, float | np.ndarray) else ():
            assert math.isfinite(number) or (number == math.inf and title in MAY_BE_INFINITE)
