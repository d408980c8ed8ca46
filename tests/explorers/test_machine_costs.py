"""The curves of a machine are the model's data, at many settings."""

import re
from itertools import pairwise

import numpy as np
import pytest

from preemption import MachineExplorer, costs, lessons, words
from preemption.costs import DEVICES, LINKS, MODELS, Link, Recompute
from preemption.explorers import comparison
from tests.explorers.machines import (
    DEEPSEEK,
    MACHINES,
    OPT,
    cost_ms,
    data,
    of_kinds,
    of_machines,
    vars_of,
)
from tests.explorers.reading import page

MEASURED_STARTS_US = (5, 6, 7)  # arXiv 2602.21548
H100 = {"device": "H100 SXM", "link": "PCIe 5.0 x16"}


@of_kinds
@of_machines
def test_the_curves_are_the_models(use, kind, settings):
    explorer = use(kind, settings)
    curves, recompute, copy = explorer.picture, explorer.recompute, explorer.copy
    tokens, gb_per_s = explorer.tokens, copy.bandwidth_bytes_per_s / 1e9
    for line, way in ((curves.recompute_by_tokens, recompute), (curves.swap_by_tokens, copy)):
        n, per_token = data(line)
        assert (n[0], n[-1]) == (1, 1_000_000)
        np.testing.assert_allclose(per_token, way.ms(n) / n, rtol=1e-12)
    links, over_links = data(curves.swap_by_link)
    assert (links[0], links[-1]) == (0.1, 1000)
    for link, ms in zip(links[::8], over_links[::8], strict=True):
        other = costs.Copy(**(vars_of(copy) | {"bandwidth_bytes_per_s": link * 1e9}))
        assert ms == pytest.approx(other.ms(tokens) / tokens)
    assert data(curves.recompute_by_link)[1].tolist() == [recompute.ms(tokens) / tokens] * 2
    for points, way in ((curves.recompute_points, recompute), (curves.swap_points, copy)):
        assert [values.tolist() for values in data(points[0])] == [
            [tokens],
            [way.ms(tokens) / tokens],
        ]
        assert [values.tolist() for values in data(points[1])] == [
            [gb_per_s],
            [way.ms(tokens) / tokens],
        ]
    flip = costs.crossover_bandwidth_at(recompute, copy, tokens) / 1e9
    assert data(curves.crossover)[0].tolist() == [flip]


@of_kinds
@of_machines
def test_crossovers_are_marked_or_their_absence_is_said(use, kind, settings):
    explorer = use(kind, settings)
    recompute, copy, curves = explorer.recompute, explorer.copy, explorer.picture
    found = costs.crossover_tokens(recompute, copy)
    marked, per_token = data(curves.crossovers)
    assert marked.tolist() == list(found)
    np.testing.assert_allclose(per_token, [copy.ms(n) / n for n in found], rtol=1e-9)
    for n in found:
        assert re.search(rf">(▸ )?{words.count(round(n), 'token')}<", page(explorer))
        assert words.plain(round(n)) in explorer.verdict
    if not found:
        winner = comparison.winner(**cost_ms(explorer))
        assert f"{winner} cheaper at every count: no crossover" in page(explorer)
        assert f"No crossover in tokens: {winner} is cheaper at every count." in explorer.verdict
    bands = [(band.get_x(), band.get_x() + band.get_width()) for band in curves.bands]
    for low, high in pairwise([1.0, *(n for n in found if n < 1e6), 1e6]):
        middle = (low * high) ** 0.5
        recompute_wins = recompute.ms(middle) < copy.ms(middle)
        inside = [start < middle < end for start, end in bands]
        assert inside.count(True) == 1
        assert inside.index(True) == 1 if recompute_wins else inside.index(True) in (0, 2)


def test_only_what_is_not_proportional_makes_crossovers(use):
    slow = {"launch_us": 10}
    assert "Crossovers in tokens: 323 and 14,239" in use("full", slow).verdict
    assert "by a factor of 1.24 at most" in use("full", slow).verdict
    assert "Crossovers in tokens: 100 and 486" in use("full", OPT | slow).verdict
    assert "by less than 1% at most" in use("full", OPT | slow).verdict
    assert "No crossover" in use("full", DEEPSEEK | slow).verdict
    for none in (
        {"cache_layout": "block"},
        {"round_trip": False},
        {"measured": False},
    ):
        assert "No crossover" in use("full", slow | none).verdict
    assert "Crossover in tokens: 220; recompute is cheaper below it, swap above it." in (
        use("full", {"fixed_ms": 20, "launch_us": 0}).verdict
    )
    for start in MEASURED_STARTS_US:
        started = {"launch_us": start}
        assert "No crossover" in use("full", started).verdict
        assert "No crossover" in use("full", OPT | started).verdict
        assert "Crossovers in tokens" in use("full", H100 | started).verdict
    for linear in ({}, OPT, DEEPSEEK):
        assert "No crossover" in use("linear", linear).verdict


def test_the_linear_model_takes_no_measured_time_for_a_derived_one(use):
    explorer = use("linear", {"measured": True})
    derived = Recompute.of(MODELS["Llama-3-8B"], DEVICES["A100 80 GB SXM"], measured=False)
    assert explorer.recompute.ms_per_token == derived.ms_per_token
    assert "2 FLOP per active parameter and token at 50%" in explorer._sources.value


@of_machines
def test_the_verdict_is_the_models(use, settings):
    explorer = use("full", settings)
    both = cost_ms(explorer)
    for way, ms in both.items():
        assert f"{way[:-3]} {words.digits(ms)} ms" in explorer.verdict
    assert (
        f"cheaper here: {comparison.winner(**both)}, {comparison.lead(*both.values())}."
        in explorer.verdict
    )
    flip = costs.crossover_bandwidth_at(explorer.recompute, explorer.copy, explorer.tokens)
    said = f"The choice flips at {words.digits(flip / 1e9, 3)} GB/s."
    assert ("No link is fast enough" if np.isinf(flip) else said) in explorer.verdict
    assert explorer.verdict in page(explorer)


def test_the_left_limits_hold_both_curves(use):
    for settings in MACHINES:
        curves = use("full", settings).picture
        low, high = curves.by_tokens.get_ylim()
        drawn = np.concatenate(
            [data(line)[1] for line in (curves.recompute_by_tokens, curves.swap_by_tokens)]
        )
        assert low < drawn.min()
        assert drawn.max() < high


def test_a_guess_is_drawn_once_answered():
    guess = lessons.where_is_the_crossover_of_opt_13b()
    explorer = MachineExplorer(guesses=[guess], linear=True)
    assert "your guess" not in page(explorer)
    guess.answer(8.0)
    assert "your guess: 8 GB/s" in page(explorer)


def test_a_tie_is_no_crossover_and_no_lead():
    flip = costs.linear_crossover_bandwidth(MODELS["Llama-3-8B"], DEVICES["A100 80 GB SXM"])
    LINKS.add(Link(name="even", nominal_gb_per_s=flip / 1e9, source="a test", sure="derived"))
    try:
        explorer = MachineExplorer(linear=True, link="even")
        assert "No crossover in tokens: both cost the same at every count." in explorer.verdict
        assert "both cost the same: no crossover" in page(explorer)
    finally:
        del LINKS["even"]
