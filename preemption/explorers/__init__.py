"""What a reader drags: a module for each explorer, named like its figure, and what they share.

Each asks its model once per change and gets one frozen answer; picture, table, verdict and the
text for those who cannot see the picture are made from that.

eviction_costs  cached tokens and link bandwidth against the cost of an eviction
timeline        what an eviction costs one request, as pictures that do not move
machine_costs   real models, devices and links: which way is cheaper, and where that changes
crossover_map   the crossover bandwidth of all models on all devices
block_sizes     what small copies cost
mix             both ways at once
slot_chart      static groups and iteration-level admission
chunks          a long prompt in chunks
attention_map   who attends to whom in chunks
load            latency and throughput by arrival rate
published       results that others published, beside the model
overflow        a small pool that overflows, and waits for the reader's choice of a victim
cliff           preemptions and latency by the size of the pool
live            two minutes of load over time
side_by_side    victim rules and levers on the same loads
faults          engines that have a fault, iteration by iteration
pool            a run block by block: step, play, two ways to come back side by side
own_server      two scrapes of a server of the reader
own_load        the levers on a load like that server's
own_machine     the reader's machine, measured, and one that was recorded

log             what an iteration decided, in words
comparison      how both ways to resume compare, in words and in a table
on_machine      the settings of a model on a device
sources         formulas with their numbers put in, and where the numbers come from
"""

from preemption.explorers.attention_map import AttentionExplorer
from preemption.explorers.block_sizes import BlockExplorer
from preemption.explorers.chunks import ChunkExplorer
from preemption.explorers.cliff import CliffExplorer
from preemption.explorers.crossover_map import CrossoverMapExplorer
from preemption.explorers.eviction_costs import CostExplorer
from preemption.explorers.faults import FaultExplorer, field_guide_page
from preemption.explorers.live import LiveExplorer
from preemption.explorers.load import LoadExplorer
from preemption.explorers.log import in_words
from preemption.explorers.machine_costs import MachineExplorer
from preemption.explorers.mix import MixExplorer
from preemption.explorers.overflow import OverflowExplorer, gpu_and_host
from preemption.explorers.own_load import OwnLoad
from preemption.explorers.own_machine import OwnMachine, recorded_machine
from preemption.explorers.own_server import OwnServer
from preemption.explorers.pool import PoolExplorer
from preemption.explorers.published import published_beside_model
from preemption.explorers.side_by_side import SideBySideExplorer
from preemption.explorers.slot_chart import SlotExplorer
from preemption.explorers.timeline import eviction_timeline, open_costs

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
    "OwnLoad",
    "OwnMachine",
    "OwnServer",
    "PoolExplorer",
    "SideBySideExplorer",
    "SlotExplorer",
    "eviction_timeline",
    "field_guide_page",
    "gpu_and_host",
    "in_words",
    "open_costs",
    "published_beside_model",
    "recorded_machine",
]
