"""The closing quiz of notebook 03."""

from preemption import costs, words
from preemption.costs import DEVICES
from preemption.lessons.machine_costs import A100, LLAMA, RECOMPUTE, SWAP
from preemption.page.questions import Choice, Quiz


def quiz_on_real_machines() -> Quiz:
    """Ask four questions about the whole notebook."""
    on_h100, on_a100 = (
        f"{words.digits(costs.linear_crossover_bandwidth(LLAMA, device) / 1e9, 3)} GB/s"
        for device in (DEVICES["H100 SXM"], A100)
    )
    first, second = (words.plain(round(n)) for n in costs.crossover_tokens(RECOMPUTE, SWAP))
    return Quiz(
        [
            Choice(
                "An H100 computes three times as fast as an A100. The link stays. Which way gains?",
                {
                    "Recompute": f"It takes a third of the time; the flip goes from {on_a100} to "
                    f"{on_h100}.",
                    "Swap": "The bytes and the link are the same as before.",
                    "Neither": "The swap stays as it was, but recomputing became faster.",
                },
                right="Recompute",
            ),
            Choice(
                "The cache is stored in 8 bit instead of 16 bit. What happens to the bandwidth at "
                "which the choice flips?",
                {
                    "It halves": "Half the bytes over the same link take half the time; "
                    "recomputing does the same work as before.",
                    "It doubles": "Fewer bytes make swapping cheaper, so a slower link will do.",
                    "It stays": "It would if prefill got twice as fast too.",
                },
                right="It halves",
            ),
            Choice(
                f"Llama-3-8B on an A100 has crossovers at {first} and {second} tokens. Each block "
                "is now copied in one piece instead of layer by layer. What happens to them?",
                {
                    "They vanish": "Starting copies was most of the swap's time. Without it "
                    "swapping is cheaper at every count.",
                    "They stay": "The number of copies falls by a factor of 64, and the swap's "
                    "cost with it.",
                    "They move apart": "They would if swapping became dearer.",
                },
                right="They vanish",
            ),
            Choice(
                "A request is recomputed in one pass, and 31 others wait meanwhile. What did the "
                "cost of this one event leave out?",
                {
                    "Nothing": "Each of the others lost that time as well.",
                    "That the others stood still": "Their memory was held, and no token of theirs "
                    "was written.",
                    "That their caches were lost": "They stay where they are; only time is lost.",
                },
                right="That the others stood still",
            ),
        ]
    )
