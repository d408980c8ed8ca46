"""The explorers of notebook 03: real models, devices and links; block sizes; both ways at once."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from preemption import costs, words
from preemption.checks import Array
from preemption.costs import BITS, DEVICES, LINKS, MODELS, Copy, Recompute
from preemption.explorers import sources, table
from preemption.figures.block_sizes import BlockSizes
from preemption.figures.crossover_map import CrossoverMap
from preemption.figures.machine_costs import MachineCurves
from preemption.figures.mix import MixCurves
from preemption.page.controls import Number, Select, Setting
from preemption.page.live import Explorer, Words

_ELEMENTS = tuple(f"{bits} bit" for bits in BITS)
_PREFILLS = _MEASURED, _DERIVED = "measured if known", "derived"
_PIECES = _PER_LAYER, _PER_BLOCK = "layer, K and V apart", "block of all layers"
_WAITS = _ROUND_TRIP, _ONE_WAY = "copy out and back", "copy back only"
_HALVES = [half / 2 for half in range(101)]
_NAMED = 3  # so many models are named in a sentence


class OnMachine(Explorer):
    """What explorers of one model on one device share: their settings, and the times they make."""

    model = Select("model", options=MODELS, default="Llama-3-8B")
    device = Select("device", options=DEVICES, default="A100 80 GB SXM")
    link = Select("link", options=LINKS, default="PCIe 4.0 x16")
    element = Select("cache element", options=_ELEMENTS, default=_ELEMENTS[0])
    prefill = Select("prefill time", options=_PREFILLS, default=_MEASURED)
    pieces = Select("one copy per", options=_PIECES, default=_PER_LAYER)
    waits_for = Select("request waits for", options=_WAITS, default=_ROUND_TRIP)
    tokens = Number("cached tokens", default=1_000, low=1, high=1_000_000, whole=True)
    block_tokens = Number(
        "tokens per block", default=costs.BLOCK_TOKENS, low=1, high=256, whole=True
    )
    efficiency = Number("efficiency (%)", default=50, low=5, high=100, whole=True)
    launch_us = Number("copy start (µs)", default=costs.LAUNCH_US, low=0, high=50, places=_HALVES)
    fixed_ms = Number("fixed cost (ms)", default=0, low=0, high=50, places=_HALVES)

    @property
    def recompute(self) -> Recompute:
        """The time to recompute at the present settings."""
        return self._recompute(measured=self.prefill == _MEASURED)

    def _recompute(self, *, measured: bool) -> Recompute:
        model, device = MODELS[self.model], DEVICES[self.device]
        return Recompute.of(model, device, self.efficiency / 100, measured=measured)

    @property
    def copy(self) -> Copy:
        """The time to copy at the present settings."""
        return Copy(
            model=MODELS[self.model],
            bandwidth_bytes_per_s=LINKS[self.link].bandwidth_bytes_per_s,
            bits=_bits(self.element),
            block_tokens=int(self.block_tokens),
            layout="layer" if self.pieces == _PER_LAYER else "block",
            launch_us=self.launch_us,
            fixed_ms=self.fixed_ms,
            round_trip=self.waits_for == _ROUND_TRIP,
        )

    def _here(self) -> str:
        """Say what resumes, and where."""
        return f"{words.count(self.tokens, 'token')} of {self.model} on {self.device}"

    def _table(self, cost_ms: dict[str, float], recompute: Recompute, copy: Copy) -> str:
        return table.cost_table(
            {
                "recompute": "drop and recompute",
                "swap": "swap out and back" if copy.round_trip else "load back",
            },
            {
                "recompute": sources.recompute_formula(recompute, self.tokens),
                "swap": sources.copy_formula(copy, self.tokens),
            },
            cost_ms,
        )

    def _list_sources(self, recompute: Recompute, copy: Copy) -> str:
        return sources.of_machine(
            MODELS[self.model], DEVICES[self.device], LINKS[self.link], recompute, copy
        )


class MachineExplorer(OnMachine):
    """Choose a model, a device and a link; see which way is cheaper, and where that changes.

    With `linear` only what grows in proportion to the tokens counts, as in notebook 01: the
    operations of the weights, always derived, and the bytes. `guesses` are numeric questions
    about the bandwidth in GB/s at which the choice flips. Other arguments are settings to start
    from, as `model="OPT-13B"`; every setting of `OnMachine` can be set from code.
    """

    def __init__(self, guesses: Sequence[Any] = (), *, linear: bool = False, **start: Any) -> None:
        self._curves, self._linear = MachineCurves(), linear
        kind = type(self)
        controls: list[Setting[Any]] = [kind.model, kind.device, kind.link, kind.element]
        beside: list[Setting[Any]] = [kind.tokens, kind.efficiency, kind.waits_for]
        if linear:
            start = {"prefill": _DERIVED, "launch_us": 0} | start
        else:
            controls.append(kind.prefill)
            beside += [kind.block_tokens, kind.pieces]
        super().__init__(self._curves, controls, beside=beside, start=start)
        self._draw_guesses(guesses, self._curves.guesses.show)

    @property
    def recompute(self) -> Recompute:
        """The time to recompute at the present settings."""
        if not self._linear:
            return super().recompute
        return Recompute(
            floor_ms=0,
            start_ms=0,
            ms_per_token=self._recompute(measured=False).ms_per_token,
            source=f"2 FLOP per active parameter and token at {self.efficiency}% of the peak",
            sure="derived",
        )

    def _fit(self) -> bool:
        return self._curves.fit(self.tokens, self.recompute, self.copy)

    def _show(self) -> Words:
        recompute, copy, tokens = self.recompute, self.copy, self.tokens
        found = costs.crossover_tokens(recompute, copy)
        self._curves.show(tokens, recompute, copy, self.link, found)
        cost_ms = _cost_ms(recompute, copy, tokens)
        flip = _flip(costs.crossover_bandwidth_at(recompute, copy, tokens))
        crossovers = _crossovers(recompute, copy, found)
        return Words(
            verdict=f"{_costs(tokens, cost_ms)} {flip} {crossovers}",
            alternative=f"Time to resume {self._here()}. Left, time per token over tokens. "
            f"{crossovers} Right, over the bandwidth of the link: recompute is flat at "
            f"{words.digits(cost_ms['recompute'])} ms, swap falls. {flip}",
            table_html=self._table(cost_ms, recompute, copy),
            sources_html=self._list_sources(recompute, copy),
        )


class CrossoverMapExplorer(Explorer):
    """The break-even link of all models on all devices in one map, with real links across it.

    It counts what is proportional to the tokens, so the number of tokens does not matter.
    """

    device = Select("device", options=DEVICES, default="A100 80 GB SXM")
    link = Select("link", options=LINKS, default="PCIe 4.0 x16")
    element = Select("cache element", options=_ELEMENTS, default=_ELEMENTS[0])
    waits_for = Select("request waits for", options=_WAITS, default=_ROUND_TRIP)
    efficiency = Number("efficiency (%)", default=50, low=5, high=100, whole=True)

    def __init__(self, **start: Any) -> None:
        first = next(iter(DEVICES.values()))
        known = [model for model in MODELS.values() if model.parameters]
        self._models = sorted(
            known, key=lambda model: -costs.linear_crossover_bandwidth(model, first)
        )
        self._devices = list(DEVICES.values())
        links = sorted(LINKS.values(), key=lambda link: link.bandwidth_bytes_per_s)
        self._map = CrossoverMap(
            {
                link.name: (link.bandwidth_bytes_per_s / 1e9, link.nominal_gb_per_s)
                for link in links
            },
            [model.name for model in self._models],
        )
        self._all_sources = sources.of_all(self._models, self._devices, links)
        kind = type(self)
        super().__init__(
            self._map,
            [kind.device, kind.link],
            beside=[kind.element, kind.waits_for, kind.efficiency],
            start=start,
        )

    def _gb_per_s(self) -> Array:
        """Return break-even bandwidths, models by devices; they go with a device's peak."""
        first = self._devices[0]
        per_model = [
            costs.linear_crossover_bandwidth(
                model,
                first,
                self.efficiency / 100,
                _bits(self.element),
                self.waits_for == _ROUND_TRIP,
            )
            for model in self._models
        ]
        peaks = np.array([device.bf16_tflop_per_s for device in self._devices])
        return np.outer(per_model, peaks / first.bf16_tflop_per_s) / 1e9

    def _fit(self) -> bool:
        return self._map.fit(self._gb_per_s())

    def _show(self) -> Words:
        gb_per_s = self._gb_per_s()
        column = [device.name for device in self._devices].index(self.device)
        of_link = LINKS[self.link].bandwidth_bytes_per_s / 1e9
        self._map.show(gb_per_s, column, self.link, f"{self.device}; a tick for each device")
        flips = dict(zip((model.name for model in self._models), gb_per_s[:, column], strict=True))
        recompute = [name for name, flip in flips.items() if flip >= of_link]
        here = f"{self.device} at {words.plain(self.efficiency)}% of its peak, {self.element}"
        finding = (
            f"swap is cheaper for {len(flips) - len(recompute)} of {len(flips)} models, "
            f"recompute for {_names(recompute)}."
        )
        low, high = min(flips, key=flips.__getitem__), max(flips, key=flips.__getitem__)
        return Words(
            verdict=f"{here}, over {self.link} ({words.digits(of_link, 3)} GB/s): {finding}",
            alternative=f"A row for each link and each model over bandwidth. {here}: models break "
            f"even from {words.digits(flips[low], 3)} GB/s ({low}) to "
            f"{words.digits(flips[high], 3)} GB/s ({high}). Over {self.link} {finding}",
            sources_html=self._all_sources,
        )


