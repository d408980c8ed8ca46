"""What holds of every explorer, at the ends of each of its settings and at random ones."""

import random

import pytest

import preemption
from preemption import explorers
from preemption.page.controls import Lines, Select
from tests.explorers.reading import broken_places, label_texts, page, wrong_numbers

KINDS = [name for name in explorers.__all__ if name.endswith("Explorer")]


def values(setting):
    """The ends of a number and what is next to them; all that can be chosen."""
    if isinstance(setting, Select):
        return [value for _, value in setting.labels()]
    if isinstance(setting, Lines):
        return ["", "a, 0, 1, 1", "no request\nb, 5, 100, 40\nc, 0, 30, 60"]
    return sorted({setting.low, *setting.places[:2], setting.places[-1], setting.high})


def everywhere(explorer):
    """Take an explorer through its settings: each alone, then many at random."""
    known, rng = explorer._known, random.Random(0)
    alone = [{name: value} for name in known for value in values(known[name])]
    mixed = [
        {name: rng.choice(values(known[name])) for name in known if name != "pool"}
        for _ in range(12)
    ]
    for settings in (*alone, *mixed):
        explorer.settings = explorer._defaults()  # as a reset, but nothing is drawn
        try:
            explorer.change(**settings)
        except ValueError:  # settings that do not go together are refused
            continue
        yield settings, explorer
    explorer.reset()


@pytest.mark.parametrize("kind", KINDS)
def test_every_place_is_finite_and_every_number_agrees_with_its_noun(use, kind):
    seen = 0
    for settings, explorer in everywhere(use(getattr(preemption, kind))):
        seen += 1
        assert broken_places(page(explorer)) == [], settings
        assert broken_places(explorer._still.value.split("</style>")[-1]) == [], settings
        texts = [*label_texts(explorer), explorer.verdict, page(explorer)]
        assert wrong_numbers(" | ".join(texts)) == [], settings
    assert seen > 10


def test_the_reading_itself_finds_what_is_wrong():
    assert broken_places('<path d="M1 2Hinf"/><text x="nan" y="3">finite, information</text>') == [
        "M1 2Hinf",
        "nan",
    ]
    for wrong in ("1 cached tokens", "at 1 blocks", "2 token", "1,000 cached token", "0 block"):
        assert wrong_numbers(f"There are {wrong} here"), wrong
    right = "1 cached token, 2 blocks, 1,001 tokens, 0 free blocks, 1 ms, 1.5 copies, 2,048-token"
    assert wrong_numbers(right) == []
