"""Questions on a pool that shrinks."""

from preemption.page.questions import Choice


def what_does_a_smaller_pool_do() -> Choice:
    """Ask how trouble begins as the pool shrinks."""
    return Choice(
        "The same two minutes of load, again and again, each time with a little less memory. How "
        "does the wait for a first token grow?",
        {
            "At once, with the first preemptions": "The first preemptions cost a few hundred "
            "milliseconds of computing, once. Nobody notices.",
            "Slowly, then all at once": "",
            "In proportion to what is missing": "Half the memory is not twice the wait: as long "
            "as everybody fits now and then, the queue drains.",
        },
        right="Slowly, then all at once",
        because="A few preemptions are absorbed. But when the server can no longer keep up, the "
        "queue grows for as long as the load lasts, and everybody waits for those before.",
    )
