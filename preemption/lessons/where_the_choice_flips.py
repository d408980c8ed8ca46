"""The closing quiz of notebook 03."""

from dataclasses import replace

from preemption import costs, words
from preemption.costs import DEVICES, LINKS, Copy, Recompute
from preemption.lessons.machine_costs import A100, LLAMA
from preemption.page.questions import Choice, Quiz


def quiz_on_real_machines() -> Quiz:
    """Ask four questions about the whole notebook."""
    h100, link = DEVICES["H100 SXM"], LINKS["PCIe 5.0 x16"]
    on_h100, on_a100 = (
        f"{words.digits(costs.linear_crossover_bandwidth(LLAMA, device) / 1e9, 3)} GB/s"
        for device in (h100, A100)
    )
    recompute = Recompute.of(LLAMA, h100)
    swap = Copy(model=LLAMA, bandwidth_bytes_per_s=link.bandwidth_bytes_per_s)
    first, second = (words.plain(round(n)) for n in costs.crossover_tokens(recompute, swap))
    pieces, whole = (
        f"{words.digits(each.ms(1_000), 2)} ms" for each in (swap, replace(swap, layout="block"))
    )
    return Quiz(
        [
            Choice(
                "A newer server computes three times as fast, over a link that is twice as fast. "
                "Only bytes and FLOP count. Which way gains more?",
                {
                    "Recompute": "It takes a third of the time, a swap half. From an A100 to an "
                    f"H100 the crossover of Llama-3-8B rises from {on_a100} to {on_h100}.",
                    "Swap": "It takes half the time, recomputing only a third.",
                    "Both alike": "They would if compute and link had grown by the same factor.",
                },
                right="Recompute",
            ),
            Choice(
                "The cache is stored in 8 bit instead of 16 bit. What happens to the "
                "crossover bandwidth?",
                {
                    "It halves": "Half the bytes over the same link take half the time; "
                    "recomputing does the same work as before.",
                    "It doubles": "Fewer bytes make swapping cheaper, so a slower link will do.",
                    "It stays": "It would if prefill got twice as fast too.",
                },
                right="It halves",
            ),
            Choice(
                f"Llama-3-8B on an H100 over PCIe 5.0 has crossovers at {first} and {second} "
                "tokens. Each block is now copied in one piece instead of layer by layer. What "
                "happens to them?",
                {
                    "They vanish": "Starting copies was most of the swap's time. With hardly any "
                    "of that left, swapping is cheaper at every count.",
                    "They stay": "There are 64 times fewer copies to start: for 1,000 tokens the "
                    f"swap takes {whole} instead of {pieces}.",
                    "They move apart": "They would if swapping took longer.",
                },
                right="They vanish",
            ),
            Choice(
                "A request is recomputed in one pass, in a batch with 31 others. Whose loss does "
                "the cost of this one event leave out?",
                {
                    "Nobody's: it has the whole pass": "It counts the time of the pass once, for "
                    "the victim alone.",
                    "The victim's": "Its time is what the cost counts.",
                    "The others'": "They held their memory for the whole pass, and got one "
                    "token for it instead of several.",
                },
                right="The others'",
            ),
        ]
    )
