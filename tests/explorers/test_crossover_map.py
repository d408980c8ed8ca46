"""The map holds the crossovers of all models on all devices."""

import numpy as np
import pytest

from preemption import costs, words
from preemption.costs import DEVICES, LINKS, MODELS
from tests.explorers.machines import data, name


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"device": "H100 SXM", "link": "PCIe 4.0 x16"},
        {"device": "MI300X", "link": "NVMe (PCIe 4.0 x4)", "efficiency_percent": 100},
        {"device": "CPU (Xeon 8480+)", "bits": 4, "round_trip": False},
    ],
    ids=name,
)
def test_the_map_holds_all_models_on_all_devices(use, settings):
    explorer = use("map", settings)
    drawn, bandwidth = explorer.picture, LINKS[explorer.link].bandwidth_bytes_per_s / 1e9
    flips = {
        (model.name, device.name): costs.linear_crossover_bandwidth(
            model,
            device,
            explorer.efficiency_percent / 100,
            explorer.bits,
            explorer.round_trip,
        )
        / 1e9
        for model in MODELS.values()
        for device in DEVICES.values()
    }
    rows = dict(
        zip(
            [label.get_text() for label in drawn.axes.get_yticklabels()],
            drawn.axes.get_yticks(),
            strict=True,
        )
    )
    assert rows.keys() == LINKS.keys() | MODELS.keys()
    at = {row: model for model, row in rows.items()}
    shown = {}
    for points, swap_wins in ((drawn.swap_points, True), (drawn.recompute_points, False)):
        for flip, row in zip(*data(points), strict=True):
            shown[at[row]] = flip
            assert (flip < bandwidth) == swap_wins
    assert shown == pytest.approx({model: flips[model, explorer.device] for model in MODELS})
    ticks, tick_rows = data(drawn.ticks)
    for model in MODELS:
        own = ticks[np.abs(tick_rows - rows[model]) < 0.3]
        for device in DEVICES:
            assert np.min(np.abs(own / flips[model, device] - 1)) < 1e-9
    low, high = drawn.axes.get_xlim()
    assert low < min(flips.values())
    assert max(flips.values()) < high
    count = sum(flips[model, explorer.device] < bandwidth for model in MODELS)
    assert f"swap is cheaper for {count} of {len(MODELS)} models" in explorer.verdict


def test_every_link_stands_in_the_map_with_its_source(use):
    explorer = use("map", {})
    for link in LINKS.values():
        assert words.digits(link.bandwidth_bytes_per_s / 1e9, 3) in explorer._still.value
        assert (link.achieved_source or link.source).split("'")[0] in explorer._sources.value
    for row in [*MODELS.values(), *DEVICES.values()]:
        assert row.source.split("'")[0] in explorer._sources.value


def test_a_cover_hides_the_models_whose_order_is_the_answer(use):
    hidden = {label.get_text() for label in use("map", {}).picture.answers}
    assert hidden == set(MODELS)


def test_the_alternative_has_every_model_and_every_link(use):
    explorer = use("map")
    said = explorer._words.alternative
    for known, model in MODELS.items():
        flip = costs.linear_crossover_bandwidth(model, DEVICES[explorer.device]) / 1e9
        assert f"{known} {words.digits(flip, 3)}" in said
    for known, link in LINKS.items():
        assert f"{known} {words.digits(link.bandwidth_bytes_per_s / 1e9, 3)}" in said
