"""The pictures of real machines: what they draw is the model's data, at many settings."""

import asyncio
import re
from itertools import pairwise

import numpy as np
import pytest

from preemption import costs, lessons, words
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Link, Recompute
from preemption.explorers import sources, table
from preemption.explorers.machines import (
    BlockExplorer,
    CrossoverMapExplorer,
    MachineExplorer,
    MixExplorer,
)
from preemption.figures import style

OPT = {"model": "OPT-13B", "device": "A100 40 GB SXM"}
DEEPSEEK = {"model": "DeepSeek-V3", "device": "H100 SXM", "link": "PCIe 5.0 x16"}
GEMMA = {"model": "Gemma-3-1B", "link": "NVMe (PCIe 4.0 x4)"}
MACHINES = [
    {},
    OPT,
    DEEPSEEK,
    GEMMA,
    {"tokens": 1, "pieces": "block of all layers"},
    {"tokens": 1_000_000, "waits_for": "copy back only"},
    {"block_tokens": 1, "prefill": "derived", "efficiency": 100},
    {"fixed_ms": 20, "launch_us": 0, "element": "4 bit"},
    {"model": "Qwen3-0.6B", "device": "MI300X", "link": "NVMe (PCIe 4.0 x4)"},
    {"model": "Llama-3.1-405B", "device": "CPU (Xeon 8480+)", "link": "NVLink 4", "efficiency": 5},
]
MAX_BYTES = 8_000


def name(settings):
    return ", ".join(f"{value}" for value in settings.values()) or "defaults"


# All tests of one machine in a row, so that it need not be drawn anew.
of_machines = pytest.mark.parametrize("settings", MACHINES, ids=name, scope="module")
of_kinds = pytest.mark.parametrize("kind", ["full", "linear"], scope="module")


@pytest.fixture(scope="module")
def shared():
    """One explorer of each kind; building one takes longer than to change it."""
    return {
        "full": MachineExplorer(),
        "linear": MachineExplorer(linear=True),
        "map": CrossoverMapExplorer(),
        "blocks": BlockExplorer(**OPT),
        "mix": MixExplorer(),
    }


@pytest.fixture
def use(shared):
    def changed(kind, settings):
        explorer = shared[kind]
        wanted = explorer._defaults() | settings
        if explorer.settings != wanted:
            explorer.change(**wanted)
        return explorer

    return changed


def data(line):
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def page(explorer):
    return explorer._moving.value


def cost_ms(explorer):
    return {
        "recompute": explorer.recompute.ms(explorer.tokens),
        "swap": explorer.copy.ms(explorer.tokens),
    }


# --- the curves of a machine ---


@of_kinds
@of_machines
def test_the_curves_are_the_models(use, kind, settings):
    explorer = use(kind, settings)
    curves, recompute, copy = explorer._curves, explorer.recompute, explorer.copy
    tokens, gb_per_s = explorer.tokens, copy.bandwidth_bytes_per_s / 1e9
    for line, way in ((curves.recompute_by_tokens, recompute), (curves.swap_by_tokens, copy)):
        n, per_token = data(line)
        assert (n[0], n[-1]) == (1, 1_000_000)
        np.testing.assert_allclose(per_token, way.ms(n) / n, rtol=1e-12)
    links, over_links = data(curves.swap_by_link)
    assert (links[0], links[-1]) == (0.1, 1000)
    for link, ms in zip(links[::8], over_links[::8], strict=True):
        other = costs.Copy(**(vars_of(copy) | {"bandwidth_bytes_per_s": link * 1e9}))
        assert ms == pytest.approx(other.ms(tokens))
    assert data(curves.recompute_by_link)[1].tolist() == [recompute.ms(tokens)] * 2
    for points, way in ((curves.recompute_points, recompute), (curves.swap_points, copy)):
        assert [values.tolist() for values in data(points[0])] == [
            [tokens],
            [way.ms(tokens) / tokens],
        ]
        assert [values.tolist() for values in data(points[1])] == [[gb_per_s], [way.ms(tokens)]]
    flip = costs.crossover_bandwidth_at(recompute, copy, tokens) / 1e9
    assert data(curves.flip)[0].tolist() == [flip]


def vars_of(copy):
    return {field: getattr(copy, field) for field in copy.__dataclass_fields__}


