"""Cells of the slot chart are those of the schedules."""

import pytest

from preemption import SlotExplorer, lessons, words
from preemption.explorers.slot_chart import PRESETS
from preemption.serving import continuous_schedule, static_schedule, utilization
from tests.explorers.reading import MAX_BYTES, corners, data, label_texts, page

OWN = {"a": 4, "b": 0, "c": 1, "d": 7, "e": 0, "f": 2}


FULL = dict.fromkeys("abcdef", 8)


def lengths_of(explorer):
    lengths = {name: explorer.settings[name.lower()] for name in "ABCDEF"}
    return {name: length for name, length in lengths.items() if length}


@pytest.mark.parametrize(
    "settings",
    [
        *({"preset": preset} for preset in PRESETS),
        OWN | {"slots": 3},
        FULL | {"slots": 1},
        FULL | {"slots": 4},
        dict.fromkeys("bcdef", 0) | {"a": 1, "slots": 4},
    ],
    ids=str,
)
def test_cells_are_those_of_the_schedules(use, settings):
    explorer = use(SlotExplorer, **settings)
    chart, lengths = explorer.picture, lengths_of(explorer)
    for drawn, schedule, name in (
        (chart.static, static_schedule, "static groups"),
        (chart.continuous, continuous_schedule, "iteration-level admission"),
    ):
        rows = schedule(lengths, explorer.slots)
        table = [list(row) for row in rows]
        found = [[None] * explorer.slots for _ in rows]
        for sequence, boxes in drawn.cells.items():
            for x, y, wide, high in corners(boxes):
                assert (wide, 0 < high < 1) == (1, True)
                found[int(x)][int(y)] = sequence
        assert found == table
        idle = {(int(x), int(y)) for x, y, *_ in corners(drawn.idle)}
        assert idle == {
            (i, slot) for i, row in enumerate(rows) for slot, held in enumerate(row) if held is None
        }
        percent = f"{words.digits(100 * utilization(rows), 3)}%"
        title = drawn._title.get_text()
        assert title.startswith(f"{name}: {words.count(len(rows), 'iteration')}, ")
        assert title.endswith(f"filled, {percent}")
        assert percent in explorer.verdict
        left, right = drawn.axes.get_xlim()
        assert left < 0
        assert right > len(rows)
    saved = len(static_schedule(lengths, explorer.slots)) - len(
        continuous_schedule(lengths, explorer.slots)
    )
    gain = f"{words.count(saved, 'iteration')} saved." if saved else "No gain here."
    assert explorer.verdict.endswith(gain)
    assert len(page(explorer).encode()) < MAX_BYTES


def test_the_chapters_example_is_the_default(use):
    explorer = use(SlotExplorer)
    assert explorer.verdict == (
        "Static groups: 4 iterations, 5 of 8 places filled, 62.5%. Iteration-level admission: "
        "3 iterations, 5 of 6 places filled, 83.3%. 1 iteration saved."
    )


def test_only_sequences_that_run_are_named(use):
    explorer = use(SlotExplorer, **OWN)
    letters = [text for text in label_texts(explorer) if len(text) == 1]
    assert sorted(letters) == ["A", "A", "C", "C", "D", "D", "F", "F"]


@pytest.mark.parametrize("slots", range(1, 5))
@pytest.mark.parametrize("lengths", [OWN, FULL, dict.fromkeys("bcdef", 0) | {"a": 2}], ids=str)
def test_idle_is_said_where_somebody_idles_and_nowhere_else(use, slots, lengths):
    explorer = use(SlotExplorer, **lengths, slots=slots)
    spoken = page(explorer).split("aria-label=")[1].split("Iteration-level admission: slot")
    idle_panels = 0
    for schedule, said in zip((static_schedule, continuous_schedule), spoken, strict=True):
        idles = any(None in row for row in schedule(lengths_of(explorer), slots))
        idle_panels += idles
        assert ("idle" in said) == idles
    named = label_texts(explorer).count("idle")
    assert named <= idle_panels  # in narrow cells there is no room for the word
    if explorer.picture.static.axes.get_xlim()[1] < 10:
        assert named == idle_panels


def test_a_preset_sets_the_numbers_and_other_numbers_name_the_preset(use):
    explorer = use(SlotExplorer)
    explorer._rows["preset"].list.value = "one long, last in line"
    assert lengths_of(explorer) == dict.fromkeys("ABCDE", 1) | {"F": 8}
    assert explorer._rows["f"].box.value == 8
    explorer._rows["c"].slider.value = 3
    assert (explorer.c, explorer.f) == (3, 8)
    assert explorer.preset == explorer._rows["preset"].list.value == "own"
    explorer.change(c=1)
    assert explorer.preset == "one long, last in line"
    explorer._rows["preset"].list.value = "own"  # nothing to set
    assert explorer._rows["preset"].list.value == "one long, last in line"
    explorer.reset()
    assert explorer.preset == "A, B, C"
    assert lengths_of(explorer) == {"A": 2, "B": 1, "C": 2}


def test_numbers_given_with_a_preset_count(use):
    explorer = use(SlotExplorer, preset="equal lengths", slots=4)
    assert (explorer.slots, explorer.f, explorer.preset) == (4, 3, "own")
    explorer.change(preset="equal lengths", f=3)
    assert (explorer.slots, explorer.preset) == (2, "equal lengths")


@pytest.mark.parametrize("preset", ["one long, last in line", "equal lengths", "all fit at once"])
def test_presets_without_any_gain(use, preset):
    assert use(SlotExplorer, preset=preset).verdict.endswith("No gain here.")


@pytest.mark.parametrize(
    ("bad", "error"),
    [({"a": 0}, ValueError), ({"slots": 5}, ValueError), ({"b": 1.5}, ValueError)],
)
def test_bad_numbers_of_slots_and_tokens(use, bad, error):
    explorer = use(SlotExplorer)
    before = dict(explorer.settings), page(explorer)
    with pytest.raises(error, match="must be a whole number"):
        explorer.change(**bad)
    assert (explorer.settings, page(explorer)) == before


def test_guesses_of_iterations_are_drawn_at_the_example_alone():
    guesses = [
        lessons.iterations_of_static_groups(),
        lessons.iterations_with_iteration_level_admission(),
    ]
    explorer = SlotExplorer(guesses=guesses)
    assert "your guess" not in page(explorer)
    for guess, iterations in zip(guesses, (5, 99), strict=True):
        guess.answer(iterations)
    assert {"your guess: 5", "your guess: 99 ▸"} <= set(label_texts(explorer))
    static, continuous = explorer.picture.static.guess, explorer.picture.continuous.guess
    assert data(static.line)[:, 0].tolist() == [5, 5]
    assert [static.line.get_visible(), continuous.line.get_visible()] == [True, False]
    explorer.slots = 3
    assert "your guess" not in page(explorer)
    explorer.reset()
    assert "your guess: 5" in page(explorer)


def test_who_holds_a_slot_is_said_in_its_order(use):
    said = use(SlotExplorer, a=3, b=1, c=3, d=1, e=0, f=0)._words.alternative
    assert "Static groups: slot 1: A 3, C 3; slot 2: B 1, idle 2, D 1, idle 2." in said
    assert "admission: slot 1: A 3, D 1; slot 2: B 1, C 3." in said
