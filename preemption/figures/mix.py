"""Both at once: the first part of the tokens is recomputed while the rest is loaded."""

import math

import numpy as np

from preemption import words
from preemption.costs import Copy, Mix, Recompute, mix_ms
from preemption.figures import quick, style
from preemption.figures.guesses import Guesses
from preemption.page import theme

# A little above 0 too: the floor of a forward pass is paid as soon as anything is recomputed.
SHARES = np.concatenate([[0, 1e-6], np.linspace(0, 1, 41)[1:-1], [1 - 1e-6, 1]])
_MIDDLE_SHARE = 0.6


class MixCurves:
    """Time of both parts over the share that is recomputed; the request waits for the slower."""

    def __init__(self) -> None:
        self.figure = style.figure(860, 330)
        self.axes = axes = style.panel(
            self.figure,
            (0.112, 0.17, 0.858, 0.73),
            xlabel="share of the tokens that is recomputed (%)",
            ylabel="time to resume (ms)",
        )
        axes.set_xlim(-1, 101)
        axes.set_xticks(range(0, 101, 20))
        self.guesses = Guesses(axes, "%", middle=100 * _MIDDLE_SHARE)
        self._top = 0.0

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
        self.moving: list[quick.Artist] = [
            self.both,
            self.recompute,
            self.load,
            self.share_line,
            self.best,
            self.point,
            self._title,
            self._on_recompute,
            self._on_load,
        ]

    def show(
        self, tokens: float, share: float, recompute: Recompute, copy: Copy, best: Mix
    ) -> None:
        """Move all that moves to these settings; the limits of the axes stay."""
        recompute_ms = np.where(SHARES > 0, recompute.ms(SHARES * tokens), 0.0)
        load_ms = np.where(SHARES < 1, copy.ms((1 - SHARES) * tokens), 0.0)
        self.recompute.set_data(100 * SHARES, recompute_ms)
        self.load.set_data(100 * SHARES, load_ms)
        self.both.set_data(100 * SHARES, np.maximum(recompute_ms, load_ms))
        self.share_line.set_data([100 * share] * 2, [0, 1])
        self.point.set_data([100 * share], [mix_ms(tokens, share, recompute, copy)])
        self.best.set_data([100 * best.share], [best.ms])

        self._title.set_text(
            f"{words.count(tokens, 'token')}; best, at the diamond: "
            f"{words.digits(100 * best.share, 3)}% recomputed, {words.digits(best.ms)} ms"
        )
        self._on_load.put(0, load_ms[0])
        self._on_recompute.put(100, recompute_ms[-1])

    def fit(self, tokens: float, recompute: Recompute, copy: Copy) -> bool:
        """Fit the axis of time to these settings; return whether it changed."""
        highest = max(recompute.ms(tokens), copy.ms(tokens))
        step = 10.0 ** math.floor(math.log10(highest))
        top = step * math.ceil(1.15 * highest / step)
        if top == self._top:
            return False
        self._top = top
        self.axes.set_ylim(0, top)
        return True
