"""Questions on rules and levers, compared on the same loads."""

from preemption import studies, words
from preemption.costs import DEVICES, LINKS, MODELS
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


def what_does_a_watermark_do_here() -> Choice:
    """Ask what becomes of the first tokens of the example's server if it preempts no more."""
    first, second = map(studies.read_scrape, studies.example_scrapes())
    seen = studies.between(first, second, seconds=60)
    assert seen.pool_tokens
    assert seen.requests_per_s
    assert seen.prompt_tokens_mean
    assert seen.output_tokens_mean
    means = studies.Means(seen.prompt_tokens_mean, seen.output_tokens_mean)
    machine = MODELS["Llama-3-8B"], DEVICES["A100 80 GB SXM"], LINKS["PCIe 4.0 x16"]
    base = studies.own_server(*machine, seen.pool_tokens).given(enable_prefix_caching=True)
    servers = {"as it is": base, "watermark": studies.LEVERS["watermark"](base)}
    rows = list(studies.side_by_side(servers, seen.requests_per_s, means=means))
    soon_s, late_s = (
        studies.spread([run.ttft_p99_ms / 1e3 for name, _, run in rows if name == each]).median
        for each in servers
    )
    twice = studies.spread([run.recompute_share for name, _, run in rows if name == "as it is"])
    return Choice(
        f"The server of the example preempts {seen.preemptions_per_minute:.0f} times a minute, "
        "with prefix caching on. If an admission must leave 5% of the pool free, the model "
        "preempts nobody any more. What becomes of the longest waits for a first token?",
        {
            "They get shorter": "Nothing is computed twice any more. But with prefix caching that "
            f"was {words.digits(100 * twice.median, 2)}% of all work.",
            "They get longer": "",
            "They stay as they are": "Part of the pool is now kept free, and somebody waits for "
            "it.",
        },
        right="They get longer",
        because=f"From {words.digits(soon_s, 2)} to {words.digits(late_s, 2)} s, at p99 and in the "
        "median of 20 loads: who is not let in waits. The number of preemptions is not their cost.",
    )
