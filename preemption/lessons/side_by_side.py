"""Questions on rules and levers, compared on the same loads."""

from preemption.page.questions import Choice


def does_the_smallest_victim_mean_fewer_preemptions() -> Choice:
    """Ask what evicting the smallest cache first does to the number of preemptions."""
    return Choice(
        "A rule evicts the smallest cache first, since that is the cheapest to rebuild. Against "
        "vLLM's rule, the last admitted, are there more preemptions or fewer?",
        {
            "More": "",
            "Fewer": "Each one is cheaper. But a small victim frees little, so soon another has "
            "to go.",
            "As many": "The pool lacks as many blocks either way. But each victim frees a "
            "different number of them.",
        },
        right="More",
        because="The cheapest victim frees the least. There are more preemptions, and still less "
        "is computed twice: the number of preemptions is not their cost.",
    )


def which_lever_helps_most() -> Choice:
    """Ask which lever shortens the longest waits for a first token most, on one load."""
    return Choice(
        "5.5 requests per second, a pool of 32,000 tokens, vLLM with its defaults off. One change "
        "is allowed. Which of these shortens the p99 of the time to first token most?",
        {
            "A tenth more memory": "It helps. But the work done twice stays nearly the same.",
            "Fewer requests at a time": "There are fewer preemptions. But whoever is kept out "
            "waits as well.",
            "Another victim rule": "It saves most of the work done twice, and no more than that.",
            "A smaller token budget": "",
        },
        right="A smaller token budget",
        because="A surprise, and it hangs on one measurement: on this GPU 512 tokens take less "
        "time each than 1,000 or 2,000 do. On another GPU it may be otherwise. Next come the ways "
        "to lose less: they are close together.",
    )
