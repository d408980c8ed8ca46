"""What a reader has guessed, drawn beside the truth."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from preemption import words
from preemption.figures import quick
from preemption.page import theme

_MOST = 4
DASHES = (6.0, 2.0, 1.0, 2.0)


class Guesses:
    """Guesses on the x axis of a panel: upright lines with names, or arrows beyond the axis.

    A name stands right of its line, or left of it for a guess above `middle`; the lowest one at
    the part `bottom` of the height.
    """

    def __init__(self, axes: Axes, unit: str, *, middle: float, bottom: float = 0.04) -> None:
        self._axes, self._unit, self._middle, self._bottom = axes, unit, middle, bottom
        self.marks = [Mark(axes) for _ in range(_MOST)]

    def show(self, guesses: Sequence[tuple[float, str]]) -> None:
        """Draw these guesses, (value, what it is for or ""), at most 4 of them."""
        for mark in self.marks:
            mark.hide()
        for row, (mark, (guess, subject)) in enumerate(zip(self.marks, guesses, strict=False)):
            name = f"your guess{subject and f' for {subject}'}: {words.plain(guess)} {self._unit}"
            mark.show(guess, name, left=guess < self._middle, y=self._bottom + 0.15 * row)


class Mark:
    """A guess on the x axis: an upright line and its name; beyond the axis, an arrow and a name."""

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self.line = quick.Line(axes, theme.GUESS, width=1.5, dashes=DASHES, place="x")
        self.label = quick.Label(axes, color=theme.GUESS, place="x", halo=True)
        self.hide()

    def hide(self) -> None:
        """Draw nothing."""
        self.line.set_visible(False)
        self.label.set_visible(False)

    def show(self, x: float, name: str, *, left: bool, y: float) -> None:
        """Draw a guess with its name on its right if `left`, at the part `y` of the height."""
        low, high = self._axes.get_xlim()
        name = quick.arrowed(name, x, low, high)
        self.line.set_data([x, x], [0, 1])
        self.line.set_visible(low <= x <= high)
        self.label.set_horizontalalignment("left" if left else "right")
        self.label.shift_px = (6 if left else -6, 0)
        self.label.put(min(max(x, low), high), y, name)
        self.label.set_visible(True)
