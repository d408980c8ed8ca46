"""Every text of every explorer is inside its picture, on no other text and on no marker."""

import random
from functools import partial
from itertools import combinations

import pytest
from matplotlib.backends.backend_agg import RendererAgg

from preemption import (
    AttentionExplorer,
    BlockExplorer,
    ChunkExplorer,
    CostExplorer,
    CrossoverMapExplorer,
    LoadExplorer,
    MachineExplorer,
    MixExplorer,
    SlotExplorer,
)
from preemption.figures import quick
from preemption.page.controls import Select

TRIES = 40
TOLERANCE_PX = 1.5  # matplotlib's own measure rounds to whole pixels


class Guess:
    """A numeric question that is answered."""

    answered = True

    def __init__(self, value, subject=""):
        self.value, self.subject = value, subject

    def observe(self, *_):
        pass


def guessed(kind, *values, **settings):
    subjects = ["", "the second one"]
    guesses = [Guess(*each) for each in zip(values, subjects, strict=False)]
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
    "slots": SlotExplorer,
    "slots, guessed": guessed(SlotExplorer, 3.0, 400.0),
    "chunks": ChunkExplorer,
    "chunks, guessed": guessed(ChunkExplorer, 1_000_000.0),
    "attention": AttentionExplorer,
    "load": LoadExplorer,
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
    "costs": [{"ms_per_token": 2.6}, {"ms_per_token": 10.0, "tokens": 131_072}],
}


def any_value(setting, chance):
    if isinstance(setting, Select):
        return chance.choice([value for _, value in setting.labels()])
    return chance.choice([setting.low, setting.high, *setting.places])


def settings_of(name, explorer, seed):
    chance = random.Random(seed)
    yield {}
    yield from FAULTS.get(name, [])
    for _ in range(TRIES):
        names = [row for row in explorer._rows if row != "preset"]
        yield {row: any_value(explorer._known[row], chance) for row in names}


def boxes(explorer, narrow):
    """Return the size of the picture, what stands where in it, and how many labels have no spot."""
    picture = explorer.picture
    picture.arrange(narrow=narrow)
    width, height = (side * 72 for side in picture.figure.get_size_inches())
    renderer = RendererAgg(width, height, 72)
    shown = [artist for artist in picture.moving if artist.get_visible()]
    labels = [artist for artist in shown if isinstance(artist, quick.Label) and artist.get_text()]
    texts = [(text, *box) for text, box in explorer.written[narrow]]
    lost = []
    with picture.viewed(narrow=narrow):
        for label in labels:
            x, y, align, text = label.spot
            if not text:
                lost += [label.get_text()] if label.has_room() else []
                continue
            wide = max(
                renderer.get_text_width_height_descent(line, label.get_fontproperties(), False)[0]
                for line in text.split("\n")
            )
            left = x - {"left": 0, "center": wide / 2, "right": wide}[align]
            size = label.get_fontsize()
            lines = text.count("\n") * 1.25
            texts.append((text, left, y - 0.2 * size, left + wide, y + (0.72 + lines) * size))
        markers = [
            (artist.get_marker(), x - half, y - half, x + half, y + half)
            for artist in shown
            if isinstance(artist, quick.Points)
            for half in [artist.get_markersize() / 2 - 1]
            for x, y, *_ in sum(artist.places(), [])
        ]
    picture.arrange(narrow=False)
    return (width, height), texts, len(labels) and texts[-len(labels) + len(lost) :], markers, lost


def overlap(one, other):
    (_, a, b, c, d), (_, e, f, g, h) = one, other
    return min(c, g) - max(a, e) > TOLERANCE_PX and min(d, h) - max(b, f) > TOLERANCE_PX


@pytest.fixture
def written(monkeypatch):
    """Let an explorer note which texts its still layer has, and where."""
    from preemption.page import canvas

    draw, notes = canvas._Renderer.draw_text, []

    def noted(self, gc, x, y, s, *args, **kwargs):
        draw(self, gc, x, y, s, *args, **kwargs)
        notes.append((s, self.texts[-1]))

    monkeypatch.setattr(canvas._Renderer, "draw_text", noted)
    return notes


@pytest.mark.parametrize("name", KINDS)
def test_every_text_has_its_place(name, written, subtests=None):
    explorer = KINDS[name]()
    found = []
    for settings in settings_of(name, explorer, name):
        explorer.reset()
        explorer.change(**settings)
        written.clear()
        explorer.written = {}
        for narrow in (True, False):
            explorer._canvas._still(narrow)
            explorer.written[narrow] = list(written)
            written.clear()
        for narrow in (True, False):
            (width, height), texts, labels, markers, lost = boxes(explorer, narrow)
            at = (settings, narrow)
            found += [(*at, "lost", text) for text in lost]
            for text, left, bottom, right, top in texts:
                if min(left, bottom, width - right, height - top) < -TOLERANCE_PX:
                    found.append((*at, "outside", text))
            for one, other in combinations(texts, 2):
                if overlap(one, other):
                    found.append((*at, "on", one[0], other[0]))
            for label in labels or []:
                found += [(*at, "marker", label[0], m[0]) for m in markers if overlap(label, m)]
    assert not found, f"{len(found)}: " + "\n".join(map(str, found[:12]))
