"""The reader's guess, then the reader's machine measured; and one that was recorded elsewhere."""

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from preemption import words
from preemption.costs import (
    MODELS,
    Device,
    Link,
    Profile,
    add_own,
    crossover_bandwidth_at,
    read_own,
)
from preemption.costs.measure import (
    MEMORY_BYTES,
    RECORDED,
    SECONDS,
    Machine,
    Measured,
    Run,
    missing,
    this_machine,
)
from preemption.explorers import comparison
from preemption.explorers.machine_costs import MachineExplorer
from preemption.page import html
from preemption.page.explorer import Bundle

_WITHOUT_KERNEL = "Measure your machine: run this cell, type your guess and press the button."


class OwnMachine(widgets.VBox):  # type: ignore[misc]
    """A guess, a button that starts and stops the measurement, its progress, and what it found.

    It measures the shape of `model` for at most `seconds`, with `memory_bytes`, and writes what
    it found to `out`. What it found stands in the catalogues from then on, and in `measured`.
    `machine` gives what is measured; where PyTorch is missing the reader is told.
    """

    def __init__(
        self,
        model: str = "Llama-3-8B",
        *,
        seconds: float = SECONDS,
        memory_bytes: float = MEMORY_BYTES,
        out: str | Path = "my_machine.toml",
        machine: Callable[[], Machine] = lambda: this_machine(disk=Path()),
    ) -> None:
        self._model, self._out, self._machine = MODELS[model], Path(out), machine
        if not self._out.parent.is_dir():
            raise ValueError(f"out must be in a folder that is there, not {str(out)!r}")
        self._seconds, self._memory_bytes = seconds, memory_bytes
        self.measured: Measured | None = None
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.guess = widgets.FloatText(
            description="the choice flips at (GB/s)", style={"description_width": "initial"}
        )
        self.button = widgets.Button(description=f"measure ({seconds:g} s)")
        self.button.on_click(lambda _: self.start_or_stop())
        self._bar = widgets.FloatProgress(max=1, layout={"width": "100%"})
        self._status, self._found = widgets.HTML(), widgets.VBox()
        super().__init__(
            [widgets.HBox([self.guess, self.button]), self._bar, self._status, self._found],
            layout={"max_width": "860px"},
        )
        self._say(missing() or "Your guess first, then the button; it stops a measurement, too.")

    def start_or_stop(self) -> None:
        """Start to measure, or stop if it is measuring: what the button does."""
        if self._thread and self._thread.is_alive():
            self._stop.set()
            return
        if not 0 < self.guess.value < math.inf:
            self._say(f"The guess must be above 0 GB/s, not {words.plain(self.guess.value)}.")
            return
        self._thread = threading.Thread(target=self._measure_and_tell, daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:  # in a browser there are no threads, and no PyTorch either
            self._thread = None
            self._say(missing() or str(error))

    def measure(self) -> Measured:
        """Measure, show and keep what was found; raises what goes wrong."""
        self._stop.clear()
        run = Run(
            self._machine(), self._model, seconds=self._seconds, memory_bytes=self._memory_bytes
        )
        for step in run:
            self._bar.value = step.share
            self._say(step.text)
            if self._stop.is_set():
                run.remarks.append("stopped before the end")
                break
        self._bar.value = 1
        self.measured = found = Measured.of(run)
        add_own(found.entries)
        if found.entries:
            self._out.write_text(found.toml(), encoding="utf-8")
        lines = found.summary().splitlines()
        if found.device and found.links:
            explorer = MachineExplorer(
                model=self._model.name, device=found.device.name, link=found.links[0].name
            )
            self._found.children = [explorer]
            flips = crossover_bandwidth_at(explorer.recompute, explorer.copy, explorer.tokens)
            lines.append(
                f"You guessed {words.plain(self.guess.value)} GB/s for "
                f"{words.count(explorer.tokens, 'token')}. {comparison.crossover(flips / 1e9)}"
            )
        if found.entries:
            lines.append(f"Written to {self._out}.")
        self._say(*lines)
        return found

    def _measure_and_tell(self) -> None:
        """Measure in a thread of its own: an error is shown, since nobody would see it raised."""
        self.button.description = "stop"
        try:
            self.measure()
        except Exception as error:
            self._say(str(error.args[0] if error.args else error))
        finally:
            self.button.description = f"measure ({self._seconds:g} s)"

    def _say(self, *lines: str) -> None:
        self._status.value = html.page(html.status(html.lines(lines)), styled=True)

    def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
        """Say what to do with it where there is no kernel."""
        read = {"text/plain": _WITHOUT_KERNEL, "text/html": html.paragraphs([_WITHOUT_KERNEL])}
        bundle: Bundle = super()._repr_mimebundle_(**kwargs)
        return bundle | read


def recorded_machine() -> MachineExplorer:
    """Return the explorer of a machine that was measured elsewhere, as an example.

    Its source says where and when.
    """
    entries = read_own(RECORDED)
    add_own(entries)
    (profile,) = (each for each in entries if isinstance(each, Profile))
    (device,) = (each for each in entries if isinstance(each, Device))
    link = next(each for each in entries if isinstance(each, Link))
    return MachineExplorer(model=profile.model, device=device.name, link=link.name)
