"""Proof by mutation: every wrong solution is rejected, every right one accepted.

Each mutant of a reference solution has to be rejected, or to be equivalent: then a pattern
below matches its changed lines and says why no call can tell it apart. The score is printed
at the end of the run.
"""

import dataclasses
import inspect
import re
from pathlib import Path

import pytest

from preemption.exercises.judge import judge_here
from preemption.exercises.tasks import TASKS
from tests.exercises.mutants import difference, mutants
from tests.exercises.styles import STYLES
from tests.exercises.wrong_ideas import IDEAS

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"

ONE_DECIMAL = "whole tokens at 0.1 ms have one decimal at most"
LARGER = "no group is larger than all sequences"
EQUIVALENT = {
    "swap_ms": {
        r"if .*(2|1000|1024) .*<= 0:|if .* / (2|1000) <= 0:": "scaling keeps the sign",
        r"if .* <= (-0|2 \* 0|0 [*/] .*):": "0 scaled is 0",
    },
    "cheaper": {
        r"tokens = min\(tokens, 10+\)": "the choice is the same for all tokens above 0",
        r".*round\(recompute_ms\(tokens\), \d\).*": ONE_DECIMAL,
    },
    "pick_victim": {
        r"(pass)?": "min raises ValueError by itself",
        r"return min\((list|sorted)\(seqs\)\[::-1\], .*": "the key leaves no tie to the order",
    },
    "eviction_overhead": {
        r".*round\(recompute_ms\(recomputed\), \d\).*": ONE_DECIMAL,
        r".*25000000000.0 [+-] 1\)": "4e-11 of the result; 1e-9 is allowed",
        r".*how (<= 'recompute'|>= 'swap').*": "there are only these two strategies",
    },
    "spare_the_oldest": {
        r".* if len\(names\) != 1 else names": "nobody is asked for where nobody runs",
        r".* if len\(names\) > 1 \* 1024 / 1000 else names": "2 is more than 1.024 as well",
    },
    "pick_victims": {
        r"groups = .* range\((2 \*|len.seqs. \* 1000 \+|.len.seqs. \+ 1. \* 1000\)).*": LARGER,
        r"groups = .* range\(len.seqs. \+ (100?|.?1 \+ 1.?|2 \* 1|1 \* 1000)\) for .*": LARGER,
        r"groups = .* \+ list\(.*|enough = .* in list\(groups\) \+ .*": "a group is tried twice",
        r".*min\((list|sorted)\(enough\)\[::-1\], .*": "any of the cheapest groups will do",
        r"return list.min.enough, key=lambda g: (2 \* )?sum..seqs.n. for n in g..( [*/+-].*)?\)+": (
            "a cost scaled or shifted has the same minimum"
        ),
    },
}


def run(source, name):
    """Define the functions of the source beside right ones of the other tasks; return one."""
    names = {other: task.reference for other, task in TASKS.items()}
    exec(source, names)
    return names[name]


def example(task):
    """The arguments of the first case, by parameter of the solution, defaults included."""
    bound = inspect.signature(task.reference).bind(*task.cases[0].args, **task.cases[0].options)
    bound.apply_defaults()
    parameters = inspect.signature(run(task.solution, task.name)).parameters
    return {name: bound.arguments[name] for name in parameters}


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", TASKS)
def test_every_mutant_is_rejected_or_equivalent(name, record_property):
    task = TASKS[name]
    results = [
        task.reference(*case.args, **case.options) for case in task.cases if not case.refused
    ]
    reasons = EQUIVALENT.get(name, {})
    total, equivalent, survived, killed_though_listed, used = 0, 0, [], [], set()
    changed = mutants(task.solution, example(task), results)
    for operator, source in [*changed, *IDEAS.get(name, [])]:
        total += 1
        right = judge_here(task, run(source, name), limit_s=60).outcome == "right"
        change = difference(task.solution, source)
        listed = {pattern for pattern in reasons if re.fullmatch(pattern, change)}
        used |= listed
        if listed and right:
            equivalent += 1
        elif right:
            survived.append((operator, change))
        elif listed:
            killed_though_listed.append((operator, change))
    killed = total - equivalent - len(survived)
    record_property("score", (name, total, killed, equivalent, len(survived), len(STYLES[name])))
    row = f"| `{name}` | {total} | {killed} | {equivalent} | {len(STYLES[name])} |"
    assert total >= 50
    assert survived == []
    assert killed_though_listed == []
    assert used == reasons.keys()
    assert row in CONTRIBUTING.read_text()


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", IDEAS)
def test_every_wrong_idea_is_right_somewhere(name):
    """One that is wrong everywhere would be rejected by any case, and proves nothing."""
    cases = [case for case in TASKS[name].cases if not case.refused]
    single = [dataclasses.replace(TASKS[name], cases=(case,)) for case in cases]
    for kind, source in IDEAS[name]:
        function = run(source, name)
        assert any(judge_here(task, function).outcome == "right" for task in single), (kind, source)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name in TASKS for place in range(len(STYLES[name]))]
)
def test_every_style_is_accepted(name, place):
    verdict = judge_here(TASKS[name], STYLES[name][place], limit_s=60)
    assert verdict.outcome == "right", verdict.words


def test_six_styles_or_more_for_each():
    assert all(len(STYLES[name]) >= 6 for name in TASKS)
