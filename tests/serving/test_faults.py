"""Faults of engines: each broken one shows what users saw, and the mended one does not."""

from collections import Counter

import pytest

from preemption import serving
from preemption.serving import FAULTS, SCENE_ITERATIONS, run_fault, simulate_plain


@pytest.fixture(params=FAULTS)
def name(request):
    return request.param


def runs(name):
    return run_fault(name, broken=True), run_fault(name, broken=False)


def victims_of(result):
    return Counter(event.id for iteration in result.log for event in iteration.preempted)


def test_each_scene_differs_and_its_mended_run_ends(name):
    broken, mended = runs(name)
    assert broken != mended
    assert mended.outcome == "finished"
    assert mended.iterations < SCENE_ITERATIONS
    assert not mended.unfinished
    assert mended.generated_tokens == sum(each.output_tokens for each in mended.requests)


def test_let_in_by_its_first_chunk_it_is_thrown_out_again_and_again():
    broken, mended = runs("first chunk")
    assert set(victims_of(broken)) == {"long"}
    assert victims_of(broken)["long"] > 20
    assert broken.recomputed_tokens > 1_900
    assert mended.preemptions == 0


def test_a_request_that_can_never_fit_stops_everybody_behind_it():
    broken, mended = runs("huge request")
    assert broken.outcome == "stalled"
    assert broken.unfinished == ("huge", 2)
    assert [each.id for each in mended.requests] == [0, 2]
    with pytest.raises(ValueError, match="'huge' can never fit"):
        simulate_plain(FAULTS["huge request"].requests, FAULTS["huge request"].mended.config)


def test_generated_tokens_are_lost():
    broken, mended = runs("victim returns")
    for result, keeps in ((broken, False), (mended, True)):
        resumed = [
            (row, event)
            for iteration in result.log
            for event in iteration.preempted
            for later in result.log[iteration.number + 1 :]
            for row in later.scheduled
            if row.id == event.id and row.kind == "resumed"
        ]
        assert len(resumed) == result.preemptions == 2
        # With its prompt only, or with more, as much as the budget takes.
        assert all((row.tokens > 30) == keeps for row, _ in resumed)
        assert all(event.tokens > 30 for _, event in resumed)


def test_a_victim_is_computed_in_the_iteration_that_evicted_it():
    for result, wrong in zip(runs("urgent request"), (1, 0), strict=True):
        both = [
            iteration.number
            for iteration in result.log
            if {event.id for event in iteration.preempted} & {row.id for row in iteration.scheduled}
        ]
        assert result.preemptions == 1
        assert len(both) == wrong


def test_blocks_that_are_freed_late_let_one_preemption_cascade():
    worst = [
        max(len(iteration.preempted) for iteration in result.log) for result in runs("freed late")
    ]
    assert worst == [4, 1]


def test_an_engine_that_waits_for_blocks_evicts_nobody_it_has_just_computed():
    computed, waits = set(), 0
    for iteration in run_fault("freed late", broken=False).log:
        victims = {event.id for event in iteration.preempted}
        assert not victims & computed
        computed = {row.id for row in iteration.scheduled}
        waits += not victims and computed < set(iteration.decided.running)
    assert waits == run_fault("freed late", broken=False).preemptions


def test_without_head_room_newcomers_take_what_the_running_need_next():
    broken, mended = runs("newcomers")
    assert broken.preemptions > 2 * mended.preemptions > 0


def test_what_was_never_computed_is_found():
    broken, mended = runs("cached victim")
    lost = broken.lost_tokens
    assert mended.lost_tokens == lost
    assert broken.found_tokens > lost
    assert mended.found_tokens <= lost
    assert broken.recomputed_tokens == mended.recomputed_tokens == 0


@pytest.mark.parametrize(
    "name", sorted(FAULTS.keys() - {"cached victim", "huge request", "freed late"})
)
def test_the_mended_engine_is_vllms(name):
    fault = FAULTS[name]
    plain = simulate_plain(fault.requests, fault.mended.config, serving.RunSettings(log=True))
    assert plain == run_fault(name, broken=False)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (("unknown", True), ValueError, 'name must be "first chunk"'),
        ((3, True), ValueError, "name must be"),
        (("first chunk", 1), TypeError, "broken must be True or False"),
    ],
)
def test_bad_input_is_refused(bad, error, message):
    with pytest.raises(error, match=message):
        run_fault(bad[0], broken=bad[1])
