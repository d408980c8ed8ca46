"""What explorers of one model on one device share: their settings, and the times they make."""

from typing import Generic

from preemption import costs, words
from preemption.costs import BITS, DEVICES, LINKS, MODELS, Copy, Recompute
from preemption.explorers import comparison, sources
from preemption.figures.picture import Resumed
from preemption.page.controls import Number, Select, Whole
from preemption.page.explorer import Answer, Explorer

HALVES = [half / 2 for half in range(101)]
BITS_OPTIONS = [(f"{bits} bit", bits) for bits in BITS]
TRIP_OPTIONS = [("copy out and back", True), ("copy back only", False)]
_LAYOUTS: list[tuple[str, costs.Layout]] = [
    ("layer, K and V apart", "layer"),
    ("block of all layers", "block"),
]


class OnMachine(Explorer[Answer], Generic[Answer]):
    """Settings of a model on a device, and of a copy over a link."""

    model = Select("model", options=MODELS, default="Llama-3-8B")
    device = Select("device", options=DEVICES, default="A100 80 GB SXM")
    link = Select("link", options=LINKS, default="PCIe 4.0 x16")
    bits = Select("cache element", options=BITS_OPTIONS, default=16)
    measured = Select(
        "prefill time", options=[("measured if known", True), ("derived", False)], default=True
    )
    cache_layout: Select[costs.Layout] = Select("one copy per", options=_LAYOUTS, default="layer")
    round_trip = Select("request waits for", options=TRIP_OPTIONS, default=True)
    tokens = Whole("cached tokens", default=1_000, low=1, high=1_000_000)
    block_tokens = Whole("tokens per block", default=costs.BLOCK_TOKENS, low=1, high=256)
    efficiency_percent = Whole("efficiency (%)", default=50, low=5, high=100)
    launch_us = Number("copy start (µs)", default=costs.LAUNCH_US, low=0, high=50, places=HALVES)
    fixed_ms = Number("fixed cost (ms)", default=0, low=0, high=50, places=HALVES)

    @property
    def recompute(self) -> Recompute:
        """The time to recompute at the present settings."""
        return Recompute.of(
            MODELS[self.model],
            DEVICES[self.device],
            self.efficiency_percent / 100,
            measured=self.measured,
        )

    @property
    def copy(self) -> Copy:
        """The time to copy at the present settings."""
        return Copy(
            model=MODELS[self.model],
            bandwidth_bytes_per_s=LINKS[self.link].bandwidth_bytes_per_s,
            bits=self.bits,
            block_tokens=self.block_tokens,
            layout=self.cache_layout,
            launch_us=self.launch_us,
            fixed_ms=self.fixed_ms,
            round_trip=self.round_trip,
        )

    def _resumed(self) -> Resumed:
        """Ask the model what either way takes."""
        recompute, copy, tokens = self.recompute, self.copy, self.tokens
        return Resumed(tokens, self.link, recompute, copy, recompute.ms(tokens), copy.ms(tokens))

    def _here(self) -> str:
        """Say what resumes, and where."""
        return f"{words.count(self.tokens, 'token')} of {self.model} on {self.device}"

    def _event(self) -> str:
        """Say what is counted: both copies are a cost, not all of it a wait to resume."""
        return f"{'Cost of evicting' if self.round_trip else 'Time to resume'} {self._here()}"

    def _costs(self, here: Resumed) -> str:
        """Say what both ways cost, and which is cheaper."""
        both = comparison.both_costs(here.recompute_ms, here.swap_ms)
        return f"{words.count(here.tokens, 'token')}: {both}"

    def _table(self, here: Resumed) -> str:
        return comparison.cost_table(
            here.recompute_ms,
            here.swap_ms,
            recompute_how=sources.recompute_formula(here.recompute, here.tokens),
            swap_how=sources.copy_formula(here.copy, here.tokens),
            round_trip=here.copy.round_trip,
        )

    def _list_sources(self, here: Resumed) -> str:
        return sources.of_machine(
            here.copy.model,
            DEVICES[self.device],
            LINKS[self.link],
            here.recompute,
            bits=here.copy.bits,
            launch_us=here.copy.launch_us,
        )
