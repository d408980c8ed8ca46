"""Checks of arguments: numbers, arrays of numbers and flags, or an error that says what came."""

import math
import operator
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Values: TypeAlias = float | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]

_NUMBERS = (int, float, np.integer, np.floating)
_NO_NUMBERS = (bool, np.timedelta64)  # though Python and NumPy have them among the above


def numbers(name: str, value: object, *, positive: bool = False) -> float | Array:
    """Return `value` as float64, a scalar or an array; it must be finite and 0 or more.

    With `positive` it must be above 0. Raises TypeError for what is no number and no NumPy array
    of numbers, ValueError for a number out of range.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        array = value.astype(np.float64)
        good = np.isfinite(array) & ((array > 0) if positive else (array >= 0))
        if not np.all(good):
            raise ValueError(f"{name} must be {_allowed(positive)}, not {array[~good].flat[0]}")
        return array
    if not _is_number(value):
        raise TypeError(f"{name} must be a number or a NumPy array of numbers, not {value!r}")
    return _in_range(name, value, positive)


def scalar(name: str, value: object, *, positive: bool = False) -> float:
    """Return `value` as a float, checked like `numbers`; refuse arrays as well."""
    if not _is_number(value):
        raise TypeError(f"{name} must be a number, not {value!r}")
    return _in_range(name, value, positive)


def whole(name: str, value: object, *, least: int | None = None) -> int:
    """Return `value`, a whole number of Python or NumPy, as an int; `least` is the lowest allowed.

    Raises TypeError for what is no whole number, ValueError for one that is too low.
    """
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if least is not None and number < least:
        raise ValueError(f"{name} must be {least} or more, not {number}")
    return number


def flag(name: str, value: object) -> bool:
    """Return `value` as a bool; TypeError if it is anything but True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, _NUMBERS) and not isinstance(value, _NO_NUMBERS)


def _in_range(name: str, value: float, positive: bool) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if math.isfinite(number) and (number > 0 if positive else number >= 0):
        return number
    raise ValueError(f"{name} must be {_allowed(positive)}, not {number}")


def _allowed(positive: bool) -> str:
    return "finite and above 0" if positive else "finite and 0 or more"
