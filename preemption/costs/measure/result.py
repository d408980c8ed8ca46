"""What a measurement found: entries of the catalogue, as TOML; in words, with where it flips."""

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

import numpy as np

from preemption.costs.catalogue import DEVICES, LINKS, OWN, Device, Entry, Link, Model, Profile
from preemption.costs.measure.fits import CopyFit, Fitted, PrefillFit, fit_copies, fit_prefill
from preemption.costs.measure.run import Copies, Run, Store
from preemption.costs.resume import Copy, Recompute, crossover_bandwidth_at, crossover_tokens

RECORDED = Path(__file__).parents[1] / "data" / "recorded.toml"
_TOKENS = 1000  # at which a summary tells the crossover


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Entries of one machine, as far as it was measured, and remarks on what was not.

    A stopped or broken measurement has None for the device or the profile, or fewer links.
    """

    model: Model
    device: Device | None
    profile: Profile | None
    links: tuple[Link, ...]
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, run: Run, day: datetime.date | None = None) -> "Measured":
        """Return what a run knows by now; `day` is when it was, by default today."""
        machine, model, remarks = run.machine, run.model, list(run.remarks)
        remarks += machine.noticed()
        source = f"{OWN}, {day or datetime.date.today()}: {machine.name}; {machine.versions}"
        links = []
        for store in machine.stores:
            try:
                links.append(_link(store, run.copies, source))
            except ValueError as error:
                remarks.append(f"{store.name}: {error}")
        device = profile = None
        if run.product_flop_per_s and run.memory_bytes_per_s:
            device = Device(
                name=f"{machine.name} (own)",
                bf16_tflop_per_s=_short(run.product_flop_per_s / 1e12),
                memory_gb=_short(machine.memory_bytes / 1e9),
                memory_gb_per_s=_short(run.memory_bytes_per_s / 1e9),
                host_link=links[0].name if links else None,
                source=source,
                sure="checked",
                note="the TFLOP/s are what a large product reached, not a peak; the GB/s a copy "
                "within memory, read and written",
            )
            try:
                profile = _profile(run, device, source)
            except ValueError as error:
                remarks.append(f"prefill: {error}")
        return cls(
            model=model, device=device, profile=profile, links=tuple(links), remarks=tuple(remarks)
        )

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries there are, for the catalogue."""
        return tuple(each for each in (self.device, self.profile, *self.links) if each)

    def toml(self) -> str:
        """Write the entries in the catalogue's form; `read_own` reads them."""
        remarks = "".join(f"# Noticed: {remark}\n" for remark in self.remarks)
        return "\n".join([f"# {OWN.capitalize()}.\n{remarks}", *map(_table, self.entries)])

    def summary(self) -> str:
        """Say in some lines what was measured, beside what would be derived."""
        lines = [f"{entry.name}: {entry.note}" for entry in self.entries]
        if self.device and self.profile:
            measured = _recompute(self.model, self.device, self.profile)
            derived = Recompute.of(self.model, self.device, measured=False)
            for label, unit in (
                ("floor_ms", "ms for the floor"),
                ("ms_per_token", "ms per token"),
                ("ms_per_token2", "ms per token squared"),
            ):
                here, there = (_plain(getattr(each, label), 3) for each in (measured, derived))
                lines.append(f"{unit}: {here} measured, {there} derived")
            for link in self.links:
                lines.append(_crossovers(measured, self.model, link))
        return "\n".join([*lines, *(f"noticed: {remark}" for remark in self.remarks)])


def closest(model: Model, device: Device, link: Link) -> tuple[Device, Link]:
    """Return the published device and link that come closest to these, by ratio.

    Devices are compared by the time per token of this model, links by their bandwidth. Raises
    ValueError if the parameters of the model are not known.
    """
    ms_per_token = Recompute.of(model, device).ms_per_token
    return (
        min(
            (each for each in DEVICES.values() if not each.own),
            key=lambda each: abs(math.log(Recompute.of(model, each).ms_per_token / ms_per_token)),
        ),
        min(
            (each for each in LINKS.values() if not each.own),
            key=lambda each: abs(math.log(each.bandwidth_bytes_per_s / link.bandwidth_bytes_per_s)),
        ),
    )


