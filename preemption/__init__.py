"""What it costs to evict a KV cache, and pictures of it that a reader can move."""

from preemption.costs import (
    cheaper,
    crossover_bandwidth,
    eviction_overhead,
    pick_victim,
    recompute_ms,
    swap_ms,
)
from preemption.exercises import check, hint, progress, solution
from preemption.explorers.cost import CostExplorer, eviction_timeline, open_costs
from preemption.explorers.machines import (
    BlockExplorer,
    BreakEvenExplorer,
    MachineExplorer,
    MixExplorer,
)
from preemption.explorers.schedules import (
    AttentionExplorer,
    ChunkExplorer,
    LoadExplorer,
    SlotExplorer,
)

__all__ = [
    "AttentionExplorer",
    "BlockExplorer",
    "BreakEvenExplorer",
    "ChunkExplorer",
    "CostExplorer",
    "LoadExplorer",
    "MachineExplorer",
    "MixExplorer",
    "SlotExplorer",
    "cheaper",
    "check",
    "crossover_bandwidth",
    "eviction_overhead",
    "eviction_timeline",
    "hint",
    "open_costs",
    "pick_victim",
    "progress",
    "recompute_ms",
    "solution",
    "swap_ms",
]
