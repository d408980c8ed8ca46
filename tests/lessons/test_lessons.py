"""The questions: each can be answered right, and holds what the package computes."""

import subprocess
import sys

import pytest

from preemption import eviction_overhead, lessons, pick_victim
from preemption.costs import crossover_bandwidth
from preemption.exercises.tasks.try_it_yourself import pick_victims
from preemption.serving import FAULTS
from preemption.studies import PUBLISHED


@pytest.mark.parametrize(
    ("question", "label", "right", "wrong", "hint"),
    [
        (lessons.time_to_recompute(), "time to recompute (ms)", "100", "0.1", "in seconds"),
        (lessons.time_of_one_copy(), "time of one copy (ms)", "5.243", "5.24", "One more"),
        (lessons.cheaper_way(), "the cheaper way", "swap", "recompute", "Compare"),
        (lessons.time_to_swap_unseen(), "time to swap (ms)", "640", "320", "one way"),
        (lessons.cheaper_way_unseen(), "the cheaper way here", "recompute", "swap", "Compare"),
    ],
)
def test_the_answers_by_hand(question, label, right, wrong, hint):
    assert question._control.description == label
    question.commit()
    assert "The box is empty. Type " in question._reply_box.value
    question.answer(wrong)
    assert hint in question._reply_box.value
    assert not question.answered
    question.answer(right)
    assert question.value == right
    assert f"<li>{right}. Right" in question._repr_mimebundle_()["text/html"]


def test_lesson_02_says_what_the_package_says():
    bills = lessons.whose_evictions_cost_more()
    bills.answer("Server Y's")
    assert "right" in bills._reply_box.value
    assert eviction_overhead([(1_000, "swap")] * 3) < eviction_overhead([(1_000, "recompute")])
    quiz = lessons.quiz_on_the_functions()
    for question in quiz.questions:
        question.answer(question._right)
    assert [question.value for question in quiz.questions] == [
        "It returned seconds",
        '"recompute"',
        "On links half as fast, too",
        "Both",
    ]
    both, back = (crossover_bandwidth(131_072, round_trip=trip) for trip in (True, False))
    assert back == both / 2
    # The last one: the smaller goes first though the larger alone would do.
    assert pick_victim({"small": 16, "large": 64}) == "small"
    assert pick_victims({"small": 16, "large": 64}, 4) == ["large"]


def test_the_questions_of_notebook_01_can_be_answered_right():
    for question, right in (
        (lessons.is_eviction_free(), "No"),
        (lessons.what_if_prefill_is_faster(), "To a link ten times as fast"),
        (lessons.how_slow_must_the_link_be(1_000), 2.6),
        (lessons.how_slow_must_the_link_be(10_000), 2.6),
    ):
        question.answer(right)
        assert "right" in question._reply_box.value


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_log_does_next_can_be_answered_right(fault):
    question = lessons.what_will_this_log_do_next(fault)
    question.answer(question._right)
    assert ": right." in question._reply_box.value


def test_an_unknown_fault_is_refused():
    with pytest.raises(ValueError, match='name must be "first chunk"'):
        lessons.what_will_this_log_do_next("unknown")


@pytest.mark.parametrize("name", [name for name in lessons.__all__ if name.startswith("quiz_")])
def test_a_quiz_is_short_and_each_option_has_its_feedback(name):
    quiz = getattr(lessons, name)()
    assert 3 <= len(quiz.questions) <= 5
    for question in quiz.questions:
        assert all(question._of_option.values())
        question.answer(question._right)
        assert ": right." in question._reply_box.value


def test_the_questions_are_there_at_once_and_nothing_is_simulated():
    """A question computes its numbers when it is asked, not when the door opens."""
    command = """
from preemption import serving, studies

for door in (serving, studies):
    for name in {"simulate", "simulate_plain", *studies.__all__} & vars(door).keys():
        setattr(door, name, None)
from preemption import lessons
lessons.is_eviction_free()
try:
    lessons.longest_gap()
except TypeError:
    print("asked only now")
"""
    said = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert said.stdout.strip() == "asked only now", said.stderr


def test_the_questions_on_published_results_hold_their_figures():
    for question, right, figures in (
        (lessons.what_does_a_watermark_cost(), None, ("1,065", "400", "12,134", "11.8 s")),
        (lessons.does_caching_keep_the_order_of_victims(), None, ("0.92", "1.35", "0.95")),
        (lessons.what_does_a_preempted_request_wait_for(), None, ("4.7", "2,100")),
        (lessons.how_far_does_generation_fall(), 8.5, ("91", "8.44", "8.67")),
        (lessons.how_large_does_the_tax_get(), 79, ("2,800", "1,600", "32.2%", "400", "78.8")),
        (lessons.what_do_smaller_blocks_do(), None, ("0.75", "6.1")),
        (lessons.what_does_a_watermark_do_here(), None, ("36 times", "6.7", "7.2 s")),
        (lessons.what_do_whole_prompts_spoil(), None, ("0.53", "0.68", "0.76", "0.14")),
    ):
        asked = question.children[0].value
        question.answer(right or question._right)
        assert "right" in question._reply_box.value
        assert all(figure in asked + question._reply_box.value for figure in figures)
    before, _, after, _ = PUBLISHED["cliff"].figures["TTFT p99 (ms)"]
    assert f"{after / before:.1f}" == "4.7"
