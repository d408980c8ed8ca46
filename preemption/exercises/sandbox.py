"""Run a function of this notebook in time: in a child of the kernel, stopped if it never ends.

Two guards stop a function that never ends. A trace function with a deadline stops loops of
Python code on every platform, also in a browser, where there are no threads or signals. It
cannot see into a loop of C code, such as `sum(itertools.count())`, and no signal reaches one.
So where a process can fork, the calls run in a child, which can always be ended, and with it
what it has started. The child also keeps the notebook safe from whatever the function does to
its surroundings: memory, open files, connections of the kernel.
"""

import builtins
import contextlib
import mmap
import os
import pickle
import signal
import struct
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

_HEAD = struct.Struct("qq")  # the number that the child told last, and the bytes of its result
_SHARED_BYTES = 1 << 20
_LOOK_S = 0.002


class TooLong(BaseException):
    """The deadline has passed. No `except Exception` of a learner catches it."""


def in_child(
    work: Callable[[Callable[[int], None]], T], limit_s: float, started: Callable[[int], None]
) -> T:
    """Return what `work` gives in a child process; `started` hears here what `work` tells there.

    `work` takes the function by which it tells a number. Raises TooLong if nothing has come
    some time after `limit_s` seconds, EOFError if the child ends itself. Whatever processes the
    child has started end with it, unless they leave its session.
    """
    # Memory that both see, and no pipe: what the child writes into a pipe it also can spoil.
    shared = mmap.mmap(-1, _SHARED_BYTES)

    with warnings.catch_warnings():
        # Python 3.12 warns of a fork beside other threads. This child needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            _be_child(work, shared)
        finally:
            os._exit(1)  # in no case back into the parent's code
    end = time.monotonic() + limit_s + GRACE_S
    ended = False
    try:
        while not ended and time.monotonic() < end:
            time.sleep(_LOOK_S)
            ended = os.waitpid(child, os.WNOHANG) != (0, 0)
        number, size = _HEAD.unpack_from(shared)
        if not size:
            started(number)
            raise EOFError if ended else TooLong
        result: T = pickle.loads(shared[_HEAD.size : _HEAD.size + size])
        return result
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        shared.close()


def _be_child(work: Callable[[Callable[[int], None]], object], shared: mmap.mmap) -> None:
    """Do the work and leave its result in the shared memory."""
    os.setsid()  # a session of its own, so that all in it can be ended
    # An interrupt is for the parent, which then ends this child.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _leave_open_files()
    # A notebook's own input would ask its reader through the parent's connection.
    builtins.input = _no_input
    result = pickle.dumps(work(lambda number: _HEAD.pack_into(shared, 0, number, 0)))
    shared[_HEAD.size : _HEAD.size + len(result)] = result
    _HEAD.pack_into(shared, 0, 0, len(result))


def _leave_open_files() -> None:
    """Let every open file of this process lead nowhere: they are the parent's as well."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/dev/fd"):
        with contextlib.suppress(OSError):
            os.dup2(nowhere, int(name), inheritable=int(name) <= 2)


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
