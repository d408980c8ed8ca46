"""Questions on what a token attends to."""

from preemption.page.questions import Choice


def what_does_a_token_attend_to() -> Choice:
    """Ask which tokens a token in the third chunk attends to."""
    return Choice(
        "A prompt of 16 tokens is computed in chunks of 5. Which tokens does token 12 attend to?",
        {
            "11 and 12": "These are the ones in its own chunk. Keys and values of earlier chunks "
            "are in the cache, and they count as well.",
            "1 to 12": "The ones of earlier chunks from the cache, the rest from its own chunk.",
            "1 to 15": "13, 14 and 15 are in its chunk, but they come after it.",
        },
        right="1 to 12",
        because="It is the same as in one pass. A chunk changes when a token is computed.",
    )
