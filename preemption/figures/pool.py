"""A pool of blocks while an iteration runs: who holds which, who runs and waits, and so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from preemption import words
from preemption.figures import quick, style
from preemption.figures.picture import Limits, Picture
from preemption.page import theme
from preemption.serving import Frame, Id, Pause, Phase

COLUMNS = 16
MOST_REQUESTS = len(theme.SEQUENCES)
_NAME = 0.85  # room for the name of a row, in cells
_STRIPES = ((0.0, 0.62, 0.38, 1.0), (0.0, 0.12, 0.88, 1.0), (0.12, 0.0, 1.0, 0.88),
            (0.62, 0.0, 1.0, 0.38))  # fmt: skip
_LANE = 0.8
_HEIGHTS = {"runs": 0.6, "paused": 0.6, "recomputes": 1.0}  # of a bar, in lanes

Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Track:
    """One run: `name` says what becomes of victims; `copies` are (request, iteration)."""

    name: str
    frames: tuple[Frame, ...]
    phases: tuple[Phase, ...]
    copies: tuple[tuple[Id, int], ...]
    pauses: tuple[Pause, ...]

    def at(self, iteration: int) -> Frame:
        """Return the frame of an iteration, or the last one if the run is over."""
        return self.frames[min(iteration, len(self.frames) - 1)]


@dataclass(frozen=True, eq=False)
class Moment:
    """One or two runs of the same requests, by arrival, in the same iteration.

    `notes` are said besides.
    """

    tracks: tuple[Track, ...]
    requests: tuple[Id, ...]
    iteration: int
    notes: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The last iteration of the longest run."""
        return max(len(track.frames) for track in self.tracks) - 1


class PoolReplay(Picture[Moment]):
    """A panel for each run, side by side, and below the lines of time of all requests."""

    def __init__(self, tracks: int) -> None:
        super().__init__(860, 440)
        left, wide, gap = 0.04, 0.945, 0.05
        each = (wide - gap * (tracks - 1)) / tracks
        self.pools = [
            Pool(self.figure, (left + number * (each + gap), 0.5, each, 0.425))
            for number in range(tracks)
        ]
        self.strip = Strip(self.figure, (left, 0.115, wide, 0.28), tracks)

    def show(self, answer: Moment) -> None:
        """Move all that moves to this moment; the limits of the axes stay."""
        for pool, track in zip(self.pools, answer.tracks, strict=True):
            pool.show(track, answer)
        self.strip.show(answer)

    def _limits(self, answer: Moment) -> Limits:
        return len(answer.tracks[0].frames[0].owner), len(answer.requests), answer.last

    def _set_limits(self, blocks: int, requests: int, last: int) -> None:
        for pool in self.pools:
            pool.set_limits(blocks)
        self.strip.set_limits(requests, last)


class SmallPool(Picture[Moment]):
    """The blocks of one run, and who runs and waits."""

    def __init__(self) -> None:
        super().__init__(860, 200)
        self.pool = Pool(self.figure, (0.04, 0.02, 0.945, 0.8), queue=False)

    def show(self, answer: Moment) -> None:
        """Move all that moves to this moment."""
        self.pool.show(answer.tracks[0], answer)

    def _limits(self, answer: Moment) -> Limits:
        return (len(answer.tracks[0].frames[0].owner),)

    def _set_limits(self, blocks: int) -> None:
        self.pool.set_limits(blocks)


class _Coloured:
    """Boxes in the colours of the requests, and their names."""

    def __init__(self, axes: Axes, size_px: float = style.LABEL_PX) -> None:
        self.boxes = [quick.Boxes(axes, each, edge=theme.INK) for each in theme.SEQUENCES]
        self.names = quick.Names(axes, size_px=size_px)

    def put(self, boxes: Sequence[tuple[int, Rectangle]]) -> None:
        """Put boxes, each with the number of its colour."""
        own: list[list[Rectangle]] = [[] for _ in self.boxes]
        for number, box in boxes:
            own[number].append(box)
        for artist, its in zip(self.boxes, own, strict=True):
            artist.set_visible(bool(its))
            artist.put(its)


