"""Experiments that the notebooks show, each a load, a server and what is measured of it.

chunks    a long prompt arrives while others decode, and is computed in chunks
load      more and more requests arrive at one pool
pressure  a load in a pool that is too small: rules, ways back and other levers side by side
scrapes   two scrapes of a real server's metrics page
"""

from preemption.studies.chunks import (
    BUDGETS,
    DECODES,
    ChunkedPrefill,
    ChunkIteration,
    chunked_prefill,
)
from preemption.studies.load import (
    LOAD_REQUESTS,
    RATES_PER_S,
    LoadPoint,
    load_requests,
    offered_tokens_per_s,
    preempts_from,
    requests_at,
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
from preemption.studies.scrapes import Interval, Scrape, between, example_scrapes, read_scrape

__all__ = [
    "BUDGETS",
    "DECODES",
    "LEVERS",
    "LOAD_REQUESTS",
    "MINUTES",
    "RATES_PER_S",
    "SEEDS",
    "ChunkIteration",
    "ChunkedPrefill",
    "Interval",
    "LoadPoint",
    "Measures",
    "Scrape",
    "Server",
    "Spread",
    "between",
    "chunked_prefill",
    "example_scrapes",
    "load_requests",
    "measures",
    "offered_tokens_per_s",
    "over_pools",
    "preempts_from",
    "read_scrape",
    "requests_at",
    "server",
    "side_by_side",
    "spread",
    "sweep",
    "two_minutes",
    "under_load",
]
