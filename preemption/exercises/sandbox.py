"""Run a learner's function in time: stopped if it never ends, and away from the notebook.

Two guards stop a function that never ends. A trace function with a deadline stops loops of
Python code on every platform, also in a browser, where there are no threads or signals. It
cannot see into a loop of C code, such as `sum(itertools.count())`, and no signal reaches one.
So where a process can fork, the calls run in a child, which can always be ended. The child
also keeps the notebook safe from whatever the function does to its surroundings.
"""

import builtins
import contextlib
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TypeAlias, TypeVar

Function: TypeAlias = Callable[..., Any]
T = TypeVar("T")

# What a child may take on top of its own limit before it is ended from outside.
GRACE_S = 0.5
CAN_FORK = sys.platform in ("linux", "darwin")


class TooLong(BaseException):
    """The deadline has passed. No `except Exception` of a learner catches it."""


def in_child(
    work: Callable[[Callable[[int], None]], T], limit_s: float, started: Callable[[int], None]
) -> T:
    """Return what `work` gives in a child process; `started` hears here what `work` tells there.

    `work` takes the function by which it tells a number. Raises TooLong if nothing has come
    some time after `limit_s` seconds, EOFError if the child ends itself.
    """
    fork = multiprocessing.get_context("fork")
    reader, writer = fork.Pipe(duplex=False)

    def run() -> None:
        # An interrupt is for the parent, which then ends this child.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # A notebook's own input would ask its reader through the parent's connection.
        builtins.input = _no_input
        writer.send((True, work(lambda number: writer.send((False, number)))))

    process = fork.Process(target=run)
    with warnings.catch_warnings():
        # Python 3.12 warns of a fork beside other threads. This child needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    writer.close()
    end = time.monotonic() + limit_s + GRACE_S
    try:
        while reader.poll(max(0, end - time.monotonic())):
            done, message = reader.recv()
            if done:
                result: T = message
                return result
            started(message)
        raise TooLong
    finally:
        process.kill()
        process.join()
        reader.close()


def call(
    function: Function, args: tuple[Any, ...], options: dict[str, Any], deadline: float
) -> tuple[Any, BaseException | None]:
    """Return a function's result, and the error that it raised, if any: TooLong if stopped.

    `deadline` is a time of `time.monotonic`. A trace function that was set before is set again
    afterwards.
    """

    def trace(frame: FrameType, _event: str, _arg: object) -> Any:
        # By opcode: on Python 3.11 a loop on a single line has no line events.
        frame.f_trace_opcodes = True
        if time.monotonic() > deadline:
            raise TooLong
        return trace

    before = sys.gettrace()
    # Only frames entered from here on are traced, so the `finally` cannot be cut short.
    sys.settrace(trace)
    try:
        return function(*args, **options), None
    except BaseException as error:
        return None, error
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drop what is printed."""
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield


def _no_input(_prompt: object = "") -> str:
    raise EOFError("there is no one to answer input() here")
