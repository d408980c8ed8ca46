"""Questions on latency under load."""

from preemption import studies, words
from preemption.costs import BLOCK_TOKENS
from preemption.page.questions import NumericGuess

POOL_BLOCKS = 3_000


def where_does_preemption_begin() -> NumericGuess:
    """Ask for the arrival rate from which the default pool preempts: right for any of the loads."""
    first, last = studies.first_preemption(studies.sweep(POOL_BLOCKS))
    assert first is not None
    assert last is not None
    return NumericGuess(
        f"The pool holds {words.plain(POOL_BLOCKS)} blocks of {BLOCK_TOKENS} tokens. From how "
        "many requests per second on does the server preempt?",
        truth=(first, last),
        unit="requests/s",
        subject=words.count(POOL_BLOCKS, "block"),
        because=f"It is not one number: {len(studies.SEEDS)} loads that differ only in their "
        "random seed begin to preempt at different rates. Dividing what fits by four or five "
        "seconds gives too much: long requests stay longest, the more run the longer each takes, "
        "and they come unevenly.",
    )
