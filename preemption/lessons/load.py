"""Questions on latency under load."""

from preemption import studies, words
from preemption.costs import BLOCK_TOKENS
from preemption.page.questions import NumericGuess

POOL_BLOCKS = 3_000


def where_does_preemption_begin() -> NumericGuess:
    """Ask for the arrival rate from which the default pool preempts."""
    first_rate = studies.preempts_from(studies.sweep(POOL_BLOCKS))
    assert first_rate is not None
    return NumericGuess(
        f"The pool holds {words.plain(POOL_BLOCKS)} blocks of {BLOCK_TOKENS} tokens. From how "
        "many requests per second on does the server preempt?",
        truth=first_rate,
        unit="requests/s",
        subject=words.count(POOL_BLOCKS, "block"),
        because="Each request holds its cache while it is served, and more of them are in service "
        "at once as they come faster. They come unevenly, so the pool is full now and then before "
        "their average fills it.",
        tolerance=0.2,
    )
