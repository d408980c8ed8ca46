"""What all pictures that move are built from: the base class, and marks at a crossover."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from matplotlib.axes import Axes

from preemption import words
from preemption.costs import Copy, Recompute
from preemption.figures import quick, style
from preemption.page import theme

Answer = TypeVar("Answer")
Limits = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Resumed:
    """What it takes to resume `tokens` tokens over `link`, either way."""

    tokens: int
    link: str
    recompute: Recompute
    copy: Copy
    recompute_ms: float
    swap_ms: float


class Picture(Generic[Answer]):
    """A picture of an answer of the model: what is animated moves, the rest stays.

    A subclass adds panels and artists in its `__init__`, in the order in which they lie over one
    another, and moves them in `show`. If limits move too, it says in `_limits` where they are to
    be and sets them in `_set_limits`.
    """

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
        arrows = ("◂ " if x < low else "", " ▸" if x > high else "")
        early = x < self._middle
        self.set_horizontalalignment("left" if early else "right")
        self.shift_px = (self._away_px, self._away_px) if early else (-self._away_px, -24)
        text = f"flips at {words.digits(x, 3)} {self._unit}".join(arrows)
        self.put(min(max(x, low), high), y, text if x < float("inf") else "")
        return early
