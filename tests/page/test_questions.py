"""Questions: committed once, refused when bad, open only afterwards."""

import asyncio
import math
import re
import threading
import time

import pytest

from preemption.page import questions
from preemption.page.questions import Choice, NumericGuess, Quiz, TypedAnswer, together


@pytest.fixture
def choice():
    return Choice("Is it?", {"No": "Because <no>.", "Yes": "Not quite."}, right="No", because="So.")


@pytest.fixture
def guess():
    return NumericGuess("How many?", truth=2.62144, unit="GB/s", because="So.", subject="1 token")


def test_nothing_is_chosen_and_nothing_open_at_first(choice, guess):
    assert choice._control.value is None
    assert choice._reply_box.value == guess._reply_box.value == ""
    assert not choice.answered
    assert choice.value is guess.value is None


@pytest.mark.parametrize(("option", "reply"), [("No", "No: right."), ("Yes", "Yes: not quite.")])
def test_committing_opens_the_answer_and_the_choice_stays(choice, option, reply):
    choice.answer(option)
    assert choice.answered
    assert choice.value == choice._control.value == option
    assert reply in choice._reply_box.value
    assert "So." in choice._reply_box.value
    assert 'role="status"' in choice._reply_box.value
    assert "Because &lt;no&gt;." in choice._reply_box.value
    assert choice._control.disabled
    with pytest.raises(ValueError, match=f"already answered: {option}"):
        choice.answer("No")
    assert choice.value == option


def test_the_first_answer_stays_while_another_thread_answers(choice):
    refused = []

    def answer_too():
        try:
            choice.answer("No")
        except ValueError as error:
            refused.append(str(error))

    second = threading.Thread(target=answer_too)

    def meanwhile(_):
        choice._reply_box.unobserve(meanwhile, "value")
        second.start()
        second.join(0.2)
        assert second.is_alive(), "the second answer did not wait for the end of the first"

    choice._reply_box.observe(meanwhile, "value")
    choice.answer("Yes")
    second.join()
    assert refused == ["already answered: Yes. The first answer stays."]
    assert choice.value == choice._control.value == "Yes"


@pytest.mark.parametrize("bad", ["no", "", None, 1, ["No"]])
def test_an_unknown_option_is_refused(choice, bad):
    with pytest.raises(ValueError, match="one of"):
        choice.answer(bad)
    assert not choice.answered
    assert choice._reply_box.value == ""


def test_committing_without_a_choice_says_so(choice):
    choice.commit()
    assert "Choose an option first" in choice._reply_box.value
    assert not choice.answered
    choice._control.value = "Yes"
    choice.commit()
    assert choice.value == "Yes"


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        (2.62144, "right, within 10%"),
        (2.8, "right, within 10%"),
        (26.2144, "10 times too high"),
        (1.31072, "2 times too low"),
        (1.1 * 2.62144, "right, within 10%"),
        (0.9 * 2.62144, "right, within 10%"),
        (1.1 * 2.62, "right, within 10%"),
        (0.9 * 2.62, "right, within 10%"),
        (1.11 * 2.62144, "1.11 times too high"),
        (0.89 * 2.62144, "1.12 times too low"),
    ],
)
def test_a_guess_is_measured_against_the_truth(guess, value, reply):
    guess.answer(value)
    assert guess.value == value
    assert reply in guess._reply_box.value
    assert "It is 2.62 GB/s. So." in guess._reply_box.value
    with pytest.raises(ValueError, match="already answered"):
        guess.answer(value)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, 10**400, 5e-324, 1e300])
def test_a_guess_out_of_range_is_refused(guess, bad):
    with pytest.raises(ValueError, match=re.escape(str(bad))):
        guess.answer(bad)
    assert not guess.answered


@pytest.mark.parametrize("bad", ["5", None, True, [5]])
def test_a_guess_of_a_wrong_type_is_refused(guess, bad):
    with pytest.raises(TypeError, match="must be a number"):
        guess.answer(bad)
    assert not guess.answered


def test_no_guess_is_off_by_what_is_allowed():
    for tolerance in (0.1, 0.15, 0.2):
        for truth in (0.7, 2.62144, 33, 1e4 / 3, 524288):
            for factor in (1 + tolerance, 1 - tolerance):
                asked = NumericGuess("?", truth=truth, unit="ms", because="", tolerance=tolerance)
                asked.answer(factor * truth)
                assert ": right, within" in asked._reply_box.value


@pytest.mark.parametrize("typed", ["5", " 5 ", "5 GB/s", "5GB/s", "5.0", "5e0", "5 gb/s"])
def test_typing_a_guess(guess, typed):
    guess._control.value = typed
    guess.commit()
    assert guess.value == 5


