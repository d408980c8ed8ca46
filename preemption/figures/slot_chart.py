"""Two schedules of the same sequences: static groups above, iteration-level admission below."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from preemption import words
from preemption.figures import quick, style
from preemption.figures.guesses import Mark
from preemption.figures.picture import Limits, Picture
from preemption.page import theme
from preemption.serving import Row

_LEAST_ITERATIONS, _LEAST_SLOTS = 6, 2
_CELL = 0.84  # height of a cell; the rows are 1 apart
_ROOM = 0.35  # for a guess, in rows


@dataclass(frozen=True)
class Schedule:
    """Who holds which slot in each iteration, and the share of the places that are filled.

    `guess` is how many iterations a reader has guessed, or None.
    """

    rows: Sequence[Row]
    utilization: float
    guess: float | None = None

    def __str__(self) -> str:
        """Say how long it is, and how well filled."""
        places = len(self.rows) * len(self.rows[0])
        return (
            f"{words.count(len(self.rows), 'iteration')}, {round(self.utilization * places)} of "
            f"{words.count(places, 'place')} filled, {words.digits(100 * self.utilization, 3)}%"
        )


@dataclass(frozen=True)
class Schedules:
    """Both schedules of the same sequences."""

    static: Schedule
    continuous: Schedule


class SlotChart(Picture[Schedules]):
    """A row for each slot, a cell for each iteration, one schedule above the other."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(860, 420)
        self.static = Panel(self.figure, (0.075, 0.595, 0.915, 0.33), names)
        self.continuous = Panel(
            self.figure, (0.075, 0.115, 0.915, 0.33), names, xlabel="iterations"
        )

    def show(self, answer: Schedules) -> None:
        """Move all that moves to these two schedules; the limits of the axes stay."""
        self.static.show(answer.static, "static groups")
        self.continuous.show(answer.continuous, "iteration-level admission")

    def _limits(self, answer: Schedules) -> Limits:
        return len(answer.static.rows[0]), len(answer.static.rows)

    def _set_limits(self, slots: int, iterations: int) -> None:
        for panel in (self.static, self.continuous):
            panel.set_limits(slots, iterations)


class Panel:
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
        self.idle = quick.Boxes(axes, theme.PAPER, edge=theme.MUTED)
        self.cells = {
            name: quick.Boxes(axes, colour, edge=theme.INK)
            for name, colour in zip(names, theme.SEQUENCES, strict=False)
        }
        self.guess = Mark(axes)
        self._names = {name: quick.Label(axes, name, ha="center") for name in names}
        self._idle_name = quick.Label(axes, "idle", ha="center", color=theme.MUTED)
        self._title = quick.title(axes)
        for label in (*self._names.values(), self._idle_name):
            label.shift_px = (0, -5)

    def show(self, schedule: Schedule, name: str) -> None:
        """Show this schedule, under its name."""
        rows = schedule.rows
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
        right = self.axes.get_xlim()[1]
        self._idle_name.set_visible(bool(held[None]))
        if held[None]:
            first = held[None][0]
            self._idle_name.put(*_middle(*first))
            self._idle_name.span = first[0], first[0] + 1
        self._title.set_text(f"{name}: {schedule}")
        self.guess.hide()
        if schedule.guess is not None:
            left = schedule.guess < right / 2
            self.guess.show(
                schedule.guess, f"your guess: {words.plain(schedule.guess)}", left=left, y=0.02
            )

    def set_limits(self, slots: int, iterations: int) -> None:
        """Make room for these slots and iterations."""
        bottom, right = max(slots, _LEAST_SLOTS), max(iterations, _LEAST_ITERATIONS)
        self.axes.set(xlim=(-0.02 * right, 1.02 * right), ylim=(bottom + _ROOM, -0.05))
        names = [f"slot {slot + 1}" for slot in range(slots)]
        self.axes.set_yticks([slot + 0.5 for slot in range(slots)], names)


def _box(iteration: int, slot: int) -> tuple[float, float, float, float]:
    return iteration, slot + (1 - _CELL) / 2, 1, _CELL


def _middle(iteration: int, slot: int) -> tuple[float, float]:
    return iteration + 0.5, slot + 0.5
