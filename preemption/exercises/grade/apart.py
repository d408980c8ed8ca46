"""Judge a function out of a submitted file, in a fresh process: only values come back."""

import inspect
import json
import os
import pickle
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from preemption.exercises.judge import LIMIT_S, Task, Verdict, judge_here
from preemption.exercises.sandbox import TooLong

START_S = 20.0  # to start Python and to import, on a busy machine
MOST_BYTES = 1 << 20
_RUNNER = Path(__file__).with_name("runner.py")
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Sources = Sequence[tuple[str, str]]


class Other:
    """A result of a kind that no task asks for."""

    def __init__(self, said: str) -> None:
        self.said = said

    def __repr__(self) -> str:
        """Say what it is."""
        return self.said


class Apart:
    """A function of a submission, called as if it were here, until `limit_s` has passed.

    `sources` are the statements to run before, each with the place that it is from. Raises
    RuntimeError where they give no such function, TooLong where they or a call do not end.
    """

    def __init__(self, name: str, sources: Sources, limit_s: float = LIMIT_S) -> None:
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "HOME")}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-B", _RUNNER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=kept | _ONE_THREAD,
            cwd=tempfile.gettempdir(),
        )
        try:
            hello = self._ask((name, sources), time.monotonic() + START_S)
        except BaseException:
            self.__exit__()
            raise
        self.confined = bool(hello.get("confined"))
        self._deadline = time.monotonic() + limit_s
        if "error" in hello:
            self.__exit__()
            error = _error(hello)
            raise RuntimeError(f"{type(error).__name__} ({error})")
        if hello.get("signature") is not None:
            self.__signature__ = _signature(hello["signature"])

    def __enter__(self) -> Self:
        """Return this function."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None = None,
        _error: BaseException | None = None,
        _traceback: TracebackType | None = None,
    ) -> None:
        """End its process."""
        self._process.kill()
        self._process.communicate()

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call it there; what it changes in its arguments is changed here."""
        came = self._ask((args, options), self._deadline)
        for place, value in came.get("changed", ()):
            _change(args[place], value)
        if "error" in came:
            raise _error(came)
        return came.get("result")

    def _ask(self, what: object, deadline: float) -> dict[str, Any]:
        if self._process.stdin is None or self._process.stdout is None:
            raise EOFError
        try:
            self._process.stdin.write(pickle.dumps(what))
            self._process.stdin.flush()
        except OSError:
            raise RuntimeError("it has ended its own process") from None
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select(
                [self._process.stdout], [], [], max(0, deadline - time.monotonic())
            )
            if not ready:
                raise TooLong
            part = os.read(self._process.stdout.fileno(), MOST_BYTES)
            line += part
            if not part:
                raise RuntimeError("it has ended its own process")
            if len(line) > MOST_BYTES:
                raise RuntimeError("its result is too long")
        try:
            came = json.loads(line, object_hook=value_of)
        except ValueError:
            raise RuntimeError("it has written into its own answers") from None
        if not isinstance(came, dict):
            raise RuntimeError("it has written into its own answers")
        return came


def is_confined() -> bool:
    """Whether the kernel keeps a submission from network, files and new processes here."""
    with Apart("f", [("", "def f(): ...")]) as function:
        return function.confined


def judge_apart(task: Task, sources: Sources, limit_s: float = LIMIT_S) -> Verdict:
    """Judge what `sources` define under the task's name, in a fresh process.

    `limit_s` is the time in seconds for all calls together.
    """
    try:
        with Apart(task.name, sources, limit_s) as function:
            return judge_here(task, function, limit_s)
    except TooLong:
        return Verdict("wrong", f"To define it took more than {START_S:g} s.")
    except Exception as error:  # whatever a submission has made of its answers
        return Verdict("raises", f"It could not be defined: {error}")


def value_of(entries: dict[str, Any]) -> Any:
    """Return what `runner.plain` had to put into a dictionary."""
    if list(entries) == ["set"]:
        return {tuple(entry) if isinstance(entry, list) else entry for entry in entries["set"]}
    return Other(str(entries["other"])) if list(entries) == ["other"] else entries


def _error(came: dict[str, Any]) -> Exception:
    """Return an error with the name and words of the one there, and its kind where it counts."""
    name, said = map(str, came["error"])
    kinds = came.get("kinds", ())
    known = (kind for kind in (NotImplementedError, ValueError) if kind.__name__ in kinds)
    kind: type[Exception] = type(name.replace("\0", " "), (next(known, Exception),), {})
    return kind(said)


def _signature(parameters: list[Any]) -> inspect.Signature:
    kinds = list(inspect._ParameterKind)
    return inspect.Signature(
        [
            inspect.Parameter(name, kinds[kind], default=default[0] if default else inspect._empty)
            for name, kind, default in parameters
        ]
    )


def _change(argument: Any, value: Any) -> None:
    """Let a list or a dictionary hold what it holds there."""
    if isinstance(argument, list):
        argument[:] = value if isinstance(value, list) else [value]
    elif isinstance(argument, dict):
        argument.clear()
        argument.update(value if isinstance(value, dict) else {"": value})
