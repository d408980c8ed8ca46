"""Write the table of the load study anew: python -m tests.studies.write (about a minute)."""

import csv
from itertools import chain
from pathlib import Path

from preemption import studies

TABLE = Path(studies.__file__).parent / "data" / "load.csv"


def row(blocks, point):
    """Return a point as a row of the table."""
    rate, preempting, late, *ranges = point
    return [
        *(blocks, f"{rate:g}", preempting, late),
        *(f"{value:.6g}" for value in chain(*ranges)),
    ]


def main():
    """Simulate all pools at all rates."""
    first, names = studies.LoadPoint._fields[:3], studies.LoadPoint._fields[3:]
    ends = [f"{name} {end}" for name in names for end in studies.Range._fields]
    with TABLE.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["blocks", *first, *ends])
        for blocks in studies.POOLS:
            for rate in studies.RATES_PER_S:
                table.writerow(row(blocks, studies.simulated(rate, blocks)))


if __name__ == "__main__":
    main()
