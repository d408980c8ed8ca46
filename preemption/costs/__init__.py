"""What one eviction costs.

linear      the lesson's model: time in proportion to the cached tokens, and where both ways meet
catalogue   real models, devices and links with their sources (data/), and the bytes of a cache
hf_config   the shape of a cache, read from a Hugging Face `config.json`
resume      what it takes to resume on a real machine: recompute, copy, or both at once
"""

from preemption.costs.catalogue import (
    BITS,
    DEVICES,
    LINKS,
    MODELS,
    PROFILES,
    Catalogue,
    Device,
    Entry,
    Link,
    Model,
    Profile,
    load,
    profile_of,
)
from preemption.costs.hf_config import FAMILIES
from preemption.costs.linear import (
    BANDWIDTH_BYTES_PER_S,
    MS_PER_TOKEN,
    PER_TOKEN_BYTES,
    Strategy,
    cheaper,
    crossover_bandwidth,
    eviction_overhead,
    pick_victim,
    recompute_ms,
    swap_ms,
)
from preemption.costs.resume import (
    BLOCK_TOKENS,
    EFFICIENCY,
    LAUNCH_US,
    Copy,
    Mix,
    Recompute,
    best_mix,
    crossover_bandwidth_at,
    crossover_block_tokens,
    crossover_tokens,
    linear_crossover_bandwidth,
    mix_ms,
)

__all__ = [
    "BANDWIDTH_BYTES_PER_S",
    "BITS",
    "BLOCK_TOKENS",
    "DEVICES",
    "EFFICIENCY",
    "FAMILIES",
    "LAUNCH_US",
    "LINKS",
    "MODELS",
    "MS_PER_TOKEN",
    "PER_TOKEN_BYTES",
    "PROFILES",
    "Catalogue",
    "Copy",
    "Device",
    "Entry",
    "Link",
    "Mix",
    "Model",
    "Profile",
    "Recompute",
    "Strategy",
    "best_mix",
    "cheaper",
    "crossover_bandwidth",
    "crossover_bandwidth_at",
    "crossover_block_tokens",
    "crossover_tokens",
    "eviction_overhead",
    "linear_crossover_bandwidth",
    "load",
    "mix_ms",
    "pick_victim",
    "profile_of",
    "recompute_ms",
    "swap_ms",
]
