"""Costs fitted to measured times, with their errors; no machine is asked here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np

from preemption.checks import Array, scalar

# A fit of four figures needs a count more to know its errors.
LEAST_PREFILLS = 5
LEAST_COPIES = 4


@dataclass(frozen=True)
class Timing:
    """Repeated times of one thing: their median and quartiles in ms, and how many there were."""

    ms: float
    low_ms: float
    high_ms: float
    repeats: int

    @classmethod
    def of(cls, times_ms: Sequence[float]) -> Self:
        """Return the median and quartiles of these times, each above 0, else ValueError."""
        if not times_ms:
            raise ValueError("times_ms is empty: nothing was timed")
        checked = [scalar("times_ms", each, positive=True) for each in times_ms]
        low, middle, high = np.quantile(checked, [0.25, 0.5, 0.75]).tolist()
        return cls(middle, low, high, len(checked))

    @property
    def spread(self) -> float:
        """Width of the middle half, as a share of the median."""
        return (self.high_ms - self.low_ms) / self.ms


@dataclass(frozen=True)
class Fitted:
    """A fitted figure and its standard error, in the same unit."""

    value: float
    error: float


@dataclass(frozen=True)
class PrefillFit:
    """max(floor, start + b n) + c n^2, fitted: all in ms, b per token and c per token squared.

    `off` is by what share of a measured time the fit is off at most.
    """

    floor_ms: Fitted
    start_ms: Fitted
    ms_per_token: Fitted
    ms_per_token2: Fitted
    off: float


@dataclass(frozen=True)
class CopyFit:
    """fixed + copies x launch + bytes / bandwidth, fitted: ms, microseconds, GB/s (1e9 bytes).

    `off` is by what share of a measured time the fit is off at most.
    """

    fixed_ms: Fitted
    launch_us: Fitted
    gb_per_s: Fitted
    off: float


def fit_prefill(tokens: Sequence[float], times_ms: Sequence[float]) -> PrefillFit:
    """Fit the time of a prefill to measured times in ms over counts of tokens, all above 0.

    Least squares of the relative errors, no figure below 0: for each place at which the floor
    may end, and the best of them. Raises ValueError for fewer than 5 counts, for counts that do
    not rise, or if no such curve fits.
    """
    n, ms = _points("tokens", tokens, times_ms, LEAST_PREFILLS)
    if np.any(np.diff(n) <= 0):
        raise ValueError("tokens must rise from count to count")
    best, least = None, math.inf
    for on_floor in range(1, len(n) - 2):
        above = np.arange(len(n)) >= on_floor
        columns = np.stack([~above, above, above * n, n * n], axis=1).astype(float)
        values, errors = least_squares(columns, ms)
        floor, start, slope, square = values
        fitted_ms = np.maximum(floor, start + slope * n) + square * n * n
        residual = float(np.sum((fitted_ms / ms - 1) ** 2))
        if slope > 0 and residual < least:
            off, least = float(np.max(np.abs(fitted_ms / ms - 1))), residual
            figures = [Fitted(*pair) for pair in zip(values.tolist(), errors.tolist(), strict=True)]
            best = PrefillFit(figures[0], figures[1], figures[2], figures[3], off)
    if best is None:
        raise ValueError("the times do not rise with the tokens: there is nothing to fit")
    return best


def fit_copies(
    copies: Sequence[float], n_bytes: Sequence[float], times_ms: Sequence[float]
) -> CopyFit:
    """Fit the time to start a copy and the bandwidth to times in ms of `copies` that move bytes.

    All above 0; least squares of the relative errors, no figure below 0. Raises ValueError for
    fewer than 4 times, or if the time does not rise with the bytes.
    """
    count, ms = _points("copies", copies, times_ms, LEAST_COPIES)
    moved, _ = _points("n_bytes", n_bytes, times_ms, LEAST_COPIES)
    columns = np.stack([np.ones(len(ms)), count, moved], axis=1)
    values, errors = least_squares(columns, ms)
    if values[2] == 0:
        raise ValueError("the times do not rise with the bytes: there is no bandwidth to fit")
    (fixed, launch, per_byte), (fixed_error, launch_error, byte_error) = values, errors
    gb_per_s = 1e-6 / float(per_byte)
    return CopyFit(
        Fitted(float(fixed), float(fixed_error)),
        Fitted(1e3 * float(launch), 1e3 * float(launch_error)),
        Fitted(gb_per_s, gb_per_s * float(byte_error / per_byte)),
        float(np.max(np.abs(columns @ values - ms) / ms)),
    )


def least_squares(columns: Array, ms: Array) -> tuple[Array, Array]:
    """Fit ms (m) = columns (m, k) @ values (k), values 0 or more; return them and their errors.

    The relative residuals are made small: every row is divided by its ms. Of all choices of
    columns whose plain fit has no value below 0, the one with the smallest residual is the
    solution (k is small). The errors are those of the plain fit with all columns, the usual
    standard errors with m - k degrees of freedom, infinite without any.
    """
    weighted = columns / ms[:, np.newaxis]
    m, k = weighted.shape
    best, least = np.zeros(k), math.inf
    for chosen in (list(c) for size in range(1, k + 1) for c in combinations(range(k), size)):
        values = np.zeros(k)
        values[chosen] = np.linalg.lstsq(weighted[:, chosen], np.ones(m), rcond=None)[0]
        residual = float(np.sum((weighted @ values - 1) ** 2))
        if np.all(values >= 0) and residual < least:
            best, least = values, residual
    if m <= k:
        return best, np.full(k, math.inf)
    scale = np.linalg.norm(weighted, axis=0)
    inverse = np.linalg.pinv((weighted / scale).T @ (weighted / scale))
    return best, np.sqrt(least / (m - k) * np.diag(inverse)) / scale


def _points(
    name: str, values: Sequence[float], times_ms: Sequence[float], least: int
) -> tuple[Array, Array]:
    if len(values) != len(times_ms):
        raise ValueError(f"{name} and times_ms must be as many, not {len(values)}, {len(times_ms)}")
    if len(values) < least:
        raise ValueError(f"a fit needs {least} measured points or more, not {len(values)}")
    return (
        np.array([scalar(name, each, positive=True) for each in values]),
        np.array([scalar("times_ms", each, positive=True) for each in times_ms]),
    )
