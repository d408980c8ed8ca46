"""Settings that a reader can change: a number box with its slider, a list to choose from."""

import bisect
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar, overload

import ipywidgets as widgets
import numpy as np

from preemption import words

T = TypeVar("T", float, str)
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


class Number(Setting[float]):
    """A number: a box that holds the exact value, and a slider.

    The slider holds only a place on a scale, by default of round numbers between `low` and
    `high`; it stands at the place nearest to the value.
    """

    def __init__(
        self,
        label: str,
        *,
        default: float,
        low: float,
        high: float,
        whole: bool = False,
        places: Sequence[float] = (),
    ) -> None:
        self.label, self.default, self.low, self.high = label, default, low, high
        self.whole = whole
        self.places = places or round_numbers(low, high, whole=whole)

    def checked(self, value: object) -> float:
        """Return `value` as an int or float, or say what came and what is allowed."""
        kind = "a whole number" if self.whole else "a number"
        allowed = f"{kind} from {words.plain(self.low)} to {words.plain(self.high)}"
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise TypeError(f"{self.label} must be {allowed}, not {value!r}")
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            came = f"{value:.10g}" if isinstance(value, float) else value
            raise ValueError(f"{self.label} must be {allowed}, not {came}")
        return int(value) if self.whole else float(value)

    def nearest_place(self, value: float) -> int:
        """Return the index of the place on the scale that is nearest to `value`."""
        above = bisect.bisect_left(self.places, value)
        near = range(max(above - 1, 0), min(above + 1, len(self.places)))
        return min(near, key=lambda i: abs(self.places[i] - value))

    def row(self, changed: Changed, label_width: str) -> "Controls":
        """Return a box and a slider."""
        return _BoxAndSlider(self, changed, label_width)


class Select(Setting[str]):
    """One of several names: a dropdown.

    Names that come to `options` later count for explorers that are made after that.
    """

    def __init__(self, label: str, *, options: Collection[str], default: str) -> None:
        self.label, self.options, self.default = label, options, default

    def checked(self, value: object) -> str:
        """Return `value` if it is one of the options, or say which there are."""
        if not isinstance(value, str) or value not in self.options:
            raise ValueError(
                f"{self.label} must be one of {', '.join(self.options)}, not {value!r}"
            )
        return value

    def as_of_now(self) -> Self:
        """Return the setting with the names there are now."""
        return type(self)(self.label, options=tuple(self.options), default=self.default)

    def row(self, changed: Changed, label_width: str) -> "Controls":
        """Return a dropdown."""
        return _Dropdown(self, changed, label_width)


def round_numbers(low: float, high: float, *, whole: bool = False) -> list[float]:
    """List round numbers from `low` to `high`, about evenly spaced on a log scale."""
    steps = [*range(100, 200, 5), *range(200, 500, 10), *range(500, 1000, 20)]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inner = [float(f"{step}e{decade - 2}") for decade in decades for step in steps]
    places = [low, *(n for n in inner if low < n < high), high]
    return [int(n) for n in places if n == int(n)] if whole else places


class Controls(widgets.HBox):  # type: ignore[misc]
    """The controls of one setting, which tell `changed` what they hold if it is not `shown`."""

    def __init__(self, changed: Changed, controls: Sequence[widgets.Widget], default: Any) -> None:
        self.changed, self.shown = changed, default
        super().__init__(controls)
        self.show(default)

    def show(self, value: Any) -> None:
        """Let the controls show `value`, without telling anybody."""
        # What they show is compared, and no flag set: other threads may hear the reader meanwhile.
        self.shown = value


class _BoxAndSlider(Controls):
    def __init__(self, number: Number, changed: Changed, label_width: str) -> None:
        self._number = number
        self.box = widgets.FloatText(
            description=number.label,
            style={"description_width": label_width},
            layout={"width": f"calc({label_width} + 100px)", "flex": "0 0 auto"},
        )
        self.slider = widgets.IntSlider(
            max=len(number.places) - 1, readout=False, layout={"flex": "1 0 80px", "width": "auto"}
        )
        super().__init__(changed, [self.box, self.slider], number.default)
        self.box.observe(self._typed, "value")
        self.slider.observe(self._dragged, "value")

    def show(self, value: float) -> None:
        super().show(value)
        self.box.value = value
        self.slider.value = self._number.nearest_place(value)

    def _typed(self, change: dict[str, Any]) -> None:
        if change["new"] != self.shown:
            self.changed(change["new"], False)

    def _dragged(self, change: dict[str, Any]) -> None:
        if change["new"] != self._number.nearest_place(self.shown):
            self.changed(self._number.places[change["new"]], True)


class _Dropdown(Controls):
    def __init__(self, select: Select, changed: Changed, label_width: str) -> None:
        self.list = widgets.Dropdown(
            options=list(select.options),
            description=select.label,
            style={"description_width": label_width},
            layout={"width": f"calc({label_width} + 210px)", "max_width": "100%"},
        )
        super().__init__(changed, [self.list], select.default)
        self.list.observe(self._chosen, "value")

    def show(self, value: str) -> None:
        super().show(value)
        self.list.value = value

    def _chosen(self, change: dict[str, Any]) -> None:
        if change["new"] != self.shown:
            self.changed(change["new"], False)
