"""Grade submitted notebooks: `python -m preemption.exercises.grade FOLDER... [--csv FILE]`."""

import argparse
import csv
import sys
from pathlib import Path

from preemption.exercises import sandbox
from preemption.exercises.grade.apart import is_confined
from preemption.exercises.grade.rows import COLUMNS, grade, printable, submitted


def main() -> None:
    """Print a line for each notebook as it is judged, then write or print the table."""
    parser = argparse.ArgumentParser(prog="python -m preemption.exercises.grade")
    parser.add_argument("folder", nargs="+", type=Path, help="with a folder for each student")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="where the table goes")
    options = parser.parse_args()
    if not sandbox.CAN_FORK:
        parser.error("it needs Linux or macOS")
    for folder in options.folder:
        if not folder.is_dir():
            parser.error(f"{folder} is no folder")
    count = len(submitted(options.folder))
    if not count:
        parser.error("there is no notebook in it")
    if not is_confined():
        said = "Here the kernel does not keep submissions from network and files: use a container."
        print(said, file=sys.stderr)
    rows = []
    for row in grade(options.folder):
        rows.append(row)
        marks = [mark for mark in row.outcomes.values() if mark]
        words = printable(f"{row.who}  {row.file}: {marks.count('right')} of {len(marks)} right")
        print(f"[{len(rows)}/{count}] {words}", file=sys.stderr, flush=True)
    rows.sort(key=lambda row: (row.who, row.file))
    try:
        with open(options.csv, "w", newline="") if options.csv else sys.stdout as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(row.cells for row in rows)
    except OSError as error:
        parser.error(f"the table cannot be written: {error}")


if __name__ == "__main__":
    main()
