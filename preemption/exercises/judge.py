"""Call a learner's function on cases, in time, and say in plain words what came out.

Two guards stop a function that never ends. A trace function with a deadline stops loops of
Python code on every platform, also in a browser, where there are no threads or signals. It
cannot see into a loop of C code, such as `sum(itertools.count())`, and no signal reaches one.
So where a process can fork, the calls run in a child, which can always be ended. The child
also keeps the notebook safe from whatever the function does to its surroundings.
"""

import builtins
import contextlib
import copy
import dis
import inspect
import multiprocessing
import os
import re
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal, TypeAlias

import numpy as np

Outcome: TypeAlias = Literal["not attempted", "raises", "wrong", "right"]
Function: TypeAlias = Callable[..., Any]

LIMIT_S = 2.0
# What a child may take on top of its own limit before it is ended from outside.
GRACE_S = 0.5
CAN_FORK = sys.platform in ("linux", "darwin")
# All that a body of `pass`, `...` or a docstring is compiled to, on any Python from 3.11 on.
STUB_OPCODES = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}


@dataclass(frozen=True)
class Case:
    """The arguments of one call; `refused` names what a ValueError is due for, if one is."""

    args: tuple[Any, ...]
    options: Mapping[str, Any]
    refused: str


@dataclass(frozen=True)
class Task:
    """A function to write.

    `reference` gives the right results. `mistake(result, right, case)` says what is wrong
    with a result, or None if nothing is. `hints` go from a nudge to nearly everything.
    """

    part: str
    reference: Function
    mistake: Callable[[Any, Any, Case], str | None]
    cases: tuple[Case, ...]
    hints: tuple[str, ...]
    solution: str

    @property
    def name(self) -> str:
        """The function's name."""
        return self.reference.__name__


@dataclass(frozen=True)
class Verdict:
    """What came of the calls, and a sentence or two on it in plain text."""

    outcome: Outcome
    words: str


class _TooLong(BaseException):
    """The deadline has passed. No `except Exception` of a learner catches it."""


def judge(task: Task, function: Function, limit_s: float = LIMIT_S) -> Verdict:
    """Call `function` on all cases of `task`, in a child process where there can be one.

    `limit_s` is the time in seconds for all calls together.
    """
    if not CAN_FORK:
        return judge_here(task, function, limit_s)
    fork = multiprocessing.get_context("fork")
    reader, writer = fork.Pipe(duplex=False)

    def run() -> None:
        # An interrupt is for the parent, which then ends this child.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # A notebook's own input would ask its reader through the parent's connection.
        builtins.input = _no_input
        writer.send(judge_here(task, function, limit_s, started=writer.send))

    process = fork.Process(target=run)
    with warnings.catch_warnings():
        # Python 3.12 warns of a fork beside other threads. This child needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    writer.close()
    end = time.monotonic() + limit_s + GRACE_S
    case = task.cases[0]
    try:
        while reader.poll(max(0, end - time.monotonic())):
            message = reader.recv()
            if isinstance(message, Verdict):
                return message
            case = task.cases[message]
        return _too_long(call_text(task, case), limit_s)
    except EOFError:
        return Verdict("raises", f"{call_text(task, case)} ended the whole Python process.")
    finally:
        process.kill()
        process.join()
        reader.close()


def judge_here(
    task: Task,
    function: Function,
    limit_s: float = LIMIT_S,
    started: Callable[[int], None] = lambda _number: None,
) -> Verdict:
    """Call `function` on all cases of `task` in this process; stop loops of Python code.

    `started` is told the number of each case before its call. What the function prints is
    dropped. A trace function that was set before is set again afterwards.
    """
    deadline = time.monotonic() + limit_s
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        for number, case in enumerate(task.cases):
            started(number)
            verdict = _judge_case(task, case, function, limit_s, deadline)
            if verdict is not None:
                return verdict
    return Verdict("right", f"All {len(task.cases)} calls came out right.")


def call_text(task: Task, case: Case) -> str:
    """Return the call as a learner would type it."""
    options = (f"{name}={show(value)}" for name, value in case.options.items())
    return f"{task.name}({', '.join([*map(show, case.args), *options])})"


