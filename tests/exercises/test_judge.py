"""The judge: its verdicts, and that nothing a learner's function does can stop or fool it."""

import itertools
import os
import signal
import sys
import time
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from preemption.exercises import display, sandbox
from preemption.exercises.judge import Case, Task, judge, judge_here, show
from preemption.exercises.sandbox import CAN_FORK

TASK = Task(
    part="test",
    reference=lambda x, factor=1: x * factor,
    mistake=lambda result, right, _case: None if result == right else "off.",
    cases=(
        Case.of(1),
        Case.of(2, factor=3),
        Case.of(-1, refused="a negative x"),
    ),
    hints=(),
    solution="",
)
TASK.reference.__name__ = "scale"


def learner(source):
    """The last function of a cell, run in a namespace of its own as in a notebook."""
    names = {}
    exec(compile(dedent(source).strip(), "<cell>", "exec"), names)
    return list(names.values())[-1]


def right(x, factor=1):
    if x < 0:
        raise ValueError(x)
    return x * factor


JUDGES = [judge_here, pytest.param(judge, marks=pytest.mark.skipif(not CAN_FORK, reason="no fork"))]
both = pytest.mark.parametrize("judge_it", JUDGES)


@both
def test_right(judge_it):
    verdict = judge_it(TASK, right)
    assert verdict.outcome == "right"
    assert verdict.words == "All 3 calls came out right."


STUBS = [
    "def scale(x, factor=1): pass",
    "def scale(x, factor=1): ...",
    "def scale(x, factor=1):\n    '''What to do.'''",
    "def scale(x, factor=1):\n    '''What to do.'''\n    # your code here\n    ...",
    "def scale(x, factor=1):\n    return None",
    "def scale(x, factor=1):\n    return ...",
    "def scale(x, factor=1):\n    '''What to do.'''\n    raise NotImplementedError",
    "def scale(x, factor=1):\n    raise NotImplementedError('write me')",
    "scale = lambda x, factor=1: None",
]


@both
@pytest.mark.parametrize("source", STUBS)
def test_a_stub_is_not_attempted(judge_it, source):
    assert judge_it(TASK, learner(source)).outcome == "not attempted"


VERDICTS = [
    ("def scale(x): y = x + 1", "wrong", "scale(1) gave None: is its return missing?"),
    ("def scale(x): return x", "wrong", "called as scale(2, factor=3), but defined as scale(x)"),
    ("def scale(): return 1", "wrong", "called as scale(1), but defined as scale()"),
    ("def scale(x, factor): return 1", "wrong", "called as scale(1), but defined as scale(x, f"),
    ("def scale(x, factor=1): return 1", "wrong", "scale(2, factor=3) gave 1: off."),
    ("def scale(x, factor=1): return x * factor", "wrong", "scale(-1) gave -1, but a negative x"),
    (
        "def scale(x, factor=1):\n    assert x > 0\n    return x * factor",
        "wrong",
        "scale(-1) raised AssertionError, but a negative x calls for a ValueError.",
    ),
    ("async def scale(x, factor=1): return x", "wrong", "it is an async function. Write def"),
    ("def scale(x, factor=1): yield x", "wrong", "it is a generator. Give the result with return"),
    (
        "def scale(x, factor=1):\n\n    return x / 0",
        "raises",
        "scale(1) raised ZeroDivisionError (division by zero) in line 3.",
    ),
    (
        "def scale(x, factor=1):\n    return np.float64(x)",
        "raises",
        "(name 'np' is not defined) in line 2. Run the cell that defines or imports it",
    ),
    (
        "def half(x): return x / 0\n\ndef scale(x, factor=1):\n    y = x\n    return half(y)",
        "raises",
        "scale(1) raised ZeroDivisionError (division by zero) in line 3.",
    ),
    ("def scale(x, factor=1): return scale(x)", "raises", "RecursionError"),
    ("def scale(x, factor=1): raise SystemExit", "raises", "raised SystemExit in line 1."),
    ("def scale(x, factor=1): raise KeyboardInterrupt", "raises", "KeyboardInterrupt"),
    (
        "def scale(x, factor=1):\n    raise RuntimeError('two\\n  lines \\ud800')",
        "raises",
        "scale(1) raised RuntimeError (two   lines  ) in line 2.",
    ),
    (
        "class Odd(Exception):\n    def __str__(self): raise self\n"
        "def scale(x, factor=1): raise Odd",
        "raises",
        "scale(1) raised Odd in line 1.",
    ),
    (
        "class Odd:\n    def __repr__(self): raise ValueError\n"
        "def scale(x, factor=1): return Odd()",
        "wrong",
        "scale(1) gave an object of type Odd: off.",
    ),
    ("def scale(x, factor=1): return object()", "wrong", "gave <object object>: off."),
    ("def scale(x, factor=1): return [scale]", "wrong", "gave [<function scale>]: off."),
    (
        "def scale(x, factor=1): raise KeyError(scale)",
        "raises",
        "scale(1) raised KeyError (<function scale>) in line 1.",
    ),
    ("def scale(x, factor=1): return 'x' * 999", "wrong", "…: off."),
    ("scale = max", "raises", "scale(1) raised TypeError"),
    ("scale = type('Scale', (), {})", "wrong", "called as scale(1), but defined as scale()"),
]


