"""A machine of one's own: fits from synthetic times, a run that goes wrong, entries, PyTorch."""

import datetime
import math
import re
import subprocess
import sys

import numpy as np
import pytest

from preemption import costs
from preemption.costs import DEVICES, LINKS, MODELS, PROFILES, Copy, Recompute, add_own, read_own
from preemption.costs.measure import (
    Measured,
    Run,
    Timing,
    closest,
    fit_copies,
    fit_prefill,
    in_pieces,
    least_squares,
    mlp_size,
    this_machine,
)
from preemption.costs.measure.__main__ import main
from tests.costs.no_machine import Clock, Machine, prefill_ms

LLAMA = MODELS["Llama-3-8B"]
TOKENS = [1, 4, 16, 64, 128, 256, 512, 1024, 2048, 4096]
DAY = datetime.date(2026, 12, 1)


# --- fits ---


@pytest.mark.parametrize("noise", [0.0, 0.005, 0.02])
@pytest.mark.parametrize("seed", range(5))
def test_the_figures_of_a_prefill_are_found_again_within_their_errors(noise, seed):
    rng = np.random.default_rng(seed)
    fit = fit_prefill(TOKENS, [prefill_ms(n) * (1 + noise * rng.normal()) for n in TOKENS])
    for name, true in (("floor_ms", 9.7), ("ms_per_token", 0.066), ("ms_per_token2", 1.7e-6)):
        fitted = getattr(fit, name)
        assert abs(fitted.value - true) <= 4 * fitted.error + 1e-6 * true, name
        assert fitted.error <= 40 * noise * true + 1e-6 * true, name
    assert fit.off <= 5 * noise + 1e-6


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_the_start_and_the_bandwidth_of_copies_are_found_again_within_their_errors(noise):
    rng = np.random.default_rng(1)
    copies, n_bytes, times_ms = [], [], []
    for tokens in (16, 64, 256, 1024):
        for pieces in in_pieces(LLAMA, tokens):
            moved = LLAMA.cache_bytes(tokens)
            copies.append(pieces)
            n_bytes.append(moved)
            ms = 0.05 + 6e-3 * pieces + moved / 25e6
            times_ms.append(ms * (1 + noise * rng.normal()))
    fit = fit_copies(copies, n_bytes, times_ms)
    for fitted, true in ((fit.fixed_ms, 0.05), (fit.launch_us, 6), (fit.gb_per_s, 25)):
        assert abs(fitted.value - true) <= 4 * fitted.error + 1e-6 * true
        assert fitted.error <= 10 * noise * true + 1e-6 * true


def test_no_figure_is_below_zero():
    falling = [prefill_ms(n, square=0) - 3e-7 * n * n for n in TOKENS]
    assert fit_prefill(TOKENS, falling).ms_per_token2.value == 0
    values, errors = least_squares(np.array([[1.0, 1], [1, 2], [1, 3]]), np.array([1.0, 3, 5]))
    assert values[0] == 0 < values[1]
    assert np.all(errors > 0)


def test_without_a_point_to_spare_errors_are_not_known():
    _, errors = least_squares(np.array([[1.0, 1], [1, 2]]), np.array([1.0, 3]))
    assert np.all(np.isinf(errors))


def test_median_and_quartiles():
    timing = Timing.of([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (timing.low_ms, timing.ms, timing.high_ms, timing.repeats) == (2, 3, 4, 5)
    assert timing.spread == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fit_prefill([1, 2, 3, 4], [1, 2, 3, 4]), "5 measured points or more, not 4"),
        (lambda: fit_prefill([1, 2, 2, 3, 4], [1] * 5), "must rise"),
        (lambda: fit_prefill([1, 2, 3, 4, 5], [1] * 4), "as many, not 5, 4"),
        (lambda: fit_prefill([1, 2, 3, 4, 5], [1, 1, 1, 1, math.nan]), "times_ms must be"),
        (lambda: fit_prefill(TOKENS, [2.0**-k for k in range(10)]), "do not rise"),
        (lambda: fit_copies([1, 2, 3], [1, 2, 3], [1, 2, 3]), "4 measured points or more, not 3"),
        (lambda: fit_copies([4, 3, 2, 1], [1, 2, 3, 4], [4, 3, 2, 1]), "do not rise"),
        (lambda: Timing.of([]), "nothing was timed"),
        (lambda: Timing.of([1.0, 0.0]), "above 0"),
    ],
)
def test_what_cannot_be_fitted_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


# --- a run, on a machine that is none ---


def a_run(machine=None, *, model=LLAMA, **others):
    clock = others.pop("clock", None) or Clock()
    machine = machine or Machine(clock)
    return Run(machine, model, clock=machine.clock, **others)


