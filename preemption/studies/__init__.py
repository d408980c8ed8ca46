"""Experiments that the notebooks show, each a load, a server and what is measured of it.

chunks       a long prompt arrives while others decode, and is computed in chunks
field_guide  what users saw, how to make sure, why it is so, which knob ends it
load         more and more requests arrive at one pool: first preemption, cliff
pressure     a load in a pool that is too small: rules, ways back and other levers side by side
scrapes      two scrapes of a real server's metrics page
"""

from preemption.studies.chunks import (
    BUDGETS,
    CHUNK_COST,
    DECODES,
    ChunkedPrefill,
    ChunkIteration,
    chunked_prefill,
)
from preemption.studies.field_guide import FIELD_GUIDE, GuideRow, field_guide
from preemption.studies.load import (
    LATE_MS,
    LOAD_REQUESTS,
    MEMORY_SHARE,
    POOLS,
    RATES_PER_S,
    LoadPoint,
    Onset,
    Range,
    cliff,
    first_preemption,
    load_requests,
    machine_blocks,
    offered_tokens_per_s,
    requests_at,
    simulated,
    sweep,
    under_load,
)
from preemption.studies.pressure import (
    LEVERS,
    MINUTES,
    SEEDS,
    Measures,
    Server,
    Spread,
    measures,
    over_pools,
    server,
    side_by_side,
    spread,
    two_minutes,
)
from preemption.studies.scrapes import (
    NAMES,
    Interval,
    Scrape,
    between,
    example_scrapes,
    read_scrape,
)

__all__ = [
    "BUDGETS",
    "CHUNK_COST",
    "DECODES",
    "FIELD_GUIDE",
    "LATE_MS",
    "LEVERS",
    "LOAD_REQUESTS",
    "MEMORY_SHARE",
    "MINUTES",
    "NAMES",
    "POOLS",
    "RATES_PER_S",
    "SEEDS",
    "ChunkIteration",
    "ChunkedPrefill",
    "GuideRow",
    "Interval",
    "LoadPoint",
    "Measures",
    "Onset",
    "Range",
    "Scrape",
    "Server",
    "Spread",
    "between",
    "chunked_prefill",
    "cliff",
    "example_scrapes",
    "field_guide",
    "first_preemption",
    "load_requests",
    "machine_blocks",
    "measures",
    "offered_tokens_per_s",
    "over_pools",
    "read_scrape",
    "requests_at",
    "server",
    "side_by_side",
    "simulated",
    "spread",
    "sweep",
    "two_minutes",
    "under_load",
]
