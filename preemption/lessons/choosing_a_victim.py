"""The closing quiz of notebook 04."""

from preemption.page.questions import Choice, Quiz


def quiz_on_choosing_a_victim() -> Quiz:
    """Ask four questions about the pool of blocks."""
    return Quiz(
        [
            Choice(
                "The pool is full, and a new request arrives. What does vLLM do?",
                {
                    "It preempts a running request": "Only a running request that needs a block "
                    "makes another one go.",
                    "The new one waits": "It is admitted when all its tokens fit, after those "
                    "who were preempted.",
                    "It preempts the largest cache": "The rule does not look at sizes, and "
                    "nobody goes for a newcomer.",
                },
                right="The new one waits",
            ),
            Choice(
                "A request has written 9 tokens and is preempted. What is lost?",
                {
                    "Its answer so far": "The tokens are kept; they are prefilled with the prompt.",
                    "Its cache": "Keys and values have to be computed again, of the prompt and of "
                    "the tokens it has written.",
                    "The cache of its oldest tokens": "That would be a window, which changes the "
                    "answer. Here all of the cache is given away, and all of it comes back.",
                },
                right="Its cache",
            ),
            Choice(
                "With prefix caching, which of a victim's blocks is overwritten first?",
                {
                    "The first of its prompt": "It goes to the end of the queue last, so it is "
                    "handed out last.",
                    "Its last one": "The tail goes first. What is left is the beginning, and "
                    "only a beginning without a gap is of use.",
                    "Any of them": "The free blocks stand in a queue; its order says which.",
                },
                right="Its last one",
            ),
            Choice(
                "What takes longest in the pauses of this notebook's eight requests?",
                {
                    "The copies": "They take less than a millisecond here.",
                    "Computing the cache again": "That takes one iteration each.",
                    "Waiting for memory": "Somebody has to finish first.",
                },
                right="Waiting for memory",
            ),
        ]
    )
