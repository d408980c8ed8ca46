"""Experiments that the notebooks show, each a load, a server and what is measured of it.

chunks   a long prompt arrives while others decode, and is computed in chunks
load     more and more requests arrive at one pool
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

__all__ = [
    "BUDGETS",
    "DECODES",
    "LOAD_REQUESTS",
    "RATES_PER_S",
    "ChunkIteration",
    "ChunkedPrefill",
    "LoadPoint",
    "chunked_prefill",
    "load_requests",
    "offered_tokens_per_s",
    "preempts_from",
    "requests_at",
    "sweep",
    "under_load",
]