def test_thousands_may_have_commas_and_decimals_may_not(guess):
    for typed in ("2,62", "1,2", "10,00", "1,0000"):
        guess._control.value = typed
        guess.commit()
        assert "Type a point before the decimals." in guess._reply_box.value
    guess._control.value = "1,234,567.5"
    guess.commit()
    assert guess.value == 1_234_567.5


def test_enter_commits_a_guess(guess):
    guess._control.value = "5"
    guess._control._handle_custom_msg({"event": "other"}, [])
    assert not guess.answered
    guess._control._handle_custom_msg({"event": "submit"}, [])
    guess._control._handle_custom_msg({"event": "submit"}, [])
    assert guess.value == 5
    assert "already" not in guess._reply_box.value


def test_what_is_right_looks_right():
    looks = []
    for answer in ("No", "Yes"):
        question = Choice("?", {"No": "", "Yes": ""}, right="No")
        question.answer(answer)
        looks.append("pe-right" in question._reply_box.value)
    for value in (1.0, 2.0):
        question = NumericGuess("?", truth=1.0, unit="ms", because="")
        question.answer(value)
        looks.append("pe-right" in question._reply_box.value)
    assert looks == [True, False, True, False]


@pytest.mark.parametrize("typed", ["", "five", "5 ms", "-3", "nan", "<b>"])
def test_a_typed_guess_that_is_none_is_told_kindly(guess, typed):
    guess._control.value = typed
    guess.commit()
    assert not guess.answered
    assert re.search("guess must be|Type a number in GB/s", guess._reply_box.value)
    assert "<b>" not in guess._reply_box.value


def test_a_very_long_number_is_refused_at_once(guess):
    before = time.monotonic()
    for text in ("1" * 20_000, "1" * 20_000 + "x", ",".join(["111"] * 9_999), "." * 20_000):
        guess._control.value = text
        guess.commit()
        assert "Type a number in GB/s" in guess._reply_box.value
        assert len(guess._reply_box.value) < 1_000
    assert time.monotonic() - before < 1
    assert not guess.answered


def test_an_error_of_an_observer_does_not_replace_the_answer(choice, guess, typed):
    def fail(_change):
        raise LookupError("<not mine>")

    for question, right in ((choice, "No"), (guess, "2.62"), (typed, "so")):
        question.observe(fail, "value")
        question._control.value = right  # which a typed answer takes at once
        if not question.answered:
            question.commit()
        assert question.answered
        assert re.search("[Rr]ight|so &lt;b&gt;", question._reply_box.value)
        assert "failed: LookupError (&lt;not mine&gt;)" in question._reply_box.value


def test_in_code_the_error_of_an_observer_is_raised_and_the_answer_is_open(choice):
    choice.observe(lambda _: 1 / 0, "value")
    with pytest.raises(ZeroDivisionError):
        choice.answer("No")
    assert choice.value == "No"
    assert "Because &lt;no&gt;." in choice._reply_box.value


def test_enter_in_an_empty_box_says_what_is_wanted(guess, typed):
    for question in (guess, typed):
        question._control._handle_custom_msg({"event": "submit"}, [])
    assert "The box is empty. Type a number in GB/s." in guess._reply_box.value
    assert 'role="status"' in typed._reply_box.value


def test_a_judge_that_refuses_is_shown():
    def judge(text):
        raise ValueError(f"<{text}> is no answer")

    refusing = TypedAnswer("?", label="a", judge=judge, right="x")
    refusing._control.value = "y"
    assert "&lt;y&gt; is no answer" in refusing._reply_box.value
    with pytest.raises(ValueError, match="<z> is no answer"):
        refusing.answer("z")


def test_value_can_be_observed_and_not_set(guess):
    seen = []
    guess.observe(lambda change: seen.append(change["new"]), "value")
    guess.answer(5)
    assert seen == [5]
    with pytest.raises(Exception, match="read-only"):
        guess.value = 6


def test_the_right_option_must_be_an_option():
    with pytest.raises(ValueError, match="'Maybe'"):
        Choice("Is it?", {"No": ""}, right="Maybe")


def test_what_is_saved_without_a_kernel(choice, guess):
    for question in (choice, guess):
        data = question._repr_mimebundle_()
        assert data["text/plain"].startswith(question._question)
        assert "<details><summary>answer</summary>" in data["text/html"]
        assert "So." not in data["text/plain"]
        assert "So." in data["text/html"]
    quiz = Quiz([choice])._repr_mimebundle_()
    assert choice._question in quiz["text/plain"]
    assert "&lt;no&gt;" in quiz["text/html"]


