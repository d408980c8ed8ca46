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


def what_is_prefix_caching_worth() -> Choice:
    """Ask how prefix caching compares with a tenth more memory."""
    return Choice(
        "One change is allowed: prefix caching, so that a victim finds a part of its cache again, "
        "or a tenth more memory. Which shortens the longest waits for a first token more?",
        {
            "Prefix caching, by far": "It takes most of the work done twice away. But that was a "
            "tenth of all work, no more.",
            "The memory, by far": "It lets a tenth more requests run at a time. But whoever is "
            "evicted still loses everything.",
            "Each about as much": "",
        },
        right="Each about as much",
        because="Losing less is worth about as much here as having more: and one of them costs "
        "nothing. vLLM has it on by default.",
    )
