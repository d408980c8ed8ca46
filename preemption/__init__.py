"""What it costs to evict a KV cache, and pictures of it that a reader can move.

A name is imported from its folder when it is first asked for, so that the model can be used
where there are no widgets.
"""

import logging
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from preemption.costs import (
        cheaper,
        crossover_bandwidth,
        eviction_overhead,
        pick_victim,
        recompute_ms,
        swap_ms,
    )
    from preemption.exercises import check, hint, progress, solution
    from preemption.explorers import (
        AttentionExplorer,
        BlockExplorer,
        ChunkExplorer,
        CliffExplorer,
        CostExplorer,
        CrossoverMapExplorer,
        FaultExplorer,
        LiveExplorer,
        LoadExplorer,
        MachineExplorer,
        MixExplorer,
        OverflowExplorer,
        OwnMachine,
        OwnServer,
        PoolExplorer,
        SideBySideExplorer,
        SlotExplorer,
        eviction_timeline,
        gpu_and_host,
        open_costs,
        published_beside_model,
        recorded_machine,
    )

__all__ = [
    "AttentionExplorer",
    "BlockExplorer",
    "ChunkExplorer",
    "CliffExplorer",
    "CostExplorer",
    "CrossoverMapExplorer",
    "FaultExplorer",
    "LiveExplorer",
    "LoadExplorer",
    "MachineExplorer",
    "MixExplorer",
    "OverflowExplorer",
    "OwnMachine",
    "OwnServer",
    "PoolExplorer",
    "SideBySideExplorer",
    "SlotExplorer",
    "cheaper",
    "check",
    "crossover_bandwidth",
    "eviction_overhead",
    "eviction_timeline",
    "gpu_and_host",
    "hint",
    "open_costs",
    "pick_victim",
    "progress",
    "published_beside_model",
    "recompute_ms",
    "recorded_machine",
    "solution",
    "swap_ms",
]

# In a browser matplotlib lists its fonts at each visit, and says so at the first import.
if sys.platform == "emscripten":
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

# In this order: the first does without IPython, the second without widgets.
_DOORS = ("costs", "exercises", "explorers")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for door in _DOORS:
            module = import_module(f"{__name__}.{door}")
            if name in module.__all__:
                globals()[name] = value = getattr(module, name)
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
