"""Two scrapes of a server of the reader: how often it preempts, what that costs, what helps."""

from collections.abc import Iterator
from typing import Any

import ipywidgets as widgets

from preemption import studies, words
from preemption.checks import choice
from preemption.costs import (
    DEVICES,
    LINKS,
    MODELS,
    Copy,
    Recompute,
    crossover_bandwidth_at,
    devices_for_weights,
)
from preemption.explorers.faults import told
from preemption.explorers.own_load import OwnLoad
from preemption.explorers.side_by_side import NOTHING
from preemption.page import html
from preemption.page.explorer import Bundle
from preemption.page.shown import now_shown

_CALLED = {
    "rate": "the rate of requests",
    "prompt": "the mean prompt",
    "output": "the mean output",
    "pool": "the pool",
}


class OwnServer(widgets.VBox):  # type: ignore[misc]
    """Two pages of `/metrics` to paste, the seconds between them, and what they say.

    It starts with two pages that were written by hand. `model`, `device` and `link` are names of
    the catalogues; what a preemption costs on them is a model's word, not a measurement. `levers`
    is an explorer of its own: what could be changed, on a load like that of the pages. Raises
    ValueError for an unknown name; what is wrong with a page is said on the page.
    """

    def __init__(
        self,
        model: str = "Llama-3-8B",
        device: str = "A100 80 GB SXM",
        link: str = "PCIe 4.0 x16",
    ) -> None:
        choice("model", model, MODELS)
        choice("device", device, DEVICES)
        choice("link", link, LINKS)
        first, second = studies.example_scrapes()
        self.first, self.second = (
            widgets.Textarea(
                value=text,
                description=f"{which} scrape",
                continuous_update=False,
                rows=6,
                style={"description_width": "130px"},
                layout={"width": "98%"},
            )
            for which, text in (("first", first), ("second", second))
        )
        self.seconds = widgets.FloatText(
            value=60,
            description="seconds between",
            style={"description_width": "130px"},
            layout={"width": "230px"},
        )
        self.model, self.device, self.link = (
            widgets.Dropdown(
                options=tuple(options),
                value=value,
                description=name,
                style={"description_width": "130px"},
                layout={"width": "340px", "max_width": "100%"},
            )
            for name, options, value in (
                ("model", MODELS, model),
                ("device", DEVICES, device),
                ("link", LINKS, link),
            )
        )
        self._said, self._guide = widgets.HTML(), widgets.HTML()
        self.levers = OwnLoad()
        self._told: dict[str, Any] = {}
        self._controls = [
            *(self.first, self.second, self.seconds, self.model, self.device, self.link),
        ]
        super().__init__(
            [*self._controls, self._said, self._guide],
            layout={"max_width": "860px", "width": "100%"},
        )
        for control in self._controls:
            control.observe(lambda _: self.show(), "value")
        self.show()

    def show(self) -> None:
        """Say what the pages say; what is wrong with them is said in its place."""
        self._guide.value = ""
        try:
            first, second = _read("first", self.first.value), _read("second", self.second.value)
            interval = studies.between(first, second, self.seconds.value)
            lines = [
                *_counted(interval),
                *self._costs(interval),
                *self._fits(interval),
                *self._load(interval),
            ]
        except (ValueError, RuntimeError) as error:
            lines = [str(error)]
        self._lines = lines
        self._said.value = html.page(html.status(html.lines(lines)), styled=True)

    def _costs(self, interval: studies.Interval) -> Iterator[str]:
        model, device = MODELS[self.model.value], DEVICES[self.device.value]
        bandwidth = LINKS[self.link.value].bandwidth_bytes_per_s
        recompute = Recompute.of(model, device)
        copy = Copy(model=model, bandwidth_bytes_per_s=bandwidth)
        cost = studies.preempting(interval, recompute, copy)
        if cost is None:
            yield "The pages do not say how large a victim's cache is, so its cost stays open."
            return
        yield (
            f"By the model: a victim of average size has {words.digits(cost.tokens, 3)} cached "
            f"tokens. To recompute all of them takes {_ms(cost.recompute_ms)} on {device.name}"
            f"{_found_again(interval, cost)} of the server's time."
        )
        if cost.busy[0] > 1:
            yield "No server has more time than 100%: so it is another machine, or another model."
        devices = devices_for_weights(model, device)
        if devices > 1:
            yield f"The weights of {model.name} take {devices} of {device.name}."
        flips = crossover_bandwidth_at(recompute, copy, cost.tokens) / 1e9
        where = "the choice flips" if interval.hit_rate is None else "with nothing found it flips"
        yield (
            f"To copy all of them out and back over {self.link.value} takes "
            f"{_ms(cost.swap_ms)}, {_ms(float(copy.overhead_ms(cost.tokens)))} of it to start each "
            f"copy by itself{_back(interval, cost)}: {_cheaper(cost)}; {where} at "
            f"{words.digits(flips, 3)} GB/s."
        )

    def _fits(self, interval: studies.Interval) -> Iterator[str]:
        name = studies.row_that_fits(interval)
        if name is None:
            yield "No row of the field guide fits."
            return
        row = studies.FIELD_GUIDE[name]
        self._guide.value = told(row)
        yield f"Look first at: {row.title}. The counters fit it, and do not prove it."

    def _load(self, interval: studies.Interval) -> Iterator[str]:
        """Have the levers serve a load like this one; what was told before stays as it is now."""
        found: dict[str, Any] = {
            "rate": interval.requests_per_s,
            "prompt": interval.prompt_tokens_mean,
            "output": interval.output_tokens_mean,
            "pool": interval.pool_tokens,
        }
        missing = [name for name, value in found.items() if value is None]
        if missing:
            none_ended = found["rate"] is not None and found["prompt"] is None
            lack = f"The pages do not give {', '.join(_CALLED[name] for name in missing)}"
            why = "No request ended between the scrapes" if none_ended else lack
            yield f"{why}: for the levers below, type in yourself what is missing."
        else:
            found["together"] = NOTHING if interval.hit_rate is None else "prefix caching"
        told = {name: value for name, value in found.items() if name not in missing}
        told |= {name: getattr(self, name).value for name in ("model", "device", "link")}
        try:
            self.levers.change(
                **{name: value for name, value in told.items() if self._told.get(name) != value}
            )
            self._told = told
        except ValueError as error:
            yield f"The levers stay as they were: {error}"
        else:
            if not missing:
                yield (
                    f"The levers below serve such a load: {words.digits(found['rate'], 3)} "
                    f"requests per second, with prompts of {words.digits(found['prompt'])} and "
                    f"answers of {words.digits(found['output'])} tokens on average."
                )

    def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
        """Leave what is said where there is no kernel."""
        bundle: Bundle = super()._repr_mimebundle_(**kwargs)
        now_shown(self)
        read = {
            "text/plain": "\n".join(self._lines),
            "text/html": html.paragraphs(self._lines) + self._guide.value,
        }
        return bundle | read


