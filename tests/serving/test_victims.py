"""Each rule's choice and each rule's way with ties."""

from collections import Counter

import pytest

from preemption import serving
from preemption.serving import Candidate, Request


def candidate(order, *, prompt=10, output=50, generated=5, cached=20, priority=0):
    request = Request(f"r{order}", 0, prompt, output, priority)
    return Candidate(request, order, generated, cached, -(-cached // 16))


def chosen(rule, *running):
    return serving.choose(serving.rule_for(rule, "fcfs"), running)


def test_last_admitted_is_the_last_of_the_list():
    assert chosen("last admitted", candidate(2), candidate(0), candidate(1)) == 2


def test_priority_takes_the_least_urgent_and_then_the_last_to_arrive():
    urgent, late, early = candidate(5), candidate(4, priority=2), candidate(3, priority=2)
    assert chosen("priority", urgent, late, early) == 1
    assert chosen("priority", urgent, early, late) == 2


def test_fewest_generated_then_longest_prompt_then_last_admitted():
    old = candidate(0, generated=9)
    young, long, longest = (candidate(i, generated=2, prompt=10 * i) for i in (1, 2, 3))
    assert chosen("fewest generated", old, young, longest, long) == 2
    assert chosen("fewest generated", old, longest, longest._replace(order=4), young) == 2


@pytest.mark.parametrize(
    ("rule", "values", "position"),
    [
        ("smallest cache", [{"cached": 9}, {"cached": 7}, {"cached": 7}, {"cached": 8}], 2),
        ("largest cache", [{"cached": 8}, {"cached": 9}, {"cached": 9}, {"cached": 7}], 2),
        ("most remaining", [{"generated": 9}, {"generated": 3}, {"generated": 3}], 2),
        ("most remaining", [{"output": 70}, {"output": 90}, {"output": 80}], 1),
        # 17 tokens in two blocks are 8.5 each; 8 in one are 8; 33 in three are 11.
        ("cheapest per block freed", [{"cached": 17}, {"cached": 8}, {"cached": 33}], 1),
        ("cheapest per block freed", [{"cached": 16}, {"cached": 32}, {"cached": 48}], 2),
    ],
)
def test_rules_that_compare_one_figure(rule, values, position):
    assert chosen(rule, *(candidate(i, **value) for i, value in enumerate(values))) == position


def test_random_takes_each_as_often_and_repeats_itself():
    batches = [[candidate(i, cached=n) for i in range(4)] for n in range(1, 2001)]
    rule = serving.random_with_seed(0)
    first = [chosen(rule, *batch) for batch in batches]
    assert first == [chosen("random", *batch) for batch in batches]
    assert first != [chosen(serving.random_with_seed(1), *batch) for batch in batches]
    assert all(440 < times < 560 for times in Counter(first).values())
    assert set(first) == {0, 1, 2, 3}


def test_every_rule_has_a_name_with_spaces_or_underscores():
    assert len(serving.RULES) == 8
    for name, rule in serving.RULES.items():
        assert serving.rule_for(name, "fcfs") is rule
        assert serving.rule_for(name.replace(" ", "_"), "fcfs") is rule


def test_without_a_rule_the_policy_decides():
    assert serving.rule_for(None, "fcfs") is serving.last_admitted
    assert serving.rule_for(None, "priority") is serving.priority


def test_a_rule_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"victim must be one of 'last admitted', .* not 'oldest'"):
        serving.rule_for("oldest", "fcfs")
    with pytest.raises(TypeError, match="victim must be a rule's name or a function, not 3"):
        serving.rule_for(3, "fcfs")
    with pytest.raises(
        ValueError, match="victim must return one of the running requests, not 'r0'"
    ):
        chosen(lambda running: running[0].request.id, candidate(0))


def sorting(running):
    running.sort(key=lambda candidate: candidate.cached_tokens)
    return running[0]


def popping(running):
    return running.pop()


def emptying(running):
    del running[1:]
    return running[0]


def writing_a_place(running):
    running[0] = running[-1]
    return running[0]


def writing_a_figure(running):
    running[0].cached_tokens = 0
    return running[0]


def writing_into_a_request(running):
    running[-1].request.priority = 9
    return running[-1]


@pytest.mark.parametrize("serve", [serving.simulate, serving.simulate_plain])
@pytest.mark.parametrize(
    "rule",
    [sorting, popping, emptying, writing_a_place, writing_a_figure, writing_into_a_request],
)
def test_a_rule_cannot_change_what_it_gets(serve, rule):
    requests, config = serving.two(), serving.SchedulerConfig(16, 8, 64, 8)
    with pytest.raises((AttributeError, TypeError)):
        serve(requests, config, serving.RunSettings(victim=rule))
    assert requests == serving.two()


@pytest.mark.parametrize("serve", [serving.simulate, serving.simulate_plain])
@pytest.mark.parametrize(
    "rule",
    [
        len,
        list,
        lambda running: running[9:] or None,
        lambda running: running[0].request,
        lambda running: running[0].request.id,
        lambda running: running[0]._replace(cached_tokens=0),
        lambda running: running[0]._replace(order=99),
    ],
)
def test_an_answer_that_was_not_offered_is_refused(serve, rule):
    with pytest.raises(ValueError, match="victim must return one of the running requests, not "):
        serve(
            serving.two(),
            serving.SchedulerConfig(16, 8, 64, 8),
            serving.RunSettings(victim=rule),
        )


def test_both_engines_offer_a_rule_the_same():
    requests, config = serving.eight(), serving.SchedulerConfig(16, 16, 64, 8)
    offered = []
    for serve in (serving.simulate, serving.simulate_plain):
        seen = []

        def sorted_by_cache(running, seen=seen):
            seen.append(running)
            return sorted(running, key=lambda candidate: candidate.cached_tokens)[0]

        result = serve(requests, config, serving.RunSettings(victim=sorted_by_cache))
        assert result.preemptions == len(seen) > 0
        offered.append(seen)
    assert offered[0] == offered[1]
