"""Checks of arguments: numbers, arrays of numbers and flags, or an error that says what came."""

import math
from typing import Any, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Values: TypeAlias = float | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]


def numbers(name: str, value: object, *, positive: bool = False) -> float | Array:
    """Return `value` as float64, a scalar or an array; it must be finite and 0 or more.

    With `positive` it must be above 0. Raises TypeError for what is no number and no NumPy array
    of numbers, ValueError for a number out of range.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        array = value.astype(np.float64)
        good = np.isfinite(array) & ((array > 0) if positive else (array >= 0))
        if np.all(good):
            return array
        came: float = array[~good].flat[0]
    elif isinstance(value, int | float | np.integer | np.floating) and not isinstance(
        value, bool | np.timedelta64
    ):
        came = _float(name, value)
        if math.isfinite(came) and ((came > 0) if positive else (came >= 0)):
            return came
    else:
        raise TypeError(f"{name} must be a number or a NumPy array of numbers, not {value!r}")
    allowed = "finite and above 0" if positive else "finite and 0 or more"
    raise ValueError(f"{name} must be {allowed}, not {came!s}")


def scalar(name: str, value: object, *, positive: bool = False) -> float:
    """Return `value` as a float, checked like `numbers`; refuse arrays as well."""
    if isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be one number, not the array {value!r}")
    return float(numbers(name, value, positive=positive))


def flag(name: str, value: object) -> bool:
    """Return `value` as a bool; TypeError if it is anything but True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def _float(name: str, value: SupportsFloat) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be finite, not a number beyond 1.8e308") from None
