"""Real models, devices and links: which way is cheaper, and where that changes."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from preemption import costs, words
from preemption.checks import Array
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Link, Recompute, profile_of
from preemption.costs.measure import closest
from preemption.explorers import comparison
from preemption.explorers.on_machine import OnMachine
from preemption.figures.machine_costs import (
    LINKS_GB_PER_S,
    Crossing,
    MachineCosts,
    MachineCurves,
    Measured,
    tokens_to_draw,
)
from preemption.page.controls import Setting
from preemption.page.explorer import Words
from preemption.page.questions import NumericGuess


class MachineExplorer(OnMachine[MachineCosts]):
    """Choose a model, a device and a link; see which way is cheaper, and where that changes.

    With `linear` only what grows in proportion to the tokens counts, as in notebook 01: the
    operations of the weights, always derived, and the bytes. `guesses` are numeric questions
    about the bandwidth in GB/s at which the choice flips. Other arguments are settings to start
    from, as `model="OPT-13B"`; every setting of `OnMachine` can be set from code.
    """

    def __init__(
        self, guesses: Sequence[NumericGuess] = (), *, linear: bool = False, **start: Any
    ) -> None:
        curves, self._linear = MachineCurves(), linear
        kind = type(self)
        controls: list[Setting[Any]] = [kind.model, kind.device, kind.link, kind.bits]
        beside: list[Setting[Any]] = [kind.tokens, kind.efficiency_percent, kind.round_trip]
        link = LINKS.get(start.get("link", ""))
        if linear:
            start = {"measured": False, "launch_us": 0} | start
        elif link and link.own:
            start = self._start_of_copies(link) | start
        else:
            controls.append(kind.measured)
            beside += [kind.block_tokens, kind.cache_layout, kind.launch_us]
        super().__init__(curves, controls, beside=beside, start=start)
        self._draw_guesses(guesses, curves.guesses.show)

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Take the start of copies along with a link for which it was measured, and leave it."""
        settings = super()._with(changes)
        links = LINKS[self.link], LINKS[settings["link"]]
        if "link" in changes and any(link.own for link in links) and not self._linear:
            settings |= self._start_of_copies(links[1]) | changes
        return settings

    def _start_of_copies(self, link: Link) -> dict[str, float]:
        """Return what copies over a link take to start, at most what the settings allow."""
        kind = type(self)
        launch_us = kind.launch_us.default if link.launch_us is None else link.launch_us
        return {
            "launch_us": min(launch_us, kind.launch_us.high),
            "fixed_ms": min(link.fixed_ms, kind.fixed_ms.high),
        }

    @property
    def recompute(self) -> Recompute:
        """The time to recompute at the present settings."""
        if not self._linear:
            return super().recompute
        percent = self.efficiency_percent
        return Recompute.linear(MODELS[self.model], DEVICES[self.device], percent / 100)

    def _ask(self) -> MachineCosts:
        here = self._resumed()
        recompute, copy, tokens = here.recompute, here.copy, here.tokens
        n = tokens_to_draw(costs.bends(recompute, copy))
        found = costs.crossover_tokens(recompute, copy)
        bytes_alone = replace(copy, launch_us=0, fixed_ms=0)
        return MachineCosts(
            here=here,
            crossover_gb_per_s=costs.crossover_bandwidth_at(recompute, copy, tokens) / 1e9,
            crossings=tuple(
                Crossing(at, *(recompute.ms_per_token_at(n) for n in (at, 2 * at))) for at in found
            ),
            ways=costs.cheaper_ways(recompute, copy, found),
            most_ahead=costs.most_ahead(recompute, copy, *found) if len(found) == 2 else 1.0,
            token_counts=n,
            recompute_ms_per_token=np.asarray(recompute.ms(n)) / n,
            swap_ms_per_token=np.asarray(copy.ms(n)) / n,
            swap_over_links_ms_per_token=np.asarray(
                copy.over_links_ms(tokens, LINKS_GB_PER_S * 1e9)
            )
            / tokens,
            least_swap_ms_per_token=float(np.min(np.asarray(bytes_alone.ms(n)) / n)),
            measured=self._measured(copy, n),
        )

    def _measured(self, copy: Copy, n: Array) -> Measured | None:
        """Return what was measured of this machine, beside the published one closest to it."""
        device, link = DEVICES[self.device], LINKS[self.link]
        if self._linear or not (device.own or link.own):
            return None
        model = copy.model
        near_device, near_link = closest(model, device, link)
        recompute = Recompute.of(model, near_device, self.efficiency_percent / 100)
        published = replace(
            copy,
            bandwidth_bytes_per_s=near_link.bandwidth_bytes_per_s,
            launch_us=costs.LAUNCH_US,
            fixed_ms=0.0,
        )
        profile = profile_of(model, device) if self.measured and device.own else None
        return Measured(
            recompute_points=_per_token(profile.points if profile else ()),
            swap_points=_per_token(copied(copy, link.points)),
            closest=f"{near_device.name} over {near_link.name}",
            closest_recompute_ms_per_token=np.asarray(recompute.ms(n)) / n,
            closest_swap_ms_per_token=np.asarray(published.ms(n)) / n,
        )

    def _say(self, answer: MachineCosts) -> Words:
        flip, crossovers = comparison.crossover(answer.crossover_gb_per_s), _crossovers(answer)
        if answer.measured:
            crossovers += (
                " Open markers were measured; the thin grey lines are the published machine that "
                f"comes closest, {answer.measured.closest}."
            )
        return Words(
            verdict=f"{self._costs(answer.here)} {flip} {crossovers}",
            alternative=f"{self._event()}. Left, time per token over tokens. "
            f"{crossovers} Right, time per token over the bandwidth of the link: recompute is flat "
            f"at {words.digits(answer.here.recompute_ms / answer.here.tokens)} ms, swap falls. "
            f"{flip}",
            table=self._table(answer.here),
            sources=self._list_sources(answer.here),
        )


def copied(copy: Copy, points: Sequence[tuple[float, float, float]]) -> list[tuple[float, float]]:
    """Return (tokens, ms) of measured copies, where their pieces are as large as those of `copy`.

    `points` are those of a link, one way; the ms are for as many ways as `copy` takes.
    """
    model, block = copy.model, copy.block_tokens
    token_bytes = float(model.cache_bytes(1.0, copy.bits))
    piece_bytes = token_bytes * block / float(copy.copies(block))
    trips = 2 if copy.round_trip else 1
    return [
        (n_bytes / token_bytes, trips * ms)
        for copies, n_bytes, ms in points
        if math.isclose(n_bytes / copies, piece_bytes)
    ]


def _per_token(points: Sequence[tuple[float, float]]) -> tuple[Array, Array]:
    tokens, ms = np.array(points).reshape(-1, 2).T
    return tokens, ms / tokens


def _crossovers(answer: MachineCosts) -> str:
    """Say where the choice changes with the tokens, or that it does not."""
    counts = [words.plain(round(crossing.tokens)) for crossing in answer.crossings]
    if len(counts) == 2:
        return (
            f"Crossovers in tokens: {counts[0]} and {counts[1]}; between them recompute is "
            f"cheaper, {comparison.lead_by(answer.most_ahead)} at most."
        )
    if counts:
        below, above = answer.ways
        return f"Crossover in tokens: {counts[0]}; {below} is cheaper below it, {above} above it."
    if answer.ways == (None,):
        return "No crossover in tokens: both cost the same at every count."
    return f"No crossover in tokens: {answer.ways[0]} is cheaper at every count."
