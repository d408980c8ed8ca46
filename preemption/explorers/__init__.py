"""What a reader drags: one module per explorer, and what they share.

Each asks its model once per change and gets one frozen answer; picture, table, verdict and the
text for those who cannot see the picture are made from that.
"""

from preemption.explorers.eviction_costs import CostExplorer, eviction_timeline, open_costs
from preemption.explorers.machines import (
    BlockExplorer,
    CrossoverMapExplorer,
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
    "ChunkExplorer",
    "CostExplorer",
    "CrossoverMapExplorer",
    "LoadExplorer",
    "MachineExplorer",
    "MixExplorer",
    "SlotExplorer",
    "eviction_timeline",
    "open_costs",
]
