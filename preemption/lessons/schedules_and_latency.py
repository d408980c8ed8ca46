"""The questions of notebook 05."""

from preemption import serving, studies, words
from preemption.costs import BLOCK_TOKENS
from preemption.page.questions import Choice, NumericGuess, Quiz
from preemption.serving import DEFAULT_COST

_ABC, _SLOTS = {"A": 2, "B": 1, "C": 2}, 2
_PROMPT, _SMALL, _LARGE = 4_096, 512, 8_192
_POOL = 3_000


def iterations_of_static_groups() -> NumericGuess:
    """Ask for the iterations of A, B, C in static groups."""
    return NumericGuess(
        "A generates 2 tokens, B 1, C 2. There are two slots. How many iterations do static "
        "groups need?",
        truth=len(serving.static_schedule(_ABC, _SLOTS)),
        unit="iterations",
        because="A and B are the first group. It lasts as long as A; B's slot is idle in the "
        "second iteration. Then C runs alone for two.",
        tolerance=0,
    )


def iterations_with_iteration_level_admission() -> NumericGuess:
    """Ask for the iterations of A, B, C with iteration-level admission."""
    return NumericGuess(
        "The same three sequences, the same two slots. How many iterations does "
        "iteration-level admission need?",
        truth=len(serving.continuous_schedule(_ABC, _SLOTS)),
        unit="iterations",
        because="C takes B's slot in the second iteration, beside A, and ends in the third.",
        tolerance=0,
    )


def longest_gap() -> NumericGuess:
    """Ask for the longest gap between two tokens of a decoding request, in ms."""
    small, large = (studies.chunked_prefill(_PROMPT, budget) for budget in (_SMALL, _LARGE))
    return NumericGuess(
        f"The budget is {_SMALL} tokens. {studies.DECODES} requests decode when a prompt of "
        f"{words.plain(_PROMPT)} tokens arrives. How long is the longest gap between two tokens "
        "of a request that decodes?",
        truth=small.max_itl_ms,
        unit="ms",
        because=f"An iteration with {_SMALL} tokens takes about "
        f"{words.digits(DEFAULT_COST.base_ms, 2)} + {_SMALL} × "
        f"{words.digits(DEFAULT_COST.per_token_ms, 2)} ms. With a budget for the whole prompt the "
        f"gap is {_ms(large.max_itl_ms)}.",
        tolerance=0.15,
    )


def time_to_first_token_with_small_chunks() -> Choice:
    """Ask what a smaller budget does to the time to first token of the long prompt."""
    small, large = (studies.chunked_prefill(_PROMPT, budget) for budget in (_SMALL, _LARGE))
    return Choice(
        f"The budget goes from {words.plain(_LARGE)} tokens, where the whole prompt fits into one "
        f"iteration, down to {_SMALL}. What happens to the time to first token of the long "
        "prompt itself?",
        {
            "It gets shorter": "No chunk starts earlier, and there are more of them to wait for.",
            "It stays": "The prompt's tokens are as many. But each iteration also has a time of "
            "its own, and the decodes get a part of each budget.",
            "It gets longer": "Each iteration has a time of its own, and decodes come first in "
            "each of them.",
        },
        right="It gets longer",
        because=f"From {_ms(large.ttft_ms)} to {_ms(small.ttft_ms)}: that is the price of the "
        "shorter gaps.",
    )


def what_does_a_token_attend_to() -> Choice:
    """Ask which tokens a token in the third chunk attends to."""
    return Choice(
        "A prompt of 16 tokens is computed in chunks of 5. Which tokens does token 12 attend to?",
        {
            "11 and 12": "These are the ones in its own chunk. Keys and values of earlier chunks "
            "are in the cache, and they count as well.",
            "1 to 12": "The ones of earlier chunks from the cache, the rest from its own chunk.",
            "1 to 15": "13, 14 and 15 are in its chunk, but they come after it.",
        },
        right="1 to 12",
        because="It is the same as in one pass. A chunk changes when a token is computed.",
    )


def where_does_preemption_begin() -> NumericGuess:
    """Ask for the arrival rate from which the default pool preempts."""
    first_rate = studies.preempts_from(studies.sweep(_POOL))
    assert first_rate is not None
    return NumericGuess(
        f"The pool holds {words.plain(_POOL)} blocks of {BLOCK_TOKENS} tokens. From how "
        "many requests per second on does the server preempt?",
        truth=first_rate,
        unit="requests/s",
        subject=words.count(_POOL, "block"),
        because="Each request holds its cache while it is served, and more of them are in service "
        "at once as they come faster. They come unevenly, so the pool is full now and then before "
        "their average fills it.",
        tolerance=0.2,
    )


def check_your_understanding() -> Quiz:
    """Ask five questions about the whole notebook."""
    lengths = {"A": 3, "B": 1, "C": 1, "D": 1}
    static = len(serving.static_schedule(lengths, _SLOTS))
    continuous = len(serving.continuous_schedule(lengths, _SLOTS))
    tokens = sum(lengths.values())
    seven, nine = (studies.under_load(rate, _POOL) for rate in (7.0, 9.0))
    per_second = (f"{words.digits(point.tokens_per_s, 3)}" for point in (seven, nine))
    median_s = (f"{words.digits(point.ttft_p50_ms / 1000, 2)} s" for point in (seven, nine))
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
                    "The network is slow": "Nothing here says so; and then the throughput would "
                    "suffer first.",
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


def _ms(wait_ms: float) -> str:
    return f"{words.digits(wait_ms, 3)} ms"
