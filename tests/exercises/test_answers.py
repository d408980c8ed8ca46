"""Answers typed by hand: what is right, and a helpful word for what is not."""

import re

import pytest

from preemption import costs
from preemption.exercises import answers
from preemption.exercises.answers import (
    cheaper_way,
    cheaper_way_unseen,
    time_of_one_copy,
    time_to_recompute,
    time_to_swap_unseen,
)

ANSWERS = [
    (time_to_recompute, "100", True, "Right: 1,000 tokens at 0.1 ms each."),
    (time_to_recompute, " 100.0 ", True, "Right"),
    (time_to_recompute, "1e2", True, "Right"),
    (time_to_recompute, "+100.", True, "Right"),
    (time_to_recompute, "0.1", False, "That is in seconds."),
    (time_to_recompute, "10.49", False, "Too small."),
    (time_to_recompute, "1000", False, "Too large."),
    (time_to_recompute, "-100", False, "Too small: a copy or a prefill takes some time."),
    (time_of_one_copy, "5.243", True, "Right: 131,072,000 bytes at 25 GB/s."),
    (time_of_one_copy, "5.2429", True, "Right"),
    (time_of_one_copy, "5.24288", True, "Right, and exact. Three decimals are enough."),
    (time_of_one_copy, "5.24", False, "So far so good. One more decimal, please."),
    (time_of_one_copy, "5.2", False, "So far so good. 2 more decimals, please."),
    (time_of_one_copy, "5", False, "So far so good. 3 more decimals, please."),
    (time_of_one_copy, "5.242", False, "Close. Too small. Is it rounded well?"),
    (time_of_one_copy, "5.25", False, "Close. Too large."),
    (time_of_one_copy, "5.3", False, "Too large."),
    (time_of_one_copy, "10.486", False, "That is out and back. One way is asked."),
    (time_of_one_copy, "10.48576", False, "That is out and back."),
    (time_of_one_copy, "10.49", False, "That is out and back."),
    (time_of_one_copy, "10.5", False, "That is out and back."),
    (time_of_one_copy, "0.005243", False, "That is in seconds. How many ms is it?"),
    (time_of_one_copy, "0.00524288", False, "That is in seconds."),
    (time_of_one_copy, "5243", False, "Too large."),
    (time_of_one_copy, "5,243", False, "Too large. Decimals follow a point, not a comma."),
    (time_of_one_copy, "5.243 ms", True, "Right"),
    (time_of_one_copy, "5.243MS", True, "Right"),
    (time_to_recompute, "100 ms", True, "Right"),
    (time_to_recompute, "-1e99", False, "Too small: a copy or a prefill takes some time."),
    (time_to_recompute, "0", False, "Too small: a copy"),
    (time_to_swap_unseen, "640", True, "Right: 1.6 GB at 5 GB/s, out and back."),
    (time_to_swap_unseen, "640.0 ms", True, "Right"),
    (time_to_swap_unseen, "320", False, "That is one way. Out and back is asked."),
    (time_to_swap_unseen, "0.64", False, "That is in seconds."),
    (time_to_swap_unseen, "10.49", False, "Too small."),
    (cheaper_way_unseen, "recompute", True, "Right: 400 ms against 640 ms."),
    (cheaper_way_unseen, "swap", False, "Compare the two"),
    (cheaper_way, "swap", True, "Right: 10.49 ms against 100 ms."),
    (cheaper_way, "  SWAP ", True, "Right"),
    (cheaper_way, '"Swap".', True, "Right"),
    (cheaper_way, "Recompute", False, "Compare the two"),
]


@pytest.mark.parametrize(("judge", "text", "right", "words"), ANSWERS)
def test_answers(judge, text, right, words):
    is_right, sentence = judge(text)
    assert is_right is right
    assert words in sentence


NO_ANSWERS = [
    (time_of_one_copy, "about 5", "Type a number in ms, not 'about 5'."),
    (time_of_one_copy, "nan", "Type a number in ms"),
    (time_of_one_copy, "inf", "Type a number in ms"),
    (time_of_one_copy, "swap", "Type a number in ms"),
    (time_of_one_copy, "0.005 s", "Type a number in ms, not '0.005 s'."),
    (time_of_one_copy, "5,24", "Type a point before the decimals."),
    (time_to_recompute, "1" * 20_000, "Type a number in ms"),
    (time_to_recompute, " ", "The box is empty. Type a number in ms."),
    (time_to_swap_unseen, "", "The box is empty. Type a number in ms."),
    (cheaper_way, "swapping", "Type one of the two words: recompute or swap."),
    (cheaper_way, "10.49", "one of the two words"),
    (cheaper_way, "\t", "The box is empty. Type one of the two words"),
    (cheaper_way_unseen, "", "The box is empty. Type one of the two words"),
]


@pytest.mark.parametrize(("judge", "text", "words"), NO_ANSWERS)
def test_what_is_no_answer_is_told_what_is_wanted(judge, text, words):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        judge(text)
    assert len(str(caught.value)) < 120


def test_no_word_but_right_ones_gives_an_answer_away():
    for judge, text, right, _ in ANSWERS:
        if not right:
            _, sentence = judge(text)
            assert not re.search(r"\b(100|5\.24|5\.243|640|400)\b", sentence)


def test_the_numbers_are_those_of_the_lesson():
    lesson = answers.LESSON
    numbers = lesson.recompute_ms, lesson.one_way_ms, lesson.round_trip_ms
    assert numbers == (100, 5.24288, 10.48576)
    assert lesson.cheaper == costs.cheaper(
        lesson.tokens, lesson.per_token_bytes, lesson.bandwidth_bytes_per_s
    )


def test_on_the_unseen_machine_the_way_back_decides():
    unseen = answers.UNSEEN
    assert unseen.one_way_ms < unseen.recompute_ms < unseen.round_trip_ms
    assert unseen.cheaper == "recompute" != answers.LESSON.cheaper
