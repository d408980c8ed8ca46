"""The process of one submitted function: `apart` starts this file; it imports nothing of ours.

It gives values and nothing else: what the function does to Python in here reaches no judge. On
Linux with an x86-64 processor the kernel refuses all that a function need not do: to start a
process or a thread, to open a connection or a file to write, to send a signal. Elsewhere only
memory, processor time, written bytes and, but for root, new processes are limited.
"""

import ctypes
import inspect
import json
import os
import pickle
import platform
import resource
import struct
import sys
from collections import deque
from collections.abc import Set
from decimal import Decimal
from fractions import Fraction
from typing import Any, BinaryIO

MEMORY_BYTES = 1_000_000_000
CPU_S = 20

# System calls by their numbers on x86-64 (Linux, arch/x86/entry/syscalls/syscall_64.tbl): to read
# and write open files, look at files, take memory, tell the time, sleep and end.
_FILES = (0, 1, 3, 4, 5, 6, 7, 8, 17, 19, 20, 21, 23, 32, 33, 79, 89, 217, 262, 267, 269, 270, 271)
_MEMORY = (9, 10, 11, 12, 25, 28, 202)
_OWN = (13, 14, 15, 24, 35, 36, 38, 39, 60, 63, 102, 104, 107, 108, 110, 131, 186, 204, 231, 318)
_TIME = (96, 97, 98, 99, 100, 201, 228, 229, 230, 309, 332, 334, 439)
_ALLOWED = (*_FILES, *_MEMORY, *_OWN, *_TIME)
_OPENAT = 257
_X86_64 = 0xC000003E
_REFUSE, _ALLOW = 0x00050000 | 13, 0x7FFF0000  # 13 is EACCES, which becomes a PermissionError
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def confine() -> bool:
    """Limit this process for good; whether the kernel also refuses network, files, processes."""
    limits = [
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_FSIZE, 1_000_000),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    ]
    for kind, most in limits:
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    libc = ctypes.CDLL(None)
    filter_code = _filter()
    program = ctypes.byref(_Program(len(filter_code) // 8, filter_code))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return not libc.prctl(_SECCOMP, _FILTER, program, 0, 0)


def _filter() -> bytes:
    """Return the filter for the kernel (Linux, Documentation/userspace-api/seccomp_filter.rst)."""
    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    to_write = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    count = len(_ALLOWED)
    code = [
        (load, 0, 0, 4),  # the processor's kind of calls
        (equal, 0, count + 4, _X86_64),
        (load, 0, 0, 0),  # the number of the call
        *((equal, count + 3 - n, 0, number) for n, number in enumerate(_ALLOWED)),
        (equal, 0, 2, _OPENAT),
        (load, 0, 0, 32),  # how to open
        (any_bit, 0, 1, to_write),
        (give, 0, 0, _REFUSE),
        (give, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def plain(value: Any) -> Any:
    """Return a value as JSON can carry it: what is no number, text or list as words on it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction | Decimal):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
        except ValueError:
            return float("nan")
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        inside = value.tolist()  # of a long double again one
        return plain(float(value) if type(inside) is type(value) else inside)
    if isinstance(value, list | tuple | deque):
        return [plain(entry) for entry in value]
    if isinstance(value, Set):
        return {"set": [plain(entry) for entry in value]}
    return {"other": f"an object of type {type(value).__name__}"}


def error_of(error: BaseException) -> dict[str, Any]:
    """Return what the judge has to know of an error."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    try:
        said = str(error)[:500]
    except BaseException:
        said = ""
    return {"error": [*kinds[:1], said], "kinds": kinds}


def signature_of(function: Any) -> list[list[Any]] | None:
    """Return name, kind and default (in a list, if there is one) of each parameter."""
    try:
        given = inspect.signature(function).parameters.values()
    except Exception:
        return None
    return [
        [p.name, p.kind.value, [] if p.default is p.empty else [plain(p.default)]] for p in given
    ]


def answer(function: Any, args: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Call the function; return the result or error, and by place what it changed."""
    before = [repr(value) for value in args]
    try:
        result = function(*args, **options)
        if result is Ellipsis:
            raise NotImplementedError
        came = {"result": plain(result)}
    except BaseException as error:
        came = error_of(error)
    changed = [[n, v] for n, v in enumerate(args) if repr(v) != before[n]]
    return came | {"changed": [[place, _contents(value)] for place, value in changed]}


def _contents(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else None
    return plain(value) if pairs is None else {str(name): plain(entry) for name, entry in pairs}


def define(name: str, sources: list[tuple[str, str]]) -> Any:
    """Run the statements of a submission and return what it calls `name`.

    A statement that fails is passed over: it matters only if the function needs it.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    failed: BaseException | None = None
    for place, source in sources:
        try:
            exec(compile(source, place, "exec"), names)
        except BaseException as error:
            failed = error
    if callable(names.get(name)):
        return names[name]
    raise failed or TypeError(f"{name} is no function")


def main() -> None:
    """Define one function, then answer call after call."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    name, sources = pickle.load(orders)
    # What the package has to compare with is not for a submission.
    sys.modules["preemption"] = None  # type: ignore[assignment]
    confined = confine()
    try:
        function = define(name, sources)
    except BaseException as error:
        _tell(answers, error_of(error) | {"confined": confined})
        return
    _tell(answers, {"signature": signature_of(function), "confined": confined})
    while True:
        args, options = pickle.load(orders)
        _tell(answers, answer(function, list(args), options))


def _tell(answers: BinaryIO, what: dict[str, Any]) -> None:
    try:
        line = json.dumps(what)
    except (ValueError, RecursionError) as error:  # an integer too long, a list within itself
        line = json.dumps(error_of(error) | {"changed": []})
    answers.write(line.encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