def _profile(run: Run, device: Device, source: str) -> Profile:
    """Fit the prefills, scaled up from the layers that were measured to all."""
    all_layers = run.model.layers / run.layers
    tokens = [prefill.tokens for prefill in run.prefills]
    times_ms = [prefill.timing.ms * all_layers for prefill in run.prefills]
    fit = fit_prefill(tokens, times_ms)
    layers = f"{run.layers} of {run.model.layers} layers measured"
    if run.layers < run.model.layers:
        layers += ", the rest extrapolated"
    spread = max(prefill.timing.spread for prefill in run.prefills)
    return Profile(
        name=f"{run.model.name} on {device.name}",
        model=run.model.name,
        devices=(device.name,),
        floor_ms=_short(fit.floor_ms.value),
        start_ms=_short(fit.start_ms.value),
        ms_per_token=_short(fit.ms_per_token.value),
        ms_per_token2=_short(fit.ms_per_token2.value),
        points=tuple((n, _short(ms)) for n, ms in zip(tokens, times_ms, strict=True)),
        source=source,
        sure="checked",
        note=f"{layers}; {_of_prefill(fit)}; repeats spread by up to {spread:.0%} (middle half)",
    )


def _of_prefill(fit: PrefillFit) -> str:
    return (
        f"floor {_with_error(fit.floor_ms)} ms, start {_with_error(fit.start_ms)} ms, "
        f"{_with_error(fit.ms_per_token)} ms per token, {_with_error(fit.ms_per_token2)} ms per "
        f"token squared; fit off by up to {fit.off:.0%}"
    )


def _link(store: Store, all_copies: Sequence[Copies], source: str) -> Link:
    """Fit the copies to a store: both ways together, as out and back; each way for the note."""
    here = [copies for copies in all_copies if copies.store == store.name]
    one_way = [copies for copies in here if copies.way != "both at once"]
    fit = _fit(one_way)
    notes = [store.note] if store.note else []
    notes.append(f"out and back: {_of_copies(fit)}")
    for way in dict.fromkeys(copies.way for copies in here):
        try:
            gb_per_s = _fit([copies for copies in here if copies.way == way]).gb_per_s
        except ValueError:
            continue
        each = ", each way" if way == "both at once" else ""
        notes.append(f"{way} {_with_error(gb_per_s)} GB/s{each}")
    spread = max(copies.timing.spread for copies in one_way)
    notes.append(f"repeats spread by up to {spread:.0%} (middle half)")
    return Link(
        name=f"{store.name} (own)",
        nominal_gb_per_s=_short(fit.gb_per_s.value),
        launch_us=_short(fit.launch_us.value),
        fixed_ms=_short(fit.fixed_ms.value),
        points=tuple(
            (each.copies, each.copies * each.copy_bytes, _short(each.timing.ms)) for each in one_way
        ),
        source=source,
        sure="checked",
        note="; ".join(notes),
    )


def _fit(copies: Sequence[Copies]) -> CopyFit:
    return fit_copies(
        [each.copies for each in copies],
        [each.copies * each.copy_bytes for each in copies],
        [each.timing.ms for each in copies],
    )


def _of_copies(fit: CopyFit) -> str:
    return (
        f"{_with_error(fit.gb_per_s)} GB/s, {_with_error(fit.launch_us)} µs to start a copy, "
        f"{_with_error(fit.fixed_ms)} ms once; fit off by up to {fit.off:.0%}"
    )


def _recompute(model: Model, device: Device, profile: Profile) -> Recompute:
    """Return the measured time to recompute, whether or not the catalogue has it."""
    derived = Recompute.of(model, device, measured=False)
    return Recompute(
        floor_ms=profile.floor_ms,
        start_ms=profile.start_ms,
        ms_per_token=profile.ms_per_token,
        ms_per_token2=profile.ms_per_token2 or 0.0,
        source=profile.source,
        sure=derived.sure,
    )


def _crossovers(recompute: Recompute, model: Model, link: Link) -> str:
    copy = Copy(
        model=model,
        bandwidth_bytes_per_s=link.bandwidth_bytes_per_s,
        launch_us=link.launch_us or 0.0,
        fixed_ms=link.fixed_ms,
    )
    flips = crossover_bandwidth_at(recompute, copy, _TOKENS) / 1e9
    tokens = " and ".join(f"{n:,.0f}" for n in crossover_tokens(recompute, copy)) or "none"
    return (
        f"{link.name}, {link.nominal_gb_per_s:g} GB/s: at {_TOKENS:,} tokens the choice flips at "
        f"{_plain(flips, 3)} GB/s; crossovers in tokens: {tokens}"
    )


def _with_error(fitted: Fitted) -> str:
    return f"{_plain(fitted.value, 3)} ± {_plain(fitted.error, 1)}"


def _plain(value: float, digits: int) -> str:
    """Write significant digits without an exponent."""
    return str(np.format_float_positional(float(f"{value:.{digits}g}"), trim="-"))


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _table(entry: Entry) -> str:
    """Write an entry as a table of TOML: JSON's strings, numbers and lists are TOML's too."""
    lines = [f"[[{type(entry).__name__.lower()}]]"]
    for field in fields(entry):
        value = getattr(entry, field.name)
        if field.default is MISSING or value != field.default:
            lines.append(f"{field.name} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"
