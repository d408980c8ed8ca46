"""Call a function that a reader wrote, if it is written, on the cases; tell what went wrong."""

import copy
import dis
import inspect
import re
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import CodeType
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from preemption.exercises import sandbox
from preemption.exercises.sandbox import Function

Outcome: TypeAlias = Literal["not attempted", "raises", "wrong", "right"]

LIMIT_S = 2.0
# All that a body of `pass`, `...` or a docstring is compiled to, on any Python from 3.11 on.
STUB_OPCODES = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}


@dataclass(frozen=True)
class Case:
    """The arguments of one call; `refused` names what a ValueError is due for, if one is."""

    args: tuple[Any, ...]
    options: Mapping[str, Any]
    refused: str

    @classmethod
    def of(cls, *args: Any, refused: str = "", **options: Any) -> Self:
        """Return the case of a call, its arguments given as in the call."""
        return cls(args, options, refused)


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


def judge(task: Task, function: Function, limit_s: float = LIMIT_S) -> Verdict:
    """Call `function` on all cases of `task`, in a child process where there can be one.

    `limit_s` is the time in seconds for all calls together.
    """
    if not sandbox.CAN_FORK:
        return judge_here(task, function, limit_s)
    begun = [0]
    try:
        return sandbox.in_child(partial(judge_here, task, function, limit_s), limit_s, begun.append)
    except sandbox.TooLong:
        return _too_long(call_text(task, task.cases[begun[-1]]), limit_s)
    except EOFError:
        call = call_text(task, task.cases[begun[-1]])
        return Verdict("raises", f"{call} ended the whole Python process.")


def judge_here(
    task: Task,
    function: Function,
    limit_s: float = LIMIT_S,
    started: Callable[[int], None] = lambda _number: None,
) -> Verdict:
    """Call `function` on all cases of `task` in this process; stop loops of Python code.

    `started` is told the number of each case before its call. What the function prints is
    dropped.
    """
    deadline = time.monotonic() + limit_s
    with sandbox.silence():
        for number, case in enumerate(task.cases):
            started(number)
            verdict = _judge_case(task, case, function, limit_s, deadline)
            if verdict is not None:
                return verdict
    return Verdict("right", f"All {len(task.cases)} calls came out right.")


def unwrapped(function: object) -> object:
    """Return the function within wrappers, or what came where they run in a circle."""
    try:
        return inspect.unwrap(function)  # type: ignore[arg-type]
    except ValueError:
        return function


def code_of(function: object) -> CodeType | None:
    """Return the code of a function written in Python, without its wrappers."""
    code = getattr(unwrapped(function), "__code__", None)
    return code if isinstance(code, CodeType) else None


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


def _judge_case(
    task: Task, case: Case, function: Function, limit_s: float, deadline: float
) -> Verdict | None:
    call = call_text(task, case)
    args, options = copy.deepcopy((case.args, dict(case.options)))
    # A learner may name the parameters otherwise: then all arguments go by position.
    if not _takes(function, args, options):
        args, options = (*args, *options.values()), {}
        if not _takes(function, args, options):
            own = _one_line(f"{task.name}{_signature(function)}")
            return Verdict("wrong", f"It is called as {call}, but defined as {own}.")
    names = list(inspect.signature(task.reference).parameters)
    given = [_repr(value) for value in args]
    result, error = sandbox.call(function, args, options, deadline)
    if isinstance(error, sandbox.TooLong):
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


def _takes(function: Function, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    signature = _signature(function)
    try:
        return signature is None or bool(signature.bind(*args, **options))
    except TypeError:
        return False


def _signature(function: Function) -> inspect.Signature | None:
    """Return None for a function that has none, as some built-in ones, or none that is readable."""
    try:
        return inspect.signature(function)
    except Exception:
        return None


def _is_stub(function: Function, result: object) -> bool:
    """Whether the body does nothing but give `result`, which is `...` or None."""
    if result is Ellipsis:
        return True
    code = code_of(function)
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
    except BaseException:  # a reader's own error may raise anything, SystemExit too
        said = ""
    return _one_line(f"{type(error).__name__} ({said})" if said else type(error).__name__)


def _place(function: Function, error: BaseException) -> str:
    """Say in which line of the function it came up, and what to do about a missing name."""
    code = code_of(function)
    place = "."
    for frame, line in traceback.walk_tb(error.__traceback__):
        if code and frame.f_code is code:
            place = f" in line {line - code.co_firstlineno + 1}."
    if type(error) is NameError:
        return f"{place} Run the cell that defines or imports it, then this one again."
    return place


def _repr(value: object) -> str:
    try:
        return repr(value)
    except BaseException:
        return f"an object of type {type(value).__name__}"


def _one_line(text: str) -> str:
    # An address in memory is another one in the next run.
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    line = "".join(char if char.isprintable() else " " for char in text)
    return line if len(line) <= 200 else line[:199] + "…"
