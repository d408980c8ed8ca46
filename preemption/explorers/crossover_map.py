"""The crossover bandwidth of all models on all devices, with real links across it."""

from typing import Any

from preemption import costs, words
from preemption.costs import DEVICES, LINKS, MODELS
from preemption.explorers import sources
from preemption.explorers.on_machine import BITS_OPTIONS, TRIP_OPTIONS
from preemption.figures import style
from preemption.figures.crossover_map import CrossoverMap, Crossovers
from preemption.page.controls import Select, Whole
from preemption.page.explorer import Explorer, Words

_NAMED = 3  # so many models are named in a sentence


class CrossoverMapExplorer(Explorer[Crossovers]):
    """The crossover bandwidth of all models on all devices in one map, with real links across it.

    It counts what is proportional to the tokens, so the number of tokens does not matter.
    """

    device = Select("device", options=DEVICES, default="A100 80 GB SXM")
    link = Select("link", options=LINKS, default="PCIe 4.0 x16")
    bits = Select("cache element", options=BITS_OPTIONS, default=16)
    round_trip = Select("request waits for", options=TRIP_OPTIONS, default=True)
    efficiency_percent = Whole("efficiency (%)", default=50, low=5, high=100)

    def __init__(self, **start: Any) -> None:
        self._devices = list(DEVICES.values())
        known = [model for model in MODELS.values() if model.parameters]
        self._models = sorted(
            known, key=lambda model: -costs.linear_crossover_bandwidth(model, self._devices[0])
        )
        links = sorted(LINKS.values(), key=lambda link: link.bandwidth_bytes_per_s)
        kind = type(self)
        lowest = costs.linear_crossover_bandwidths(
            self._models,
            self._devices,
            kind.efficiency_percent.low / 100,
            bits=min(costs.BITS),
            round_trip=False,
        )
        low_gb_per_s, _ = style.log_limits(lowest / 1e9)
        picture = CrossoverMap(
            {
                link.name: (link.bandwidth_bytes_per_s / 1e9, link.nominal_gb_per_s)
                for link in links
            },
            [model.name for model in self._models],
            low_gb_per_s,
        )
        self._all_sources = sources.of_all(self._models, self._devices, links)
        super().__init__(
            picture,
            [kind.device, kind.link],
            beside=[kind.bits, kind.round_trip, kind.efficiency_percent],
            start=start,
        )

    def _ask(self) -> Crossovers:
        bytes_per_s = costs.linear_crossover_bandwidths(
            self._models,
            self._devices,
            self.efficiency_percent / 100,
            bits=self.bits,
            round_trip=self.round_trip,
        )
        column = [device.name for device in self._devices].index(self.device)
        of_link = LINKS[self.link].bandwidth_bytes_per_s
        return Crossovers(
            device=self.device,
            link=self.link,
            bits=self.bits,
            efficiency_percent=self.efficiency_percent,
            gb_per_s=bytes_per_s / 1e9,
            at_device=bytes_per_s[:, column] / 1e9,
            of_link=of_link / 1e9,
            swap_cheaper=bytes_per_s[:, column] < of_link,
        )

    def _say(self, answer: Crossovers) -> Words:
        names = [model.name for model in self._models]
        crossovers = dict(zip(names, answer.at_device.tolist(), strict=True))
        recompute = [
            name for name, swap in zip(names, answer.swap_cheaper, strict=True) if not swap
        ]
        here = (
            f"{answer.device} at {words.plain(answer.efficiency_percent)}% of its peak, "
            f"{answer.bits} bit"
        )
        finding = (
            f"swap is cheaper for {len(crossovers) - len(recompute)} of {len(crossovers)} models, "
            f"recompute for {_listed(recompute)}."
        )
        rows = [
            f"{name} {words.digits(gb_per_s, 3)}"
            for name, gb_per_s in sorted(crossovers.items(), key=lambda row: row[1])
        ]
        links = [
            f"{name} {words.digits(link.bandwidth_bytes_per_s / 1e9, 3)}"
            for name, link in LINKS.items()
        ]
        return Words(
            verdict=f"{here}, over {answer.link} ({words.digits(answer.of_link, 3)} GB/s): "
            f"{finding}",
            alternative=f"A row for each link and each model over bandwidth, in GB/s. {here}, the "
            f"crossovers: {', '.join(rows)}. The links: {', '.join(links)}. Over {answer.link} "
            f"{finding}",
            sources=self._all_sources,
        )


def _listed(names: list[str]) -> str:
    if not names:
        return "none"
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
