"""The reader's own machine: measured in a cell, drawn with its points, and the recorded one."""

import math
import time

import numpy as np
import pytest

from preemption import MachineExplorer, OwnMachine, costs, recorded_machine
from preemption.costs import DEVICES, LINKS, OWN, PROFILES, Link, add_own, read_own
from preemption.costs.measure import RECORDED, closest
from tests.costs.no_machine import Machine, RealClock
from tests.explorers.machines import data

pytestmark = pytest.mark.usefixtures("published_only")


def a_cell(tmp_path, seconds):
    out = tmp_path / "mine.toml"
    made = OwnMachine(seconds=seconds, out=out, machine=lambda: Machine(RealClock()))
    made.guess.value = 3.0
    return made


@pytest.fixture
def cell(tmp_path):
    return a_cell(tmp_path, 1.0)


def said(cell):
    return cell._status.value


def test_it_measures_shows_its_progress_and_what_was_found(cell, tmp_path):
    seen = []
    cell._bar.observe(lambda change: seen.append(change["new"]), "value")
    found = cell.measure()
    assert seen == sorted(seen)
    assert len(seen) > 10
    assert cell._bar.value == 1
    assert DEVICES["a machine (own)"] == found.device
    assert set(read_own(tmp_path / "mine.toml")) == set(found.entries)
    (explorer,) = cell._found.children
    assert (explorer.device, explorer.link) == ("a machine (own)", "a machine (own)")
    assert "You guessed 3 GB/s for 1,000 tokens. The choice flips at" in said(cell)
    assert "measured" in said(cell)


def test_the_button_starts_and_stops(tmp_path):
    cell = a_cell(tmp_path, 60.0)
    cell.start_or_stop()
    deadline = time.monotonic() + 20
    while not cell._bar.value and time.monotonic() < deadline:
        time.sleep(0.01)
    assert cell.button.description == "stop"
    cell.start_or_stop()
    cell._thread.join(20)
    assert not cell._thread.is_alive()
    assert cell.button.description == "measure (60 s)"
    assert "stopped before the end" in said(cell)
    assert "stopped before the end" in cell.measured.remarks


@pytest.mark.parametrize("guess", [0.0, -1.0, math.nan, math.inf])
def test_without_a_guess_nothing_starts(cell, guess):
    cell.guess.value = guess
    cell.start_or_stop()
    assert cell._thread is None
    assert "The guess must be above 0 GB/s" in said(cell)


def test_what_goes_wrong_is_shown(cell):
    def none():
        raise ModuleNotFoundError("the extra measure is missing")

    cell._machine = none
    cell.start_or_stop()
    cell._thread.join(20)
    assert "the extra measure is missing" in said(cell)
    with pytest.raises(ModuleNotFoundError):
        cell.measure()


def test_what_cannot_be_is_refused_before_anything_is_measured():
    with pytest.raises(ValueError, match="out must be in a folder that is there"):
        OwnMachine(out="no/where")
    with pytest.raises(KeyError, match="not in the catalogue"):
        OwnMachine("nothing")


def test_it_says_at_once_what_is_missing(monkeypatch):
    monkeypatch.setattr("preemption.explorers.own_machine.missing", lambda: "PyTorch is missing")
    assert "PyTorch is missing" in said(OwnMachine())


def test_a_saved_notebook_is_the_same_with_and_without_pytorch(cell):
    bundle = cell._repr_mimebundle_()
    assert bundle["text/plain"].startswith("Measure your machine")
    assert bundle["text/plain"] in bundle["text/html"]


# --- in the explorer ---


def test_the_recorded_machine_says_where_and_when_it_was_measured():
    explorer = recorded_machine()
    for entry in (DEVICES[explorer.device], LINKS[explorer.link]):
        assert entry.source.startswith("measured on another machine on 2026-12-01, recorded")
        assert entry.source in explorer._sources.value
    assert explorer.launch_us == LINKS[explorer.link].launch_us


def test_measured_points_lie_beside_their_curves_and_the_closest_machine_behind():
    explorer = recorded_machine()
    curves, profile = explorer.picture, PROFILES[f"Llama-3-8B on {explorer.device}"]
    n, per_token = data(curves.measured[0])
    assert [*zip(n, n * per_token, strict=True)] == [
        (tokens, pytest.approx(ms)) for tokens, ms in profile.points
    ]
    np.testing.assert_allclose(per_token, explorer.recompute.ms(n) / n, rtol=0.1)
    n, per_token = data(curves.measured[1])
    assert len(n) == 8
    np.testing.assert_allclose(per_token, explorer.copy.ms(n) / n, rtol=0.2)
    device, link = closest(explorer.copy.model, DEVICES[explorer.device], LINKS[explorer.link])
    assert f"the published machine that comes closest, {device.name} over {link.name}" in (
        explorer.verdict
    )
    published = MachineExplorer(device=device.name, link=link.name)
    for line, way in zip(curves.closest, (published.recompute, published.copy), strict=True):
        n, per_token = data(line)
        np.testing.assert_allclose(per_token, way.ms(n) / n)


def test_points_are_shown_only_where_the_pieces_are_as_large():
    explorer = recorded_machine()
    explorer.cache_layout = "block"
    assert set(data(explorer.picture.measured[1])[0]) == {16, 64, 256, 1024}
    explorer.block_tokens = 32
    assert len(data(explorer.picture.measured[1])[0]) == 0
    explorer.change(block_tokens=16, measured=False)
    assert len(data(explorer.picture.measured[0])[0]) == 0


def test_a_measured_link_brings_its_start_of_copies_and_takes_it_away():
    recorded_machine()
    explorer = MachineExplorer()
    explorer.link = "memory (recorded)"
    assert explorer.launch_us == LINKS["memory (recorded)"].launch_us
    explorer.link = "disk (recorded)"
    assert explorer.fixed_ms == LINKS["disk (recorded)"].fixed_ms
    explorer.change(link="PCIe 4.0 x16", fixed_ms=2.0)
    assert (explorer.launch_us, explorer.fixed_ms) == (costs.LAUNCH_US, 2)
    explorer.launch_us = 5.0
    explorer.link = "PCIe 5.0 x16"
    assert explorer.launch_us == 5
    slow = Link(name="slow", source=OWN, sure="checked", nominal_gb_per_s=1, launch_us=90)
    add_own([slow])
    assert MachineExplorer(link="slow").launch_us == 50


def test_a_published_machine_has_no_points_and_no_other_beside():
    explorer = recorded_machine()
    explorer.change(device="A100 80 GB SXM", link="PCIe 4.0 x16")
    curves = explorer.picture
    assert [len(data(each)[0]) for each in (*curves.measured, *curves.closest)] == [0] * 4
    assert "closest" not in explorer.verdict


def test_reading_the_example_twice_adds_it_once():
    add_own(read_own(RECORDED))
    before = len(DEVICES)
    recorded_machine()
    assert len(DEVICES) == before