class BlockExplorer(OnMachine):
    """What small copies cost: change the size of a block, and what starting a copy takes."""

    def __init__(self, **start: Any) -> None:
        self._blocks = BlockSizes()
        kind = type(self)
        super().__init__(
            self._blocks,
            [kind.model, kind.device, kind.link],
            beside=[kind.block_tokens, kind.launch_us, kind.tokens],
            start=start,
        )

    def _fit(self) -> bool:
        return self._blocks.fit(self.tokens, self.recompute, self.copy)

    def _show(self) -> Words:
        recompute, copy, tokens = self.recompute, self.copy, self.tokens
        self._blocks.show(tokens, recompute, copy, self.link)
        cost_ms = _cost_ms(recompute, copy, tokens)
        whole_ms = replace(copy, layout="block").ms(tokens)
        flip = _block_flip(costs.crossover_block_tokens(recompute, copy, tokens))
        finding = (
            f"{flip} With one copy per block of all layers swap takes {words.digits(whole_ms)} ms."
        )
        return Words(
            verdict=f"{_costs(tokens, cost_ms)} In blocks of "
            f"{words.count(copy.block_tokens, 'token')} a cache is "
            f"{words.digits(float(copy.copies(tokens)))} copies. {finding}",
            alternative=f"Time to resume {self._here()} over {self.link}. Left, over the size of a "
            f"block: recompute is flat at {words.digits(cost_ms['recompute'])} ms, swap falls. "
            f"{finding} Right, the link that swapping needs: the smaller the block, the faster.",
            table_html=self._table(cost_ms, recompute, copy),
            sources_html=self._list_sources(recompute, copy),
        )


