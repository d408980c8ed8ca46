"""Settings that a reader can change: a number box with its slider, a list, lines of text."""

import bisect
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar, overload

import ipywidgets as widgets
import numpy as np

from preemption import words
from preemption.checks import shown

T = TypeVar("T")
N = TypeVar("N", float, int)
# Told what the reader set, and whether it was by dragging, so that more will come.
Changed: TypeAlias = Callable[[Any, bool], None]


class Owner(Protocol):
    """What has settings: it keeps their values, and checks and shows a change."""

    settings: dict[str, Any]

    def change(self, **settings: Any) -> None: ...  # noqa: D102


class Setting(Generic[T]):
    """A setting of an explorer, as a class attribute: reading gives its value, setting changes it.

    Setting it from code checks the value, redraws, and raises what goes wrong.
    """

    name: str
    label: str
    default: T

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, explorer: None, owner: type) -> Self: ...
    @overload
    def __get__(self, explorer: Owner, owner: type) -> T: ...
    def __get__(self, explorer: Owner | None, owner: type) -> Self | T:
        return self if explorer is None else explorer.settings[self.name]

    def __set__(self, explorer: Owner, value: T) -> None:
        explorer.change(**{self.name: value})

    def checked(self, value: object) -> T:
        """Return `value` as the explorer keeps it, or say what came and what is allowed."""
        raise NotImplementedError

    def as_of_now(self) -> Self:
        """Return the setting with what is allowed now, which an explorer keeps."""
        return self

    def row(self, changed: Changed, label_width: str) -> "Controls":
        """Return the controls of this setting, which tell `changed` what the reader sets."""
        raise NotImplementedError


class _OnScale(Setting[N]):
    """A number in a range: a box that holds the exact value, and a slider.

    The slider holds only a place on a scale, by default of round numbers between `low` and
    `high`; it stands at the place nearest to the value.
    """

    type: type[N]
    kind: str  # of number, as a reader is told
    low: N
    high: N
    places: Sequence[N]

    def __init__(
        self, label: str, *, default: N, low: N, high: N, places: Sequence[N] = ()
    ) -> None:
        self.label, self.default, self.low, self.high = label, default, low, high
        self.places = places or self.round_numbers(low, high)

    @classmethod
    def round_numbers(cls, low: N, high: N) -> Sequence[N]:
        """List round numbers from `low` to `high`, about evenly spaced on a log scale."""
        steps = [*range(100, 200, 5), *range(200, 500, 10), *range(500, 1000, 20)]
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        inner: list[float] = [float(f"{step}e{decade - 2}") for decade in decades for step in steps]
        places: list[float] = [low, *(n for n in inner if low < n < high), high]
        return [cls.type(n) for n in places if n == cls.type(n)]

    def checked(self, value: object) -> N:
        """Return `value` as the type of this setting, or say what came and what is allowed."""
        allowed = f"{self.kind} from {words.plain(self.low)} to {words.plain(self.high)}"
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise TypeError(f"{self.label} must be {allowed}, not {shown(value)}")
        if not self.low <= value <= self.high or value != self.type(value):
            came = f"{value:.10g}" if isinstance(value, float | np.floating) else shown(int(value))
            raise ValueError(f"{self.label} must be {allowed}, not {came}")
        return self.type(value)

    def nearest_place(self, value: float) -> int:
        """Return the index of the place on the scale that is nearest to `value`."""
        above = bisect.bisect_left(self.places, value)
        near = range(max(above - 1, 0), min(above + 1, len(self.places)))
        return min(near, key=lambda i: abs(self.places[i] - value))

    def row(self, changed: Changed, label_width: str) -> "Controls":
        """Return a box and a slider."""
        return _BoxAndSlider(self, changed, label_width)


class Number(_OnScale[float]):
    """A number in a range, kept as a float."""

    type, kind = float, "a number"


class Whole(_OnScale[int]):
    """A whole number in a range, kept as an int."""

    type, kind = int, "a whole number"


