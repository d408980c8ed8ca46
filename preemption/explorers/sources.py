"""A machine's formulas with its numbers put in, and where the numbers come from."""

from collections.abc import Iterable
from functools import lru_cache

from preemption import words
from preemption.costs import (
    Copy,
    Device,
    Entry,
    Link,
    Model,
    Recompute,
    devices_for_weights,
    profile_of,
    weight_bytes,
)
from preemption.page import html

# How sure a figure is, as a reader understands it.
_SURE = {
    "checked": "read there",
    "thread": "its author's word",
    "second-hand": "reported",
    "derived": "computed",
}


def recompute_formula(recompute: Recompute, tokens: float) -> str:
    """Write T(n) = max(floor, a + b n) + c n^2 with its numbers, at n = `tokens`."""
    n = words.plain(tokens)
    formula = f"{words.digits(recompute.ms_per_token, 3)} × {n}"
    if recompute.start_ms:
        formula = f"{words.digits(recompute.start_ms, 3)} + {formula}"
    if recompute.floor_ms:
        formula = f"max({words.digits(recompute.floor_ms, 3)}, {formula})"
    if recompute.window:
        formula += f" + {words.digits(recompute.attention_ms(tokens), 3)} for attention"
    elif recompute.ms_per_token2:
        digits, power = f"{recompute.ms_per_token2:.2e}".split("e")
        formula += f" + {digits} × 10^{int(power)} × {n}^2"
    return formula


def copy_formula(copy: Copy, tokens: float) -> str:
    """Write S(n) = fixed + trips x (copies x launch + bytes / bandwidth) with its numbers."""
    moved = words.size(float(copy.model.cache_bytes(tokens, copy.bits)))
    formula = f"{moved} / {words.digits(copy.bandwidth_bytes_per_s / 1e9)} GB/s"
    if copy.launch_us:
        per_block = float(copy.copies(1))
        way_ms = (float(copy.overhead_ms(tokens)) - copy.fixed_ms) / (2 if copy.round_trip else 1)
        blocks = way_ms * 1e3 / copy.launch_us / per_block
        launches = (
            f"{words.count(float(f'{blocks:.4g}'), 'block')} × "
            f"{words.count(round(per_block), 'copy', 'copies')} × {words.digits(copy.launch_us)} µs"
        )
        formula = f"{launches} + {formula}"
    if copy.round_trip:
        formula = f"2 × ({formula})"
    return f"{words.digits(copy.fixed_ms)} + {formula}" if copy.fixed_ms else formula


@lru_cache(maxsize=8)  # a drag seldom changes them
def of_machine(
    model: Model,
    device: Device,
    link: Link,
    recompute: Recompute,
    *,
    bits: int,
    launch_us: float,
) -> str:
    """List the figures that these times are made of, each with its source and how sure it is.

    `bits` are those of an element of the cache, `launch_us` what a copy takes to start. If the
    device is too small for the model, that comes first.
    """
    rows = [_of_model(model, bits), _of_prefill(model, device, recompute)]
    rows += [_of_device(device), _of_link(link)]
    if launch_us:
        launch = f"{words.digits(launch_us)} µs"
        measured = "5 to 7 µs were measured for one cudaMemcpyAsync (arXiv 2602.21548)"
        found = (measured, "measured" if 5 <= launch_us <= 7 else "assumed")
        if link.own and launch_us == link.launch_us:
            found = (_cited(link), _sure(link))
        rows.append(("start of a copy", launch, *found))
    return html.page(_too_large(model, device), _listing(rows))


def of_all(models: Iterable[Model], devices: Iterable[Device], links: Iterable[Link]) -> str:
    """List the figures of whole catalogues with their sources, folded."""
    rows = [_of_link(link) for link in links]
    rows += [_of_device(device) for device in devices]
    rows += [_of_model(model, 16) for model in models]
    return html.page(html.fold("sources of all figures in the map", _listing(rows)))


def _of_model(model: Model, bits: int) -> tuple[str, str, str, str]:
    figure = f"{words.plain(model.cache_bytes(1, bits))} B per token"
    if model.window:
        beyond = model.cache_bytes(model.window + 1, bits) - model.cache_bytes(model.window, bits)
        figure += f" up to {words.plain(model.window)}, then {words.plain(beyond)} B"
    return (f"cache of {model.name}", figure, _cited(model), _sure(model))


def _of_prefill(model: Model, device: Device, recompute: Recompute) -> tuple[str, str, str, str]:
    profile, source = profile_of(model, device), recompute.source
    if profile and recompute.sure != "derived":
        source += f". Here {profile.note}"
        if profile.ms_per_token2 is None:
            source += ". The efficiency moves attention only"
    figure = f"{words.digits(recompute.ms_per_token, 3)} ms per token"
    sure = _sure(profile) if profile and recompute.sure != "derived" else _SURE[recompute.sure]
    return ("prefill", figure, source, sure)


def _of_device(device: Device) -> tuple[str, str, str, str]:
    figure = (
        f"{words.digits(device.bf16_tflop_per_s)} TFLOP/s, {words.digits(device.memory_gb)} GB "
        f"at {words.digits(device.memory_gb_per_s)} GB/s"
    )
    return (device.name, figure, _cited(device), _sure(device))


def _of_link(link: Link) -> tuple[str, str, str, str]:
    nominal = f"{words.digits(link.nominal_gb_per_s)} GB/s"
    if link.achieved_gb_per_s is None or link.achieved_sure is None:
        return (
            link.name,
            nominal if link.own else f"{nominal}, nominal",
            _cited(link),
            _sure(link),
        )
    figure = f"{words.digits(link.achieved_gb_per_s)} GB/s achieved of {nominal}"
    return (link.name, figure, link.achieved_source, _SURE[link.achieved_sure])


def _sure(entry: Entry) -> str:
    return "measured" if entry.own else _SURE[entry.sure]


def _cited(row: Entry) -> str:
    return f"{row.source}. Note: {row.note}" if row.note else row.source


def _too_large(model: Model, device: Device) -> str:
    """Warn if the weights alone are more than the device holds."""
    share = devices_for_weights(model, device)
    if share == 1:
        return ""
    return html.element(
        "p",
        f"{model.name} does not fit: its weights take {words.digits(weight_bytes(model) / 1e9, 3)} "
        f"GB, one {device.name} has {words.digits(device.memory_gb)} GB. At least {share} must "
        "share it. If they share work and cache evenly, both times are divided alike, and the "
        "choice stays.",
        class_="pe-note",
    )


def _listing(rows: Iterable[tuple[str, str, str, str]]) -> str:
    return html.table(["of", "figure", "source", "how sure"], list(rows), class_="pe-sources")
