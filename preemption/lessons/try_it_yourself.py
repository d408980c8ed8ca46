"""Questions of notebook 02, which has no explorer: answers by hand, and the closing quiz."""

from preemption import costs, words
from preemption.exercises import answers
from preemption.page.questions import Choice, Quiz, TypedAnswer

_TOKENS = words.count(answers.LESSON.tokens, "cached token")
_GB_PER_S = f"{words.plain(answers.LESSON.bandwidth_bytes_per_s / 1e9)} GB/s"


def time_to_recompute() -> TypedAnswer:
    """Ask for the time to recompute 1,000 tokens, in ms."""
    return TypedAnswer(
        f"How long does it take to recompute {_TOKENS}?",
        label="time to recompute (ms)",
        judge=answers.time_to_recompute,
        right=words.digits(answers.LESSON.recompute_ms),
    )


def time_of_one_copy() -> TypedAnswer:
    """Ask for the time to copy their cache one way, in ms, to three decimals."""
    cache_bytes = answers.LESSON.tokens * answers.LESSON.per_token_bytes
    return TypedAnswer(
        f"Their cache is {words.plain(cache_bytes)} bytes. How long does it take to copy it one "
        f"way, at {_GB_PER_S}? Give three decimals.",
        label="time of one copy (ms)",
        judge=answers.time_of_one_copy,
        right=words.digits(answers.LESSON.one_way_ms),
    )


def cheaper_way() -> TypedAnswer:
    """Ask for the cheaper way to resume."""
    return TypedAnswer(
        "Which way is cheaper for this request: recompute or swap?",
        label="the cheaper way",
        judge=answers.cheaper_way,
        right=answers.LESSON.cheaper,
    )


def time_to_swap_unseen() -> TypedAnswer:
    """Ask for the time to swap, in ms, on a machine that no notebook has shown."""
    return TypedAnswer(
        "How long does it take to copy this cache out and back?",
        label="time to swap (ms)",
        judge=answers.time_to_swap_unseen,
        right=words.digits(answers.UNSEEN.round_trip_ms),
    )


def cheaper_way_unseen() -> TypedAnswer:
    """Ask for the cheaper way there."""
    return TypedAnswer(
        "And which way is cheaper on this machine?",
        label="the cheaper way here",
        judge=answers.cheaper_way_unseen,
        right=answers.UNSEEN.cheaper,
    )


def whose_evictions_cost_more() -> Choice:
    """Ask to compare three evictions that were swapped with one that was recomputed."""
    swaps = words.digits(costs.eviction_overhead([(1_000, "swap")] * 3))
    recompute = words.digits(costs.eviction_overhead([(1_000, "recompute")]))
    return Choice(
        "Whose evictions cost more time?",
        {
            "Server X's": "It has more of them, but each costs much less.",
            "Server Y's": "One recomputation outweighs three swaps here.",
            "Both the same": "The tokens per victim are the same, but not the way back.",
        },
        right="Server Y's",
        because=f"Three swaps take {swaps} ms, one recomputation {recompute} ms. So a comparison "
        "of policies must add up costs, not count evictions.",
    )


def quiz_on_the_functions() -> Quiz:
    """Ask four questions about the whole notebook."""
    seconds = words.digits(answers.LESSON.round_trip_ms / 1000)
    flips = words.digits(costs.crossover_bandwidth(answers.LESSON.per_token_bytes) / 1e9, 3)
    return Quiz(
        [
            Choice(
                f"A function returns {seconds} for the swap of 1,000 tokens at {_GB_PER_S}. "
                "What went wrong?",
                {
                    "It counted one way only": "Then the result would be half of the right one.",
                    "It returned seconds": "Bytes over bytes per second are seconds; the task "
                    "wants ms.",
                    "Nothing": "That is a thousandth of the right result.",
                },
                right="It returned seconds",
            ),
            Choice(
                "Swapping and recomputing take exactly the same time. What does cheaper give?",
                {
                    '"swap"': "It gives that only if swapping takes less.",
                    '"recompute"': "Not less, so not a swap. So our rule decides a tie; "
                    "another rule may decide otherwise.",
                    "It raises ValueError": "A tie is no error; the rule decides it.",
                },
                right='"recompute"',
            ),
            Choice(
                f"Swapping pays on links above {flips} GB/s. Now each cache is copied out in the "
                "background, and only the copy back is waited for. Where does swapping pay?",
                {
                    "On the same links": "One of the two copies no longer costs time.",
                    "On links half as fast, too": "Half the bytes on a link half as fast take "
                    "the same time, and recomputing takes what it took.",
                    "On all links": "The copy back still takes time, and on a slow link more "
                    "than prefill.",
                },
                right="On links half as fast, too",
            ),
            Choice(
                "Four blocks of 16 tokens must be freed. Two requests hold 16 and 64 tokens. "
                "Victims are picked by pick_victim, one after another. Who goes?",
                {
                    "Only the smaller": "That frees one block of the four.",
                    "Only the larger": "It alone would do, but the rule takes the smallest first.",
                    "Both": "The smaller goes first and frees one block. So the larger must go "
                    "as well, though it alone would do.",
                },
                right="Both",
            ),
        ]
    )