def test_a_run_finds_what_the_machine_does_and_the_catalogue_takes_it():
    run = a_run()
    steps = list(run)
    assert [step.share for step in steps] == sorted(step.share for step in steps)
    assert steps[-1].share <= 1
    found = Measured.of(run, DAY)
    assert found.device.bf16_tflop_per_s == pytest.approx(156)
    assert found.device.memory_gb_per_s == pytest.approx(2000)
    assert found.profile.floor_ms == pytest.approx(9.7, rel=0.01)
    assert found.profile.ms_per_token == pytest.approx(0.066, rel=0.01)
    assert found.profile.ms_per_token2 == pytest.approx(1.7e-6, rel=0.02)
    assert f"{run.layers} of 32 layers measured, the rest extrapolated" in found.profile.note
    (link,) = found.links
    assert link.nominal_gb_per_s == pytest.approx(25)
    assert link.launch_us == pytest.approx(6)
    assert re.search(r"both at once .* GB/s, each way", link.note)
    assert found.remarks == ()
    assert "ms per token: 0.066 measured, 0.206 derived" in found.summary()
    assert link.source == "measured on this machine, 2026-12-01: a machine; none"


def test_the_first_time_is_left_out_and_each_is_repeated():
    run = a_run()
    list(run)
    for prefill in run.prefills:
        done = run.machine.calls.count(("prefill", prefill.tokens))
        assert done == 1 + prefill.timing.repeats
        assert prefill.timing.repeats >= 3


@pytest.mark.parametrize("seconds", [0.5, 5, 60])
def test_a_run_keeps_within_its_time_and_memory(seconds):
    run = a_run(seconds=seconds, memory_bytes=3e9)
    list(run)
    longest_s = 4e-3 * max(each.timing.ms for each in [*run.prefills, *run.copies])
    assert run.machine.clock() <= seconds + longest_s
    assert run.layers * 2 * LLAMA.parameters / LLAMA.layers <= 3e9 / 2
    assert 4 * max(each.copies * each.copy_bytes for each in run.copies) <= 3e9


def test_out_of_memory_in_the_middle_keeps_what_came_before():
    run = a_run(Machine(Clock(), memory_tokens=512))
    list(run)
    assert [prefill.tokens for prefill in run.prefills] == [1, 4, 16, 64, 128, 256, 512]
    found = Measured.of(run)
    assert "prefill: out of memory (no room); what came before counts" in found.remarks
    assert found.profile.ms_per_token == pytest.approx(0.066, rel=0.01)
    assert found.links


def test_out_of_memory_at_once_still_finds_the_rest():
    found = Measured.of(done := a_run(Machine(Clock(), memory_tokens=0)))
    list(done)
    found = Measured.of(done)
    assert found.profile is None
    assert any("5 measured points or more, not 0" in remark for remark in found.remarks)
    assert found.device
    assert found.links


def test_a_clock_that_stalls_ends_it_with_a_word():
    clock = Clock(stalls_at=0.3)
    run = a_run(Machine(clock))
    list(run)
    assert any("the clock stood still during" in remark for remark in run.remarks)
    assert all(each.timing.low_ms > 0 for each in run.prefills)
    assert "noticed: " in Measured.of(run).summary()
    silent = a_run(Machine(Clock(stalls_at=0)))
    list(silent)
    assert Measured.of(silent).entries == ()


def test_a_stop_in_the_middle_keeps_what_came_before():
    run = a_run()
    for step in run:
        if "512 tokens" in step.text:
            break
    found = Measured.of(run)
    assert found.profile.ms_per_token == pytest.approx(0.066, rel=0.01)
    assert found.links == ()
    assert found.device.host_link is None
    assert found.entries == (found.device, found.profile)


def test_other_load_is_said_and_written():
    run = a_run(Machine(Clock(), remarks=["others kept 1.5 of 2 processors busy meanwhile"]))
    list(run)
    found = Measured.of(run)
    assert "noticed: others kept 1.5" in found.summary()
    assert "# Noticed: others kept 1.5" in found.toml()


@pytest.mark.parametrize("name", ["DeepSeek-V3", "gpt-oss-120b", "Gemma-3-1B"])
def test_a_model_that_is_no_plain_decoder_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} cannot be measured"):
        a_run(model=MODELS[name])


def test_a_layer_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"a layer of Llama-3-8B takes 0\.5 GB"):
        a_run(memory_bytes=0.8e9)
    for bad in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="seconds must be"):
            a_run(seconds=bad)


def test_the_decoder_has_the_operations_that_the_derived_time_counts():
    for model in MODELS.values():
        if model.latent_dim or model.window or model.active_parameters or not model.parameters:
            continue
        hidden = model.heads * model.head_dim
        attention = 2 * hidden * (hidden + model.kv_heads * model.head_dim)
        layer = attention + 3 * hidden * mlp_size(model)
        assert layer * model.layers == pytest.approx(model.parameters, rel=0.001), model.name


# --- entries ---


@pytest.fixture
def own(tmp_path):
    """The entries of a run in the catalogues, read from its file, and removed again."""
    run = a_run()
    list(run)
    found = Measured.of(run)
    path = tmp_path / "mine.toml"
    path.write_text(found.toml(), encoding="utf-8")
    entries = read_own(path)
    add_own(entries)
    yield found, entries
    for catalogue in (DEVICES, LINKS, PROFILES):
        for name in [name for name, entry in catalogue.items() if entry in entries]:
            del catalogue[name]


