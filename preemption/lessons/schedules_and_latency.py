"""The closing quiz of notebook 05."""

from preemption import serving, studies, words
from preemption.lessons.load import POOL_BLOCKS
from preemption.lessons.slot_chart import SLOTS
from preemption.page.questions import Choice, Quiz


def quiz_on_schedules_and_latency() -> Quiz:
    """Ask five questions about the whole notebook."""
    lengths = {"A": 3, "B": 1, "C": 1, "D": 1}
    static = len(serving.static_schedule(lengths, SLOTS))
    continuous = len(serving.continuous_schedule(lengths, SLOTS))
    tokens = sum(lengths.values())
    seven, nine = (studies.under_load(rate, POOL_BLOCKS) for rate in (7.0, 9.0))
    per_second = (words.digits(point.tokens_per_s.median, 3) for point in (seven, nine))
    median_s = (f"{words.digits(point.ttft_p50_ms.median / 1000, 2)} s" for point in (seven, nine))
    return Quiz(
        [
            Choice(
                "A generates 3 tokens, B, C and D 1 each. There are two slots. How many "
                "iterations does iteration-level admission need?",
                {
                    f"{continuous}": "A holds one slot for three iterations; B, C and D take turns "
                    "in the other.",
                    f"{static}": "That is what static groups need: A with B, then C with D.",
                    f"{tokens}": "That is the number of tokens. Two slots give two at a time.",
                },
                right=f"{continuous}",
            ),
            Choice(
                "Somebody says: continuous batching doubles the throughput. What is missing?",
                {
                    "Nothing, that is known": "With equal lengths in full groups it gains nothing "
                    "at all.",
                    "On which lengths, arrivals and machine": "The gain depends on them, from "
                    "none to large.",
                    "It should say: triples": "No fixed factor holds.",
                },
                right="On which lengths, arrivals and machine",
            ),
            Choice(
                "What does chunked prefill change?",
                {
                    "What a token attends to": "It attends to all tokens before it, from the cache "
                    "or in its chunk.",
                    "When a prompt's tokens are computed": "And with that, who waits how long.",
                    "How many tokens are computed": "Each token of the prompt is computed once, "
                    "with chunks as without.",
                },
                right="When a prompt's tokens are computed",
            ),
            Choice(
                "More requests come, from 7 to 9 per second. The throughput goes from "
                f"{' to '.join(per_second)} tokens per second, the median time to first token from "
                f"{' to '.join(median_s)}. What do you see?",
                {
                    "The server is past its limit": "It gives what it can; the rest waits in a "
                    "queue that grows.",
                    "The network is slow": "Nothing here says so. A slow network delays each "
                    "answer on its way; it holds no server at the same throughput.",
                    "Throughput still rises, so all is well": "By far less than the load. Look at "
                    "both curves.",
                },
                right="The server is past its limit",
            ),
            Choice(
                "On one load, policy P preempts 30 times and policy Q 40 times. Which is better?",
                {
                    "P": "Perhaps its victims were the largest ones.",
                    "Q": "More preemptions are no merit by themselves.",
                    "That cannot be said yet": "What counts is what it costs to move or recompute "
                    "the caches, and how long all requests wait.",
                },
                right="That cannot be said yet",
            ),
        ]
    )
