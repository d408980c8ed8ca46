"""Functions that call each other: each is judged by itself."""

import pytest

from preemption.exercises import check
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
    assert "With your recompute_ms and swap_ms it did not yet work" in words
    words = judge_alone(TASKS["cheaper"], solved()["cheaper"], RIGHT).words
    assert "your" not in words


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
