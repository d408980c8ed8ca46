"""What requests write, by a toy model: each token depends on everything that its cache holds.

The scheduler only counts tokens. With a model behind it, one that comes back with a wrong cache, or
without a token that it had written, would go on differently; so equal outputs prove that none did.
"""

import zlib

from preemption.serving.results import Id, Result


def outputs_of(result: Result) -> dict[Id, tuple[int, ...]]:
    """Return the output tokens of each request of a run with a whole log.

    Raises ValueError without one.
    """
    if len(result.log) != result.iterations:
        raise ValueError(f"the log must be whole, not {len(result.log)} of {result.iterations}")
    text = {
        request.id: [zlib.crc32(f"{request.id} {n}".encode()) for n in range(request.prompt_tokens)]
        for request in result.requests
    }
    caches: dict[Id, tuple[int, int]] = {}  # how many tokens, and a checksum of them in order
    for iteration in result.log:
        for event in iteration.preempted:
            if event.how == "recompute":
                caches[event.id] = (0, 0)
        for found in iteration.found:
            caches[found.id] = _with((0, 0), text[found.id][: found.tokens])
        for row in iteration.scheduled:
            held, checksum = caches.get(row.id, (0, 0))
            if held != row.computed_tokens:  # some are missing, or there twice
                held, checksum = row.computed_tokens, ~checksum
            caches[row.id] = _with((held, checksum), text[row.id][held : held + row.tokens])
        for sampled in iteration.sampled:
            text[sampled].append(caches[sampled][1])
    return {
        request.id: tuple(text[request.id][request.prompt_tokens :]) for request in result.requests
    }


def _with(cache: tuple[int, int], tokens: list[int]) -> tuple[int, int]:
    """Return a cache with these tokens behind the others."""
    held, checksum = cache
    for token in tokens:
        checksum = zlib.crc32(f"{token}".encode(), checksum & 0xFFFFFFFF)
    return held + len(tokens), checksum
