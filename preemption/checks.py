"""Checks of arguments: each returns what is good, or raises an error that says what came."""

import math
import operator
import reprlib
from collections.abc import Iterable
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Values: TypeAlias = float | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]

LARGEST = 1e50
"""Numbers up to here, and above 0 from its inverse on, are taken: what a formula makes of several
of them is finite."""
MOST = 2**53
"""Things are counted up to here: all these whole numbers are floats too."""

_NUMBERS = (int, float, np.integer, np.floating)
_NO_NUMBERS = (bool, np.timedelta64)  # though Python and NumPy have them among the above


def numbers(name: str, value: object, *, positive: bool = False) -> float | Array:
    """Return `value` as float64, a scalar or an array; it must be finite and 0 or more.

    With `positive` it must be above 0. Raises TypeError for what is no number and no NumPy array
    of numbers, ValueError for a number out of range or beyond `LARGEST`.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        array = value.astype(np.float64)
        good = (array >= _least(positive)) & (array <= LARGEST)
        if not np.all(good):
            raise _out_of_range(name, array[~good].flat[0], positive)
        return array
    if not _is_number(value):
        raise TypeError(f"{name} must be a number or a NumPy array of numbers, not {shown(value)}")
    return _in_range(name, value, positive)


def scalar(name: str, value: object, *, positive: bool = False) -> float:
    """Return `value` as a float, checked like `numbers`; refuse arrays as well."""
    if not _is_number(value):
        raise TypeError(f"{name} must be a number, not {shown(value)}")
    return _in_range(name, value, positive)


def whole(name: str, value: object, *, least: int | None = None, most: int = MOST) -> int:
    """Return `value`, a whole number of Python or NumPy, as an int.

    With `least` it counts something: from there up to `most`. Raises TypeError for what is no
    whole number, ValueError for one that is too low or too high.
    """
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {shown(value)}") from None
    if least is not None and number < least:
        raise ValueError(f"{name} must be {least} or more, not {shown(number)}")
    if least is not None and number > most:
        raise ValueError(f"{name} must be {most:,} or less, not {shown(number)}")
    return number


def flag(name: str, value: object) -> bool:
    """Return `value` as a bool; TypeError if it is anything but True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value`; ValueError if it is none of the `allowed` texts."""
    allowed = tuple(allowed)
    if not isinstance(value, str) or value not in allowed:
        one_of = ", ".join(f'"{text}"' for text in allowed[:-1])
        raise ValueError(f'{name} must be {one_of} or "{allowed[-1]}", not {shown(value)}')
    return value


def instance(name: str, value: object, kind: type) -> None:
    """Raise TypeError if `value` is not of a class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOaeio" else "a"
        raise TypeError(f"{name} must be {article} {kind.__name__}, not {shown(value)}")


def shown(value: object) -> str:
    """Return `value` as an error shows it: like `repr`, but short, however long or deep it is."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python writes no whole number with more than 4,300 digits
        return f"<{type(value).__name__}, too long to be shown>"


_SHORT = reprlib.Repr()
_SHORT.maxlevel = 4
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 200


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, _NUMBERS) and not isinstance(value, _NO_NUMBERS)


def _in_range(name: str, value: float, positive: bool) -> float:
    try:
        number = float(value)
    except OverflowError:
        if value > 0:
            raise ValueError(f"{name} must be at most {LARGEST:g}, not {shown(value)}") from None
        number = -math.inf
    if _least(positive) <= number <= LARGEST:
        return number
    raise _out_of_range(name, number, positive)


def _least(positive: bool) -> float:
    return 1 / LARGEST if positive else 0.0


def _out_of_range(name: str, number: float, positive: bool) -> ValueError:
    if math.isfinite(number) and number > 0:
        allowed = f"from {_least(positive):g} to {LARGEST:g}"
    else:
        allowed = "finite and above 0" if positive else "finite and 0 or more"
    return ValueError(f"{name} must be {allowed}, not {number}")
