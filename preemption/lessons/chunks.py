"""Questions on a prompt that is computed in chunks."""

from preemption import studies, words
from preemption.page.questions import Choice, NumericGuess

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
        because=f"That is what {_SMALL} tokens took where it was measured. With a budget for the "
        f"whole prompt the gap is {_ms(large.max_itl_ms)}.",
        tolerance=0.25,
    )


def time_to_first_token_with_small_chunks() -> Choice:
    """Ask what a smaller budget does to the time to first token of the long prompt."""
    small, large = (studies.chunked_prefill(_PROMPT, budget) for budget in (_SMALL, _LARGE))
    return Choice(
        f"The budget goes from {words.plain(_LARGE)} tokens, where the whole prompt fits into one "
        f"iteration, down to {_SMALL}. What happens to the time to first token of the long "
        "prompt itself?",
        {
            "It gets shorter": "The first chunk is ready sooner. But the first token comes after "
            "the last chunk.",
            "It stays the same": "The prompt has as many tokens as before. But the decodes take "
            "a part of every budget.",
            "It gets longer": "The decodes come first in every iteration, and there are more "
            "iterations.",
        },
        right="It gets longer",
        because=f"It goes from {_ms(large.ttft_ms)} to {_ms(small.ttft_ms)}. That is the price of "
        "the shorter gaps.",
    )


def _ms(wait_ms: float) -> str:
    return f"{words.digits(wait_ms, 3)} ms"