@pytest.fixture
def typed():
    return TypedAnswer(
        "Which?", label="a <word>", judge=lambda text: (text == "so", f"{text} <b>"), right="so"
    )


def test_a_typed_answer_may_be_tried_until_it_is_right_and_after(typed):
    assert typed._reply_box.value == ""
    for text, right in (("no", False), ("so", True), ("no", False), ("so", True)):
        typed.answer(text)
        assert typed._control.value == text
        assert f"{text} &lt;b&gt;" in typed._reply_box.value
        assert ("pe-right" in typed._reply_box.value) == right
    assert typed.answered
    assert typed.value == "so"
    assert not typed._control.disabled


def test_a_wrong_answer_is_no_answer(typed):
    typed.answer("no")
    assert not typed.answered


def test_a_box_tells_its_text_whole(typed):
    """Not key by key: with a busy kernel, a click could come before the last keys."""
    assert typed._control.continuous_update is False


def test_the_box_tells_its_text_at_once_and_the_button_again(typed):
    typed._control.value = "so"
    assert typed.value == "so"
    typed._reply_box.value = ""
    typed._button.click()
    assert "so &lt;b&gt;" in typed._reply_box.value


def test_a_typed_answer_without_a_kernel(typed):
    data = typed._repr_mimebundle_()
    assert data["text/plain"] == "Which?\na <word>: ____"
    assert "<details><summary>answer</summary><ul><li>so. so &lt;b&gt;</li>" in data["text/html"]


def test_impossible_guesses_leave_the_question_open():
    count = NumericGuess("How many?", truth=3, unit="iterations", because="So.", tolerance=0)
    with pytest.raises(ValueError, match=r"must be a whole number, not 2\.5"):
        count.answer(2.5)
    share = NumericGuess("Which share?", truth=33, unit="%", because="So.", most=100)
    with pytest.raises(ValueError, match=r"must be at most 100 %, not 150"):
        share.answer(150)
    assert count.value is share.value is None
    count.answer(3)
    assert "You guessed 3 iterations: right." in count._reply_box.value
    share.answer(100)
    assert "3 times too high" in share._reply_box.value


def test_enter_waits_for_the_text_that_comes_after_it(guess):
    async def enter():
        guess._control._handle_custom_msg({"event": "submit"}, [])
        assert not guess.answered
        guess._control.value = "2.62"
        assert guess.value == 2.62

    asyncio.run(enter())


def test_one_of_a_kind_has_no_plural():
    one = NumericGuess("How many?", truth=1, unit="blocks", because="So.", tolerance=0)
    one.answer(1)
    assert "You guessed 1 block: right." in one._reply_box.value
    assert "It is 1 block. So." in one._reply_box.value


def test_a_click_that_overtakes_its_text_waits_for_it(guess, monkeypatch):
    monkeypatch.setattr(questions, "_TEXT_S", 0.05)

    async def click():
        guess._control.value = "ten"
        guess._button.click()  # the text has just come, so nothing is waited for
        assert "Type a number" in guess._reply_box.value
        await asyncio.sleep(0.1)
        guess._button.click()
        assert not guess.answered
        guess._control.value = "2.62"
        assert guess.value == 2.62

    asyncio.run(click())


def test_a_click_alone_commits_to_the_text_that_is_here(guess, monkeypatch):
    monkeypatch.setattr(questions, "_TEXT_S", 0.01)

    async def click():
        guess._control.value = "5"
        await asyncio.sleep(0.05)
        guess._button.click()
        assert not guess.answered
        await asyncio.sleep(0.1)

    asyncio.run(click())
    assert guess.value == 5


def test_enter_alone_commits_to_the_text_that_is_here(guess, monkeypatch):
    monkeypatch.setattr(questions, "_TEXT_S", 0.01)

    async def enter():
        guess._control.value = "5"
        assert not guess.answered, "leaving the box is no answer"
        guess._control._handle_custom_msg({"event": "submit"}, [])
        await asyncio.sleep(0.1)

    asyncio.run(enter())
    assert guess.value == 5


def test_answers_that_give_one_another_away_open_together():
    pair = together(
        *(NumericGuess("How many?", truth=2.62144, unit="GB/s", because="So.") for _ in range(2))
    )
    pair[0].answer(8)
    assert questions.WAITS in pair[0]._reply_box.value
    assert pair[1]._reply_box.value == ""
    pair[1].answer(2.62)
    assert "3.1 times too high" in pair[0]._reply_box.value
    assert "right, within 10%" in pair[1]._reply_box.value
    assert [guess.value for guess in pair] == [8, 2.62]
