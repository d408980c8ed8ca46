"""Write what is made from the studies: python -m tests.studies.write (about a minute).

The table of the load study; and docs/field-guide.md, alone with the argument `guide`.
"""

import csv
import sys
from itertools import chain
from pathlib import Path

from preemption import studies

TABLE = Path(studies.__file__).parent / "data" / "load.csv"
GUIDE = Path(__file__).parents[2] / "docs" / "field-guide.md"
TITLE = """\
# Field guide to preemption

What users of servers met, how to see it, why it is so, and which knob ends it. Made from
`preemption/studies/data/field_guide.toml`, by `python -m tests.studies.write guide`; notebook 6
repeats the first seven small. *No report*: no public thread is known to us, which is no promise.

"""


def guide():
    """Return the field guide as a page of its own."""
    return TITLE + studies.field_guide()


def row(blocks, point):
    """Return a point as a row of the table."""
    rate, preempting, late, *ranges = point
    return [
        *(blocks, f"{rate:g}", preempting, late),
        *(f"{value:.6g}" for value in chain(*ranges)),
    ]


def main():
    """Write the guide, and simulate all pools at all rates."""
    GUIDE.write_text(guide(), encoding="utf-8")
    if sys.argv[1:] == ["guide"]:
        return
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
