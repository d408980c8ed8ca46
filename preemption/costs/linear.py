"""What an eviction costs in the toy of notebooks 01 and 02: so much for each cached token.

The KV cache is rebuilt by prefill, or copied over a link and back; both times are
proportional to the cached tokens. `resume` has what real machines add to that.
Its default figures, 0.1 ms per token, 131,072 bytes per token and 25 GB/s, are close to
Llama-3-8B in 16 bit (2 for K and V x 32 layers x 8 KV heads x 128 x 2 bytes) on an A100
behind PCIe 4.0 x16. GB means 1e9 bytes.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, overload

from preemption.checks import Array, Values, flag, numbers, scalar, shown

Strategy: TypeAlias = Literal["recompute", "swap"]

MS_PER_TOKEN = 0.1
PER_TOKEN_BYTES = 131_072
BANDWIDTH_BYTES_PER_S = 25e9


@overload
def recompute_ms(tokens: float, ms_per_token: float = ...) -> float: ...
@overload
def recompute_ms(tokens: Values, ms_per_token: Values = ...) -> float | Array: ...
def recompute_ms(tokens: Values, ms_per_token: Values = MS_PER_TOKEN) -> float | Array:
    """Time in ms to rebuild an evicted KV cache by prefilling its tokens again.

    `tokens` (cached tokens of the victim, 0 or more) and `ms_per_token` (prefill time, 0 or
    more) are scalars or NumPy arrays that broadcast; the result is a float or a float64 array.
    Raises ValueError for a negative, infinite or NaN value, TypeError for anything else that
    is not a number. Formula: tokens x ms_per_token, the lesson's linear model.
    """
    return numbers("tokens", tokens) * numbers("ms_per_token", ms_per_token)


@overload
def swap_ms(
    tokens: float, per_token_bytes: float, bandwidth_bytes_per_s: float, round_trip: bool = ...
) -> float: ...
@overload
def swap_ms(
    tokens: Values, per_token_bytes: Values, bandwidth_bytes_per_s: Values, round_trip: bool = ...
) -> float | Array: ...
def swap_ms(
    tokens: Values,
    per_token_bytes: Values,
    bandwidth_bytes_per_s: Values,
    round_trip: bool = True,
) -> float | Array:
    """Time in ms to copy a KV cache out over a link, and back if `round_trip`.

    `tokens` and `per_token_bytes` are 0 or more, `bandwidth_bytes_per_s` (one direction of the
    link, bytes per second) is above 0; scalars or NumPy arrays that broadcast. Raises
    ValueError for a value out of range, infinite or NaN, TypeError for a wrong type.
    Formula: bytes / bandwidth, once or twice; no cost to start a copy.
    """
    trips = 2 if flag("round_trip", round_trip) else 1
    cache_bytes = numbers("tokens", tokens) * numbers("per_token_bytes", per_token_bytes)
    bandwidth = numbers("bandwidth_bytes_per_s", bandwidth_bytes_per_s, positive=True)
    # One rounding, in the division: whole bytes stay exact up to there.
    return trips * 1000.0 * cache_bytes / bandwidth


def cheaper(tokens: float, per_token_bytes: float, bandwidth_bytes_per_s: float) -> Strategy:
    """Name the cheaper way to resume a victim: "swap" or "recompute".

    "swap" if copying out and back takes **less** time than `recompute_ms(tokens)`, else
    "recompute", so a tie goes to "recompute". Scalars only, in tokens, bytes and bytes per
    second; errors as in `swap_ms`, and TypeError for an array.
    """
    tokens = scalar("tokens", tokens)
    swap = swap_ms(
        tokens,
        scalar("per_token_bytes", per_token_bytes),
        scalar("bandwidth_bytes_per_s", bandwidth_bytes_per_s, positive=True),
    )
    return "swap" if swap < recompute_ms(tokens) else "recompute"


@overload
def crossover_bandwidth(
    per_token_bytes: float, ms_per_token: float = ..., round_trip: bool = ...
) -> float: ...
@overload
def crossover_bandwidth(
    per_token_bytes: Values, ms_per_token: Values = ..., round_trip: bool = ...
) -> float | Array: ...
def crossover_bandwidth(
    per_token_bytes: Values, ms_per_token: Values = MS_PER_TOKEN, round_trip: bool = True
) -> float | Array:
    """Link bandwidth in bytes per second at which swapping costs as much as recomputing.

    On a faster link swapping is cheaper, on a slower one recomputing is. Both costs grow in
    proportion to the tokens, so the result does not depend on them. `per_token_bytes` is 0 or
    more, `ms_per_token` above 0; scalars or NumPy arrays that broadcast. Errors as in
    `swap_ms`. Formula: trips x per_token_bytes / seconds per token.
    """
    trips = 2 if flag("round_trip", round_trip) else 1
    prefill_ms = numbers("ms_per_token", ms_per_token, positive=True)
    return trips * 1000.0 * numbers("per_token_bytes", per_token_bytes) / prefill_ms


def pick_victim(seqs: Mapping[str, float]) -> str:
    """Name the sequence with the fewest cached tokens: the cheapest to rebuild.

    `seqs` maps a name to its cached tokens (0 or more). Ties go to the name that comes first
    in plain string order. Raises ValueError if `seqs` is empty or a count is negative,
    infinite or NaN; TypeError if `seqs` is no mapping, a name no string, a count no number.
    """
    if not isinstance(seqs, Mapping):
        raise TypeError(f"seqs must map names to cached tokens, not {shown(seqs)}")
    if not seqs:
        raise ValueError("seqs is empty: there is no sequence to evict")
    for name, tokens in seqs.items():
        if not isinstance(name, str):
            raise TypeError(f"a name in seqs must be a string, not {shown(name)}")
        scalar(f"seqs[{name!r}]", tokens)
    return min(seqs, key=lambda name: (seqs[name], name))


def eviction_overhead(evictions: Iterable[tuple[float, str]]) -> float:
    """Total time in ms that a list of evictions costs.

    Each event is a pair (cached tokens, strategy) with strategy "recompute" or "swap". A swap
    moves 131,072 bytes per token out and back over a 25 GB/s link; no events cost 0. Raises
    ValueError for an unknown strategy or a bad count, TypeError for an event that is no pair.
    """
    if isinstance(evictions, str | bytes | Mapping) or not isinstance(evictions, Iterable):
        raise TypeError(f"evictions must be pairs (tokens, strategy), not {shown(evictions)}")
    return math.fsum(_event_ms(event) for event in evictions)


def _event_ms(event: object) -> float:
    if not isinstance(event, tuple | list) or len(event) != 2:
        raise TypeError(f"each of evictions must be a pair (tokens, strategy), not {shown(event)}")
    tokens, strategy = scalar("tokens of an event", event[0]), event[1]
    if not isinstance(strategy, str):
        raise TypeError(f'strategy must be "recompute" or "swap", not {shown(strategy)}')
    if strategy == "recompute":
        return recompute_ms(tokens)
    if strategy == "swap":
        return swap_ms(tokens, PER_TOKEN_BYTES, BANDWIDTH_BYTES_PER_S)
    raise ValueError(f'strategy must be "recompute" or "swap", not {shown(strategy)}')