class MixExplorer(OnMachine):
    """Recompute the first part of the tokens while the rest is loaded; find the best share.

    The copy out has been made in the background, so that only the way back counts. `guesses` are
    numeric questions about the best share in %.
    """

    share = Number("recomputed (%)", default=50, low=0, high=100, places=range(101))

    def __init__(self, guesses: Sequence[Any] = (), **start: Any) -> None:
        self._mix = MixCurves()
        kind = type(self)
        super().__init__(
            self._mix,
            [kind.model, kind.device, kind.link, kind.pieces],
            beside=[kind.share, kind.tokens, kind.block_tokens],
            start={"waits_for": _ONE_WAY} | start,
        )
        self._draw_guesses(guesses, self._mix.guesses.show)

    def _fit(self) -> bool:
        return self._mix.fit(self.tokens, self.recompute, self.copy)

    def _show(self) -> Words:
        recompute, copy, tokens = self.recompute, self.copy, self.tokens
        best = costs.best_mix(tokens, recompute, copy)
        share = self.share / 100
        self._mix.show(tokens, share, recompute, copy, best)
        cost_ms = _cost_ms(recompute, copy, tokens)
        single_ms = min(cost_ms.values())
        alone = (
            f"Recomputing all takes {words.digits(cost_ms['recompute'])} ms, loading all "
            f"{words.digits(cost_ms['swap'])} ms."
        )
        if best.ms < single_ms * 0.995:
            gain = table.lead({"alone": single_ms, "mixed": best.ms})
            found = (
                f"Best: recompute {words.digits(100 * best.share, 3)}% while the rest is loaded, "
                f"{words.digits(best.ms)} ms; faster than the better of the two {gain}."
            )
        else:
            found = f"No mix is faster than the better of the two, {words.digits(best.ms)} ms."
        here_ms = costs.mix_ms(tokens, share, recompute, copy)
        return Words(
            verdict=f"{words.digits(self.share, 3)}% recomputed: {words.digits(here_ms)} ms. "
            f"{alone} {found}",
            alternative=f"Time to resume {self._here()} over the share that is recomputed: that "
            f"part rises from 0, the part that is loaded over {self.link} falls to 0. {alone} "
            f"{found}",
            table_html=self._table(cost_ms, recompute, copy),
            sources_html=self._list_sources(recompute, copy),
        )