@of_kinds
@of_machines
def test_crossovers_are_marked_or_their_absence_is_said(use, kind, settings):
    explorer = use(kind, settings)
    recompute, copy, curves = explorer.recompute, explorer.copy, explorer._curves
    found = costs.crossover_tokens(recompute, copy)
    marked, per_token = data(curves.crossovers)
    assert marked.tolist() == list(found)
    np.testing.assert_allclose(per_token, [copy.ms(n) / n for n in found], rtol=1e-9)
    for n in found:
        assert re.search(rf">(▸ )?{words.count(round(n), 'token')}<", page(explorer))
        assert words.plain(round(n)) in explorer.verdict
    if not found:
        winner = table.winner(cost_ms(explorer))
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
    assert "Crossovers in tokens: 323 and 14,239" in use("full", {}).verdict
    assert "by a factor of 1.24 at most" in use("full", {}).verdict
    assert "Crossovers in tokens: 100 and 486" in use("full", OPT).verdict
    assert "by less than 1% at most" in use("full", OPT).verdict
    assert "No crossover" in use("full", DEEPSEEK).verdict
    for none in (
        {"pieces": "block of all layers"},
        {"waits_for": "copy back only"},
        {"prefill": "derived"},
    ):
        assert "No crossover" in use("full", none).verdict
    assert "Crossover in tokens: 220; recompute is cheaper below it, swap above it." in (
        use("full", {"fixed_ms": 20, "launch_us": 0}).verdict
    )
    for linear in ({}, OPT, DEEPSEEK):
        assert "No crossover" in use("linear", linear).verdict


def test_the_linear_model_takes_no_measured_time_for_a_derived_one(use):
    explorer = use("linear", {"prefill": "measured if known"})
    derived = Recompute.of(MODELS["Llama-3-8B"], DEVICES["A100 80 GB SXM"], measured=False)
    assert explorer.recompute.ms_per_token == derived.ms_per_token
    assert "2 FLOP per active parameter and token at 50%" in explorer._sources.value


@of_machines
def test_the_verdict_is_the_models(use, settings):
    explorer = use("full", settings)
    both = cost_ms(explorer)
    for way, ms in both.items():
        assert f"{way} {words.digits(ms)} ms" in explorer.verdict
    assert f"cheaper here: {table.winner(both)}, {table.lead(both)}." in explorer.verdict
    flip = costs.crossover_bandwidth_at(explorer.recompute, explorer.copy, explorer.tokens)
    said = f"The choice flips at {words.digits(flip / 1e9, 3)} GB/s."
    assert ("No link is fast enough" if np.isinf(flip) else said) in explorer.verdict
    assert explorer.verdict in page(explorer)


@of_kinds
@of_machines
def test_the_formulas_give_the_costs(use, kind, settings):
    explorer = use(kind, settings)
    formulas = re.findall(r"</th><td>(.*?)</td>", page(explorer))
    for formula, ms in zip(formulas, cost_ms(explorer).values(), strict=True):
        assert value(formula) == pytest.approx(ms, rel=0.006)


def value(formula):
    """Reckon with a formula as it stands on the page, in ms."""
    text = formula.replace(",", "").replace("×", "*").replace(" for attention", "")
    text = re.sub(r"max\(([\d.]+) ", r"max(\1, ", text)
    text = text.replace("<sup>&minus;", "**-").replace("<sup>", "**").replace("</sup>", "")
    for unit, factor in {
        "copies": "",
        "µs": "/ 1e3",
        "GB/s": "",
        "GB": "* 1e3",
        "MB": "",
        "kB": "/ 1e3",
    }.items():
        text = re.sub(rf" {unit}(?![/\w])", f" {factor}", text)
    return eval(text, {"max": max})


def test_the_left_limits_hold_both_curves(use):
    for settings in MACHINES:
        curves = use("full", settings)._curves
        low, high = curves.by_tokens.get_ylim()
        drawn = np.concatenate(
            [data(line)[1] for line in (curves.recompute_by_tokens, curves.swap_by_tokens)]
        )
        assert low < drawn.min()
        assert drawn.max() < high


def test_a_guess_is_drawn_once_answered():
    guess = lessons.where_does_opt_13b_flip()
    explorer = MachineExplorer(guesses=[guess], linear=True)
    assert "your guess" not in explorer._still.value
    guess.answer(8.0)
    assert "your guess: 8 GB/s" in explorer._still.value


# --- where the figures come from ---


@of_machines
def test_every_figure_shows_its_source(use, settings):
    explorer = use("full", settings)
    shown = explorer._sources.value
    link, model = LINKS[explorer.link], MODELS[explorer.model]
    assert f"{words.plain(model.cache_bytes(1, explorer.copy.bits))} B per token" in shown
    assert f"{words.digits(link.bandwidth_bytes_per_s / 1e9)} GB/s" in shown
    escaped = [
        text.replace("&", "&amp;").replace("'", "&#x27;")
        for text in (
            model.source,
            DEVICES[explorer.device].source,
            link.achieved_source or link.source,
            explorer.recompute.source,
        )
    ]
    assert all(text in shown for text in escaped)
    assert ("start of a copy" in shown) == bool(explorer.launch_us)


