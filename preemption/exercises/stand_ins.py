"""Judge a reader's function by itself: right functions stand in for the others it calls."""

import dis
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from types import CodeType
from typing import Any

from preemption.exercises.judge import Task, Verdict, code_of, judge, unwrapped
from preemption.exercises.sandbox import Function

_LOOK_UPS = {"LOAD_GLOBAL", "LOAD_NAME"}  # of global names, not of attributes


def judge_alone(task: Task, function: Function, right: Mapping[str, Function]) -> Verdict:
    """Judge `function`, so that only its own mistakes count.

    `right` are right functions by name. If `function` is not right but calls any of these
    names, itself or through helpers, it is judged once more with the right ones in their place.
    The words then name those of the reader's functions with which it does not work.
    """
    first = judge(task, function)
    replaced = {name: right[name] for name in _called(function) & right.keys() - {task.name}}
    if first.outcome == "right" or not replaced:
        return first
    verdict = _judge_with(task, function, replaced)
    if verdict.outcome != "right":
        return verdict
    for name in sorted(replaced):
        fewer = {other: value for other, value in replaced.items() if other != name}
        if _judge_with(task, function, fewer).outcome == "right":
            replaced = fewer
    if not replaced:  # it was wrong once, without any other function to blame
        return first
    missing = replaced.keys() - _surroundings(function).keys()
    words = [
        verdict.words,
        _said("With your {} it did not yet work.", replaced.keys() - missing),
        _said("There is no {} yet.", missing),
        f"So check used {'a right one' if len(replaced) == 1 else 'right ones'} instead.",
    ]
    return Verdict("right", " ".join(filter(None, words)))


def _said(sentence: str, names: Set[str]) -> str:
    return sentence.format(" and ".join(sorted(names))) if names else ""


def _judge_with(task: Task, function: Function, others: Mapping[str, Function]) -> Verdict:
    with _replaced(_surroundings(function), others):
        return judge(task, function)


@contextmanager
def _replaced(names: dict[str, Any], others: Mapping[str, Any]) -> Iterator[None]:
    """Give these names other values for a while."""
    own = {name: names[name] for name in others.keys() & names.keys()}
    names.update(others)
    try:
        yield
    finally:
        for name in others:
            del names[name]
        names.update(own)


def _surroundings(function: Function) -> dict[str, Any]:
    """Return the global names that a function sees; none for what is not written in Python."""
    surroundings = getattr(unwrapped(function), "__globals__", None)
    return surroundings if isinstance(surroundings, dict) else {}


def names_in(code: CodeType) -> tuple[set[str], set[str]]:
    """Return the global names that code binds itself, and those used in it and all inside it."""
    binds, uses = set(), set()
    for one in dis.get_instructions(code):
        if one.opname == "STORE_NAME":
            binds.add(one.argval)
        elif one.opname in _LOOK_UPS:
            uses.add(one.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            uses |= names_in(inner)[1]
    return binds, uses


def _called(function: Function) -> set[str]:
    """Global names that a function uses, also in what is inside it and in helpers beside it."""
    surroundings = _surroundings(function)
    names: set[str] = set()
    codes = [code_of(function)]
    while codes:
        code = codes.pop()
        if code is not None:
            used = names_in(code)[1]
            codes += [code_of(surroundings.get(name)) for name in used - names]
            names |= used
    return names