def _read(which: str, page: str) -> studies.Scrape:
    try:
        return studies.read_scrape(page)
    except ValueError as error:
        raise ValueError(f"The {which} scrape: {error}.") from None


def _counted(interval: studies.Interval) -> Iterator[str]:
    per_minute = interval.preemptions_per_minute
    often = "an unknown number of" if per_minute is None else words.digits(per_minute, 3)
    yield (
        f"{interval.engine}: {often} preemptions per minute, "
        f"{words.digits(interval.generation_tokens_per_s, 3)} generated tokens per second."
    )
    grown = words.plain(abs(interval.waiting_grown))
    tends = f"{grown} {'more' if interval.waiting_grown > 0 else 'fewer'} at the second scrape"
    yield (
        f"On average {words.plain(interval.running)} running, {words.plain(interval.waiting)} "
        f"waiting{f', {tends}' if interval.waiting_grown else ''}; the cache is "
        f"{words.digits(100 * interval.cache_usage, 3)}% full."
    )


def _found_again(interval: studies.Interval, cost: studies.Preempting) -> str:
    low, high = (words.digits(100 * share, 2) for share in cost.busy)
    if interval.hit_rate is None:
        return f". The pages count no hits of a prefix cache, so all is computed: {high}%"
    least, most = (f"{100 * share:.0f}" for share in studies.FOUND_AGAIN)
    low_ms, high_ms = (_ms(found) for found in cost.again_ms)
    return (
        f"; where prefix caching finds {least} to {most}% again, as in runs of vLLM's scheduler, "
        f"{low_ms} to {high_ms}. That is {low} to {high}%"
    )


def _back(interval: studies.Interval, cost: studies.Preempting) -> str:
    if interval.hit_rate is None:
        return ""
    low_ms, high_ms = (_ms(found) for found in cost.swap_again_ms)
    return f", or {low_ms} to {high_ms} if only what is not found comes back"


def _cheaper(cost: studies.Preempting) -> str:
    pairs = zip(cost.swap_again_ms, cost.again_ms, strict=True)
    swap = [swap_ms < recompute_ms for swap_ms, recompute_ms in pairs]
    if all(swap):
        return "less than recomputing takes, so swapping would be cheaper"
    if not any(swap):
        return "more than recomputing takes, so recomputing is cheaper"
    return "which is cheaper hangs on how much is found again"


def _ms(time_ms: float) -> str:
    return f"{words.digits(time_ms, 3)} ms"
