"""A server of a reader in the model: whose times it has, what a copy takes, what may change."""

from dataclasses import replace

import pytest

from preemption.costs import DEVICES, LINKS, MODELS, PROFILES, Profile
from preemption.serving import DEFAULT_COST, covers, simulate
from preemption.studies import (
    LEVERS,
    SEEDS,
    Means,
    derived_cost,
    iteration_cost,
    longest_tokens,
    own_levers,
    own_server,
    two_minutes,
)

LLAMA, A100, PCIE = MODELS["Llama-3-8B"], DEVICES["A100 80 GB SXM"], LINKS["PCIe 4.0 x16"]


def test_times_are_measured_where_a_profile_is_known():
    assert iteration_cost(LLAMA, A100) == DEFAULT_COST
    found = iteration_cost(MODELS["Llama-2-7B"], DEVICES["H100 SXM"])
    assert found.points == PROFILES["Llama-2-7B on H100"].points
    assert found.per_resident_token_ms == pytest.approx(524_288 / 3_350e6)


def test_measured_points_that_repeat_or_fall_are_put_right(monkeypatch):
    uneven = replace(
        PROFILES["Llama-2-7B on H100"],
        name="mine",
        model="OPT-13B",
        points=((8, 12.0), (1, 10.0), (16, 9.0), (16, 10.0), (32, 30.0)),
    )
    monkeypatch.setitem(PROFILES, "mine", uneven)
    assert isinstance(PROFILES["mine"], Profile)
    found = iteration_cost(MODELS["OPT-13B"], DEVICES["H100 SXM"])
    assert found.points == ((1, 10.0), (8, 12.0), (16, 12.0), (32, 30.0))


def test_other_times_are_derived_for_as_many_devices_as_hold_the_weights():
    model, device = MODELS["Llama-3-70B"], DEVICES["H100 SXM"]
    assert iteration_cost(model, device) == derived_cost(model, device, 2)
    nowhere = replace(model, name="unknown", parameters=None)
    with pytest.raises(ValueError, match="parameters of unknown are not known"):
        iteration_cost(nowhere, device)


@pytest.mark.parametrize(
    ("model", "device", "devices"),
    [("Llama-3-8B", "H100 SXM", 1), ("OPT-13B", "H100 SXM", 1), ("Llama-3-70B", "H100 SXM", 2)],
)
def test_a_copy_takes_as_long_as_the_caches_of_the_model_do(model, device, devices):
    config, settings = own_server(MODELS[model], DEVICES[device], PCIE, 40_016)
    assert config.usable_blocks == 2_501
    n_bytes = 1_000 * MODELS[model].cache_bytes(1) / devices
    assert settings.copy_in_ns(1_000) == pytest.approx(1e9 * n_bytes / PCIE.bandwidth_bytes_per_s)
    with pytest.raises(TypeError, match="link must be a Link"):
        own_server(MODELS[model], DEVICES[device], "PCIe", 40_016)


def test_fewer_at_a_time_are_as_many_as_fit():
    base, means = own_server(LLAMA, A100, PCIE, 40_000), Means(1_000, 500)
    levers = own_levers(means, LLAMA)
    assert list(levers) == list(LEVERS)
    assert levers["fewer at a time"](base).config.max_num_seqs == 32
    assert own_levers(Means(90_000, 9), LLAMA)["fewer at a time"](base).config.max_num_seqs == 1
    assert own_levers(Means(9, 9), LLAMA)["fewer at a time"](base).config.max_num_seqs == 256


@pytest.mark.parametrize("means", [Means(1_155, 211), Means(9_000, 40), Means(16, 2), Means(1, 2)])
def test_a_host_is_never_full(means):
    offloading = own_levers(means, LLAMA)["offloading"](own_server(LLAMA, A100, PCIE, 200_000))
    for seed in SEEDS[:6]:
        assert covers(two_minutes(seed, 5.0, means), *offloading)


@pytest.mark.parametrize("means", [Means(1_155, 211), Means(3_000, 40), Means(1, 2)])
def test_no_request_is_longer_than_the_longest(means):
    loads = [two_minutes(seed, 5.0, means) for seed in SEEDS[:6]]
    longest = max(each.prompt_tokens + each.output_tokens for load in loads for each in load)
    assert 0.7 * longest_tokens(means) < longest <= 1.02 * longest_tokens(means)
    # So a pool of that size serves them.
    assert simulate(loads[0], *own_server(LLAMA, A100, PCIE, longest + 16)).finished_ns
