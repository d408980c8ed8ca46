"""Times to resume: measured points, published shapes, crossovers, and the mix."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from preemption.costs import (
    DEVICES,
    LINKS,
    MODELS,
    PROFILES,
    Copy,
    Model,
    Recompute,
    bends,
    best_mix,
    cheaper_ways,
    crossover_bandwidth,
    crossover_bandwidth_at,
    crossover_block_tokens,
    crossover_tokens,
    devices_for_weights,
    least_block_tokens,
    linear_crossover_bandwidth,
    linear_crossover_bandwidths,
    mix_ms,
    mix_parts_ms,
    most_ahead,
    weight_bytes,
)

A100_40, A100, H100 = DEVICES["A100 40 GB SXM"], DEVICES["A100 80 GB SXM"], DEVICES["H100 SXM"]
LLAMA, OPT = MODELS["Llama-3-8B"], MODELS["OPT-13B"]
PCIE_4 = LINKS["PCIe 4.0 x16"].bandwidth_bytes_per_s


def curve(**ms):
    defaults = {"floor_ms": 0, "start_ms": 0, "ms_per_token": 0, "source": "a test"}
    return Recompute(**(defaults | ms), sure="derived")


TOY = curve(ms_per_token=0.1)


def copy(model=LLAMA, bandwidth=25e9, **others):
    return Copy(model=model, bandwidth_bytes_per_s=bandwidth, **({"launch_us": 0} | others))


# --- against the outside ---


def test_the_toy_is_in_the_catalogue():
    derived = Recompute.of(LLAMA, A100, measured=False)
    assert derived.ms_per_token == pytest.approx(0.10, rel=0.05)
    assert LLAMA.cache_bytes(1) == 131_072
    assert linear_crossover_bandwidth(LLAMA, A100) == pytest.approx(2.62e9, rel=0.05)
    assert pytest.approx(25e9, rel=0.05) == PCIE_4


def test_the_measured_a100_points_are_met_from_1024_tokens_and_at_the_floor():
    measured = Recompute.of(LLAMA, A100)
    assert measured.source.startswith("measured")
    for tokens, ms in PROFILES["Llama-3-8B on A100"].points:
        too_high = measured.linear_ms(tokens) / ms - 1
        if tokens >= 1024 or tokens == 1:
            assert abs(too_high) < 0.05
        elif tokens in (256, 512):
            assert 0.19 < too_high < 0.28


def test_the_measured_h100_points_are_met():
    measured = Recompute.of(MODELS["Llama-2-7B"], H100)
    for tokens, ms in PROFILES["Llama-2-7B on H100"].points:
        assert measured.linear_ms(tokens) == pytest.approx(ms, rel=0.05)


@pytest.mark.parametrize(
    ("tokens", "ms_per_token"),
    [(1000, 0.076), (8000, 0.081), (32_000, 0.120), (128_000, 0.281)],
)
def test_attention_makes_long_caches_dearer(tokens, ms_per_token):
    measured = Recompute.of(LLAMA, A100)
    assert measured.ms(tokens) / tokens == pytest.approx(ms_per_token, abs=6e-4)


def test_attention_lets_the_swap_lead_grow_from_7_to_27():
    leads = Recompute.of(LLAMA, A100).ms(np.array([1e3, 128e3])) / copy().ms(np.array([1e3, 128e3]))
    assert leads.round() == pytest.approx([7, 27])


def test_a_launch_per_block_only_moves_the_crossover_bandwidth():
    launched = copy(launch_us=10, block_tokens=16)
    for tokens in (1, 1000, 10**6):
        assert crossover_bandwidth_at(TOY, copy(), tokens) == pytest.approx(2.62144e9)
        assert crossover_bandwidth_at(TOY, launched, tokens) == pytest.approx(13.1e9, rel=1e-3)
    assert crossover_tokens(TOY, launched) == ()


def test_figure_19_of_pagedattention():
    blocks = [1, 2, 4, 8, 16, 32, 64, 128, 256]
    recompute = Recompute.of(OPT, A100_40)
    for tokens in (256, 512, 1024, 2048):
        swap = Copy(model=OPT, bandwidth_bytes_per_s=PCIE_4, launch_us=10)  # a start of its time
        swaps = [replace(swap, block_tokens=b) for b in blocks]
        ratios = {swap.block_tokens: recompute.ms(tokens) / swap.ms(tokens) for swap in swaps}
        # Recompute knows no block size, so a ratio that rises is a swap that falls.
        assert all(one < other for one, other in pairwise(ratios.values()))
        assert ratios[1] < 0.2
        assert all(0.5 < ratios[block] < 2 for block in (16, 32, 64))


def test_derived_times_by_hand():
    deepseek = Recompute.of(MODELS["DeepSeek-V3"], H100, 0.4)
    assert deepseek.ms_per_token == pytest.approx(2 * 36.6e9 / (0.4 * 989.4e12) * 1e3, rel=2e-3)
    assert deepseek.floor_ms == pytest.approx(671e9 / 3350e9 * 1e3, rel=2e-3)
    attention = 61 * 128 * (192 + 128) / (0.4 * 989.4e12) * 1e3
    assert deepseek.ms_per_token2 == pytest.approx(attention)
    assert deepseek.sure == "derived"
    assert "40% of 989.4 TFLOP/s" in deepseek.source
    gemma = Recompute.of(MODELS["Gemma-3-1B"], H100)
    layer = 2 * 4 * 256 / (0.5 * 989.4e12) * 1e3
    assert gemma.ms_per_token2 == pytest.approx(4 * layer)
    assert gemma.windowed_ms_per_token2 == pytest.approx(22 * layer)
    assert gemma.window == 512


@given(st.integers(1, 3000))
def test_windowed_attention_sums_over_what_each_token_sees(tokens):
    windowed = curve(windowed_ms_per_token2=1.0, window=300)
    pairs = sum(min(seen, 300) for seen in range(1, tokens + 1))
    # Twice the pairs, up to the half pair that the continuous formula leaves out per token.
    assert abs(windowed.ms(tokens) - 2 * pairs) <= tokens


# --- copies ---


def test_copies_by_layout():
    assert copy().copies(1000) == 63 * 64
    assert copy(layout="block").copies(1000) == 63
    assert copy(MODELS["DeepSeek-V3"]).copies(1000) == 63 * 61
    sliding = copy(MODELS["Gemma-3-1B"], block_tokens=1)
    assert sliding.copies(1000) == 2 * (4 * 1000 + 22 * 512)
    assert replace(sliding, layout="block").copies(1000) == 1000
    mistral = Model.from_config({"model_type": "mistral", "sliding_window": 500})
    assert copy(mistral, layout="block", block_tokens=1).copies(1000) == 500


def test_a_block_that_is_not_full_takes_all_its_copies():
    large = copy(MODELS["OPT-13B"], block_tokens=256)
    assert np.array_equal(large.copies(np.array([0, 1, 256, 257])), [0, 80, 80, 160])
    assert large.copies(1) == 80


def test_copy_time_by_hand():
    swap = copy(fixed_ms=3, launch_us=10)
    assert copy().ms(1000) == pytest.approx(10.48576)
    assert swap.overhead_ms(1000) == pytest.approx(3 + 2 * 1000 / 16 * 64 * 0.01)
    assert swap.ms(1000) == pytest.approx(swap.overhead_ms(1000) + 10.48576)
    background = replace(swap, round_trip=False)
    assert background.ms(1000) - 3 == pytest.approx((swap.ms(1000) - 3) / 2)
    assert copy(bits=8).ms(1000) == pytest.approx(10.48576 / 2)
    sliding = copy(MODELS["gpt-oss-120b"])
    assert sliding.ms(1000) == pytest.approx(2 * sliding.model.cache_bytes(1000) / 25e9 * 1e3)


# --- crossovers ---


@st.composite
def pairs(draw):
    """Draw two curves whose parts are of like size, so that they often cross."""
    layers = draw(st.integers(1, 40))
    windowed = draw(st.one_of(st.just(0), st.integers(0, layers)))
    window = draw(st.integers(1, 10_000)) if windowed else None
    model = Model(
        name="any",
        source="a test",
        sure="derived",
        layers=layers,
        heads=8,
        head_dim=128,
        kv_heads=8,
        windowed_layers=windowed,
        window=window,
    )
    part = st.one_of(st.just(0.0), st.floats(1e-6, 1e-2))
    ms = st.one_of(st.just(0.0), st.floats(1e-3, 100))
    recompute = curve(
        floor_ms=draw(ms),
        start_ms=draw(ms),
        ms_per_token=draw(st.one_of(st.just(0.0), st.floats(1e-4, 1))),
        ms_per_token2=draw(part) / 100,
        windowed_ms_per_token2=draw(part) / 100 if windowed else 0.0,
        window=window,
    )
    swap = Copy(
        model=model,
        bandwidth_bytes_per_s=draw(st.floats(1e8, 1e12)),
        block_tokens=draw(st.sampled_from([1, 16, 256])),
        layout=draw(st.sampled_from(["layer", "block"])),
        launch_us=draw(st.sampled_from([0.0, 10.0])),
        fixed_ms=draw(ms),
        round_trip=draw(st.booleans()),
    )
    return recompute, swap


@given(pairs())
def test_at_a_crossover_the_costs_agree_and_the_cheaper_way_changes(pair):
    recompute, swap = pair
    found = crossover_tokens(recompute, swap)
    assert len(found) <= 2
    assert list(found) == sorted(set(found))
    for n in found:
        assert recompute.ms(n) == pytest.approx(swap.ms(n), rel=1e-9)
    between = [1.0, *found, 1e12]
    middles = [(low * high) ** 0.5 for low, high in pairwise(between)]
    swap_wins = [recompute.ms(n) > swap.ms(n) for n in middles]
    assert all(one != other for one, other in pairwise(swap_wins))


@given(pairs())
def test_no_crossover_is_missed(pair):
    recompute, swap = pair
    tokens = np.geomspace(1, 1e12, 2000)
    gaps = recompute.ms(tokens) - swap.ms(tokens)
    clear = np.abs(gaps) > 2e-9 * recompute.ms(tokens)
    signs, at = np.sign(gaps[clear]), tokens[clear]
    flips = np.flatnonzero(signs[1:] != signs[:-1])
    found = crossover_tokens(recompute, swap)
    for flip in flips:
        assert sum(at[flip] <= n <= at[flip + 1] for n in found) == 1


@given(pairs(), st.floats(1, 1e6))
def test_the_crossover_bandwidth_makes_the_costs_equal(pair, tokens):
    recompute, swap = pair
    bandwidth = crossover_bandwidth_at(recompute, swap, tokens)
    if bandwidth == np.inf:
        assert recompute.ms(tokens) <= swap.overhead_ms(tokens)
        return
    assume(1e-3 < bandwidth < 1e18)
    equal = replace(swap, bandwidth_bytes_per_s=bandwidth)
    assert equal.ms(tokens) == pytest.approx(recompute.ms(tokens), rel=1e-9)
    faster = replace(swap, bandwidth_bytes_per_s=bandwidth * 1.01)
    assert faster.ms(tokens) <= recompute.ms(tokens)


@given(pairs(), st.floats(1, 1e6))
def test_the_crossover_block_makes_the_costs_equal(pair, tokens):
    recompute, swap = pair
    block = crossover_block_tokens(recompute, swap, tokens)
    if block == np.inf:
        whole = replace(swap, block_tokens=1e50)
        assert recompute.ms(tokens) <= whole.ms(tokens) * (1 + 1e-9)
    elif block == 0:
        assert swap.launch_us == 0
        assert swap.ms(tokens) < recompute.ms(tokens)
    else:
        equal = replace(swap, block_tokens=block)
        assert equal.ms(tokens) == pytest.approx(recompute.ms(tokens), rel=1e-6)
        larger = replace(swap, block_tokens=block * 1.01)
        assert larger.ms(tokens) < recompute.ms(tokens) * (1 + 1e-9)


def test_two_straight_lines_through_0_never_cross_in_tokens():
    for bandwidth in (1e9, 2.62144e9, 2.62144e9 * (1 + 1e-15), 25e9):
        assert crossover_tokens(TOY, copy(bandwidth=bandwidth)) == ()


@pytest.mark.parametrize(
    ("recompute", "swap", "expected"),
    [
        # A fixed cost per event: recompute is cheaper for short caches.
        (TOY, copy(fixed_ms=8.951424), [100]),
        # The floor of a forward pass: swap is cheaper for short caches. Here also beyond.
        (curve(floor_ms=10, ms_per_token=0.01), copy(bandwidth=2.62144e9), [100]),
        # Attention: swap is cheaper for long caches.
        (curve(ms_per_token=0.1, ms_per_token2=1e-4), copy(bandwidth=1.31072e9), [1000]),
        # Floor and attention: both.
        (
            curve(floor_ms=9, ms_per_token2=1e-4),
            copy(bandwidth=2.62144e9),
            [100, 900],
        ),
        # The floor again, and a copy that is dearer only around the place where T takes off.
        (curve(floor_ms=10, ms_per_token=0.2), copy(fixed_ms=6, bandwidth=2.62144e9), [40, 60]),
        # Attention that stops growing at a window of 300: 100 + 1e-4 (600 n - 300^2) = 0.1 n.
        (
            curve(start_ms=100, windowed_ms_per_token2=1e-4, window=300),
            copy(bandwidth=2.62144e9),
            [91 / (0.1 - 0.06)],
        ),
        # 22 of 26 layers stop growing at 512 tokens: 0.1 n = 2e3 (4,096 n + 11,534,336) / 4e8.
        (TOY, copy(MODELS["Gemma-3-1B"], bandwidth=4e8), [57.67168 / (0.1 - 0.02048)]),
    ],
)
def test_what_makes_a_crossover_in_tokens(recompute, swap, expected):
    found = crossover_tokens(recompute, swap)
    assert found == pytest.approx(expected, rel=1e-6)


def test_curves_that_touch_do_not_cross():
    square = curve(start_ms=10, ms_per_token2=1e-3)  # touches 0.2 n at n = 100
    assert crossover_tokens(square, copy(bandwidth=1.31072e9)) == ()
    assert crossover_tokens(square, copy(bandwidth=1.31072e9 * (1 - 1e-11))) == ()
    assert len(crossover_tokens(square, copy(bandwidth=1.31072e9 * 0.99999))) == 2
    assert crossover_tokens(square, copy(bandwidth=1.31072e9 * 1.00001)) == ()
    # The floor meets the copy in one point, where the line takes off: no change of sign.
    corner = curve(floor_ms=10, ms_per_token=0.1)
    assert crossover_tokens(corner, copy(bandwidth=2.62144e9)) == ()


@pytest.mark.parametrize(
    ("model", "device", "link", "found"),
    [
        ("Llama-3-8B", "H100 SXM", "PCIe 5.0 x16", {3: (), 6: (90, 39210), 8: (69, 69404)}),
        ("Llama-3-8B", "A100 80 GB SXM", "PCIe 4.0 x16", {5: (), 7: (), 10: (323, 14239)}),
        ("OPT-13B", "A100 40 GB SXM", "PCIe 4.0 x16", {5: (), 7: (), 10: (100, 486)}),
        ("DeepSeek-V3", "H100 SXM", "PCIe 5.0 x16", {5: (), 7: (), 10: ()}),
    ],
)
def test_the_start_of_a_copy_decides_whether_real_machines_have_crossovers(
    model, device, link, found
):
    recompute = Recompute.of(MODELS[model], DEVICES[device])
    bandwidth = LINKS[link].bandwidth_bytes_per_s
    for start_us, counts in found.items():
        by_layer = Copy(model=MODELS[model], bandwidth_bytes_per_s=bandwidth, launch_us=start_us)
        assert tuple(round(n) for n in crossover_tokens(recompute, by_layer)) == counts
        assert crossover_tokens(recompute, replace(by_layer, layout="block")) == ()


def test_the_linear_crossover_is_bytes_times_flops_over_parameters():
    for name, model in MODELS.items():
        per_token = model.cache_bytes(1, 8)
        active = model.active_parameters or model.parameters
        expected = per_token * 0.3 * 989.4e12 / active
        found = linear_crossover_bandwidth(model, H100, 0.3, bits=8)
        assert found == pytest.approx(expected), name
        one_way = linear_crossover_bandwidth(model, H100, 0.3, bits=8, round_trip=False)
        assert one_way == pytest.approx(expected / 2)
    assert crossover_bandwidth_at(TOY, copy(), 7) == pytest.approx(crossover_bandwidth(131_072))


# --- the mix ---


@given(pairs(), st.floats(0, 1e6))
def test_the_mix_is_never_worse_than_either_nor_than_any_other_share(pair, tokens):
    recompute, swap = pair
    swap = replace(swap, round_trip=False)
    mix = best_mix(tokens, recompute, swap)
    assert mix.ms <= min(recompute.ms(tokens), swap.ms(tokens))
    assert 0 <= mix.share <= 1
    assert mix_ms(tokens, mix.share, recompute, swap) == mix.ms
    shares = np.linspace(0, 1, 101)
    assert mix.ms <= np.min(mix_ms(tokens, shares, recompute, swap)) * (1 + 1e-12)


@given(st.floats(1e-3, 1), st.floats(1e-3, 1), st.floats(1, 1e6))
@example(0.1, 0.1, 1000.0)
def test_the_mix_of_two_lines_has_a_closed_form(r, s, n):
    lines = curve(ms_per_token=r), copy(bandwidth=131_072e3 / s, round_trip=False)
    mix = best_mix(n, *lines)
    assert mix.share == pytest.approx(s / (r + s), rel=1e-9)
    assert mix.ms == pytest.approx(n * r * s / (r + s), rel=1e-9)


def test_a_mix_needs_its_copy_out_done():
    with pytest.raises(ValueError, match="round_trip"):
        mix_ms(1000, 0.5, TOY, copy())
    with pytest.raises(ValueError, match="round_trip"):
        best_mix(1000, TOY, copy())
    with pytest.raises(ValueError, match="share"):
        mix_ms(1000, 1.5, TOY, copy(round_trip=False))


# --- arrays, and what is refused ---


@given(pairs(), st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_arrays_equal_scalars(pair, tokens):
    recompute, swap = pair
    n = np.array(tokens)
    for way in (
        recompute.ms,
        recompute.linear_ms,
        swap.ms,
        swap.copies,
        swap.overhead_ms,
        lambda tokens: crossover_bandwidth_at(recompute, swap, tokens),
    ):
        assert way(n).tolist() == [way(count) for count in tokens]
        assert type(way(tokens[0])) is float


@pytest.mark.parametrize("efficiency", [0, -0.5, 1.01, float("nan"), "half"])
def test_a_bad_efficiency_is_refused(efficiency):
    with pytest.raises((ValueError, TypeError), match="efficiency"):
        Recompute.of(LLAMA, A100, efficiency)


def test_without_parameters_there_are_bytes_but_no_times():
    mine = Model.from_config({"model_type": "llama"}, name="mine")
    assert mine.cache_bytes(1) == 524_288
    with pytest.raises(ValueError, match="parameters of mine are not known"):
        Recompute.of(mine, A100)


@pytest.mark.parametrize(
    "bad",
    [
        {"bandwidth_bytes_per_s": 0},
        {"bits": 7},
        {"block_tokens": 0},
        {"launch_us": -1},
        {"fixed_ms": float("inf")},
        {"layout": "page"},
        {"round_trip": 1},
    ],
    ids=str,
)
def test_a_bad_copy_is_refused(bad):
    good = {"model": LLAMA, "bandwidth_bytes_per_s": 25e9}
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        Copy(**(good | bad))


@pytest.mark.parametrize(
    "bad",
    [{"floor_ms": -1}, {"ms_per_token": "1"}, {"windowed_ms_per_token2": 1.0}, {"window": 0}],
    ids=str,
)
def test_a_bad_recompute_curve_is_refused(bad):
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        curve(**bad)


@pytest.mark.parametrize("tokens", [-1, float("nan")])
def test_bad_token_counts_are_refused(tokens):
    for way in (TOY.ms, TOY.linear_ms, copy().ms, copy().copies):
        with pytest.raises(ValueError, match="tokens"):
            way(tokens)


# --- over links, blocks and devices ---


@pytest.mark.parametrize("layout", ["layer", "block"])
def test_a_copy_over_other_links_and_blocks_is_that_other_copy(layout):
    here = copy(launch_us=7, fixed_ms=3, layout=layout)
    links, blocks = np.array([1e8, 25e9, 3e11]), np.array([0.5, 16, 256])
    over_links, over_blocks = here.over_links_ms(700, links), here.over_blocks_ms(700, blocks)
    needed = crossover_bandwidth_at(TOY, here, 700, blocks)
    for at in range(3):
        other_link = replace(here, bandwidth_bytes_per_s=float(links[at]))
        other_block = replace(here, block_tokens=float(blocks[at]))
        assert over_links[at] == pytest.approx(other_link.ms(700))
        assert over_blocks[at] == pytest.approx(other_block.ms(700))
        assert needed[at] == pytest.approx(crossover_bandwidth_at(TOY, other_block, 700))
    assert isinstance(here.over_links_ms(700, 1e9), float)
    assert isinstance(here.over_blocks_ms(700, 4), float)
    assert isinstance(crossover_bandwidth_at(TOY, here, 700, 4), float)
    for bad in (0, -1.0, np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="bandwidth_bytes_per_s must be"):
            here.over_links_ms(700, bad)
        with pytest.raises(ValueError, match="block_tokens must be"):
            here.over_blocks_ms(700, bad)
        with pytest.raises(ValueError, match="block_tokens must be"):
            crossover_bandwidth_at(TOY, here, 700, bad)


def test_below_the_least_block_no_link_is_fast_enough():
    here = copy(launch_us=10)
    least = least_block_tokens(TOY, here, 1_000)
    assert least == pytest.approx(2 * 64 * 1_000 * 0.01 / 100)  # launches of blocks of 1 / 100 ms
    around = crossover_bandwidth_at(TOY, here, 1_000, np.array([0.999, 1.001]) * least)
    assert np.isinf(around).tolist() == [True, False]
    assert least < crossover_block_tokens(TOY, here, 1_000)
    assert least_block_tokens(TOY, copy(), 1_000) == 0
    assert least_block_tokens(TOY, copy(fixed_ms=101), 1_000) == np.inf


def test_the_cheaper_way_is_named_for_each_range():
    swap = Copy(model=LLAMA, bandwidth_bytes_per_s=PCIE_4, launch_us=10)
    llama = Recompute.of(LLAMA, A100), swap
    found = crossover_tokens(*llama)
    assert cheaper_ways(*llama, found) == ("swap", "recompute", "swap")
    assert cheaper_ways(TOY, copy(fixed_ms=20), [220]) == ("recompute", "swap")
    assert cheaper_ways(TOY, copy(), ()) == ("swap",)
    assert cheaper_ways(TOY, copy(bandwidth=1e9), ()) == ("recompute",)
    assert cheaper_ways(TOY, copy(bandwidth=2.62144e9), ()) == (None,)
    n = np.geomspace(*found, 1_000)
    most = most_ahead(*llama, *found)
    assert most == pytest.approx(np.max(llama[1].ms(n) / llama[0].ms(n)), rel=1e-3)
    with pytest.raises(ValueError, match="low must be finite and above 0"):
        most_ahead(*llama, 0, 10)


def test_bends_are_where_a_slope_changes():
    gemma = MODELS["Gemma-3-1B"]
    both = Recompute.of(gemma, A100, measured=False), copy(gemma)
    floor_ends = both[0].floor_ms / both[0].ms_per_token
    assert bends(*both) == (floor_ends, 512) if floor_ends < 512 else (512, floor_ends)
    assert bends(TOY, copy()) == ()


def test_all_models_on_all_devices_at_once():
    models, devices = list(MODELS.values()), list(DEVICES.values())
    found = linear_crossover_bandwidths(models, devices, 0.3, bits=8, round_trip=False)
    assert found.shape == (len(models), len(devices))
    for row, model in zip(found, models, strict=True):
        for bandwidth, device in zip(row, devices, strict=True):
            linear = Recompute.linear(model, device, 0.3)
            expected = crossover_bandwidth(model.cache_bytes(1, 8), linear.ms_per_token, False)
            assert bandwidth == pytest.approx(expected)
    for bad in (0, 1.01, np.nan):
        with pytest.raises(ValueError, match="efficiency"):
            linear_crossover_bandwidths(models, devices, bad)
        with pytest.raises(ValueError, match="efficiency"):
            Recompute.linear(LLAMA, A100, bad)


def test_weights_and_the_devices_that_hold_them():
    deepseek = MODELS["DeepSeek-V3"]
    assert weight_bytes(deepseek) == pytest.approx(671e9, rel=1e-3)  # 8 bits each
    assert devices_for_weights(deepseek, H100) == 9
    assert devices_for_weights(LLAMA, A100) == 1
    unknown = replace(LLAMA, parameters=None, active_parameters=None)
    assert devices_for_weights(unknown, A100) == 1
    with pytest.raises(ValueError, match=r"parameters of .* are not known"):
        weight_bytes(unknown)


def test_the_parts_of_a_mix():
    one_way = copy(round_trip=False, fixed_ms=5)
    floor = curve(floor_ms=10, ms_per_token=0.1)
    shares = np.array([0, 0.25, 1])
    recomputed, loaded = mix_parts_ms(1_000, shares, floor, one_way)
    assert recomputed == pytest.approx([0, 25, 100])
    assert loaded == pytest.approx([one_way.ms(1_000), one_way.ms(750), 0])
    slower = np.maximum(recomputed, loaded)
    assert mix_ms(1_000, shares, floor, one_way) == pytest.approx(slower)


def test_attention_is_what_is_not_linear():
    llama = Recompute.of(LLAMA, A100)
    assert llama.attention_ms(1_000) == pytest.approx(llama.ms_per_token2 * 1_000**2)
    assert TOY.attention_ms(1_000) == 0
    assert llama.ms_per_token_at(500) == llama.ms(500) / 500
    with pytest.raises(ValueError, match="tokens must be finite and above 0"):
        llama.ms_per_token_at(0)
