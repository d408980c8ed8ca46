"""Two schedules of the same sequences: static groups above, iteration-level admission below."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from preemption import words
from preemption.figures import quick, style
from preemption.page import theme
from preemption.serving import Row, utilization

_LEAST_ITERATIONS, _LEAST_SLOTS = 6, 2
_CELL = 0.84  # height of a cell; the rows are 1 apart
_ROOM = 0.35  # for a guess, in rows
_IDLE_PX = 34  # room that the word needs


class SlotChart:
    """A row for each slot, a cell for each iteration, one schedule above the other."""

    def __init__(self, names: Sequence[str]) -> None:
        self.figure = style.figure(860, 420)
        self.static = Schedule(self.figure, (0.075, 0.595, 0.915, 0.33), names)
        self.continuous = Schedule(
            self.figure, (0.075, 0.115, 0.915, 0.33), names, xlabel="iterations"
        )
        self.moving = [*self.static.moving, *self.continuous.moving]

    def show(self, static: Sequence[Row], continuous: Sequence[Row]) -> None:
        """Move all that moves to these two schedules; the limits of the axes stay."""
        self.static.show(static, "static groups")
        self.continuous.show(continuous, "iteration-level admission")

    def fit(self, slots: int, iterations: int) -> bool:
        """Fit the limits of the axes; return whether they changed."""
        charts = (self.static, self.continuous)
        changed = [chart.fit(slots, iterations) for chart in charts]
        return any(changed)


class Schedule:
    """One schedule: cells by sequence, the first with its name, and the cells that are idle."""

    def __init__(
        self,
        figure: Figure,
        box: tuple[float, float, float, float],
        names: Sequence[str],
        *,
        xlabel: str = "",
    ) -> None:
        self.axes = axes = style.panel(figure, box, xlabel=xlabel)
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))
        self._limits = (0, 0, 0)
        self.idle = quick.Boxes(axes, theme.PAPER, edge=theme.MUTED)
        self.cells = {
            name: quick.Boxes(axes, colour, edge=theme.INK)
            for name, colour in zip(names, theme.SEQUENCES, strict=True)
        }
        self._names = {name: quick.Label(axes, name, ha="center") for name in names}
        self._idle_name = quick.Label(axes, "idle", ha="center", color=theme.MUTED)
        self._title = quick.title(axes)
        self._guess_line = quick.Line(axes, theme.GUESS, width=1.5, dashes=(6, 2, 1, 2))
        self._guess = quick.Label(axes, color=theme.GUESS, halo=True)
        for label in (*self._names.values(), self._idle_name):
            label.shift_px = (0, -5)
        self.mark_guess(None)
        self.moving: list[quick.Artist] = [
            self.idle,
            *self.cells.values(),
            self._guess_line,
            *self._names.values(),
            self._idle_name,
            self._title,
            self._guess,
        ]

    def show(self, rows: Sequence[Row], name: str) -> None:
        """Show this schedule."""
        held: dict[str | None, list[tuple[int, int]]] = {each: [] for each in (None, *self.cells)}
        for iteration, row in enumerate(rows):
            for slot, sequence in enumerate(row):
                held[sequence].append((iteration, slot))
        for sequence, cells in self.cells.items():
            cells.put([_box(*place) for place in held[sequence]])
            label = self._names[sequence]
            label.set_visible(bool(held[sequence]))
            if held[sequence]:
                label.put(*_middle(*held[sequence][0]))
        self.idle.put([_box(*place) for place in held[None]])
        left, right = self.axes.get_xlim()
        cell_px = self.axes.get_window_extent().width / (right - left)
        self._idle_name.set_visible(bool(held[None]) and cell_px >= _IDLE_PX)
        if held[None]:
            self._idle_name.put(*_middle(*held[None][0]))
        filled = words.digits(100 * utilization(rows), 3)
        places = len(rows) * len(rows[0])
        self._title.set_text(
            f"{name}: {words.count(len(rows), 'iteration')}, "
            f"{places - len(held[None])} of {words.count(places, 'place')} filled, {filled}%"
        )

    def mark_guess(self, iterations: float | None) -> None:
        """Draw the reader's guess of the iterations, or none."""
        for artist in (self._guess_line, self._guess):
            artist.set_visible(iterations is not None)
        if iterations is not None:
            right, bottom = self.axes.get_xlim()[1], self.axes.get_ylim()[0]
            x = min(iterations, right)
            self._guess_line.set_data([x, x], [0, bottom])
            self._guess.set_horizontalalignment("left" if x < right / 2 else "right")
            self._guess.shift_px = (6 if x < right / 2 else -6, 3)
            self._guess.put(x, bottom, f"your guess: {words.plain(iterations)}")

    def fit(self, slots: int, iterations: int) -> bool:
        """Fit the limits of the axes; return whether they changed."""
        limits = slots, max(slots, _LEAST_SLOTS), max(iterations, _LEAST_ITERATIONS)
        if limits == self._limits:
            return False
        self._limits = limits
        _, bottom, right = limits
        self.axes.set(xlim=(-0.02 * right, 1.02 * right), ylim=(bottom + _ROOM, -0.05))
        names = [f"slot {slot + 1}" for slot in range(slots)]
        self.axes.set_yticks([slot + 0.5 for slot in range(slots)], names)
        return True


def _box(iteration: int, slot: int) -> tuple[float, float, float, float]:
    return iteration, slot + (1 - _CELL) / 2, 1, _CELL


def _middle(iteration: int, slot: int) -> tuple[float, float]:
    return iteration + 0.5, slot + 0.5