def show(value: object) -> str:
    """Return a value as short text on one line, the same in every run."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and 1e9 <= value < 1e15 and value == float(f"{value / 1e9:g}e9"):
        return f"{value / 1e9:g}e9"
    if isinstance(value, set | frozenset) and value:
        return _one_line(f"{{{', '.join(sorted(map(_repr, value)))}}}")
    return _one_line(_repr(value))


def _no_input(_prompt: object = "") -> str:
    raise EOFError("there is no one to answer input() here")


def _judge_case(
    task: Task, case: Case, function: Function, limit_s: float, deadline: float
) -> Verdict | None:
    call = call_text(task, case)
    args, options = copy.deepcopy((case.args, dict(case.options)))
    # A learner may name the parameters otherwise: then all arguments go by position.
    if not _takes(function, args, options):
        args, options = (*args, *options.values()), {}
        if not _takes(function, args, options):
            own = _one_line(f"{task.name}{inspect.signature(function)}")
            return Verdict("wrong", f"It is called as {call}, but defined as {own}.")
    names = list(inspect.signature(task.reference).parameters)
    given = [_repr(value) for value in args]
    result, error = _call(function, args, options, deadline)
    if isinstance(error, _TooLong):
        return _too_long(call, limit_s)
    if isinstance(error, NotImplementedError) or (error is None and _is_stub(function, result)):
        return Verdict("not attempted", "Write its body, then check it again.")
    for name, value, was in zip(names[: len(args)], args, given, strict=True):
        if _repr(value) != was:
            words = f"{call} changed its argument {name}, which is now {show(value)}."
            return Verdict("wrong", f"{words} Leave it as it came.")
    if case.refused:
        if isinstance(error, ValueError):
            return None
        came = f"gave {show(result)}" if error is None else f"raised {_error_text(error)}"
        return Verdict("wrong", f"{call} {came}, but {case.refused} calls for a ValueError.")
    if error is not None:
        return Verdict("raises", f"{call} raised {_error_text(error)}{_place(function, error)}")
    right = task.reference(*case.args, **case.options)
    mistake = _no_result(result) or task.mistake(result, right, case)
    return Verdict("wrong", f"{call} gave {show(result)}: {mistake}") if mistake else None


def _call(
    function: Function, args: tuple[Any, ...], options: dict[str, Any], deadline: float
) -> tuple[Any, BaseException | None]:
    def trace(frame: FrameType, _event: str, _arg: object) -> Any:
        # By opcode: on Python 3.11 a loop on a single line has no line events.
        frame.f_trace_opcodes = True
        if time.monotonic() > deadline:
            raise _TooLong
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


def _takes(function: Function, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    try:
        inspect.signature(function).bind(*args, **options)
    except TypeError:
        return False
    except ValueError:  # some built-in functions have no signature: let the call show
        return True
    return True


def _is_stub(function: Function, result: object) -> bool:
    """Whether the body does nothing but give `result`, which is `...` or None."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if result is Ellipsis:
        return True
    if result is not None or code is None:
        return False
    return {instruction.opname for instruction in dis.get_instructions(code)} <= STUB_OPCODES


def _too_long(call: str, limit_s: float) -> Verdict:
    words = f"{call} was stopped after {limit_s:g} s. Is there a loop that never ends?"
    return Verdict("wrong", words)


def _no_result(result: object) -> str | None:
    if result is None:
        return "is its return missing?"
    if inspect.iscoroutine(result):
        result.close()
        return "it is an async function. Write def without async."
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        return "it is a generator. Give the result with return, not with yield."
    return None


def _error_text(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:
        said = ""
    return _one_line(f"{type(error).__name__} ({said})" if said else type(error).__name__)


def _place(function: Function, error: BaseException) -> str:
    """Say in which line of the function it came up, and what to do about a missing name."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    place = "."
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code is code:
            place = f" in line {line - code.co_firstlineno + 1}."
    if type(error) is NameError:
        return f"{place} Run the cell that defines or imports it, then this one again."
    return place


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"


def _one_line(text: str) -> str:
    # An address in memory is another one in the next run.
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    line = "".join(char if char.isprintable() else " " for char in text)
    return line if len(line) <= 200 else line[:199] + "…"