def _bits(element: str) -> int:
    return int(element.split()[0])


def _cost_ms(recompute: Recompute, copy: Copy, tokens: float) -> dict[str, float]:
    return {"recompute": recompute.ms(tokens), "swap": copy.ms(tokens)}


def _costs(tokens: float, cost_ms: dict[str, float]) -> str:
    """Say what both ways cost, and which is cheaper."""
    return (
        f"{words.count(tokens, 'token')}: recompute {words.digits(cost_ms['recompute'])} ms, "
        f"swap {words.digits(cost_ms['swap'])} ms; cheaper here: {table.winner(cost_ms)}, "
        f"{table.lead(cost_ms)}."
    )


def _flip(bytes_per_s: float) -> str:
    """Say over which link both ways would cost the same."""
    if np.isinf(bytes_per_s):
        return "No link is fast enough for swap: starting its copies alone takes longer."
    return f"The choice flips at {words.digits(bytes_per_s / 1e9, 3)} GB/s."


def _block_flip(block_tokens: float) -> str:
    if np.isinf(block_tokens):
        return "No block is large enough for swap over this link."
    if block_tokens < 1:
        return "Swap is cheaper with blocks of any size."
    return f"The choice flips at blocks of {words.digits(block_tokens, 3)} tokens."


def _crossovers(recompute: Recompute, copy: Copy, found: Sequence[float]) -> str:
    """Say where the choice changes with the tokens, or that it does not."""
    counts = [words.plain(round(n)) for n in found]
    if len(found) == 2:
        between = np.geomspace(found[0], found[1], 200)
        most = {"longer": float(np.max(copy.ms(between) / recompute.ms(between))), "shorter": 1.0}
        return (
            f"Crossovers in tokens: {counts[0]} and {counts[1]}; between them recompute is "
            f"cheaper, {table.lead(most)} at most."
        )
    if not found:
        here = _cost_ms(recompute, copy, 1_000)
        if math.isclose(*here.values()):
            return "No crossover in tokens: both cost the same at every count."
        return f"No crossover in tokens: {table.winner(here)} is cheaper at every count."
    below, above = (
        table.winner(_cost_ms(recompute, copy, n)) for n in (found[0] / 2, found[0] * 2)
    )
    return f"Crossover in tokens: {counts[0]}; {below} is cheaper below it, {above} above it."


def _names(names: list[str]) -> str:
    if not names:
        return "none"
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
