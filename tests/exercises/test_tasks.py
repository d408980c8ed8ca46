"""The tasks against the package, and what their own functions give."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption import costs, serving
from preemption.costs import MODELS
from preemption.exercises.judge import Case
from preemption.exercises.tasks import TASKS
from preemption.exercises.tasks.try_it_yourself import pick_victims, share_to_recompute
from tests.exercises.cells import ALL, FUNCTIONS, SCHEDULES, STRETCH, solved


def test_the_tasks_and_their_parts():
    assert list(TASKS) == ALL
    assert [TASKS[name].part for name in ALL] == (
        ["functions"] * 5 + ["stretch tasks"] * 3 + ["rules"] + ["schedules"] * 2
    )
    for name in FUNCTIONS + STRETCH[:1]:
        assert TASKS[name].reference is getattr(costs, name)
    for name in SCHEDULES:
        assert TASKS[name].reference is getattr(serving, name)


@pytest.mark.parametrize("name", ALL)
def test_cases_agree_with_the_package(name):
    task = TASKS[name]
    assert not task.cases[0].refused
    for case in task.cases:
        if case.refused:
            with pytest.raises(ValueError, match=r"."):
                task.reference(*case.args, **case.options)
        else:
            result = task.reference(*case.args, **case.options)
            assert task.mistake(result, result, case) is None


def test_errors_are_asked_for_only_where_the_contract_has_them():
    refused = {name for name in ALL for case in TASKS[name].cases if case.refused}
    assert refused == {"swap_ms", "pick_victim", "pick_victims"}


counts = st.integers(0, 10**6)
sizes = st.integers(1, 10**7)
speeds = st.floats(1, 1e13)
names = st.text("abcAB1", min_size=1, max_size=3)
flags = st.booleans()
ARGUMENTS = {
    "recompute_ms": st.tuples(counts, st.floats(0, 1e3)),
    "swap_ms": st.tuples(counts, sizes, speeds, flags),
    # Away from the tie, where rounding decides.
    "cheaper": st.tuples(counts, sizes, speeds).filter(
        lambda x: abs(x[2] / costs.crossover_bandwidth(x[1]) - 1) > 1e-9
    ),
    "pick_victim": st.tuples(st.dictionaries(names, st.integers(0, 3), min_size=1)),
    "eviction_overhead": st.tuples(
        st.lists(st.tuples(counts, st.sampled_from(["recompute", "swap"])))
    ),
    "crossover_bandwidth": st.tuples(sizes, st.floats(1e-4, 1e3), flags),
    "pick_victims": st.tuples(
        st.dictionaries(names, st.integers(0, 70), max_size=5), st.integers(0, 8)
    ).filter(lambda x: sum(-(-tokens // 16) for tokens in x[0].values()) >= x[1]),
    "share_to_recompute": st.tuples(sizes, speeds, st.floats(1e-4, 1e3)),
    "utilization": st.integers(1, 4).flatmap(
        lambda width: st.tuples(
            st.lists(
                st.lists(st.sampled_from(["A", "B", None]), min_size=width, max_size=width),
                min_size=1,
            )
        )
    ),
    "spare_the_oldest": st.tuples(st.dictionaries(names, st.integers(0, 3), min_size=1)),
    "continuous_schedule": st.tuples(
        st.dictionaries(names, st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 4)
    ),
}


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=40)
@given(data=st.data())
def test_a_solution_equals_the_package(name, data):
    args = data.draw(ARGUMENTS[name])
    result, right = solved()[name](*args), TASKS[name].reference(*args)
    assert TASKS[name].mistake(result, right, Case.of(*args)) is None


@pytest.mark.parametrize("name", ALL)
def test_a_solution_has_five_lines_at_most(name):
    lines = TASKS[name].solution.splitlines()
    assert len(lines) <= 5
    assert all(len(line) <= 100 for line in lines)
    assert lines[0].startswith(f"def {name}(")


@given(
    seqs=st.dictionaries(names, st.integers(0, 70), max_size=5),
    needed=st.integers(0, 12),
)
def test_pick_victims_is_the_cheapest_group_that_frees_enough(seqs, needed):
    costs_of_enough = [
        sum(group)
        for size in range(len(seqs) + 1)
        for group in combinations(seqs.values(), size)
        if sum((tokens + 15) // 16 for tokens in group) >= needed
    ]
    if not costs_of_enough:
        with pytest.raises(ValueError, match="blocks are needed"):
            pick_victims(seqs, needed)
    else:
        group = pick_victims(seqs, needed)
        assert sum(seqs[name] for name in group) == min(costs_of_enough)
        assert sum((seqs[name] + 15) // 16 for name in group) >= needed


@given(speed=st.floats(1e8, 1e12), prefill=st.floats(1e-2, 10))
def test_the_best_share_is_that_of_a_real_machine_without_its_extras(speed, prefill):
    recompute = costs.Recompute(
        floor_ms=0, start_ms=0, ms_per_token=prefill, source="example", sure="derived"
    )
    model = MODELS["Llama-3-8B"]
    copy = costs.Copy(model=model, bandwidth_bytes_per_s=speed, launch_us=0, round_trip=False)
    share = share_to_recompute(costs.PER_TOKEN_BYTES, speed, prefill)
    assert costs.best_mix(1_000, recompute, copy).share == pytest.approx(share)


@given(size=st.floats(1, 1e7), speed=st.floats(1e6, 1e13), prefill=st.floats(1e-3, 1e3), n=counts)
def test_with_the_best_share_both_ways_end_together(size, speed, prefill, n):
    share = share_to_recompute(size, speed, prefill)
    recompute = share * costs.recompute_ms(n, prefill)
    load = (1 - share) * costs.swap_ms(n, size, speed, round_trip=False)
    assert recompute == pytest.approx(load, rel=1e-6, abs=1e-6)
    whole = min(costs.recompute_ms(n, prefill), costs.swap_ms(n, size, speed, round_trip=False))
    assert recompute <= whole * (1 + 1e-9)
