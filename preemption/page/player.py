"""Buttons that go through a run: a step back, play, a step on."""

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from preemption.page.canvas import LOCK

_LATE = 5  # ticks that came while nobody listened: the kernel was busy


class Player(widgets.HBox):  # type: ignore[misc]
    """Buttons that step through the places from 0 on, and play: a place at each tick.

    `at` gives the present place and the last one, `go` goes to a place. The page keeps the time,
    so that playing ends when it is left; it also stops at the last place, and where the kernel
    was too busy to listen. (The buttons of ipywidgets' own player have no names to read out, so
    that it only ticks here, unseen.)
    """

    def __init__(self, at: Callable[[], tuple[int, int]], go: Callable[[int], None]) -> None:
        self._at, self._go, self._ticks = at, go, 0
        self.clock = widgets.Play(max=10**9, layout={"display": "none"})
        self.clock.observe(self._ticked, "value")
        self.clock.observe(self._turned, "playing")
        self.back, self.button, self.on = (
            widgets.Button(description=name, layout={"width": "auto", "min_width": "74px"})
            for name in ("step back", "play", "step on")
        )
        self.back.on_click(lambda _: self.step(-1))
        self.button.on_click(lambda _: self.pause() if self.clock.playing else self.play())
        self.on.on_click(lambda _: self.step(1))
        super().__init__([self.back, self.button, self.on, self.clock])

    def per_second(self, steps: int) -> None:
        """Play so many steps per second."""
        self.clock.interval = 1000 // steps

    def step(self, by: int) -> None:
        """Go so many places on, or back if it is negative, but not beyond the ends."""
        with LOCK:
            self.pause()
            self._move(by)

    def play(self) -> None:
        """Play on, or from the beginning if the end is reached."""
        with LOCK:
            now, last = self._at()
            if now >= last:
                self._go(0)
            self._ticks, self.clock.playing = self.clock.value, True

    def pause(self) -> None:
        """Stop playing."""
        self.clock.playing = False

    def _move(self, by: int) -> None:
        now, last = self._at()
        place = min(max(now + by, 0), last)
        if place != now:
            self._go(place)

    def _ticked(self, change: dict[str, Any]) -> None:
        with LOCK:
            ticks, self._ticks = change["new"] - self._ticks, change["new"]
            if not self.clock.playing or ticks > _LATE:
                self.pause()
                return
            self._move(1)
            now, last = self._at()
            if now >= last:
                self.pause()

    def _turned(self, change: dict[str, Any]) -> None:
        self.button.description = "pause" if change["new"] else "play"
