"""Questions on results that others published, before each is shown beside the model."""

from preemption import words
from preemption.page.questions import Choice, NumericGuess
from preemption.studies import PUBLISHED, beside


def what_does_a_watermark_cost() -> Choice:
    """Ask what a small watermark did to a server that preempts more than a thousand times."""
    figures = PUBLISHED["watermark"].figures
    (off, slow, soon), (small, fast, late) = (
        [figures[name][i] or 0 for name in ("preemptions", "output tokens/s", "TTFT p50 (s)")]
        for i in (0, 1)
    )
    return Choice(
        f"A server preempts {words.plain(off)} times while it answers 450 requests. Now an "
        "admission must leave 2% of the pool free. What was measured?",
        {
            "Fewer preemptions, fewer tokens per second": "Less of the pool is in use, but what "
            "is in use is computed once.",
            "Fewer preemptions, more tokens per second, first tokens later": "What is no longer "
            "recomputed is gained, and who is not let in waits.",
            "Fewer preemptions, and all else better too": "Somebody has to wait: those who are "
            "not let in.",
        },
        right="Fewer preemptions, more tokens per second, first tokens later",
        because=f"Preemptions fell to {words.plain(small)}, the throughput rose from "
        f"{words.plain(slow)} to {words.plain(fast)} tokens per second, and the median "
        f"time to first token from {words.plain(soon)} to {words.plain(late)} s.",
    )


def does_caching_keep_the_order_of_victims() -> Choice:
    """Ask whether the victim with the smallest cache is still the best one with prefix caching."""
    off, on = (
        {rule: found.median for rule, found in zip(each.settings, each.model, strict=True)}
        for each in beside("victims")
    )
    best, worst = "smallest cache", "largest cache"
    return Choice(
        "In the model, without prefix caching, it is best to preempt whoever has the smallest "
        f"cache: {words.digits(off[best], 2)} times the tokens of the last admitted are computed "
        f"again; for the largest cache {words.digits(off[worst], 3)} times. And with prefix "
        "caching?",
        {
            "The same order": "A victim now finds again what others have not yet taken. That "
            "helps most where most was dropped.",
            "Smaller differences, and another order": "A large victim finds most of its cache "
            "again; a small one is preempted more often.",
            "The differences grow": "That would need small caches to "
            "be found again more often than large ones.",
        },
        right="Smaller differences, and another order",
        because=f"Smallest: {words.digits(on[best], 3)} times; largest: "
        f"{words.digits(on[worst], 2)} times. This is the model's answer; nobody published one.",
    )


def how_large_does_the_tax_get() -> NumericGuess:
    """Ask for the published share of work done twice in the smallest pool."""
    result = PUBLISHED["tax"]
    shares = [share or 0.0 for share in result.figures["tax (%), caching off"]]
    (most, some, _, few), (none, tax, _, high) = result.settings, shares
    return NumericGuess(
        f"With a pool of {most} blocks the RFC's server preempts nobody, and computes "
        f"{words.plain(none)}% of its tokens twice. With {some} blocks {words.plain(tax)}% of all "
        f"computed tokens had been computed before. How many percent are published for {few}?",
        truth=high,
        unit="%",
        most=100,
        because="Four tokens of five are computed in vain. It is what the author calls the worst "
        "case, forced on purpose.",
    )


def what_does_a_preempted_request_wait_for() -> Choice:
    """Ask whether preemption can delay a first token that has been given."""
    return Choice(
        "A simulator has 200 requests arrive within a tenth of a second. With 2,200 blocks nobody "
        "is preempted. With 2,100 the time to first token that one request in a hundred exceeds "
        "is 4.7 times as long. In our model of it all first tokens are there before the pool is "
        "full. Which of these would explain that?",
        {
            "Preempted requests hold up the others": "Nobody is left who waits for a first token.",
            "The clock starts again when a request is preempted": "Counted so, a restart makes a "
            "first token late that the reader has long had.",
            "Smaller pools compute slower": "An iteration takes as long as its tokens do.",
        },
        right="The clock starts again when a request is preempted",
        because="That is our reading of its figures: a question of counting. The reader of the "
        "answer sees a pause in the middle of it, no late beginning.",
    )


def how_far_does_generation_fall() -> NumericGuess:
    """Ask for the tokens per second of four requests beside one that is let in for ever."""
    (series,) = beside("first chunk")
    whole, chunk = series.model
    return NumericGuess(
        "Four requests of 100,000 tokens each fill nine tenths of a pool, and get "
        f"{words.digits(whole.median, 2)} tokens per second together. A fifth is let in by its "
        "first chunk of 8,192 tokens, thrown out, and let in again; such a chunk takes about half "
        "a second. How many tokens per second do the four get then, in the model?",
        truth=(chunk.low, chunk.high),
        unit="tokens/s",
        subject="beside the fifth",
        because="Each iteration now takes as long as a chunk, and gives each of the four one "
        "token.",
    )


def what_do_whole_prompts_spoil() -> Choice:
    """Ask what Sarathi-Serve measured when prompts came in chunks."""
    figures = PUBLISHED["chunking"].figures
    (soon, late), (long, short) = figures.values()
    return Choice(
        f"A server computes whole prompts. Half of the first tokens come within {soon} s, and one "
        f"gap between tokens in a hundred is longer than {long} s. Now prompts come in chunks. "
        "What was measured?",
        {
            "Both got shorter": "A prompt in chunks has to share each of its iterations.",
            "First tokens later, gaps shorter": "A chunk delays the others less, and its own "
            "prompt more.",
            "First tokens sooner, gaps longer": "The other way round: chunks are for those who "
            "decode.",
        },
        right="First tokens later, gaps shorter",
        because=f"{late} s to the first token, and gaps of {short} s.",
    )


def what_do_smaller_blocks_do() -> Choice:
    """Ask how both ways to come back depend on the size of a block, as published."""
    (series,) = beside("block size")
    one, sixteen = (series.model[series.settings.index(size)].median for size in ("1", "16"))
    return Choice(
        "A cache is copied block by block, each layer by itself. Now a block holds one token "
        "instead of 16. What was found of the two ways to come back?",
        {
            "Swap takes longer, recompute as long as before": "Each copy has to be started, and "
            "there are 16 times as many.",
            "Both take longer": "Who recomputes copies nothing.",
            "Both take as long as before": "There are as many bytes as before. But each copy has "
            "to be started.",
        },
        right="Swap takes longer, recompute as long as before",
        because=f"In the model swap takes {words.digits(sixteen, 2)} times as long as recompute "
        f"with 16 tokens to a block, and {words.digits(one, 2)} times with one.",
    )
