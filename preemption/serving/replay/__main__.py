"""The command line: python -m preemption.serving.replay FILE..., recorded runs to repeat."""

import argparse
import sys
import zlib
from collections.abc import Sequence

from preemption.serving.replay import read_recorded, replay

# What reading and repeating a file may raise that holds something else, or half of a trace.
_BROKEN_FILE = (
    OSError,
    EOFError,
    zlib.error,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    RecursionError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay recorded runs from the command line; return 0 if all are identical, else 1."""
    parser = argparse.ArgumentParser(prog="python -m preemption.serving.replay")
    parser.add_argument("files", nargs="+", metavar="FILE", help="recorded runs to repeat")
    identical = True
    for path in parser.parse_args(arguments).files:
        runs = 0
        try:
            for trace in read_recorded(path):
                runs += 1
                said = replay(trace)
                print(f"{path}: {trace.get('name', '')}: {said}")
                identical &= said.startswith("identical")
            if not runs:
                raise ValueError("there is no recorded run in it")
        except _BROKEN_FILE as error:
            print(f"{path}: {error!r}", file=sys.stderr)
            identical = False
    return 0 if identical else 1


if __name__ == "__main__":
    sys.exit(main())
