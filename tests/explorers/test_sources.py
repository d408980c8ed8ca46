"""Formulas with their numbers, and where the figures come from."""

import re

import pytest

from preemption import words
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute
from preemption.explorers import sources
from tests.explorers.machines import DEEPSEEK, GEMMA, cost_ms, of_kinds, of_machines
from tests.explorers.reading import page


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
        "copy": "",
        "blocks": "",
        "block": "",
        "µs": "/ 1e3",
        "GB/s": "",
        "GB": "* 1e3",
        "MB": "",
        "kB": "/ 1e3",
    }.items():
        text = re.sub(rf" {unit}(?![/\w])", f" {factor}", text)
    return eval(text, {"max": max})


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
    derived = use("full", {"measured": False})._sources.value
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


def test_formulas_leave_out_what_is_0():
    line = Recompute(floor_ms=0, start_ms=0, ms_per_token=0.1, source="a test", sure="derived")
    assert sources.recompute_formula(line, 1_000) == "0.1 × 1,000"
    copy = Copy(model=MODELS["Llama-3-8B"], bandwidth_bytes_per_s=25e9, launch_us=0)
    assert sources.copy_formula(copy, 1_000) == "2 × (131.1 MB / 25 GB/s)"