class Select(Setting[T]):
    """One of several values: a dropdown.

    `options` are values, or pairs of what a reader sees and the value, as ipywidgets has them.
    Those that come to it later count for explorers that are made after that.
    """

    def __init__(
        self, label: str, *, options: Collection[T] | Collection[tuple[str, T]], default: T
    ) -> None:
        self.label, self.default = label, default
        self.options: Collection[Any] = options

    def labels(self) -> list[tuple[str, T]]:
        """Return what a reader sees of each value, and the value."""
        return [each if isinstance(each, tuple) else (str(each), each) for each in self.options]

    def checked(self, value: object) -> T:
        """Return `value` if it is one of the options, or say which there are."""
        for _, option in self.labels():
            if type(value) is type(option) and value == option:
                return option
        allowed = (
            repr(label) if label == option else f"{option!r} ({label})"
            for label, option in self.labels()
        )
        raise ValueError(f"{self.label} must be one of {', '.join(allowed)}, not {shown(value)}")

    def as_of_now(self) -> Self:
        """Return the setting with the options there are now."""
        return type(self)(self.label, options=tuple(self.options), default=self.default)

    def row(self, changed: Changed, label_width: str) -> "Controls":
        """Return a dropdown."""
        return _Dropdown(self, changed, label_width)


class Lines(Setting[str]):
    """Lines of text, typed into an area; told when it loses the focus."""

    def __init__(self, label: str, *, default: str) -> None:
        self.label, self.default = label, default

    def checked(self, value: object) -> str:
        """Return `value` if it is text."""
        if not isinstance(value, str):
            raise TypeError(f"{self.label} must be text, not {shown(value)}")
        return value

    def row(self, changed: Changed, label_width: str) -> "Controls":
        """Return an area to type into."""
        return _Area(self, changed, label_width)


class Controls(widgets.HBox):  # type: ignore[misc]
    """The controls of one setting, which tell `changed` what they hold if it is not `shown`."""

    def __init__(self, changed: Changed, controls: Sequence[widgets.Widget], default: Any) -> None:
        self.changed, self.shown = changed, default
        super().__init__(controls, layout={"flex_flow": "row wrap", "width": "100%"})
        self.show(default)

    def show(self, value: Any) -> None:
        """Let the controls show `value`, without telling anybody."""
        # What they show is compared, and no flag set: other threads may hear the reader meanwhile.
        self.shown = value


class _BoxAndSlider(Controls):
    def __init__(self, number: _OnScale[Any], changed: Changed, label_width: str) -> None:
        self._number = number
        self.box = widgets.FloatText(
            description=number.label,
            style={"description_width": label_width},
            layout={"width": f"calc({label_width} + 100px)", "flex": "0 0 auto"},
        )
        self.slider = widgets.IntSlider(
            max=len(number.places) - 1, readout=False, layout={"flex": "1 1 120px", "width": "auto"}
        )
        super().__init__(changed, [self.box, self.slider], number.default)
        self.box.observe(self._typed, "value")
        self.slider.observe(self._dragged, "value")

    def show(self, value: float) -> None:
        super().show(value)
        if self.box.value != value:
            self.box.value = value
        place = self._number.nearest_place(value)
        if self.slider.value != place:
            self.slider.value = place

    def _typed(self, change: dict[str, Any]) -> None:
        if change["new"] != self.shown:
            self.changed(change["new"], False)

    def _dragged(self, change: dict[str, Any]) -> None:
        if change["new"] != self._number.nearest_place(self.shown):
            self.changed(self._number.places[change["new"]], True)


class _Dropdown(Controls):
    def __init__(self, select: Select[Any], changed: Changed, label_width: str) -> None:
        # As wide as its longest name, with the arrow; its letters are narrower than a digit.
        longest = max(len(label) for label, _ in select.labels())
        width = f"calc({label_width} + max(250px, {longest + 2}ch))"
        self.list = widgets.Dropdown(
            options=tuple(select.options),
            description=select.label,
            style={"description_width": label_width},
            layout={"width": width, "max_width": "100%"},
        )
        super().__init__(changed, [self.list], select.default)
        self.list.observe(self._chosen, "value")

    def show(self, value: Any) -> None:
        super().show(value)
        self.list.value = value

    def _chosen(self, change: dict[str, Any]) -> None:
        if change["new"] != self.shown:
            self.changed(change["new"], False)


class _Area(Controls):
    def __init__(self, lines: Lines, changed: Changed, label_width: str) -> None:
        self.area = widgets.Textarea(
            description=lines.label,
            continuous_update=False,
            rows=8,
            style={"description_width": label_width},
            layout={"width": f"calc({label_width} + 210px)", "max_width": "100%"},
        )
        super().__init__(changed, [self.area], lines.default)
        self.area.observe(self._typed, "value")

    def show(self, value: str) -> None:
        super().show(value)
        self.area.value = value

    def _typed(self, change: dict[str, Any]) -> None:
        if change["new"] != self.shown:
            self.changed(change["new"], False)
