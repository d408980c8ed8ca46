"""A long prompt among decodes: what each iteration computes, and who waits how long."""

from dataclasses import dataclass

import numpy as np

from preemption import words
from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.studies import BUDGETS, ChunkedPrefill

# For every prompt and budget, so that boxes can be compared.
_TIME_MS, _MOST_TOKENS, _WAITS_MS = (-40.0, 860.0), 5_500, (5.0, 1_200.0)
_TOKEN_TICKS = [0, 100, 500, 1_000, 2_000, 5_000]
_ROWS = {"long prompt": 1.0, "one decode": 0.0}  # places on the y axis


@dataclass(frozen=True)
class Chunks:
    """A prompt at one budget of tokens, and at each of `BUDGETS`.

    `guessed` is the budget and the longest gap in ms that a reader has guessed for it, or None.
    """

    prompt: int
    budget: int
    here: ChunkedPrefill
    at_budgets: tuple[ChunkedPrefill, ...]
    guessed: tuple[int, float] | None = None


class IterationMakeup(Picture[Chunks]):
    """Iterations as boxes over time, tokens and waits below them, both waits over the budget.

    The limits never move. The axis of tokens has a scale of square roots: else a box as high as
    the whole prompt would leave nothing to see of one with a small chunk.
    """

    def __init__(self) -> None:
        super().__init__(860, 430)
        self.iterations = style.panel(
            self.figure, (0.105, 0.405, 0.475, 0.51), xlabel="", ylabel="tokens (square roots)"
        )
        self.waits = style.panel(
            self.figure, (0.105, 0.12, 0.475, 0.21), xlabel="time since the prompt arrived (ms)"
        )
        self.by_budget = style.panel(
            self.figure,
            (0.675, 0.12, 0.3, 0.795),
            xlabel="token budget of an iteration",
            ylabel="wait (ms)",
            log=True,
        )
        iterations, waits, by_budget = self.iterations, self.waits, self.by_budget
        iterations.tick_params(axis="x", labelbottom=False)
        iterations.set_yscale("function", functions=(np.sqrt, np.square))
        iterations.yaxis.set_major_formatter(lambda value, _: words.digits(value))
        iterations.set(xlim=_TIME_MS, ylim=(0, _MOST_TOKENS), yticks=_TOKEN_TICKS)
        waits.grid(visible=False, axis="y")
        waits.spines["left"].set_visible(False)
        waits.tick_params(axis="y", length=0)
        waits.set(xlim=_TIME_MS, ylim=(-0.45, 1.8))
        waits.set(yticks=list(_ROWS.values()), yticklabels=list(_ROWS))
        by_budget.set_xlim(0.85 * BUDGETS[0], 1.17 * BUDGETS[-1])
        by_budget.set_xticks([BUDGETS[0], 512, 2_048, BUDGETS[-1]])
        style.log_y(by_budget, *_WAITS_MS)

        self.prefill = quick.Boxes(iterations, theme.PREFILL)
        self.decode = quick.Boxes(iterations, theme.DECODE)
        self.ttft = quick.Line(waits, theme.PREFILL, width=4)
        self.worst_gap = quick.Line(waits, theme.DECODE, width=4)
        self.tokens = quick.Points(waits, theme.DECODE, "o", size=5)
        self.first_token = quick.Points(waits, theme.PREFILL, "D", size=10)
        self.budget_line = quick.upright(by_budget)
        self.ttft_by_budget = quick.Line(by_budget, theme.PREFILL)
        self.gap_by_budget = quick.Line(by_budget, theme.DECODE, dashes=quick.DASHES)
        self.points = [
            quick.Points(by_budget, theme.PREFILL, "D", size=9),
            quick.Points(by_budget, theme.DECODE, "o", size=9),
        ]
        self._titles = [quick.title(iterations), quick.title(by_budget)]
        self._kinds = [
            quick.Label(iterations, "prefill", color=theme.PREFILL_TEXT, ha="center", place="x"),
            quick.Label(iterations, "decode", color=theme.DECODE, place="x"),
        ]
        self._kinds[0].shift_px, self._kinds[1].shift_px = (0, 5), (6, 3)
        self._ttft = quick.Label(waits, color=theme.PREFILL_TEXT, fontweight="bold", halo=True)
        self._gap = quick.Label(waits, color=theme.DECODE, fontweight="bold", halo=True)
        for label in (self._ttft, self._gap):
            label.shift_px = (0, 11)
        self._names = [
            quick.Label(by_budget, "time to first token", color=theme.PREFILL_TEXT, halo=True),
            quick.Label(by_budget, "longest gap of a decode", color=theme.DECODE, halo=True),
        ]
        self._names[0].shift_px, self._names[1].shift_px = (8, 4), (8, -16)
        self._guess_point = quick.Points(by_budget, theme.GUESS, "s", size=9, face=theme.PAPER)
        self._guess = quick.Label(by_budget, color=theme.GUESS, halo=True)
        self._guess.shift_px = (9, -5)

    def show(self, answer: Chunks) -> None:
        """Move all that moves: to the present run, and those at each of `BUDGETS`."""
        here, budget = answer.here, answer.budget
        iterations = here.iterations
        self.decode.put([(p.start_ms, 0, p.duration_ms, p.decode_tokens) for p in iterations])
        self.prefill.put(
            [
                (p.start_ms, p.decode_tokens, p.duration_ms, p.prefill_tokens)
                for p in iterations
                if p.prefill_tokens
            ]
        )
        worst = max(iterations, key=lambda p: p.duration_ms)
        self.ttft.set_data([0, here.ttft_ms], [_ROWS["long prompt"]] * 2)
        self.first_token.set_data([here.ttft_ms], [_ROWS["long prompt"]])
        self.tokens.set_data(
            [p.end_ms for p in iterations], [_ROWS["one decode"]] * len(iterations)
        )
        self.worst_gap.set_data([worst.start_ms, worst.end_ms], [_ROWS["one decode"]] * 2)
        waits = np.array([(each.ttft_ms, each.max_itl_ms) for each in answer.at_budgets])
        self.ttft_by_budget.set_data(BUDGETS, waits[:, 0])
        self.gap_by_budget.set_data(BUDGETS, waits[:, 1])
        self.budget_line.set_data([budget, budget], [0, 1])
        for points, wait_ms in zip(self.points, (here.ttft_ms, here.max_itl_ms), strict=True):
            points.set_data([budget], [wait_ms])

        self._titles[0].set_text(f"the prompt takes {words.count(here.chunks, 'iteration')}")
        self._titles[1].set_text(f"at a budget of {words.plain(budget)}")
        tallest = max(p.prefill_tokens + p.decode_tokens for p in iterations)
        self._kinds[0].put(here.ttft_ms / 2, (tallest / _MOST_TOKENS) ** 0.5)
        self._kinds[1].put(here.ttft_ms, 0)
        self._ttft.put(0, _ROWS["long prompt"], f"first token after {_ms(here.ttft_ms)}")
        right = _TIME_MS[1]
        early = worst.start_ms < right / 2
        self._gap.set_horizontalalignment("left" if early else "right")
        x = worst.start_ms if early else min(worst.end_ms, right)
        self._gap.put(x, _ROWS["one decode"], f"longest gap {_ms(here.max_itl_ms)}")
        self._names[0].put(BUDGETS[0], waits[0, 0])
        self._names[1].put(BUDGETS[0], waits[0, 1])
        self._mark_guess(answer)

    def _mark_guess(self, answer: Chunks) -> None:
        for artist in (self._guess_point, self._guess):
            artist.set_visible(answer.guessed is not None)
        if answer.guessed is not None:
            budget, wait_ms = answer.guessed
            low, high = self.by_budget.get_ylim()
            y = min(max(wait_ms, low), high)
            self._guess_point.set_data([budget], [y])
            self._guess.put(budget, y, f"your guess: {_ms(wait_ms)}")


def _ms(wait_ms: float) -> str:
    return f"{words.digits(wait_ms, 3)} ms"
