"""Functions that call each other: each is judged by itself."""

import pytest

from preemption.exercises import check, stand_ins
from preemption.exercises.judge import Verdict
from preemption.exercises.stand_ins import judge_alone
from preemption.exercises.tasks import TASKS
from tests.exercises.cells import ALL, FUNCTIONS, notebook, solved

BROKEN = [
    "def {0}(*args, **options): return 'broken'",
    "def {0}(*args, **options): ...",
    "def {0}(*args, **options): raise NotImplementedError",
    "def {0}(*args, **options): return 1 / 0",
    "def {0}(): return 1",
    "del {0}",
]


@pytest.mark.parametrize("broken", FUNCTIONS)
@pytest.mark.parametrize("source", BROKEN)
def test_with_one_function_broken_the_others_stay_right(broken, source):
    cells = solved()
    exec(source.format(broken), cells)
    before = {name: cells.get(name) for name in ALL}
    for name in set(FUNCTIONS) - {broken}:
        assert check(cells[name]).outcome == "right"
    if broken in cells:
        assert check(cells[broken], broken).outcome != "right"
    assert {name: cells.get(name) for name in ALL} == before
    assert (broken in cells) == (source != "del {0}")


RIGHT = {name: task.reference for name, task in TASKS.items()}


def test_a_stand_in_is_told():
    cells = notebook(TASKS["cheaper"].solution, "def swap_ms(*args): ...")
    words = judge_alone(TASKS["cheaper"], cells["cheaper"], RIGHT).words
    assert "With your swap_ms it did not yet work. There is no recompute_ms yet." in words
    assert "So check used right ones instead." in words
    words = judge_alone(TASKS["cheaper"], solved()["cheaper"], RIGHT).words
    assert "your" not in words


CHEAPER = TASKS["cheaper"].solution
TOLD = [
    # Only the one to blame is named.
    (CHEAPER, {"swap_ms": "return 0"}, "With your swap_ms it did not yet work. So check used a"),
    (CHEAPER, {"recompute_ms": "return 1 / 0"}, "With your recompute_ms it did not yet work. So"),
    (CHEAPER, {"swap_ms": "...", "recompute_ms": "..."}, "With your recompute_ms and swap_ms it"),
    # One that is not there is not the reader's.
    (CHEAPER, {"swap_ms": None}, "right. There is no swap_ms yet. So check used a right one"),
]


@pytest.mark.parametrize(("source", "others", "words"), TOLD)
def test_only_what_is_to_blame_is_told(source, others, words):
    cells = solved()
    for name, body in others.items():
        if body is None:
            del cells[name]
        else:
            exec(f"def {name}(*args, **options): {body}", cells)
    exec(source, cells)
    assert words in judge_alone(TASKS["cheaper"], cells["cheaper"], RIGHT).words


OWN_CLASS = """
class Costs:
    swap_ms = staticmethod(lambda *x: 2000 * x[0] * x[1] / x[2])
def cheaper(*x): return 'swap' if Costs.swap_ms(*x) < x[0] / 10 else 'recompute'
"""


def test_an_attribute_is_not_the_function_of_that_name():
    cells = solved()
    exec("def swap_ms(*args): ...", cells)
    exec(OWN_CLASS, cells)
    verdict = judge_alone(TASKS["cheaper"], cells["cheaper"], RIGHT)
    assert verdict.words == f"All {len(TASKS['cheaper'].cases)} calls came out right."


def test_what_is_wrong_once_with_right_ones_is_wrong(monkeypatch):
    cells = solved()
    judged = [Verdict("wrong", "once"), *[Verdict("right", "then")] * 9]
    monkeypatch.setattr(stand_ins, "judge", lambda *_: judged.pop(0))
    assert judge_alone(TASKS["cheaper"], cells["cheaper"], RIGHT) == Verdict("wrong", "once")


@pytest.mark.parametrize(
    "helper",
    [
        "def cost(n, how): return swap_ms(n, 131_072, 25e9) if how == 'swap' else n / 10",
        "cost = lambda n, how: [lambda: swap_ms(n, 131_072, 25e9), lambda: n / 10][how < 's']()",
    ],
)
def test_right_ones_stand_in_for_what_helpers_call(helper):
    cells = notebook(
        helper,
        "def eviction_overhead(evictions): return sum(cost(*one) for one in evictions)",
        "def swap_ms(*args): ...",
    )
    verdict = judge_alone(TASKS["eviction_overhead"], cells["eviction_overhead"], RIGHT)
    assert verdict.outcome == "right"
    assert "With your swap_ms it did not yet work" in verdict.words


def test_a_stand_in_excuses_no_mistake_of_ones_own():
    cells = notebook(
        "def cheaper(*x): return max(['swap', 'recompute'], key=lambda w: swap_ms(*x))",
        "def swap_ms(*args): ...",
    )
    verdict = judge_alone(TASKS["cheaper"], cells["cheaper"], RIGHT)
    assert verdict.outcome == "wrong"
    assert "takes less time" in verdict.words
