"""Experiments that the notebooks show, each a load, a server and what is measured of it.

chunks   a long prompt arrives while others decode, and is computed in chunks
load     more and more requests arrive at one pool; over 20 seeds
"""

from preemption.studies.chunks import (
    BUDGETS,
    CHUNK_COST,
    DECODES,
    ChunkedPrefill,
    ChunkIteration,
    chunked_prefill,
)
from preemption.studies.load import (
    LATE_MS,
    LOAD_REQUESTS,
    MEMORY_SHARE,
    POOLS,
    RATES_PER_S,
    SEEDS,
    LoadPoint,
    Onset,
    Spread,
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

__all__ = [
    "BUDGETS",
    "CHUNK_COST",
    "DECODES",
    "LATE_MS",
    "LOAD_REQUESTS",
    "MEMORY_SHARE",
    "POOLS",
    "RATES_PER_S",
    "SEEDS",
    "ChunkIteration",
    "ChunkedPrefill",
    "LoadPoint",
    "Onset",
    "Spread",
    "chunked_prefill",
    "cliff",
    "first_preemption",
    "load_requests",
    "machine_blocks",
    "offered_tokens_per_s",
    "requests_at",
    "simulated",
    "sweep",
    "under_load",
]