@both
@pytest.mark.parametrize(("source", "outcome", "words"), VERDICTS)
def test_verdicts(judge_it, source, outcome, words):
    verdict = judge_it(TASK, learner(source))
    assert verdict.outcome == outcome
    assert words in verdict.words
    assert len(verdict.words) < 500
    assert verdict.words.isprintable()


LIST_TASK = Task(
    part="test",
    reference=lambda rows, names: len(rows) or len(names),
    mistake=TASK.mistake,
    cases=(Case.of([[1, 2], [3]], {"a": 1, "b": 2}),),
    hints=(),
    solution="",
)
LIST_TASK.reference.__name__ = "count"


@both
@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("rows.clear()", "rows"),
        ("rows.sort(reverse=True)", "rows"),
        ("rows[0][0] = 1.0", "rows"),
        ("rows += [[]]", "rows"),
        ("names.popitem()", "names"),
        ("names['a'] = names.pop('a')", "names"),
        ("names['a'] = True", "names"),
    ],
)
def test_a_function_that_changes_its_argument_is_wrong_and_harms_nothing(judge_it, change, name):
    before = repr(LIST_TASK.cases)
    verdict = judge_it(LIST_TASK, learner(f"def count(rows, names):\n    {change}\n    return 2"))
    assert verdict.outcome == "wrong"
    assert f"changed its argument {name}, which is now" in verdict.words
    assert repr(LIST_TASK.cases) == before


def test_a_change_before_an_error_counts_too():
    source = "def count(rows, names):\n    rows.clear()\n    raise ValueError"
    assert "changed its argument" in judge_here(LIST_TASK, learner(source)).words


@both
def test_printing_is_fine_and_dropped(judge_it, capfd):
    source = """
        import sys
        def scale(x, factor=1):
            print("hello")
            print("error", file=sys.stderr)
            if x < 0:
                raise ValueError
            return x * factor
    """
    assert judge_it(TASK, learner(source)).outcome == "right"
    assert capfd.readouterr() == ("", "")


LOOPS_OF_PYTHON = [
    "def scale(x, factor=1):\n    while True: pass",
    "def scale(x, factor=1):\n    while True:\n        x += 1",
    "def scale(x, factor=1):\n    for _ in iter(int, 1): pass",
    "import itertools\ndef scale(x, factor=1): return sum(i for i in itertools.count())",
    """
    def scale(x, factor=1):
        while True:
            try:
                x += 1
            except Exception:
                pass
    """,
]
LOOPS_OF_C = [
    "import itertools\ndef scale(x, factor=1): return sum(itertools.count())",
    "def scale(x, factor=1): return any(iter(int, 1))",
    "import time\ndef scale(x, factor=1): time.sleep(1000)",
    # Not of C, but it swallows what the trace function raises.
    """
    def scale(x, factor=1):
        while True:
            try:
                while True: pass
            except:
                pass
    """,
]


@both
@pytest.mark.parametrize("source", LOOPS_OF_PYTHON)
def test_endless_loops_of_python_are_stopped(judge_it, source):
    verdict = judge_it(TASK, learner(source), limit_s=0.1)
    assert verdict.outcome == "wrong"
    assert verdict.words == ("scale(1) was stopped after 0.1 s. Is there a loop that never ends?")


