"""What all pictures that move are built from: the base class, and marks at a crossover."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from preemption import words
from preemption.costs import Copy, Recompute
from preemption.figures import quick, style
from preemption.figures.placing import marker_boxes, place_labels, texts_near
from preemption.page import theme

Answer = TypeVar("Answer")
Limits = tuple[float, ...]
# What is one below the other is so wide, and has so much room above, below and at the right.
NARROW_PX = 330.0
_ABOVE_PX, _BELOW_PX, _RIGHT_PX = 50.0, 46.0, 34.0


@dataclass(frozen=True, eq=False)
class Resumed:
    """What it takes to resume `tokens` tokens over `link`, either way."""

    tokens: int
    link: str
    recompute: Recompute
    copy: Copy
    recompute_ms: float
    swap_ms: float


@dataclass
class View:
    """Panels as they are arranged: size in pixels, parts of the figure, frames, texts nearby.

    `wide` is where they are side by side; `shown` are the artists that can be seen.
    """

    size: tuple[float, float]
    boxes: list[quick.Box]
    wide: "View | None" = None
    frames: dict[Axes, quick.Frame] = field(default_factory=dict)
    texts: dict[Axes, list[quick.Box]] = field(default_factory=dict)
    shown: Sequence[quick.Artist] = ()

    def box(self, axes: Axes) -> quick.Box:
        """Return the edges of these axes in pixels."""
        return self.frames[axes].box

    def stretch(self, axes: Axes) -> str:
        """Return the SVG transform that takes there what is drawn where they are side by side."""
        assert self.wide
        left, bottom, right, top = self.wide.box(axes)
        x0, y0, x1, y1 = self.box(axes)
        x_scale, y_scale = (x1 - x0) / (right - left), (y1 - y0) / (top - bottom)
        x = x0 - x_scale * left
        y = self.size[1] - y0 - y_scale * (self.wide.size[1] - bottom)
        return f"matrix({x_scale:.4g} 0 0 {y_scale:.4g} {x:.1f} {y:.1f})"


class Picture(Generic[Answer]):
    """A picture of an answer of the model: what is animated moves, the rest stays.

    A subclass adds panels and artists in its `__init__`, in the order in which they lie over one
    another, and moves them in `show`. If limits move too, it says in `_limits` where they are to
    be and sets them in `_set_limits`. `answers` are artists of the still layer that a cover hides.
    """

    answers: Sequence[Artist] = ()

    def __init__(self, width_px: float, height_px: float) -> None:
        self.figure = style.figure(width_px, height_px)
        self._fitted: Limits = ()

    @cached_property
    def moving(self) -> Sequence[quick.Artist]:
        """The artists that move, panel by panel: so those of one share what clips them.

        What is not clipped comes after all panels.
        """
        artists: list[Any] = [
            artist
            for axes in self.figure.axes
            for artist in sorted(axes.get_children(), key=lambda artist: artist.get_zorder())
            if artist.get_animated()
        ]
        return sorted(artists, key=lambda artist: not artist.clipped)

    def show(self, answer: Answer) -> None:
        """Move all that moves; the limits of the axes stay."""
        raise NotImplementedError

    @cached_property
    def _views(self) -> tuple[View, View]:
        """The panels side by side, and below one another."""
        wide, high = (self.figure.get_size_inches() * 72).tolist()
        boxes = [axes.get_position().bounds for axes in self.figure.axes]
        left = min(box[0] for box in boxes) * wide
        heights = [box[3] * high for box in boxes]
        tall = sum(heights) + (_ABOVE_PX + _BELOW_PX) * len(boxes)
        stacked, top = [], tall
        for height in heights:
            top -= _ABOVE_PX + height
            part = (NARROW_PX - left - _RIGHT_PX) / NARROW_PX
            stacked.append((left / NARROW_PX, top / tall, part, height / tall))
            top -= _BELOW_PX
        side_by_side = View((wide, high), boxes)
        return side_by_side, View((NARROW_PX, tall), stacked, side_by_side)

    def arrange(self, *, narrow: bool) -> None:
        """Put the panels side by side, or below one another for a narrow page."""
        view = self._views[narrow]
        self.figure.set_size_inches(view.size[0] / 72, view.size[1] / 72)
        for axes, box in zip(self.figure.axes, view.boxes, strict=True):
            axes.set_position(box)

    def wrote(self, texts: Sequence[quick.Box], *, narrow: bool) -> None:
        """Learn where text stands as the panels are arranged now."""
        view = self._views[narrow]
        view.frames = {axes: quick.frame_of(axes) for axes in self.figure.axes}
        view.texts = {axes: texts_near(axes, texts) for axes in self.figure.axes}

    @contextmanager
    def viewed(self, *, narrow: bool) -> Iterator["View"]:
        """Place the labels and let artists write themselves for these panels, and yield these."""
        view = self._views[narrow]
        taken = {axes: list(boxes) for axes, boxes in view.texts.items()}
        quick.FRAMES.update(view.frames)
        view.shown = [artist for artist in self.moving if artist.get_visible()]
        for artist in view.shown:
            if type(artist) is quick.Points:
                taken[artist.panel] += marker_boxes(artist)
        labels = [artist for artist in view.shown if isinstance(artist, quick.Label)]
        place_labels(labels, taken, view.size[0])
        try:
            yield view
        finally:
            quick.FRAMES.clear()

    def fit(self, answer: Answer) -> bool:
        """Fit the limits of the axes to an answer; return whether they have changed."""
        limits = self._limits(answer)
        if limits == self._fitted:
            return False
        self._fitted = limits
        self._set_limits(*limits)
        return True

    def _limits(self, _answer: Answer) -> Limits:
        """Return all that the limits depend on; never the same way twice if they never move."""
        return ()

    def _set_limits(self, *limits: Any) -> None:
        """Set the limits of the axes."""
        raise NotImplementedError


class Sides:
    """Bands left and right of a crossover, in the colours of the cheaper way: recompute, swap."""

    def __init__(self, axes: Axes) -> None:
        self._low, self._high = axes.get_xlim()
        self.bands = [quick.Band(axes, colour) for colour in (theme.RECOMPUTE, theme.SWAP)]

    def part(self, x: float) -> None:
        """Part the bands at `x`, or at the edge that it is beyond."""
        edge = min(max(x, self._low), self._high)
        self.bands[0].span(self._low, edge)
        self.bands[1].span(edge, self._high)


class Flip(quick.Label):
    """What is said at a crossover: "flips at 2.62 GB/s"; at the edge, with an arrow, if beyond it.

    `middle` is where the free room changes sides: right of a crossover the space above the lines
    is free, left of it the one below. `away_px` is how far it keeps off.
    """

    def __init__(
        self, axes: Axes, unit: str, *, middle: float, away_px: float = 10, **properties: Any
    ) -> None:
        super().__init__(axes, fontweight="bold", halo=True, **properties)
        self._low, self._high = axes.get_xlim()
        self._unit, self._middle, self._away_px = unit, middle, away_px

    def mark(self, x: float, y: float) -> bool:
        """Stand at the crossover; return whether it is early, so that the right is free."""
        low, high = self._low, self._high
        early = x < self._middle
        self.set_horizontalalignment("left" if early else "right")
        self.shift_px = (self._away_px, self._away_px) if early else (-self._away_px, -24)
        text = quick.arrowed(f"flips at {words.digits(x, 3)} {self._unit}", x, low, high)
        self.put(min(max(x, low), high), y, text if x < float("inf") else "")
        return early
