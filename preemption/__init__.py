"""What it costs to evict a KV cache, and pictures of it that a reader can move."""

from preemption.costs import (
    cheaper,
    crossover_bandwidth,
    eviction_overhead,
    pick_victim,
    recompute_ms,
    swap_ms,
)
from preemption.explorers.cost import CostExplorer, eviction_timeline
from preemption.explorers.machines import (
    BlockExplorer,
    BreakEvenExplorer,
    MachineExplorer,
    MixExplorer,
)
from preemption.machines import DEVICES, LINKS, MODELS
from preemption.resume import (
    Copy,
    Recompute,
    best_mix,
    crossover_tokens,
    linear_break_even_bandwidth,
)

__all__ = [
    "DEVICES",
    "LINKS",
    "MODELS",
    "BlockExplorer",
    "BreakEvenExplorer",
    "Copy",
    "CostExplorer",
    "MachineExplorer",
    "MixExplorer",
    "Recompute",
    "best_mix",
    "cheaper",
    "crossover_bandwidth",
    "crossover_tokens",
    "eviction_overhead",
    "eviction_timeline",
    "linear_break_even_bandwidth",
    "pick_victim",
    "recompute_ms",
    "swap_ms",
]
