"""Experiments that the notebooks show, each a load, a server and what is measured of it.

chunks       a long prompt arrives while others decode, and is computed in chunks
diagnosis    what two scrapes say: what preemptions cost, and the row of the guide that fits
field_guide  what users saw, how to make sure, why it is so, which knob ends it
load         more and more requests arrive at one pool: first preemption, cliff
own_load     a server of a reader in the model: its times, its link, its levers
pressure     a load in a pool that is too small: rules, ways back and other levers side by side
published    results that others published, beside the model
scenes       small loads in small pools, block by block
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
from preemption.studies.diagnosis import FOUND_AGAIN, Preempting, preempting, row_that_fits
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
from preemption.studies.own_load import iteration_cost, longest_tokens, own_levers, own_server
from preemption.studies.pressure import (
    LEVERS,
    MINUTES,
    SEEDS,
    STRAIGHT_LINE,
    Kept,
    Lever,
    Means,
    Measures,
    OverTime,
    Server,
    Spread,
    measures,
    outputs_kept,
    over_pools,
    over_time,
    server,
    side_by_side,
    spread,
    two_minutes,
)
from preemption.studies.published import (
    PUBLISHED,
    Published,
    Series,
    WatchedRun,
    anew,
    beside,
    derived_cost,
)
from preemption.studies.scenes import OVERFLOW, SCENES, Scene
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
    "FOUND_AGAIN",
    "LATE_MS",
    "LEVERS",
    "LOAD_REQUESTS",
    "MEMORY_SHARE",
    "MINUTES",
    "NAMES",
    "OVERFLOW",
    "POOLS",
    "PUBLISHED",
    "RATES_PER_S",
    "SCENES",
    "SEEDS",
    "STRAIGHT_LINE",
    "ChunkIteration",
    "ChunkedPrefill",
    "GuideRow",
    "Interval",
    "Kept",
    "Lever",
    "LoadPoint",
    "Means",
    "Measures",
    "Onset",
    "OverTime",
    "Preempting",
    "Published",
    "Range",
    "Scene",
    "Scrape",
    "Series",
    "Server",
    "Spread",
    "WatchedRun",
    "anew",
    "beside",
    "between",
    "chunked_prefill",
    "cliff",
    "derived_cost",
    "example_scrapes",
    "field_guide",
    "first_preemption",
    "iteration_cost",
    "load_requests",
    "longest_tokens",
    "machine_blocks",
    "measures",
    "offered_tokens_per_s",
    "outputs_kept",
    "over_pools",
    "over_time",
    "own_levers",
    "own_server",
    "preempting",
    "read_scrape",
    "requests_at",
    "row_that_fits",
    "server",
    "side_by_side",
    "simulated",
    "spread",
    "sweep",
    "two_minutes",
    "under_load",
]
