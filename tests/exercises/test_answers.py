"""Answers typed by hand: what is right, and a helpful word for what is not."""

import pytest

from preemption.exercises.answers import (
    ONE_WAY_MS,
    QUESTIONS,
    RECOMPUTE_MS,
    ROUND_TRIP_MS,
    check_answer,
)

ANSWERS = [
    ("recompute", "100", "right", "Right: 1,000 tokens at 0.1 ms each."),
    ("recompute", " 100.0 ", "right", "Right"),
    ("recompute", "1e2", "right", "Right"),
    ("recompute", "+100.", "right", "Right"),
    ("recompute", "0.1", "wrong", "That is in seconds."),
    ("recompute", "10.49", "wrong", "Too small."),
    ("recompute", "1000", "wrong", "Too large."),
    ("recompute", "-100", "wrong", "Too small."),
    ("copy", "5.243", "right", "Right: 131,072,000 bytes at 25 GB/s."),
    ("copy", "5.2429", "right", "Right"),
    ("copy", "5.24288", "right", "Right, and exact. Three decimals are enough."),
    ("copy", "5.24", "not yet", "So far so good. One more decimal, please."),
    ("copy", "5.2", "not yet", "So far so good. 2 more decimals, please."),
    ("copy", "5", "not yet", "So far so good. 3 more decimals, please."),
    ("copy", "5.242", "wrong", "Close. Too small. Is it rounded well?"),
    ("copy", "5.25", "wrong", "Close. Too large."),
    ("copy", "5.3", "wrong", "Too large."),
    ("copy", "10.486", "wrong", "That is out and back. One way is asked."),
    ("copy", "10.48576", "wrong", "That is out and back."),
    ("copy", "10.49", "wrong", "That is out and back."),
    ("copy", "10.5", "wrong", "That is out and back."),
    ("copy", "0.005243", "wrong", "That is in seconds. How many ms is it?"),
    ("copy", "0.00524288", "wrong", "That is in seconds."),
    ("copy", "5243", "wrong", "Too large."),
    ("copy", "5,243", "not yet", "Type a point before the decimals, and no commas."),
    ("copy", "5.243 ms", "not yet", "Type the number alone, in ms, without its unit."),
    ("copy", "5.243ms", "not yet", "without its unit"),
    ("copy", "about 5", "not yet", "Type a number, such as 12.5."),
    ("copy", "nan", "not yet", "Type a number"),
    ("copy", "inf", "not yet", "Type a number"),
    ("copy", "swap", "not yet", "Type a number"),
    ("cheaper", "swap", "right", "Right: 10.49 ms against 100 ms."),
    ("cheaper", "  SWAP ", "right", "Right"),
    ("cheaper", '"Swap".', "right", "Right"),
    ("cheaper", "Recompute", "wrong", "Compare the two"),
    ("cheaper", "swapping", "not yet", "Type one of the two words: recompute or swap."),
    ("cheaper", "10.49", "not yet", "one of the two words"),
]


@pytest.mark.parametrize(("question", "text", "outcome", "words"), ANSWERS)
def test_answers(question, text, outcome, words):
    verdict = check_answer(question, text)
    assert verdict.outcome == outcome
    assert words in verdict.words


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("text", ["", "  ", "\t"])
def test_an_empty_box_is_not_attempted(question, text):
    verdict = check_answer(question, text)
    assert verdict.outcome == "not attempted"
    assert verdict.words == "The box is empty. Type your answer."


def test_no_word_but_right_ones_gives_an_answer_away():
    for question, text, outcome, _ in ANSWERS:
        if outcome != "right":
            words = check_answer(question, text).words
            assert not any(number in words for number in ("100", "5.24", "5.243"))


def test_the_numbers_are_those_of_the_lesson():
    assert (RECOMPUTE_MS, ONE_WAY_MS, ROUND_TRIP_MS) == (100, 5.24288, 10.48576)


def test_another_question_is_refused():
    with pytest.raises(ValueError, match="recompute, copy, cheaper, not 'swap'"):
        check_answer("swap", "1")
