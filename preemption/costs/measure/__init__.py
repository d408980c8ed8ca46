"""A machine of one's own, measured: what a prefill and copies take there.

fits        costs fitted to measured times, with their errors; no machine is asked
run         a measurement step by step, within a time and a memory
result      entries for the catalogue, as TOML too, and in words
disk        a disk as a store for caches
on_torch    a machine as PyTorch drives it; imported only to measure

`python -m preemption.costs.measure` does it from the command line.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from preemption.costs.measure.fits import (
    CopyFit,
    Fitted,
    PrefillFit,
    Timing,
    fit_copies,
    fit_prefill,
    least_squares,
)
from preemption.costs.measure.result import RECORDED, Measured, closest
from preemption.costs.measure.run import (
    MEMORY_BYTES,
    SECONDS,
    ClockError,
    Copies,
    Machine,
    Prefill,
    Run,
    Step,
    Store,
    in_pieces,
    mlp_size,
)

__all__ = [
    "MEMORY_BYTES",
    "RECORDED",
    "SECONDS",
    "ClockError",
    "Copies",
    "CopyFit",
    "Fitted",
    "Machine",
    "Measured",
    "Prefill",
    "PrefillFit",
    "Run",
    "Step",
    "Store",
    "Timing",
    "closest",
    "fit_copies",
    "fit_prefill",
    "in_pieces",
    "least_squares",
    "missing",
    "mlp_size",
    "this_machine",
]


def this_machine(kind: str | None = None, disk: Path | None = None) -> Machine:
    """Return this machine, ready to be measured: `kind` and `disk` as in `on_torch.TorchMachine`.

    Raises ModuleNotFoundError that says what to install where PyTorch or psutil is missing,
    ValueError for a kind of device that is not there.
    """
    if said := missing():
        raise ModuleNotFoundError(said)
    on_torch = import_module(f"{__name__}.on_torch")
    return cast(Machine, on_torch.TorchMachine(kind, disk))


def missing() -> str:
    """Say what has to be installed to measure a machine; nothing if it is there."""
    names = [name for name in ("torch", "psutil") if find_spec(name) is None]
    if not names:
        return ""
    return (
        f"To measure, the extra measure is missing ({', '.join(names)}): "
        "pip install -e '.[measure]' in a copy of this project."
    )
