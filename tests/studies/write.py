"""Write the table of the load study anew: python -m tests.studies.write (about a minute)."""

import csv
from itertools import chain

from preemption import studies
from preemption.studies import load


def row(blocks, point):
    """Return a point as a row of the table."""
    rate, preempting, late, *spreads = point
    return [
        *(blocks, f"{rate:g}", preempting, late),
        *(f"{value:.6g}" for value in chain(*spreads)),
    ]


def main():
    """Simulate all pools at all rates."""
    names = [name for name in studies.LoadPoint._fields if name not in load.LoadPoint._fields[:3]]
    ends = [f"{name} {end}" for name in names for end in studies.Spread._fields]
    with load._TABLE.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["blocks", *load.LoadPoint._fields[:3], *ends])
        for blocks in studies.POOLS:
            for rate in studies.RATES_PER_S:
                table.writerow(row(blocks, load.simulated(rate, blocks)))


if __name__ == "__main__":
    main()