class Pool:
    """The blocks by owner, the free ones in their order if asked for, who runs and who waits."""

    def __init__(self, figure: Figure, box: Rectangle, *, queue: bool = True) -> None:
        self._queue = queue
        self.axes = axes = style.panel(figure, box, xlabel="")
        axes.grid(visible=False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.set(xticks=[], yticks=[], xlim=(-0.1, COLUMNS + 0.1))
        self.empty = quick.Boxes(axes, theme.PAPER, edge=theme.MUTED)
        self.cells = _Coloured(axes)
        self.stripes = quick.Line(axes, theme.PAPER, width=3)
        self._title = quick.title(axes)
        font: dict[str, Any] = {"size": style.LABEL_PX, "family": theme.FONT, "color": theme.MUTED}
        self._names = [
            axes.text(x, 0, name, **font)
            for x, name in (
                (0, "blocks"),
                (0, "free blocks, next to be given first" if queue else ""),
                (0, "running"),
                (COLUMNS / 2, "waiting, next first"),
            )
        ]

    def set_limits(self, blocks: int) -> None:
        """Make room for these blocks."""
        high = -(-blocks // COLUMNS)
        rows = _NAME + high
        self.tops = [_NAME, rows + _NAME, rows * (1 + self._queue) + _NAME]
        self.axes.set_ylim(self.tops[2] + 1.1, -0.05)
        for text, top in zip(self._names, [*self.tops, self.tops[2]], strict=True):
            text.set_y(top - 0.2)

    def show(self, track: Track, moment: Moment) -> None:
        """Show a run at a moment."""
        frame = track.at(moment.iteration)
        colours = {name: number for number, name in enumerate(moment.requests)}
        decided = frame.iteration.decided
        pool, queue, requests = self.tops
        empty, coloured, striped, names = [], [], [], []

        def cell(who: Id | None, top: float, place: int, *, left: bool = False) -> None:
            down, right = divmod(place, COLUMNS)
            box = (right + 0.03, top + down + 0.04, 0.94, 0.92)
            if who is None:
                empty.append(box)
                return
            coloured.append((colours[who], box))
            names.append((right + 0.5, top + down + 0.5, f"({who})" if left else f"{who}"))
            if left:
                striped.append(box)

        for block, (owner, cached) in enumerate(zip(frame.owner, frame.left, strict=True)):
            cell(cached if owner is None else owner, pool, block, left=owner is None)
        for place, block in enumerate(frame.free_queue if self._queue else ()):
            cell(frame.left[block], queue, place, left=True)
        for place, who in enumerate(decided.running):
            cell(who, requests, place)
        for place, who in enumerate((*decided.loading, *decided.waiting)):
            cell(who, requests, COLUMNS // 2 + place)
        self.empty.put(empty)
        self.cells.put(coloured)
        self.cells.names.put(names)
        self.stripes.set_data(*_stripes(striped))
        free = f"{decided.free_blocks} of {words.count(len(frame.owner), 'block')} free"
        over = " (over)" if moment.iteration >= len(track.frames) else ""
        self._title.set_text(f"{track.name}: {free}{over}")


def _stripes(boxes: Sequence[Rectangle]) -> tuple[list[float], list[float]]:
    """Return lines across each of these boxes, with breaks between them."""
    xs, ys, gap = [], [], float("nan")
    for x, y, wide, high in boxes:
        for x0, y0, x1, y1 in _STRIPES:
            xs += [x + x0 * wide, x + x1 * wide, gap]
            ys += [y + y0 * high, y + y1 * high, gap]
    return xs, ys


class Strip:
    """A line for each request up to the present iteration; of two runs the first above."""

    def __init__(self, figure: Figure, box: Rectangle, tracks: int) -> None:
        self.axes = axes = style.panel(figure, box, xlabel="iteration")
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0, pad=2)
        axes.xaxis.set_major_locator(MaxNLocator(10, integer=True))
        self.lane = _LANE / tracks
        self.queue = quick.Line(axes, theme.MUTED, width=1, dashes=(1, 2))
        self.paused = quick.Boxes(axes, theme.PAPER, edge=theme.INK)
        self.runs = _Coloured(axes)
        self.again = quick.Boxes(axes, theme.RECOMPUTE, edge=theme.RECOMPUTE)
        self.copies = quick.Points(axes, theme.SWAP, "D", size=6)
        self.cursor = quick.upright(axes)
        title = quick.title(axes)
        title.set_text(
            "coloured: runs; high, orange: recomputes; hollow: paused; dotted: queues; "
            "diamond: a copy"
        )

    def set_limits(self, requests: int, last: int) -> None:
        """Make room for these requests and iterations."""
        self.axes.set(xlim=(-0.5, max(last, 10) + 1.5), ylim=(requests, 0))

    def show(self, moment: Moment) -> None:
        """Show what has happened up to a moment."""
        rows = {name: row for row, name in enumerate(moment.requests)}
        self.axes.set_yticks([row + 0.5 for row in rows.values()], [f"{name}" for name in rows])
        until, gap = moment.iteration, float("nan")
        boxes: dict[str, list[tuple[int, Rectangle]]] = {kind: [] for kind in _HEIGHTS}
        queue: tuple[list[float], list[float]] = ([], [])
        copies = []
        for lane, track in enumerate(moment.tracks):
            middles = {
                name: row + (1 - _LANE) / 2 + self.lane * (lane + 0.5) for name, row in rows.items()
            }
            for name, kind, first, last in track.phases:
                if first > until:
                    break
                middle, end = middles[name], min(last, until) + 1
                if kind == "queues":
                    queue[0].extend((first, end, gap))
                    queue[1].extend((middle, middle, gap))
                    continue
                high = _HEIGHTS[kind] * self.lane
                boxes[kind].append((rows[name], (first, middle - high / 2, end - first, high)))
            copies += [(at + 0.5, middles[name]) for name, at in track.copies if at <= until]
        self.queue.set_data(*queue)
        self.runs.put(boxes["runs"])
        self.paused.put([box for _, box in boxes["paused"]])
        self.again.put([box for _, box in boxes["recomputes"]])
        self.copies.set_data([x for x, _ in copies], [y for _, y in copies])
        self.cursor.set_data([until + 0.5] * 2, [0, 1])