@pytest.mark.skipif(not CAN_FORK, reason="no fork: these loops cannot be stopped here")
@pytest.mark.parametrize("source", LOOPS_OF_C)
def test_endless_loops_of_c_are_stopped_in_a_child(source, monkeypatch):
    monkeypatch.setattr(sandbox, "GRACE_S", 0.1)
    verdict = judge(TASK, learner(source), limit_s=0.1)
    assert verdict.outcome == "wrong"
    assert "scale(1) was stopped after 0.1 s." in verdict.words


@pytest.mark.skipif(not CAN_FORK, reason="no fork: this loop cannot be stopped here")
def test_the_words_name_the_call_that_never_ends(monkeypatch):
    monkeypatch.setattr(sandbox, "GRACE_S", 0.1)

    def scale(x, factor=1):
        return sum(itertools.count()) if factor == 3 else x

    assert "scale(2, factor=3) was stopped" in judge(TASK, scale, limit_s=1).words


@pytest.mark.skipif(not CAN_FORK, reason="no fork: the function would end this process")
@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_function_that_ends_the_process_ends_only_the_child(end):
    verdict = judge(TASK, learner(f"import os\ndef scale(x, factor=1): {end}"))
    assert verdict.outcome == "raises"
    assert verdict.words == "scale(1) ended the whole Python process."


@pytest.mark.skipif(not CAN_FORK, reason="no fork: an interrupt stops the function itself")
def test_the_child_leaves_an_interrupt_to_its_parent():
    def scale(x, factor=1):
        os.kill(os.getpid(), signal.SIGINT)
        return right(x, factor)

    assert judge(TASK, scale).outcome == "right"


@pytest.mark.skipif(not CAN_FORK, reason="no fork: an interrupt stops the function itself")
def test_an_interrupt_stops_the_child_and_goes_on(capfd):
    def press_stop():
        time.sleep(0.2)
        os.kill(os.getppid(), signal.SIGINT)
        while True:
            pass

    # As a kernel has it; tests started in the background are told to ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    with pytest.raises(KeyboardInterrupt):
        judge(TASK, lambda _x, factor=1: press_stop() or factor)
    signal.signal(signal.SIGINT, before)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not CAN_FORK, reason="no fork: input would ask here")
def test_input_has_no_one_to_ask():
    verdict = judge(TASK, learner("def scale(x, factor=1): return input('x? ')"))
    assert verdict.outcome == "raises"
    assert "no one to answer input()" in verdict.words


# What a function may leave behind: processes that would never end, and a thread.
LEFT_BEHIND = [
    "subprocess.Popen(['sleep', '60']).pid",
    "subprocess.Popen(['sh', '-c', 'sleep 60 & echo $! ; wait'], stdout=-1).pid",
    "os.fork() or time.sleep(60)",
]


def is_there(pid):
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc to look them up")
@pytest.mark.parametrize("source", LEFT_BEHIND)
@pytest.mark.parametrize("then", ["return x * factor", "while True: pass", "os._exit(0)"])
def test_the_children_of_the_child_end_with_it(source, then, tmp_path):
    note = tmp_path / "pids"
    judge(
        TASK,
        learner(f"""
            import os, subprocess, time
            def scale(x, factor=1):
                pid = {source}
                with open({str(note)!r}, "a") as note:
                    note.write(str(pid) + " ")
                {then}
        """),
        limit_s=0.3,
    )
    pids = note.read_text().split()
    assert pids
    deadline = time.monotonic() + 5
    while any(map(is_there, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_there, pids))


@pytest.mark.skipif(not CAN_FORK, reason="no fork: a thread stays")
def test_a_thread_that_never_ends_holds_nobody():
    source = """
        import threading, time
        def scale(x, factor=1):
            threading.Thread(target=time.sleep, args=(60,)).start()
            return right(x, factor)
    """
    function = learner(source)
    function.__globals__["right"] = right
    before = time.monotonic()
    assert judge(TASK, function, limit_s=30).outcome == "right"
    assert time.monotonic() - before < 15


