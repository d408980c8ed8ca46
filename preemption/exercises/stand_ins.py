"""Judge a reader's function by itself: right functions stand in for the others it calls."""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import CodeType
from typing import Any

from preemption.exercises.judge import Task, Verdict, judge
from preemption.exercises.sandbox import Function


def judge_alone(task: Task, function: Function, right: Mapping[str, Function]) -> Verdict:
    """Judge `function`, so that only its own mistakes count.

    `right` are right functions by name. If `function` is not right but calls any of these
    names, itself or through helpers, it is judged once more with the right ones in their place.
    """
    verdict = judge(task, function)
    called = sorted(_called(function) & right.keys() - {task.name})
    if verdict.outcome == "right" or not called:
        return verdict
    with _replaced(_surroundings(function), {name: right[name] for name in called}):
        verdict = judge(task, function)
    if verdict.outcome != "right":
        return verdict
    names = " and ".join(called)
    words = f"With your {names} it did not yet work, so check used right ones instead."
    return Verdict("right", f"{verdict.words} {words}")


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
    surroundings: dict[str, Any] = getattr(inspect.unwrap(function), "__globals__", {})
    return surroundings


def _called(function: Function) -> set[str]:
    """Global names that a function uses, also in what is inside it and in helpers beside it."""
    surroundings = _surroundings(function)
    names: set[str] = set()
    codes = _codes(function)
    while codes:
        code = codes.pop()
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        for name in set(code.co_names) - names:
            names.add(name)
            codes += _codes(surroundings.get(name))
    return names


def _codes(value: Any) -> list[CodeType]:
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    return [code] if isinstance(code, CodeType) else []
