"""A long prompt in chunks: the token budget, and who waits how long."""

from collections.abc import Sequence

from preemption import words
from preemption.figures.chunks import Chunks, IterationMakeup
from preemption.page import html
from preemption.page.controls import Whole
from preemption.page.explorer import Explorer, Words
from preemption.page.questions import NumericGuess, numeric
from preemption.studies import BUDGETS, ChunkedPrefill, chunked_prefill


class ChunkExplorer(Explorer[Chunks]):
    """Set the token budget; see how a long prompt is cut into chunks, and who waits how long.

    `budget` (128 to 8,192 tokens) and `prompt` (256 to 5,000 tokens) may be set from code too.
    `guesses` are numeric questions, at most one, about the longest gap in ms at the defaults.
    """

    budget = Whole("token budget", default=512, low=BUDGETS[0], high=BUDGETS[-1])
    prompt = Whole("prompt (tokens)", default=4_096, low=256, high=5_000)

    def __init__(self, guesses: Sequence[NumericGuess] = ()) -> None:
        self._guesses, kind = numeric(guesses), type(self)
        super().__init__(IterationMakeup(), [kind.budget, kind.prompt])
        self._when_answered(self._guesses, self.change)

    def _ask(self) -> Chunks:
        kind = type(self)
        at_default = self.prompt == kind.prompt.default
        guesses = [guess.value for guess in self._guesses if guess.answered and at_default]
        return Chunks(
            prompt=self.prompt,
            budget=self.budget,
            here=chunked_prefill(self.prompt, self.budget),
            at_budgets=tuple(chunked_prefill(self.prompt, budget) for budget in BUDGETS),
            guessed=(kind.budget.default, guesses[-1]) if guesses else None,
        )

    def _say(self, answer: Chunks) -> Words:
        here = answer.here
        low_ms, high_ms = answer.at_budgets[0].max_itl_ms, answer.at_budgets[-1].max_itl_ms
        verdict = (
            f"Budget {words.plain(answer.budget)}: a prompt of "
            f"{words.count(answer.prompt, 'token')} takes "
            f"{words.count(here.chunks, 'iteration')} and has its first token after "
            f"{_ms(here.ttft_ms)}. The others wait up to {_ms(here.max_itl_ms)} for a token."
        )
        return Words(
            verdict=verdict,
            alternative=f"Iterations as boxes over time, and both waits over the budget. {verdict} "
            "The time to first token, at the ends of the budgets and where it turns: "
            f"{_turns([run.ttft_ms for run in answer.at_budgets])}. The longest gap goes from "
            f"{_ms(low_ms)} to {_ms(high_ms)}.",
            table=_makeup_table(here),
        )


def _turns(waits_ms: Sequence[float]) -> str:
    """Say how long the wait is at the ends of the budgets, and where it turns up or down."""
    kept: list[tuple[int, int]] = []
    for budget, wait_ms in zip(BUDGETS, map(round, waits_ms), strict=True):
        if len(kept) > 1 and (kept[-2][1] < kept[-1][1]) == (kept[-1][1] < wait_ms):
            kept.pop()
        kept.append((budget, wait_ms))
    return ", ".join(f"{wait_ms} ms at {words.plain(budget)}" for budget, wait_ms in kept)


def _makeup_table(here: ChunkedPrefill) -> str:
    """Return a table of the kinds of iterations: how many, what they compute, how long."""
    with_chunk = [p for p in here.iterations if p.prefill_tokens]
    kinds = [
        ("decodes only", [p for p in here.iterations if not p.prefill_tokens][-1:]),
        ("with a full chunk", with_chunk[:-1]),
        ("with the last chunk", with_chunk[-1:]),
    ]
    rows = [
        [
            name,
            "before" if not iterations[0].prefill_tokens else words.plain(len(iterations)),
            words.plain(iterations[0].prefill_tokens),
            words.plain(iterations[0].decode_tokens),
            words.digits(iterations[-1].duration_ms, 3),
        ]
        for name, iterations in kinds
        if iterations
    ]
    head = ["iterations", "how many", "prefill tokens", "decode tokens", "time (ms)"]
    return html.table(head, rows, numbers=range(1, len(head)))


def _ms(wait_ms: float) -> str:
    return f"{words.digits(wait_ms, 3)} ms"