def test_it_says_whether_prefill_was_measured(use):
    measured = use("full", {})._sources.value
    assert "measured: profile published with Vidur" in measured
    assert "The efficiency moves attention only" in measured
    assert "20 to 26% too high at 256 and 512" in measured
    derived = use("full", {"prefill": "derived"})._sources.value
    assert "derived: 2 FLOP per active parameter" in derived
    assert "measured: profile" not in derived


def test_a_model_that_does_not_fit_is_called_out(use):
    warning = use("full", DEEPSEEK)._sources.value
    assert "DeepSeek-V3 does not fit: its weights take 671 GB, one H100 SXM has 80 GB" in warning
    assert "At least 9 must share it" in warning
    assert "does not fit" not in use("full", {})._sources.value


def test_a_window_is_told_with_the_bytes(use):
    assert "26,624 B per token up to 512, then 4,096 B" in use("full", GEMMA)._sources.value


def test_the_sources_are_not_sent_again_while_tokens_move(use):
    explorer, sent = use("full", {}), []
    explorer._sources.observe(lambda change: sent.append(change["new"]), "value")
    explorer.tokens = 2000
    assert sent == []
    explorer.link = "PCIe 5.0 x16"
    assert len(sent) == 1
    explorer._sources.unobserve_all()


# --- the map ---


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"device": "H100 SXM", "link": "PCIe 4.0 x16"},
        {"device": "MI300X", "link": "NVMe (PCIe 4.0 x4)", "efficiency": 100},
        {"device": "CPU (Xeon 8480+)", "element": "4 bit", "waits_for": "copy back only"},
    ],
    ids=name,
)
def test_the_map_holds_all_models_on_all_devices(use, settings):
    explorer = use("map", settings)
    drawn, bandwidth = explorer._map, LINKS[explorer.link].bandwidth_bytes_per_s / 1e9
    flips = {
        (model.name, device.name): costs.linear_crossover_bandwidth(
            model,
            device,
            explorer.efficiency / 100,
            int(explorer.element.split()[0]),
            explorer.waits_for == "copy out and back",
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


# --- blocks ---


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"block_tokens": 1},
        {"launch_us": 0},
        {"launch_us": 50, "tokens": 1},
        {"tokens": 1_000_000, "block_tokens": 256},
        {"model": "Qwen3-0.6B", "device": "MI300X", "link": "NVMe (PCIe 4.0 x4)"},
        DEEPSEEK,
    ],
    ids=name,
)
def test_the_block_curves_are_the_models(use, settings):
    explorer = use("blocks", settings)
    drawn, recompute, copy, tokens = (
        explorer._blocks,
        explorer.recompute,
        explorer.copy,
        explorer.tokens,
    )
    assert data(drawn.recompute)[1].tolist() == [recompute.ms(tokens)] * 2
    for layout, times, needed in (
        ("layer", drawn.per_layer, drawn.needed_per_layer),
        ("block", drawn.per_block, drawn.needed_per_block),
    ):
        blocks, ms = data(times)
        assert (blocks[0], blocks[-1]) == (1, 256)
        for block, found, link in zip(blocks[::4], ms[::4], data(needed)[1][::4], strict=True):
            way = Copy(**(vars_of(copy) | {"block_tokens": float(block), "layout": layout}))
            assert found == pytest.approx(way.ms(tokens))
            expected = costs.crossover_bandwidth_at(recompute, way, tokens) / 1e9
            assert link == pytest.approx(expected, rel=1e-6)
    assert [values.tolist() for values in data(drawn.swap_point)] == [
        [copy.block_tokens],
        [copy.ms(tokens)],
    ]
    flip = costs.crossover_block_tokens(recompute, copy, tokens)
    assert data(drawn.flip)[0].tolist() == [flip]
    if 1 <= flip < np.inf:
        assert f"flips at blocks of {words.digits(flip, 3)} tokens" in explorer.verdict
    elif flip < 1:
        assert "Swap is cheaper with blocks of any size." in explorer.verdict
    else:
        assert "No block is large enough" in explorer.verdict


