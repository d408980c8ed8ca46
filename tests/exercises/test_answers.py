"""Answers typed by hand: what is right, and a helpful word for what is not."""

import pytest

from preemption.exercises import answers
from preemption.exercises.answers import cheaper_way, time_of_one_copy, time_to_recompute

ANSWERS = [
    (time_to_recompute, "100", True, "Right: 1,000 tokens at 0.1 ms each."),
    (time_to_recompute, " 100.0 ", True, "Right"),
    (time_to_recompute, "1e2", True, "Right"),
    (time_to_recompute, "+100.", True, "Right"),
    (time_to_recompute, "0.1", False, "That is in seconds."),
    (time_to_recompute, "10.49", False, "Too small."),
    (time_to_recompute, "1000", False, "Too large."),
    (time_to_recompute, "-100", False, "Too small."),
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
    (time_of_one_copy, "5,243", False, "Type a point before the decimals, and no commas."),
    (
        time_of_one_copy,
        "5.243 ms",
        False,
        "Type the number alone, in ms, without its unit.",
    ),
    (time_of_one_copy, "5.243ms", False, "without its unit"),
    (time_of_one_copy, "about 5", False, "Type a number, such as 12.5."),
    (time_of_one_copy, "nan", False, "Type a number"),
    (time_of_one_copy, "inf", False, "Type a number"),
    (time_of_one_copy, "swap", False, "Type a number"),
    (cheaper_way, "swap", True, "Right: 10.49 ms against 100 ms."),
    (cheaper_way, "  SWAP ", True, "Right"),
    (cheaper_way, '"Swap".', True, "Right"),
    (cheaper_way, "Recompute", False, "Compare the two"),
    (cheaper_way, "swapping", False, "Type one of the two words: recompute or swap."),
    (cheaper_way, "10.49", False, "one of the two words"),
]


@pytest.mark.parametrize(("judge", "text", "right", "words"), ANSWERS)
def test_answers(judge, text, right, words):
    is_right, sentence = judge(text)
    assert is_right is right
    assert words in sentence


@pytest.mark.parametrize("judge", dict.fromkeys(row[0] for row in ANSWERS))
@pytest.mark.parametrize("text", ["", "  ", "\t"])
def test_an_empty_box_is_told(judge, text):
    assert judge(text) == (False, "The box is empty. Type your answer.")


def test_no_word_but_right_ones_gives_an_answer_away():
    for judge, text, right, _ in ANSWERS:
        if not right:
            _, sentence = judge(text)
            assert not any(number in sentence for number in ("100", "5.24", "5.243"))


def test_the_numbers_are_those_of_the_lesson():
    numbers = answers.RECOMPUTE_MS, answers.ONE_WAY_MS, answers.ROUND_TRIP_MS
    assert numbers == (100, 5.24288, 10.48576)
