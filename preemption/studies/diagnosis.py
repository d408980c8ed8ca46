"""What two scrapes of a server say: what its preemptions cost by the model, and what it has."""

from dataclasses import dataclass

from preemption.checks import instance
from preemption.costs import Copy, Recompute
from preemption.studies.scrapes import Interval

FOUND_AGAIN = 0.27, 0.70
"""Shares of a victim's tokens that vLLM 0.33.0 found again with prefix caching, in runs of its
scheduler with distinct prompts: in a burst the lowest, on a steady load the highest."""
FULL, ROOM = 0.95, 0.9
"""Rules of thumb: a pool is full from this usage on, and has room below that one."""


@dataclass(frozen=True, kw_only=True)
class Preempting:
    """What the preemptions of an interval cost by the model, each of a request of average size."""

    tokens: float
    """Cached tokens of a victim."""
    recompute_ms: float
    """To compute all of them again."""
    again_ms: tuple[float, float]
    """To compute again what is not found: with the most found again and with the least, if the
    server has a prefix cache; else twice `recompute_ms`."""
    swap_ms: float
    """To copy all of them out and back."""
    swap_again_ms: tuple[float, float]
    """To copy all of them out, and back what is not found: for the shares of `again_ms`."""
    busy: tuple[float, float]
    """Share of the server's time that goes into that: of the times in `again_ms`."""


def preempting(interval: Interval, recompute: Recompute, copy: Copy) -> Preempting | None:
    """Return what the preemptions of an interval cost; None if the pages do not say enough.

    That is a model: a victim is as large as the average running request, and its recomputing
    shares no iteration with others. Raises TypeError for a wrong type.
    """
    instance("interval", interval, Interval)
    instance("recompute", recompute, Recompute)
    instance("copy", copy, Copy)
    tokens, per_minute = interval.tokens_per_request, interval.preemptions_per_minute
    if not tokens or per_minute is None:
        return None
    least, most = (0.0, 0.0) if interval.hit_rate is None else FOUND_AGAIN
    missing = tokens * (1 - most), tokens * (1 - least)
    again_ms = recompute.ms(missing[0]), recompute.ms(missing[1])
    out, back = copy.ms(tokens) / 2, [copy.ms(each) / 2 for each in missing]
    return Preempting(
        tokens=tokens,
        recompute_ms=recompute.ms(tokens),
        again_ms=again_ms,
        swap_ms=copy.ms(tokens),
        swap_again_ms=(out + back[0], out + back[1]),
        busy=(per_minute * again_ms[0] / 60_000, per_minute * again_ms[1] / 60_000),
    )


def row_that_fits(interval: Interval) -> str | None:
    """Return the name of the row of the field guide that fits an interval; None: none does.

    Counters tell only so much: a row is where to look first, not a finding. Raises TypeError
    for a wrong type.
    """
    instance("interval", interval, Interval)
    if interval.waiting and not interval.running:
        return "huge request"
    if not interval.preemptions_per_minute:
        return "reserved" if interval.waiting and interval.cache_usage < ROOM else None
    if interval.cache_usage < ROOM:
        return "first chunk"
    if interval.cache_usage >= FULL and interval.waiting_grown > 0:
        return "cliff"
    return "newcomers"
