"""What an eviction costs one request, as pictures that do not move."""

from preemption import costs, words
from preemption.checks import whole
from preemption.figures.timeline import OpenCosts, Timeline
from preemption.page.explorer import Still


def eviction_timeline(tokens: int = 1_000) -> Still:
    """Show one request that is evicted with `tokens` cached tokens and resumed, both ways.

    Raises ValueError for a negative number, or one too large for the time line (1,400 or more).
    """
    tokens = whole("tokens", tokens, least=0)
    recompute = costs.recompute_ms(tokens)
    copy = costs.swap_ms(
        tokens, costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S, round_trip=False
    )
    return Still(
        Timeline(tokens, recompute_ms=recompute, copy_ms=copy),
        f"Two lines of time for a request of {words.count(tokens, 'token')} that is evicted and "
        "resumes. Recompute: it decodes, is paused, prefills its tokens again for "
        f"{words.digits(recompute)} ms, and decodes. Swap: it decodes, its cache is copied out for "
        f"{words.digits(copy)} ms, it is paused, the cache is copied back for "
        f"{words.digits(copy)} ms, and it decodes. The pause is an example.",
    )


def open_costs(tokens: int = 1_000) -> Still:
    """Show what either way of resuming a request takes, with the times left open.

    Raises ValueError for a negative number of `tokens`, TypeError for what is none.
    """
    tokens = whole("tokens", tokens, least=0)
    size = words.size(tokens * costs.PER_TOKEN_BYTES)
    return Still(
        OpenCosts(tokens, size),
        f"Two ways to resume a request of {words.count(tokens, 'cached token')}. Recompute: one "
        f"bar, prefill {words.count(tokens, 'token')} again, ? ms. Swap: two bars, copy {size} "
        "out and copy it back, together ? ms. The bars are not to scale.",
    )
