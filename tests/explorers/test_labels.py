"""Every text of every explorer is inside its picture, on no other text and on no marker."""

import random
from functools import partial
from itertools import chain, combinations, product

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg

from preemption import (
    AttentionExplorer,
    BlockExplorer,
    ChunkExplorer,
    CostExplorer,
    CrossoverMapExplorer,
    FaultExplorer,
    LoadExplorer,
    MachineExplorer,
    MixExplorer,
    OverflowExplorer,
    PoolExplorer,
    SlotExplorer,
    eviction_timeline,
    open_costs,
    recorded_machine,
)
from preemption.figures import quick
from preemption.page import canvas
from preemption.page.controls import Lines, Select
from preemption.page.questions import NumericGuess

TRIES = 12
TOLERANCE_PX = 1.5
FINE = 10  # matplotlib rounds to pixels, so that it is asked about text of ten times the size


def answered(value, subject):
    guess = NumericGuess("How many?", truth=1.0, unit="ms", because="So.", subject=subject)
    guess.answer(value)
    return guess


def guessed(kind, *values, **settings):
    subjects = ["", "the second one"]
    guesses = [answered(*each) for each in zip(values, subjects, strict=False)]
    return partial(kind, guesses=guesses, **settings)


KINDS = {
    "costs": CostExplorer,
    "costs, guessed": guessed(CostExplorer, 2.62, 2.7),
    "costs, guessed beyond the axis": guessed(CostExplorer, 0.01, 5_000.0),
    "machine": MachineExplorer,
    "machine, guessed": guessed(MachineExplorer, 0.1, 1_000.0),
    "linear": guessed(MachineExplorer, 30.0, linear=True),
    "map": CrossoverMapExplorer,
    "blocks": BlockExplorer,
    "mix": MixExplorer,
    "mix, guessed": guessed(MixExplorer, 99.0),
    "overflow": OverflowExplorer,
    "pool": PoolExplorer,
    "two pools": partial(PoolExplorer, beside=True),
    "slots": SlotExplorer,
    "slots, guessed": guessed(SlotExplorer, 3.0, 400.0),
    "chunks": ChunkExplorer,
    "chunks, guessed": guessed(ChunkExplorer, 1_000_000.0),
    "attention": AttentionExplorer,
    "load": LoadExplorer,
    "faults": FaultExplorer,
    "load, guessed": guessed(LoadExplorer, 5.0),
    "load, guessed beyond the axis": guessed(LoadExplorer, 20.0),
}
FAULTS = {
    "blocks": [
        {
            "launch_us": 23.0,
            "link": "NVMe (PCIe 4.0 x4)",
            "model": "Llama-2-7B",
            "tokens": 1_000_000,
            "block_tokens": 111,
        }
    ],
    "linear": [{"device": "CPU (Xeon 8480+)"}],
    "faults": [
        {"fault": fault, "engine": engine, "iteration": iteration}
        for fault, engine, last in (
            ("first chunk", "broken", 66),
            ("freed late", "broken", 66),
            ("newcomers", "broken", 154),
            ("newcomers", "mended", 171),
            ("cached victim", "mended", 4),
        )
        for iteration in (0, 1, 3, last // 8, last // 3, last // 2, last)
        if iteration <= last
    ],
    "costs": [{"ms_per_token": 2.6}, {"ms_per_token": 10.0, "tokens": 131_072}],
}


def any_value(setting, chance):
    if isinstance(setting, Lines):
        return chance.choice([setting.default, "b, 0, 100, 40\nc, 0, 30, 60\nnobody"])
    if isinstance(setting, Select):
        return chance.choice([value for _, value in setting.labels()])
    return chance.choice([setting.low, setting.high, *setting.places])


def settings_of(name, explorer, seed):
    chance = random.Random(seed)
    yield {}
    yield from FAULTS.get(name, [])
    for _ in range(TRIES):
        names = [row for row in explorer._rows if row not in ("preset", "load")]
        yield {row: any_value(explorer._known[row], chance) for row in names}


def labels_and_markers(picture, narrow):
    """Return the size of a picture, labels and markers with their boxes, and labels left out."""
    shown = [artist for artist in picture.moving if artist.get_visible()]
    texts, lost = [], []
    with picture.viewed(narrow=narrow) as view:
        renderer = RendererAgg(*view.size, 72 * FINE)
        for label in shown:
            if not isinstance(label, quick.Label) or not label.get_text() or not label.has_room():
                continue
            x, y, align, text = label.spot
            if not text:
                lost.append(label.get_text())
                continue
            font = label.get_fontproperties()
            measured = [
                np.array(renderer.get_text_width_height_descent(line, font, False)) / FINE
                for line in text.split("\n")
            ]
            wide = max(each[0] for each in measured)
            left = x - {"left": 0, "center": wide / 2, "right": wide}[align]
            down, up = measured[-1][2], measured[0][1] - measured[0][2]
            up += (len(measured) - 1) * quick.LINE * label.get_fontsize()
            texts.append((text, left, y - down, left + wide, y + up))
        markers = [
            (artist.get_marker(), x - half, y - half, x + half, y + half)
            for artist in shown
            if isinstance(artist, quick.Points)
            for half in [artist.get_markersize() / 2]
            for x, y, *_ in chain(*artist.places())
        ]
    return view.size, texts, markers, lost


def overlap(one, other):
    (_, a, b, c, d), (_, e, f, g, h) = one, other
    return min(c, g) - max(a, e) > TOLERANCE_PX and min(d, h) - max(b, f) > TOLERANCE_PX


@pytest.fixture
def written(monkeypatch):
    """Return what the still layer of a picture says and where, by picture and narrow or wide."""
    said, notes = {}, []
    write, draw = canvas._Renderer.draw_text, canvas.Canvas._still

    def noted(self, gc, x, y, s, *args, **kwargs):
        write(self, gc, x, y, s, *args, **kwargs)
        notes.append((s, *self.texts[-1]))

    def drawn(self, narrow):
        notes.clear()
        svg = draw(self, narrow)
        said[self._picture, narrow] = list(notes)
        return svg

    monkeypatch.setattr(canvas._Renderer, "draw_text", noted)
    monkeypatch.setattr(canvas.Canvas, "_still", drawn)
    return said


def faults(picture, narrow, still):
    """Return the texts that are outside of a picture, on another one or on a marker, or lost."""
    (width, height), labels, markers, lost = labels_and_markers(picture, narrow)
    texts = still + labels
    for text in lost:
        yield "lost", text
    for text, left, bottom, right, top in texts:
        if min(left, bottom, width - right, height - top) < -TOLERANCE_PX:
            yield "outside", text
    for one, other in combinations(texts, 2):
        if overlap(one, other):
            yield "on another", one[0], other[0]
    for label, marker in product(labels, markers):
        if overlap(label, marker):
            yield "on a marker", label[0]


@pytest.mark.parametrize("name", KINDS)
def test_every_text_has_its_place(name, written):
    explorer = KINDS[name]()
    found = []
    for settings in settings_of(name, explorer, name):
        try:
            explorer.change(**explorer._defaults() | settings)
        except ValueError:  # settings that do not go together are refused
            continue
        for narrow in (True, False):
            still = written[explorer.picture, narrow]
            found += [
                (settings, narrow, *fault) for fault in faults(explorer.picture, narrow, still)
            ]
    assert not found, f"{len(found)}: " + "\n".join(map(str, found[:5]))


@pytest.mark.usefixtures("published_only")
def test_a_slow_machine_of_ones_own_has_its_place_on_the_map(written):
    recorded_machine()
    explorer = CrossoverMapExplorer()
    for narrow in (True, False):
        still = written[explorer.picture, narrow]
        assert any("recorded" in text for text, *_ in still)
        assert not list(faults(explorer.picture, narrow, still))


@pytest.mark.parametrize("kind", [open_costs, eviction_timeline])
def test_every_text_of_a_picture_that_does_not_move_has_its_place(kind, written):
    kind()
    for (picture, narrow), still in written.items():
        assert not list(faults(picture, narrow, still)), narrow
    assert len(written) == 2
