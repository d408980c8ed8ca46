"""Write the tables of the studies anew: python -m tests.studies.write (about a minute)."""

import csv
from itertools import chain
from pathlib import Path

from preemption import studies

DATA = Path(studies.__file__).parent / "data"


def row(blocks, point):
    """Return a point of the load study as a row."""
    rate, preempting, late, *ranges = point
    return [*(blocks, f"{rate:g}", preempting, late), *_figures(chain(*ranges))]


def load_rows():
    """Simulate all pools at all rates."""
    first, names = studies.LoadPoint._fields[:3], studies.LoadPoint._fields[3:]
    ends = [f"{name} {end}" for name in names for end in studies.Range._fields]
    yield ["blocks", *first, *ends]
    for blocks in studies.POOLS:
        for rate in studies.RATES_PER_S:
            yield row(blocks, studies.simulated(rate, blocks))


def published_rows(names=studies.PUBLISHED):
    """Simulate the settings of all published results, or of those named."""
    yield ["result", "measure", "setting", *studies.Spread._fields]
    for name in names:
        for series in studies.anew(name):
            for setting, found in zip(series.settings, series.model, strict=True):
                yield [name, series.measure, setting, *_figures(found)]


def _figures(values):
    return [f"{value:.6g}" for value in values]


def main():
    """Write both."""
    for name, rows in (("load", load_rows()), ("published", published_rows())):
        with (DATA / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
