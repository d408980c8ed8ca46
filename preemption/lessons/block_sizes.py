"""Questions on copies of small blocks."""

from dataclasses import replace

from preemption import words
from preemption.lessons.machine_costs import SWAP
from preemption.page.questions import Choice


def what_do_smaller_blocks_change() -> Choice:
    """Ask what happens to both times when the blocks get half as large."""
    half = replace(SWAP, block_tokens=SWAP.block_tokens // 2)
    swap, more = (words.digits(copy.ms(1_000)) for copy in (SWAP, half))
    return Choice(
        f"Swapping 1,000 tokens of Llama-3-8B over PCIe 4.0 takes {swap} ms, in blocks of 16 "
        "tokens. How long does it take in blocks of 8?",
        {
            "As long": "The bytes are the same, but not the number of copies.",
            "About a tenth longer": "That would be so if most of the time went into moving bytes.",
            "Nearly twice as long": "Most of the time goes into starting copies, and there are "
            "twice as many.",
        },
        right="Nearly twice as long",
        because=f"{more} ms. Recomputing takes as long as before: it does not care how tokens "
        "are stored.",
    )
