"""Code typed and run, hints opened, answers by keyboard alone."""

import pytest
from playwright.sync_api import expect

from preemption.exercises.tasks import TASKS


def cell_of(notebook, name):
    """The code cell in which a function is defined and checked."""
    cells = notebook.page.locator(".jp-CodeCell")
    cell = cells.filter(has_text=f"def {name}(").filter(has_text=f"check({name})")
    cell.scroll_into_view_if_needed()
    return cell


def write(notebook, name, code):
    """Type a solution into the cell of its task and run it; return where the result stands."""
    cell = cell_of(notebook, name)
    notebook.write(cell, f"{code}\n\ncheck({name})")
    return cell.get_by_role("status")


def test_untouched_all_wait(notebook):
    expect(cell_of(notebook, "swap_ms").get_by_role("status")).to_contain_text(
        "swap_ms: not attempted."
    )
    shown = notebook.page.locator(".jp-OutputArea-output", has_text="0 of 5 functions right")
    expect(shown.get_by_role("listitem").first).to_have_text("recompute_ms: not attempted")


def test_a_solution_typed_and_run_is_right(notebook):
    status = write(notebook, "recompute_ms", TASKS["recompute_ms"].solution)
    calls = len(TASKS["recompute_ms"].cases)
    expect(status).to_contain_text(f"recompute_ms: right. All {calls} calls came out right.")
    expect(status).to_contain_text("Progress: 1 of 5 functions right.")


def test_a_wrong_one_is_told_what_is_off(notebook):
    code = "def swap_ms(tokens, size, speed, round_trip=True):\n    return tokens * size / speed\n"
    status = write(notebook, "swap_ms", code)
    expect(status).to_contain_text("swap_ms: wrong.")
    expect(status).to_contain_text("swap_ms(1000, 131072, 25e9) gave 0.00524288: too small.")
    status = write(notebook, "swap_ms", TASKS["swap_ms"].solution)
    expect(status).to_contain_text("swap_ms: right.")


def test_an_endless_loop_is_stopped(notebook):
    status = write(notebook, "pick_victim", "def pick_victim(seqs):\n    while True: pass\n")
    expect(status).to_contain_text("was stopped after 2 s. Is there a loop that never ends?")
    status = write(notebook, "pick_victim", TASKS["pick_victim"].solution)
    expect(status).to_contain_text("pick_victim: right.")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_hint_opens_by_keyboard(notebook, key):
    page = notebook.page
    number = {"Enter": 1, "Space": 2}[key]
    summary = page.get_by_text(f"Hint {number} of 3 for cheaper", exact=True)
    summary.scroll_into_view_if_needed()
    words = page.get_by_text(TASKS["cheaper"].hints[number - 1])
    expect(words).to_be_hidden()
    summary.focus()
    page.keyboard.press(key)
    expect(words).to_be_visible()


def test_a_solution_is_closed_until_it_is_opened(notebook):
    summary = notebook.page.get_by_text("A solution of cheaper", exact=True)
    summary.scroll_into_view_if_needed()
    code = notebook.page.locator("details", has=summary).locator("pre")
    expect(code).to_be_hidden()
    summary.click()
    expect(code).to_have_text(TASKS["cheaper"].solution)


def answer_to(notebook, label):
    """Where the words about an answer stand."""
    box = notebook.page.get_by_label(label, exact=True)
    return notebook.page.locator(".jp-OutputArea-output", has=box).get_by_role("status")


def test_part_1_by_keyboard_alone(notebook):
    keyboard = notebook.page.keyboard
    boxes = {
        "time to recompute (ms)": [("100", "Right: 1,000 tokens at 0.1 ms each.")],
        "time of one copy (ms)": [
            ("5.24", "So far so good. One more decimal, please."),
            ("5.243 ms", "Right: 131,072,000 bytes at 25 GB/s."),
        ],
        "the cheaper way": [("swap", "Right: 10.49 ms against 100 ms.")],
        "time to swap (ms)": [
            ("320", "That is one way. Out and back is asked."),
            ("640", "Right: 1.6 GB at 5 GB/s, out and back."),
        ],
        "the cheaper way here": [("recompute", "Right: 400 ms against 640 ms.")],
    }
    first = notebook.page.get_by_label(next(iter(boxes)), exact=True)
    first.scroll_into_view_if_needed()
    first.focus()
    for label, tries in boxes.items():
        expect(notebook.page.get_by_label(label, exact=True)).to_be_focused()
        expect(answer_to(notebook, label)).to_have_count(0)
        for text, reply in tries:
            keyboard.press("Control+a")
            keyboard.type(text)
            keyboard.press("Enter")
            expect(answer_to(notebook, label)).to_have_text(reply)
        keyboard.press("Tab")  # to the button
        keyboard.press("Tab")  # to the next box


def test_enter_in_an_empty_box_says_what_is_wanted(notebook):
    box = notebook.page.get_by_label("time to swap (ms)", exact=True)
    box.fill("")
    box.press("Enter")
    said = answer_to(notebook, "time to swap (ms)")
    expect(said).to_have_text("The box is empty. Type a number in ms.")
    box.press("Enter")
    expect(said).to_have_text("The box is empty. Type a number in ms.")


def test_the_button_minds_an_empty_box(notebook):
    box = notebook.page.get_by_label("the cheaper way", exact=True)
    box.scroll_into_view_if_needed()
    box.fill("")
    box.press("Tab")
    notebook.page.keyboard.press("Space")
    expect(answer_to(notebook, "the cheaper way")).to_have_text(
        "The box is empty. Type one of the two words: recompute or swap."
    )
