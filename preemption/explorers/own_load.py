"""The levers of a server on a load like the reader's: of that rate, with those mean lengths."""

from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from preemption import studies, words
from preemption.costs import DEVICES, LINKS, MODELS, devices_for_weights, profile_of
from preemption.explorers.side_by_side import NOTHING, LoadByLoad
from preemption.figures.side_by_side import SideBySide
from preemption.page.controls import Number, Select, Whole
from preemption.page.explorer import Words

_NOTE = (
    "A model, not a measurement. Prompt and output are mean lengths: the requests have the lengths "
    "of the Azure conversation trace, stretched until their means are these. They arrive evenly at "
    "random, and their prompts have nothing in common. The scheduler is vLLM's with a budget of "
    "2,048 tokens and at most 256 requests at a time."
)


class OwnLoad(LoadByLoad):
    """Compare levers on a load of any rate and mean lengths, first on one load, then on 20.

    `rate` (requests per second), `prompt` and `output` (mean tokens), `pool` (tokens), `together`
    (a lever that all have besides, or "nothing"), `model`, `device` and `link` (names of the
    catalogues) may be set from code too. Times of an iteration are those of a measured profile of
    the pair where there is one, else derived.
    """

    rate = Number("requests/s", default=5.5, low=0.01, high=1_000)
    prompt = Number("prompt (tokens)", default=1_155, low=1, high=100_000)
    output = Number("output (tokens)", default=211, low=2, high=20_000)
    pool = Whole("pool (tokens)", default=60_000, low=1_000, high=10_000_000)
    model = Select("model", options=MODELS, default="Llama-3-8B")
    device = Select("device", options=DEVICES, default="A100 80 GB SXM")
    link = Select("link", options=LINKS, default="PCIe 4.0 x16")

    def __init__(self, **start: Any) -> None:
        kind = type(self)
        super().__init__(
            [kind.rate, kind.prompt, kind.output],
            [kind.pool, kind.together],
            _NOTE,
            start=start,
            fitted=True,
        )

    def _ask(self) -> SideBySide:
        longest = studies.longest_tokens(self._means())
        if longest > self.pool:
            raise ValueError(
                f"In a load of these mean lengths some requests have up to {longest:,} tokens, and "
                f"the pool holds {self.pool:,}: they would never fit."
            )
        return super()._ask()

    def _base(self) -> studies.Server:
        return studies.own_server(
            MODELS[self.model], DEVICES[self.device], LINKS[self.link], self.pool
        )

    def _levers(self) -> Mapping[str, studies.Lever]:
        return studies.own_levers(self._means(), MODELS[self.model])

    def _means(self) -> studies.Means:
        return studies.Means(self.prompt, self.output)

    def _load_in_words(self) -> str:
        model, device = MODELS[self.model], DEVICES[self.device]
        devices = devices_for_weights(model, device)
        many = f"{devices} of " if devices > 1 else ""
        times = "measured" if profile_of(model, device) else "derived"
        besides = "" if self.together == NOTHING else f", with {self.together}"
        return (
            f"A model, with {times} times of {model.name} on {many}{device.name}: "
            f"{words.digits(self.rate, 3)} requests/s of {words.digits(self.prompt)} + "
            f"{words.digits(self.output)} tokens on average, {words.count(self.pool, 'token')} of "
            f"pool{besides}"
        )

    def _say(self, answer: SideBySide) -> Words:
        said = super()._say(answer)
        if answer.loads not in (1, answer.of):
            return said
        as_it_is = next(iter(answer.runs))
        load = studies.two_minutes(0, self.rate, self._means())
        tokens = sum(request.output_tokens for request in load)  # the same at each seed
        per_minute = median(
            60 * run.preemptions * run.tokens_per_s / tokens for run in answer.runs[as_it_is]
        )
        often = f"{as_it_is}, {words.digits(per_minute, 3)} preemptions per minute."
        return replace(said, verdict=f"{said.verdict} {often.capitalize()}")
