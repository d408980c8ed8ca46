"""A server over two minutes of load: who runs, who waits, who is out, how full the pool is."""

from dataclasses import dataclass

import numpy as np

from preemption import words
from preemption.checks import Array
from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.studies import Measures, OverTime

PART_S = 2.0
LONGEST_S = 250.0


@dataclass(frozen=True)
class Live:
    """A run of two minutes of load, and what it was like in each `PART_S` of it.

    `pool_share` is the part of the pool that requests hold, 0 to 1.
    """

    over_time: OverTime
    pool_share: Array
    last_arrival_s: float
    measures: Measures


class LiveCurves(Picture[Live]):
    """Four panels over time, each with the most at any moment of each part of it."""

    def __init__(self) -> None:
        super().__init__(860, 470)
        left, right, top, bottom = 0.06, 0.57, 0.615, 0.11
        panels = (
            ((left, top), "running", (0, 90), theme.DECODE),
            ((right, top), "waiting, not let in yet", (0, 480), theme.INK),
            ((left, bottom), "evicted, not back yet", (0, 12), theme.RECOMPUTE),
            ((right, bottom), "pool in use (%)", (0, 112), theme.SWAP),
        )
        self.panels, self.lines, self.arrived, self.peaks = [], [], [], []
        for corner, title, ylim, colour in panels:
            axes = style.panel(self.figure, (*corner, 0.41, 0.3), xlabel="time (s)")
            axes.set(xlim=(0, LONGEST_S), ylim=ylim)
            style.title(axes, title)
            self.panels.append(axes)
            self.arrived.append(quick.upright(axes))
            self.lines.append(quick.Line(axes, colour, width=1.8))
            self.peaks.append(quick.Label(axes, fontweight="bold", halo=True))
            self.peaks[-1].shift_px = (4, 5)
        self._last = quick.Label(self.panels[0], "last arrival", color=theme.MUTED, place="x")
        self._last.shift_px = (5, -12)

    def show(self, answer: Live) -> None:
        """Move all that moves to this run."""
        run = answer.over_time
        columns = (run.running, run.waiting, run.evicted, 100 * answer.pool_share)
        middles = PART_S * (np.arange(len(run.running)) + 0.5)
        for line, peak, values in zip(self.lines, self.peaks, columns, strict=True):
            line.set_data(middles, values)
            at = int(np.argmax(values))
            peak.put(middles[at], values[at], f"at most {words.digits(values[at], 3)}")
        for arrived in self.arrived:
            arrived.set_data([answer.last_arrival_s] * 2, [0, 1])
        self._last.put(answer.last_arrival_s, 1)
