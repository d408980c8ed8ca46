"""What every explorer does."""

import re

import pytest

from preemption import (
    AttentionExplorer,
    ChunkExplorer,
    CostExplorer,
    FaultExplorer,
    LoadExplorer,
    MachineExplorer,
    MixExplorer,
    PoolExplorer,
    SlotExplorer,
)
from tests.explorers.reading import page, saved_picture


@pytest.mark.parametrize(
    "kind",
    [SlotExplorer, ChunkExplorer, AttentionExplorer, LoadExplorer, PoolExplorer, FaultExplorer],
)
def test_what_is_drawn_still_and_what_is_saved(use, kind):
    explorer = use(kind)
    assert "<svg" in explorer._still.value
    saved = explorer._repr_mimebundle_()
    assert saved["text/plain"] == explorer.verdict
    png, alternative = saved_picture(saved)
    assert png.startswith(b"\x89PNG")
    assert f'aria-label="{alternative}"' in page(explorer)
    labels = [setting.label for setting in explorer._known.values()]
    assert alternative not in labels
    for svg in (page(explorer), explorer._still.value.split("</style>")[-1]):
        assert not re.findall(r"(?:fill|stroke): ?#(?!000000|ffffff)[0-9a-f]{6}", svg)


def test_curves_and_cells_differ_without_colour_too(use):
    makeup, curves = use(ChunkExplorer).picture, use(LoadExplorer).picture
    pairs = [(makeup.ttft_by_budget, makeup.gap_by_budget)]
    points = [makeup.points]
    for latency in ("ttft", "tpot"):
        p50, p99 = (curves.curves[f"{latency}_{each}_ms"] for each in ("p50", "p99"))
        pairs.append((p50.line, p99.line))
        points.append([p50.point, p99.point])
    for solid, dashed in pairs:
        assert "dasharray" not in "".join(solid.styles)
        assert "dasharray" in "".join(dashed.styles)
    for one, other in points:
        assert one.get_marker() != other.get_marker()
    cells = use(AttentionExplorer).picture
    assert "fill:#ffffff" in "".join(cells.computed.styles)
    assert "fill:#ffffff" not in "".join(cells.cached.styles)


@pytest.mark.parametrize(
    "kind",
    [CostExplorer, MachineExplorer, MixExplorer, SlotExplorer, ChunkExplorer, LoadExplorer],
)
@pytest.mark.parametrize("bad", [5, [3], "abc", [None]])
def test_guesses_that_are_none_are_refused(kind, bad):
    with pytest.raises(TypeError, match=r"guesses must be a (list of numeric|numeric) question"):
        kind(guesses=bad)
