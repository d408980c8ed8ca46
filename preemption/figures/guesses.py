"""What a reader has guessed, drawn beside the truth."""

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from preemption import words
from preemption.figures import style
from preemption.page import theme


class Guesses:
    """Guesses on the x axis of a panel, as upright lines with their names, in the still layer.

    A name stands right of its line, or left of it for a guess above `middle`; the lowest one at
    the part `bottom` of the height.
    """

    def __init__(self, axes: Axes, unit: str, *, middle: float, bottom: float = 0.04) -> None:
        self._axes, self._unit, self._middle, self._bottom = axes, unit, middle, bottom
        self._artists: list[Artist] = []

    def show(self, guesses: Sequence[tuple[float, str]]) -> None:
        """Draw these guesses, (value, what it is for or ""), instead of the present ones."""
        for artist in self._artists:
            artist.remove()
        self._artists = []
        low, high = self._axes.get_xlim()
        for row, (guess, subject) in enumerate(guesses):
            x = min(max(guess, low), high)
            left = x < self._middle
            name = f"your guess: {words.plain(guess)} {self._unit}"
            self._artists += [
                self._axes.axvline(x, color=theme.GUESS, linewidth=1.5, linestyle="-."),
                self._axes.annotate(
                    f"{name}\nfor {subject}" if subject else name,
                    (x, self._bottom + 0.15 * row),
                    xycoords=self._axes.get_xaxis_transform(),
                    xytext=(6 if left else -6, 0),
                    textcoords="offset points",
                    horizontalalignment="left" if left else "right",
                    color=theme.GUESS,
                    size=style.LABEL_PX,
                    family=theme.FONT,
                    bbox={"facecolor": theme.PAPER, "edgecolor": "none", "pad": 1},
                ),
            ]
