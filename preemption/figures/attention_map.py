"""Who attends to whom when a prompt is computed in chunks, and what comes out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preemption import words
from preemption.checks import Array
from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme

_EDGE = 0.5


@dataclass(frozen=True, eq=False)
class AttentionInChunks:
    """A prompt in `chunks`, and how far each token's output is off, computed right and wrong.

    `computed` and `cached` are the pairs of `attention.attended`, `outputs` those of the last
    token by how they were computed; `same` says whether outputs and cache are those of one pass.
    """

    chunks: list[int]
    computed: NDArray[np.int_]
    cached: NDArray[np.int_]
    right: Array
    wrong: Array
    same: bool
    changed: int
    outputs: dict[str, Array]


class AttentionMap(Picture[AttentionInChunks]):
    """A cell for each pair of tokens that attend; the differences to a prefill in one pass."""

    def __init__(self, tokens: int, largest_difference: float) -> None:
        super().__init__(860, 390)
        self.map = style.panel(
            self.figure,
            (0.075, 0.13, 0.37, 0.78),
            xlabel="attends to token",
            ylabel="token",
        )
        self.differences = style.panel(
            self.figure, (0.555, 0.13, 0.42, 0.78), xlabel="token", ylabel="difference"
        )
        span = (_EDGE, tokens + _EDGE)
        self.map.set(xlim=span, ylim=span[::-1])
        self.map.grid(visible=False)
        top = 1.25 * largest_difference
        self.differences.set(xlim=(0, tokens + 1), ylim=(-0.06 * top, top))
        style.title(self.differences, "output against a prefill in one pass")

        self.cached = quick.Boxes(self.map, theme.DECODE)
        self.computed = quick.Boxes(self.map, theme.PAPER, edge=theme.PREFILL)
        self.wrong = quick.Points(self.differences, theme.PREFILL, "s", size=12, face=theme.PAPER)
        self.right = quick.Points(self.differences, theme.DECODE, "o", size=6)
        self._title = quick.title(self.map)
        self._keys = [
            quick.Label(self.map, "in the same chunk", color=theme.PREFILL_TEXT, ha="right"),
            quick.Label(self.map, "from the cache", color=theme.DECODE, ha="right"),
        ]
        for row, key in enumerate(self._keys):
            key.put(tokens + _EDGE, 0.09 * tokens * (row + 1))
        self._right = quick.Label(
            self.differences, "in chunks, with the cache", color=theme.DECODE, halo=True
        )
        self._right.shift_px = (0, 12)
        self._right.put(1, 0)
        self._wrong = quick.Label(
            self.differences, "each chunk alone (wrong)", color=theme.PREFILL_TEXT
        )
        self._wrong.put(1, 0.9 * top)

    def show(self, answer: AttentionInChunks) -> None:
        """Show these chunks, and each token's difference computed right and wrong."""
        for boxes, pairs in ((self.computed, answer.computed), (self.cached, answer.cached)):
            corners = pairs[:, ::-1] + _EDGE
            boxes.put(np.column_stack([corners, np.ones_like(corners)]))
        tokens = len(answer.right)
        numbers = range(1, tokens + 1)
        self.right.set_data(numbers, answer.right)
        self.wrong.set_data(numbers, answer.wrong)
        self._title.set_text(
            f"{words.count(tokens, 'token')} in {words.count(len(answer.chunks), 'chunk')}"
        )