# --- the mix ---


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"share": 0},
        {"share": 100, "tokens": 1},
        {"tokens": 1_000_000},
        DEEPSEEK,
        {"model": "Qwen3-0.6B", "device": "MI300X", "link": "NVMe (PCIe 4.0 x4)"},
    ],
    ids=name,
)
def test_the_mix_is_the_models(use, settings):
    explorer = use("mix", settings)
    drawn, recompute, copy, tokens = (
        explorer._mix,
        explorer.recompute,
        explorer.copy,
        explorer.tokens,
    )
    percent, both = data(drawn.both)
    assert (percent[0], percent[-1]) == (0, 100)
    np.testing.assert_allclose(both, costs.mix_ms(tokens, percent / 100, recompute, copy))
    np.testing.assert_array_equal(both, np.maximum(data(drawn.recompute)[1], data(drawn.load)[1]))
    best = costs.best_mix(tokens, recompute, copy)
    assert [values.tolist() for values in data(drawn.best)] == [[100 * best.share], [best.ms]]
    assert best.ms <= both.min() * (1 + 1e-9)
    here = costs.mix_ms(tokens, explorer.share / 100, recompute, copy)
    assert f"% recomputed: {words.digits(here)} ms." in explorer.verdict
    assert f"{words.digits(best.ms)} ms" in explorer.verdict
    assert both.max() < drawn.axes.get_ylim()[1]


def test_a_mix_that_does_not_help_is_said(use):
    assert "No mix is faster than the better of the two" in use("mix", DEEPSEEK).verdict
    assert "Best: recompute 33.5%" in use("mix", {}).verdict


def test_the_guessed_share_is_drawn():
    guess = lessons.which_share_is_best()
    explorer = MixExplorer(guesses=[guess])
    guess.answer(37.5)
    assert "your guess: 37.5 %" in explorer._still.value
    assert "right, within 15%" in guess._reply(37.5)[0]


# --- all of them ---


def explorers_at_many_settings(use):
    for kind, number in (
        ("full", "tokens"),
        ("linear", "tokens"),
        ("blocks", "block_tokens"),
        ("mix", "share"),
    ):
        for settings in MACHINES[::2]:
            kept = {"waits_for": "copy back only"} if kind == "mix" else {}
            yield use(kind, settings | kept), number
    for settings in ({}, {"efficiency": 5, "element": "4 bit"}):
        yield use("map", settings), "efficiency"


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


def test_the_picture_speaks(use):
    for kind in ("full", "map", "blocks", "mix"):
        explorer = use(kind, {})
        spoken = re.search(r'role="img" aria-label="([^"]+)"', page(explorer)).group(1)
        assert len(spoken) > 100
        for setting in explorer._known.values():
            assert spoken != setting.label
        bundle, _ = explorer._repr_mimebundle_()
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


def test_a_tie_is_no_crossover_and_no_lead():
    flip = costs.linear_crossover_bandwidth(MODELS["Llama-3-8B"], DEVICES["A100 80 GB SXM"])
    LINKS.add(Link(name="even", nominal_gb_per_s=flip / 1e9, source="a test", sure="derived"))
    try:
        explorer = MachineExplorer(linear=True, link="even")
        assert "No crossover in tokens: both cost the same at every count." in explorer.verdict
        assert "both cost the same: no crossover" in page(explorer)
    finally:
        del LINKS["even"]


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
            with pytest.raises(ValueError, match=r"link must be one of PCIe .*, not 'my disk'"):
                explorer.link = "my disk"
            assert (explorer.settings, explorer._moving.value) == (before, page)
    finally:
        del LINKS["my disk"]


def test_leads_are_told_in_words():
    assert table.lead({"a": 1.0, "b": 1.0}) == "on a tie"
    assert table.lead({"a": 1.0, "b": 1.004}) == "by less than 1%"
    assert table.lead({"a": 1.042, "b": 1.0}) == "by 4.2%"
    assert table.lead({"a": 9.54, "b": 1.0}) == "by a factor of 9.54"


def test_formulas_leave_out_what_is_0():
    line = Recompute(floor_ms=0, start_ms=0, ms_per_token=0.1, source="a test", sure="derived")
    assert sources.recompute_formula(line, 1_000) == "0.1 × 1,000"
    copy = Copy(model=MODELS["Llama-3-8B"], bandwidth_bytes_per_s=25e9, launch_us=0)
    assert sources.copy_formula(copy, 1_000) == "2 × (131.1 MB / 25 GB/s)"


def test_log_limits_hold_the_values_with_room():
    for values in ([0.1], [1.0, 1000.0], [0.0123, 17.0], [3.0, 3.1]):
        low, high = style.log_limits(np.array(values))
        assert low * 2 <= min(values) * (1 + 1e-9)
        assert max(values) * 1.5 <= high * (1 + 1e-9)
        ticks = style.decades(low, high)
        assert len(ticks) >= 1
        assert low * 0.999 <= ticks[0]
        assert ticks[-1] <= high * 1.001