@pytest.mark.skipif(not CAN_FORK, reason="no fork: the function has the open files")
def test_a_function_that_writes_into_all_open_files_harms_nobody(capfd):
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    function = learner("""
        import os
        def scale(x, factor=1):
            for number in range(256):
                try:
                    os.write(number, b"\\x00\\x00\\x7f\\xff" * 4)
                    os.read(number, 1)
                except OSError:
                    pass
            return right(x, factor)
    """)
    function.__globals__["right"] = right
    before = time.monotonic()
    assert judge(TASK, function, limit_s=30).outcome == "right"
    assert time.monotonic() - before < 15
    with pytest.raises(BlockingIOError):
        os.read(reader, 1)
    os.close(reader)
    os.close(writer)
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not CAN_FORK, reason="no fork: the function has the open files")
def test_what_a_function_has_others_print_is_dropped(capfd):
    function = learner("""
        import os
        def scale(x, factor=1):
            os.system("echo hello; echo error >&2")
            return right(x, factor)
    """)
    function.__globals__["right"] = right
    assert judge(TASK, function).outcome == "right"
    assert capfd.readouterr() == ("", "")


@both
def test_the_time_is_for_all_calls_together(judge_it):
    def scale(x, factor=1):
        end = time.monotonic() + 0.15
        while time.monotonic() < end:
            pass
        return right(x, factor)

    assert judge_it(TASK, scale, limit_s=5).outcome == "right"
    assert judge_it(TASK, scale, limit_s=0.25).outcome == "wrong"


CIRCLES = [
    "def scale(x, factor=1): return x * factor\nscale.__wrapped__ = scale",
    """
    def scale(x, factor=1): return x * factor
    def other(): ...
    scale.__wrapped__, other.__wrapped__ = other, scale
    names = [scale]
    """,
    """
    class Scale:
        def __call__(self, x, factor=1): return x * factor
        def __getattr__(self, name): return self
    scale = Scale()
    """,
    """
    class Scale:
        __signature__ = "none"
        def __call__(self, x, factor=1): return x * factor
    scale = Scale()
    """,
]


@both
@pytest.mark.parametrize("source", CIRCLES)
def test_wrappers_in_a_circle_are_judged_by_their_calls(judge_it, source):
    names = {}
    exec(dedent(source).strip(), names)
    verdict = judge_it(TASK, names["scale"])
    assert verdict.words == "scale(-1) gave -1, but a negative x calls for a ValueError."
    check = display.check(names["scale"], "swap_ms")
    assert check.outcome in ("wrong", "raises")


@both
def test_a_result_that_cannot_be_shown_is_shown_by_its_type(judge_it):
    source = """
        class Odd:
            def __repr__(self): raise SystemExit
        def scale(x, factor=1): return Odd()
    """
    assert "gave an object of type Odd: off." in judge_it(TASK, learner(source)).words


def test_without_fork_all_runs_here(monkeypatch):
    monkeypatch.setattr(sandbox, "CAN_FORK", False)
    pids = []

    def scale(x, factor=1):
        pids.append(os.getpid())
        return right(x, factor)

    assert judge(TASK, scale).outcome == "right"
    assert set(pids) == {os.getpid()}


@pytest.mark.parametrize(
    "function", [right, learner(LOOPS_OF_PYTHON[0]), learner(VERDICTS[9][0]), learner(STUBS[0])]
)
def test_a_trace_function_that_was_set_is_set_again(function):
    def mine(_frame, _event, _arg):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        judge_here(TASK, function, limit_s=0.1)
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is mine


def test_streams_and_trace_are_back_after_an_endless_loop():
    streams = sys.stdout, sys.stderr, sys.gettrace()
    judge_here(TASK, learner("def scale(x, factor=1):\n    while True: print(x)"), limit_s=0.1)
    assert (sys.stdout, sys.stderr, sys.gettrace()) == streams


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (25e9, "25e9"),
        (2.62144e9, "2.62144e9"),
        (np.float64(2.62144e9), "2.62144e9"),
        (1234567890.123, "1234567890.123"),
        (0.1, "0.1"),
        (float("inf"), "inf"),
        (1e20, "1e+20"),
        (np.int64(7), "7"),
        ("a\nb", r"'a\nb'"),
        (None, "None"),
        (np.array([1, 2]), "array([1, 2])"),
        ({"c", "a", "b"}, "{'a', 'b', 'c'}"),
        (frozenset({2, 1}), "{1, 2}"),
        (set(), "set()"),
        (np.zeros((2, 2)), "array([[0., 0.],        [0., 0.]])"),
    ],
)
def test_values_are_shown_on_one_line(value, text):
    assert show(value) == text
