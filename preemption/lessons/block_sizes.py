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
        "A cache is copied block by block, and each copy takes a moment to start. The blocks get "
        "half as large. What changes?",
        {
            "Both ways take longer": "Recomputing computes tokens; it does not care how they are "
            "stored.",
            "Only swapping takes longer": "The bytes are the same, but there are twice as many "
            "copies to start.",
            "Nothing: the bytes are the same": "The bytes are, but not the number of copies, and "
            "each has to be started.",
        },
        right="Only swapping takes longer",
        because=f"1,000 tokens of Llama-3-8B over PCIe 4.0: {swap} ms in blocks of 16 tokens, "
        f"{more} ms in blocks of 8.",
    )
