"""The command line: python -m preemption.costs.measure, this machine in a minute."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from preemption.costs.catalogue import MODELS
from preemption.costs.measure import MEMORY_BYTES, SECONDS, Measured, Run, this_machine


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print what was found and write it as TOML; return 0, or 1 if nothing could be.

    Ctrl+C stops it; what was measured up to then counts.
    """
    parser = argparse.ArgumentParser(prog="python -m preemption.costs.measure")
    parser.add_argument("--model", default="Llama-3-8B", help="a model of the catalogue")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="at most, default 60")
    parser.add_argument("--gb", type=float, default=MEMORY_BYTES / 1e9, help="memory, default 2")
    parser.add_argument("--device", help="cpu, cuda or mps; default: the fastest there is")
    parser.add_argument("--disk", type=Path, default=Path(), help="a folder on the disk")
    parser.add_argument("--out", type=Path, default=Path("my_machine.toml"), help="what to write")
    asked = parser.parse_args(arguments)
    if not asked.out.parent.is_dir():
        print(f"there is no folder {asked.out.parent} to write to", file=sys.stderr)
        return 1
    try:
        machine = this_machine(asked.device, asked.disk)
        run = Run(machine, MODELS[asked.model], seconds=asked.seconds, memory_bytes=1e9 * asked.gb)
    except (ModuleNotFoundError, LookupError, ValueError) as error:
        print(error.args[0], file=sys.stderr)
        return 1
    try:
        for step in run:
            print(f"\r{step.share:4.0%} {step.text:76.76}", end="", file=sys.stderr)
    except KeyboardInterrupt:
        run.remarks.append("stopped before the end")
    measured = Measured.of(run)
    print(f"\n{measured.summary()}")
    if not measured.entries:
        return 1
    asked.out.write_text(measured.toml(), encoding="utf-8")
    print(f"written to {asked.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
