"""Blocks held by each request over the iterations of a run, and below them who waits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator

from preemption import words
from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.serving import Id, Iteration, Result

_GAP = 0.08  # above and below a request that waits; the rows are 1 apart


@dataclass(frozen=True, eq=False)
class Scene:
    """A run, and the iteration that is looked at."""

    run: Result
    names: tuple[Id, ...]
    blocks: int
    """Of the pool."""
    at: int

    @property
    def iteration(self) -> Iteration:
        """The iteration that is looked at."""
        return self.run.log[self.at]


class FaultPicture(Picture[Scene]):
    """Above the pool, the last admitted on top; below the queue, its head first.

    The whole run stands in the still layer; only the cursor and its labels move.
    """

    def __init__(self) -> None:
        super().__init__(860, 430)
        self._run: Result | None = None
        self.pool = self._panel((0.075, 0.36, 0.915, 0.55), ylabel="blocks")
        self.queue = self._panel((0.075, 0.115, 0.915, 0.155), xlabel="iterations")
        self.queue.set_yticks([])
        self.held, self.waiting = (
            [self._boxes(axes, colour) for colour in theme.SEQUENCES]
            for axes in (self.pool, self.queue)
        )
        self.late = self._boxes(self.pool, theme.PAPER)
        (self.preempted,) = self.pool.plot(
            [], [], "v", color=theme.RECOMPUTE, markersize=7, clip_on=False
        )
        self.edge = self.pool.axhline(0, color=theme.INK, linewidth=1.5)
        self.answers = [*self.held, *self.waiting, self.late, self.preempted]
        self.cursors = [
            quick.Line(axes, theme.INK, width=2, place="x") for axes in (self.pool, self.queue)
        ]
        self.labels = [quick.Label(self.pool, halo=True) for _ in theme.SEQUENCES]
        for label in self.labels:
            label.shift_px = (6, -5)
        self._title, self._waiting = quick.title(self.pool), quick.title(self.queue)

    def _panel(
        self, box: tuple[float, float, float, float], *, xlabel: str = "", ylabel: str = ""
    ) -> Axes:
        axes = style.panel(self.figure, box, xlabel=xlabel, ylabel=ylabel)
        axes.grid(visible=False)
        axes.xaxis.set_major_locator(MaxNLocator(10, integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        return axes

    def _boxes(self, axes: Axes, colour: str) -> PolyCollection:
        boxes = PolyCollection([], facecolors=colour, edgecolors=theme.INK, linewidths=0.8)
        axes.add_collection(boxes, autolim=False)
        return boxes

    def fit(self, answer: Scene) -> bool:
        """Draw another run; return whether it is another one."""
        if answer.run is self._run:
            return False
        self._run = answer.run
        log = answer.run.log
        stacks = [[*_stacked(each), *_late(each, answer.blocks)] for each in log]
        queues = [list(_queued(each)) for each in log]
        for name, held, waiting in zip(answer.names, self.held, self.waiting, strict=False):
            held.set_verts(_merged(stacks, name))
            waiting.set_verts(_merged(queues, name))
        for unused in (*self.held[len(answer.names) :], *self.waiting[len(answer.names) :]):
            unused.set_verts([])
        self.late.set_verts(_merged(stacks, None))
        victims = [each.number + 0.5 for each in log if each.preempted]
        self.preempted.set_data(victims, [1.07 * answer.blocks] * len(victims))
        self.edge.set_ydata([answer.blocks] * 2)
        self.pool.set(xlim=(0, len(log)), ylim=(0, 1.1 * answer.blocks))
        self.queue.set(xlim=(0, len(log)), ylim=(max(2, *map(len, queues)), 0))
        return True

    def show(self, answer: Scene) -> None:
        """Move the cursor and its labels."""
        run, now = answer.run, answer.at + 0.5
        for line in self.cursors:
            line.set_data([now, now], [0, 1])
        held = [
            (low, high, f"{name}: {words.count(high - low, 'block')}")
            for name, low, high in _stacked(answer.iteration)
        ]
        held += [
            (low, high, "not yet free") for _, low, high in _late(answer.iteration, answer.blocks)
        ]
        for label in self.labels:
            label.set_visible(False)
        for label, (low, high, text) in zip(self.labels, held, strict=False):
            label.set_visible(True)
            label.put(now, (low + high) / 2, text)
        waiting = ", ".join(map(str, answer.iteration.decided.waiting))
        self._waiting.set_text(f"waiting, the head above: {waiting or 'nobody'}")
        self._title.set_text(
            f"{words.count(run.preemptions, 'preemption')} (▾) in "
            f"{words.count(run.iterations, 'iteration')}; the pool has "
            f"{words.count(answer.blocks, 'block')}"
        )


Piece = tuple[Id | None, float, float]  # whose, from, to


def _stacked(iteration: Iteration) -> Iterable[Piece]:
    """Yield who holds which part of the pool, the first admitted at the bottom."""
    low = 0
    for name, blocks in iteration.blocks.items():
        yield name, low, low + blocks
        low += blocks


def _late(iteration: Iteration, blocks: int) -> Iterable[Piece]:
    """Yield the part that is neither held nor free."""
    held = sum(iteration.blocks.values())
    if held + iteration.decided.free_blocks < blocks:
        yield None, held, blocks - iteration.decided.free_blocks


def _queued(iteration: Iteration) -> Iterable[Piece]:
    for place, name in enumerate(iteration.decided.waiting):
        yield name, place + _GAP, place + 1 - _GAP


def _merged(pieces: Sequence[Sequence[Piece]], name: Id | None) -> list[list[tuple[float, float]]]:
    """Return the corners of what belongs to `name`; what does not change is one box."""
    boxes: list[tuple[float, float, float, float]] = []  # from, to, low, high
    for x, each in enumerate(pieces):
        for whose, low, high in each:
            if whose != name:
                continue
            if boxes and boxes[-1][1:] == (x, low, high):
                boxes[-1] = (boxes[-1][0], x + 1, low, high)
            else:
                boxes.append((x, x + 1, low, high))
    return [[(a, low), (b, low), (b, high), (a, high)] for a, b, low, high in boxes]
