"""Questions on a prompt that is computed in chunks."""

from preemption import studies, words
from preemption.page.questions import Choice, NumericGuess
from preemption.serving import DEFAULT_COST

_PROMPT, _SMALL, _LARGE = 4_096, 512, 8_192


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


def _ms(wait_ms: float) -> str:
    return f"{words.digits(wait_ms, 3)} ms"