def test_the_file_holds_what_was_found_and_adding_twice_replaces(own):
    found, entries = own
    assert set(entries) == set(found.entries)
    add_own(entries)
    assert DEVICES["a machine (own)"] == found.device
    same = [name for name, entry in DEVICES.items() if entry == found.device]
    assert same == ["a machine (own)"]


def test_the_times_of_an_own_machine_are_those_measured(own):
    found, _ = own
    recompute = Recompute.of(LLAMA, found.device, efficiency=0.1)
    assert recompute.ms(2048) == pytest.approx(prefill_ms(2048), rel=0.01)
    assert recompute == Recompute.of(LLAMA, found.device)
    assert recompute.source == found.profile.source


def test_the_measured_points_lie_on_the_curves(own):
    found, _ = own
    recompute = Recompute.of(LLAMA, found.device)
    for tokens, ms in found.profile.points:
        assert recompute.ms(tokens) == pytest.approx(ms, rel=0.01)
    (link,) = found.links
    for copies, n_bytes, ms in link.points:
        tokens = n_bytes / LLAMA.cache_bytes(1)
        in_blocks = copies == tokens / costs.BLOCK_TOKENS
        copy = Copy(
            model=LLAMA,
            bandwidth_bytes_per_s=link.bandwidth_bytes_per_s,
            launch_us=link.launch_us,
            round_trip=False,
            layout="block" if in_blocks else "layer",
        )
        if copies > 1 or in_blocks:
            assert copy.ms(tokens) == pytest.approx(ms, rel=0.01)


def test_the_closest_published_machine_is_no_own_one(own):
    found, _ = own
    device, link = closest(LLAMA, found.device, found.links[0])
    assert device.name.startswith("A100 80 GB")
    assert link.name == "PCIe 4.0 x16"


def test_a_published_name_is_not_replaced_and_nothing_is_added():
    mine = costs.Link(name="mine", source=costs.OWN, sure="checked", nominal_gb_per_s=1)
    taken = costs.Link(name="pcie 4.0 X16", source=costs.OWN, sure="checked", nominal_gb_per_s=1)
    before = dict(LINKS)
    with pytest.raises(ValueError, match=r"'pcie 4\.0 X16' is taken"):
        add_own([mine, taken])
    assert before == LINKS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must hold entries"),
        ("[[model]]\nname = 'x'", r"\[\[device\]\] and \[\[link\]\] and \[\[profile\]\] only"),
        ("link = 1", "must hold entries"),
        ("[[link]]\nname = 'x'", "link, entry 1 .*missing|missing"),
        ("no toml", "not a TOML file"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, text, said):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=said):
        read_own(path)
    with pytest.raises(TypeError, match="path must be"):
        read_own(None)


# --- without PyTorch, and with it ---


def test_without_pytorch_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "preemption.costs.measure.on_torch", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match=r"extra measure is missing \(torch"):
        this_machine()
    assert main([]) == 1
    assert "the extra measure is missing" in capsys.readouterr().err


def test_pytorch_is_not_loaded_before_it_is_needed():
    command = "import preemption.costs.measure, sys; print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert said.stdout.strip() == "False", said.stderr


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    for needed in ("psutil", "torch"):
        module = pytest.importorskip(needed, reason=f"{needed} is missing: the extra `measure`")
    module.set_num_threads(1)  # several wait for each other where other tests run besides
    return this_machine("cpu", tmp_path_factory.mktemp("disk"))


def test_this_machine_is_measured_in_the_time_given(machine):
    shape = {"layers": 2, "heads": 8, "head_dim": 64, "kv_heads": 2, "parameters": 6e6}
    small = costs.Model(name="a small one", source="a test", sure="derived", **shape)
    run = Run(machine, small, seconds=8, memory_bytes=0.4e9)
    assert list(run)
    found = Measured.of(run)
    assert 0.01 < found.device.bf16_tflop_per_s < 100
    assert "PyTorch" in found.device.source
    assert run.prefills
    assert run.layers in (1, 2)
    assert {each.store for each in run.copies} >= {"memory"}
    # What a busy machine does not reach in this time is said.
    assert found.profile or "5 measured points or more" in " ".join(found.remarks)


@pytest.mark.usefixtures("machine")
def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"device must be one of cpu.* here, not 'abacus'"):
        this_machine("abacus")


def test_the_errors_of_pytorch_for_memory_are_one(machine):
    with pytest.raises(MemoryError, match="memory"):
        machine.within(10**17)


@pytest.mark.usefixtures("machine")
def test_the_command_line_writes_a_file_that_can_be_read(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    arguments = ["--model", "Qwen2.5-0.5B", "--seconds", "3", "--gb", "0.4", "--device", "cpu"]
    assert main([*arguments, "--disk", str(tmp_path), "--out", str(path)]) == 0
    assert f"written to {path}" in capsys.readouterr().out
    assert read_own(path)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    "arguments", [["--model", "nothing"], ["--seconds", "-1"], ["--out", "no/where"]]
)
def test_the_command_line_refuses_what_cannot_be(arguments, capsys):
    assert main(["--device", "cpu", *arguments]) == 1
    assert re.search(r"not|no folder", capsys.readouterr().err)
