"""Both at once: the first part of the tokens is recomputed while the rest is loaded."""

import math
from dataclasses import dataclass

import numpy as np

from preemption import words
from preemption.checks import Array
from preemption.costs import Mix
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.figures.picture import Limits, Picture, Resumed
from preemption.page import theme

# A little above 0 too: the floor of a forward pass is paid as soon as anything is recomputed.
SHARES = np.concatenate([[0, 1e-6], np.linspace(0, 1, 41)[1:-1], [1 - 1e-6, 1]])
_MIDDLE_SHARE = 0.6


@dataclass(frozen=True, eq=False)
class Mixes:
    """Times to resume: either way, with a share recomputed, and with the best share.

    The arrays are over `SHARES`: what is recomputed, what is loaded, and the slower of both.
    """

    here: Resumed
    share_percent: float
    ms: float
    best: Mix
    recomputed_ms: Array
    loaded_ms: Array
    both_ms: Array


class MixCurves(Picture[Mixes]):
    """Time of both parts over the share that is recomputed; the request waits for the slower."""

    def __init__(self) -> None:
        super().__init__(860, 330)
        self.axes = axes = style.panel(
            self.figure,
            (0.112, 0.17, 0.858, 0.73),
            xlabel="share recomputed (%)",
            ylabel="time to resume (ms)",
        )
        axes.set_xlim(-1, 101)
        axes.set_xticks(range(0, 101, 20))
        self.guesses = Guesses(axes, "%", middle=100 * _MIDDLE_SHARE)

        self.both = quick.Line(axes, theme.RULE, width=9)
        self.recompute = quick.Line(axes, theme.RECOMPUTE)
        self.load = quick.Line(axes, theme.SWAP, dashes=quick.DASHES)
        self.share_line = quick.upright(axes)
        self.best = quick.Points(axes, theme.INK, "D", size=11, face=theme.PAPER)
        self.point = quick.Points(axes, theme.INK, "o")
        self._title = quick.title(axes)
        self._on_recompute = quick.Label(
            axes, "recompute the first part", color=theme.RECOMPUTE_TEXT, ha="right", halo=True
        )
        self._on_load = quick.Label(axes, "load the rest", color=theme.SWAP_TEXT, halo=True)
        self._on_load.shift_px, self._on_recompute.shift_px = (10, 6), (-10, 10)

    def show(self, answer: Mixes) -> None:
        """Move all that moves; the limits of the axes stay."""
        best, here = answer.best, answer.share_percent
        for line, ms in (
            (self.recompute, answer.recomputed_ms),
            (self.load, answer.loaded_ms),
            (self.both, answer.both_ms),
        ):
            line.set_data(100 * SHARES, ms)
        self.share_line.set_data([here] * 2, [0, 1])
        self.point.set_data([here], [answer.ms])
        self.best.set_data([100 * best.share], [best.ms])

        self._title.set_text(
            f"{words.count(answer.here.tokens, 'token')}; best, at the diamond: "
            f"{words.digits(100 * best.share, 3)}% recomputed, {words.digits(best.ms)} ms"
        )
        self._on_load.put(0, answer.loaded_ms[0])
        self._on_recompute.put(100, answer.recomputed_ms[-1])

    def _limits(self, answer: Mixes) -> Limits:
        highest = max(answer.here.recompute_ms, answer.here.swap_ms)
        step = 10.0 ** math.floor(math.log10(highest))
        return (step * math.ceil(1.15 * highest / step),)

    def _set_limits(self, top: float) -> None:
        self.axes.set_ylim(0, top)
