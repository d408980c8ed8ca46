"""What all explorers of machines do, and the map."""

import asyncio
import html
import re
from dataclasses import replace

import pytest

from preemption import BlockExplorer, CrossoverMapExplorer, MachineExplorer, MixExplorer
from preemption.costs import DEVICES, LINKS, MODELS, Link
from tests.explorers.machines import MACHINES, OPT
from tests.explorers.reading import MAX_BYTES, page


def explorers_at_many_settings(use):
    for kind, number in (
        ("full", "tokens"),
        ("linear", "tokens"),
        ("blocks", "block_tokens"),
        ("mix", "share_percent"),
    ):
        for settings in MACHINES[::2]:
            kept = {"round_trip": False} if kind == "mix" else {}
            yield use(kind, settings | kept), number
    for settings in ({}, {"efficiency_percent": 5, "bits": 4}):
        yield use("map", settings), "efficiency_percent"


def test_a_redraw_is_small_and_finite_at_any_setting(use):
    for explorer, number in explorers_at_many_settings(use):
        sent = []
        explorer._moving.observe(lambda change, sent=sent: sent.append(change["new"]), "value")
        setting = getattr(type(explorer), number)

        async def drag(explorer=explorer, number=number, setting=setting):
            for place in range(0, len(setting.places), len(setting.places) // 6):
                explorer._rows[number].slider.value = place
            explorer.settle()

        asyncio.run(drag())
        explorer._moving.unobserve_all()
        assert sent
        for message in sent:
            assert len(message.encode()) < MAX_BYTES
            assert not re.search(r"(?<![a-z])(nan|inf)(?![a-z])", message.split("</svg>")[0])


@pytest.mark.parametrize(
    ("kind", "moved"),
    [
        ("linear", {"tokens": (1, 1_000_000)}),
        ("full", {"tokens": (1, 1_000_000), "launch_us": (0, 50), "block_tokens": (2, 256)}),
        ("blocks", {"tokens": (1, 1_000_000), "launch_us": (0, 50)}),
        ("map", {"efficiency_percent": (5, 100), "bits": (16, 4), "round_trip": (True, False)}),
    ],
)
def test_the_frame_stands_still_while_things_move(use, kind, moved):
    def drawn():
        axes = explorer.picture.figure.axes
        return [(each.get_xlim(), each.get_ylim()) for each in axes], page(explorer)

    for name, ends in moved.items():
        explorer = use(kind, {})
        before = {drawn()[1]}
        frame = drawn()[0]
        for end in ends:
            explorer.change(**{name: end})
            assert drawn()[0] == frame, (name, end)
            before.add(drawn()[1])
        assert len(before) > 1, name


def test_the_picture_speaks(use):
    for kind in ("full", "map", "blocks", "mix"):
        explorer = use(kind, {})
        spoken = re.search(r'role="img" aria-label="([^"]+)"', page(explorer)).group(1)
        assert len(spoken) > 100
        for setting in explorer._known.values():
            assert spoken != setting.label
        bundle = explorer._repr_mimebundle_()
        assert bundle["text/plain"] == explorer.verdict


def test_settings_to_start_from():
    explorer = MachineExplorer(**OPT, tokens=500)
    assert (explorer.model, explorer.tokens) == ("OPT-13B", 500)
    explorer.model = "Llama-3-8B"
    explorer.reset()
    assert explorer.model == "OPT-13B"
    assert explorer._rows["model"].list.value == "OPT-13B"
    with pytest.raises(ValueError, match="Llama-9"):
        MachineExplorer(model="Llama-9")
    with pytest.raises(ValueError, match="no setting 'modell'"):
        BlockExplorer(modell="OPT-13B")


def test_a_row_that_a_reader_adds_can_be_chosen_in_new_explorers():
    earlier = [MachineExplorer(), CrossoverMapExplorer()]
    LINKS.add(Link(name="my disk", nominal_gb_per_s=2, source="measured here", sure="checked"))
    try:
        explorer = MachineExplorer(link="my disk")
        assert "my disk" in explorer._rows["link"].list.options
        assert "measured here" in explorer._sources.value
        assert "my disk" in CrossoverMapExplorer(link="my disk").verdict
        for explorer in earlier:
            before, page = dict(explorer.settings), explorer._moving.value
            with pytest.raises(ValueError, match=r"link must be one of 'PCIe .*, not 'my disk'"):
                explorer.link = "my disk"
            assert (explorer.settings, explorer._moving.value) == (before, page)
    finally:
        del LINKS["my disk"]


@pytest.mark.parametrize(
    "kind", [MachineExplorer, BlockExplorer, MixExplorer, CrossoverMapExplorer]
)
@pytest.mark.parametrize("name", [r"$\frac{1$ mine", "5$ or 6$", "<b>&amp;$x_1$"])
def test_a_name_is_written_as_it_is(monkeypatch, kind, name):
    given = {}
    for key, entries in (("model", MODELS), ("device", DEVICES), ("link", LINKS)):
        if hasattr(kind, key):
            entry = replace(next(iter(entries.values())), name=f"{name} {key}")
            monkeypatch.setitem(entries, entry.name, entry)
            given[key] = entry.name
    explorer = kind(**given)
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/html"]
    drawn = page(explorer) + explorer._still.value
    assert any(html.escape(written) in drawn for written in given.values())
