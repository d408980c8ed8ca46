"""The explorers of notebook 05: slots, a prompt in chunks, attention in chunks, latency by load."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from preemption import attention, studies, words
from preemption.checks import Array
from preemption.explorers import table
from preemption.figures.attention_map import AttentionMap
from preemption.figures.chunks import BUDGETS, HIGH_BUDGET, LOW_BUDGET, IterationMakeup
from preemption.figures.load import LoadCurves
from preemption.figures.slot_chart import SlotChart
from preemption.page.controls import Number, Select
from preemption.page.live import Explorer, Words
from preemption.serving import Row, continuous_schedule, static_schedule, utilization

_NAMES = "ABCDEF"
_EXAMPLE, _OWN = "A, B, C", "your own"
_PRESETS = {
    name: {"slots": slots} | dict(zip(_NAMES.lower(), lengths, strict=True))
    for name, slots, lengths in (
        (_EXAMPLE, 2, (2, 1, 2, 0, 0, 0)),
        ("one long, first in line", 2, (8, 1, 1, 1, 1, 1)),
        ("one long, last in line", 2, (1, 1, 1, 1, 1, 8)),
        ("equal lengths", 2, (3, 3, 3, 3, 3, 3)),
        ("all fit at once", 4, (5, 2, 1, 3, 0, 0)),
    )
}
_LENGTHS = range(9)
_PROMPT_TOKENS, _EQUAL = 16, 1e-12
_POOLS = range(1_000, 10_001, 500)


def _tokens_of(name: str) -> Number:
    default, low = _PRESETS[_EXAMPLE][name.lower()], int(name == "A")
    return Number(
        f"tokens of {name}",
        default=default,
        low=low,
        high=_LENGTHS[-1],
        whole=True,
        places=_LENGTHS[low:],
    )


class SlotExplorer(Explorer):
    """Set the slots and how many tokens each sequence generates; see both schedules.

    `preset` is one of the dropdown's names, `slots` 1 to 4, `a` to `f` the tokens of the
    sequences A to F; all but `a` may be 0, which leaves the sequence out. `guesses` are two
    numeric questions about the iterations of A, B, C: in static groups and with iteration-level
    admission.
    """

    preset = Select("preset", options=(*_PRESETS, _OWN), default=_EXAMPLE)
    slots = Number("slots", default=2, low=1, high=4, whole=True, places=range(1, 5))
    a, b, c, d, e, f = map(_tokens_of, _NAMES)

    def __init__(self, guesses: Sequence[Any] = ()) -> None:
        self._chart, self._guesses = SlotChart(_NAMES), list(guesses)
        kind = type(self)
        super().__init__(
            self._chart,
            [kind.preset, kind.slots, kind.a, kind.b],
            beside=[kind.c, kind.d, kind.e, kind.f],
        )
        for guess in self._guesses:
            guess.observe(lambda _: self._from_reader(self.settle), "value")

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Let a preset set the numbers that are not given, and the numbers name the preset."""
        settings = self.settings | _PRESETS.get(changes.get("preset", _OWN), {}) | changes
        found = (name for name, preset in _PRESETS.items() if preset.items() <= settings.items())
        return settings | {"preset": next(found, _OWN)}

    def _schedules(self) -> tuple[list[Row], list[Row]]:
        tokens = {name: int(self.settings[name.lower()]) for name in _NAMES}
        lengths = {name: length for name, length in tokens.items() if length}
        slots = int(self.slots)
        return static_schedule(lengths, slots), continuous_schedule(lengths, slots)

    def _fit(self) -> bool:
        return self._chart.fit(int(self.slots), len(self._schedules()[0]))

    def _show(self) -> Words:
        static, continuous = self._schedules()
        self._chart.show(static, continuous)
        charts = (self._chart.static, self._chart.continuous)
        for chart, guess in zip(charts, self._guesses, strict=False):
            chart.mark_guess(guess.value if self.preset == _EXAMPLE else None)
        gain = len(static) - len(continuous)
        verdict = (
            f"Static groups: {_filled(static)}. Iteration-level admission: {_filled(continuous)}. "
            f"{words.count(gain, 'iteration') + ' saved' if gain else 'No gain here'}."
        )
        return Words(
            verdict=verdict,
            alternative=f"Two schedules, a row for each slot. Static groups: {_in_words(static)}. "
            f"Iteration-level admission: {_in_words(continuous)}.",
        )


def _filled(rows: list[Row]) -> str:
    places = len(rows) * len(rows[0])
    share = utilization(rows)
    return (
        f"{words.count(len(rows), 'iteration')}, {round(share * places)} of "
        f"{words.count(places, 'place')} filled, {words.digits(100 * share, 3)}%"
    )


def _in_words(rows: list[Row]) -> str:
    """Say slot by slot who holds it for how many iterations."""
    slots = []
    for number, slot in enumerate(zip(*rows, strict=True), 1):
        stays = [f"{name or 'idle'} {slot.count(name)}" for name in dict.fromkeys(slot)]
        slots.append(f"slot {number}: {', '.join(stays)}")
    return "; ".join(slots)


class ChunkExplorer(Explorer):
    """Set the token budget; see how a long prompt is cut into chunks, and who waits how long.

    `budget` (128 to 8,192 tokens) and `prompt` (256 to 5,000 tokens) may be set from code too.
    `guesses` are numeric questions, at most one, about the longest gap in ms at the defaults.
    """

    budget = Number("token budget", default=512, low=LOW_BUDGET, high=HIGH_BUDGET, whole=True)
    prompt = Number("prompt (tokens)", default=4_096, low=256, high=5_000, whole=True)

    def __init__(self, guesses: Sequence[Any] = ()) -> None:
        self._makeup, self._guesses = IterationMakeup(), list(guesses)
        kind = type(self)
        super().__init__(self._makeup, [kind.budget, kind.prompt])
        for guess in self._guesses:
            guess.observe(lambda _: self._from_reader(self.settle), "value")

    def _here(self) -> studies.ChunkedPrefill:
        return studies.chunked_prefill(int(self.prompt), int(self.budget))

    def _fit(self) -> bool:
        slowest = studies.chunked_prefill(int(self.prompt), LOW_BUDGET)
        return self._makeup.fit(self._here(), slowest)

    def _show(self) -> Words:
        here, prompt = self._here(), int(self.prompt)
        at_budgets = [studies.chunked_prefill(prompt, budget) for budget in BUDGETS]
        self._makeup.show(int(self.budget), here, at_budgets)
        kind = type(self)
        for guess in self._guesses:
            at_default = prompt == kind.prompt.default
            self._makeup.mark_guess(guess.value if at_default else None, int(kind.budget.default))
        verdict = (
            f"Budget {words.plain(self.budget)}: a prompt of {words.count(prompt, 'token')} takes "
            f"{words.count(here.chunks, 'iteration')} and has its first token after "
            f"{_ms(here.ttft_ms)}. The others wait up to {_ms(here.max_itl_ms)} for a token."
        )
        low, high = at_budgets[0], at_budgets[-1]
        return Words(
            verdict=verdict,
            alternative=f"Iterations as boxes over time, and both waits over the budget. {verdict} "
            f"From {words.plain(LOW_BUDGET)} to {words.plain(HIGH_BUDGET)} tokens of budget the "
            f"time to first token falls from {_ms(low.ttft_ms)} to {_ms(high.ttft_ms)}, and the "
            f"longest gap rises from {_ms(low.max_itl_ms)} to {_ms(high.max_itl_ms)}.",
            table_html=_makeup_table(here),
        )


def _makeup_table(here: studies.ChunkedPrefill) -> str:
    """Return a table of the kinds of iterations: how many, what they compute, how long."""
    with_chunk = [p for p in here.iterations if p.prefill_tokens]
    kinds = [
        ("decodes only", [p for p in here.iterations if not p.prefill_tokens][-1:]),
        ("with a full chunk", with_chunk[:-1]),
        ("with the last chunk", with_chunk[-1:]),
    ]
    rows = [
        [
            name,
            "before" if not iterations[0].prefill_tokens else words.plain(len(iterations)),
            words.plain(iterations[0].prefill_tokens),
            words.plain(iterations[0].decode_tokens),
            words.digits(iterations[-1].duration_ms, 3),
        ]
        for name, iterations in kinds
        if iterations
    ]
    return table.number_table(
        ["iterations", "how many", "prefill tokens", "decode tokens", "time (ms)"], rows
    )


class AttentionExplorer(Explorer):
    """Set the size of the chunks; see who attends to whom, and that the numbers stay the same.

    `chunk` is 1 to 16 tokens of a prompt of 16, in a layer with random weights.
    """

    chunk = Number(
        "chunk size (tokens)", default=5, low=1, high=16, whole=True, places=range(1, 17)
    )

    def __init__(self) -> None:
        self._layer = attention.random_layer()
        width = len(self._layer.query)
        self._prompt = np.random.default_rng(1).normal(size=(_PROMPT_TOKENS, width))
        self._outputs, self._cache = attention.forward(self._layer, self._prompt)
        alone = attention.prefill_chunks_apart(self._layer, self._prompt, [1] * _PROMPT_TOKENS)
        self._map = AttentionMap(_PROMPT_TOKENS, float(np.max(self._off(alone))))
        super().__init__(self._map, [type(self).chunk])

    def _off(self, outputs: Array) -> Array:
        """Return how far each token's output is off: the largest difference in its numbers."""
        off: Array = np.abs(outputs - self._outputs).max(axis=1)
        return off

    def _fit(self) -> bool:
        return False

    def _show(self) -> Words:
        size = int(self.chunk)
        chunks = attention.equal_chunks(_PROMPT_TOKENS, size)
        outputs, cache = attention.prefill(self._layer, self._prompt, chunks)
        alone = attention.prefill_chunks_apart(self._layer, self._prompt, chunks)
        right, wrong = self._off(outputs), self._off(alone)
        self._map.show(size, right, wrong)
        cache_off = max(
            float(np.max(np.abs(ours - theirs)))
            for ours, theirs in (
                (cache.keys, self._cache.keys),
                (cache.values, self._cache.values),
            )
        )
        same = max(float(np.max(right)), cache_off) < _EQUAL
        changed = int((wrong > _EQUAL).sum())
        verdict = (
            f"{words.count(len(chunks), 'chunk')} of up to {words.count(size, 'token')}: outputs "
            f"and cache are {'equal to' if same else 'other than'} those of one pass, to 12 "
            f"decimals. With each chunk alone {changed} of {_PROMPT_TOKENS} outputs change"
            f"{f', by up to {words.digits(float(np.max(wrong)), 3)}' if changed else ''}."
        )
        named = {
            "in one pass": self._outputs,
            "in chunks, with the cache": outputs,
            "each chunk alone (wrong)": alone,
        }
        return Words(
            verdict=verdict,
            alternative=f"Left, who attends to whom: each token to itself and to all before it, in "
            f"its own chunk or from the cache. Right, how far outputs are off. {verdict}",
            table_html=table.number_table(
                ["output of the last token", "its first four numbers"],
                [[name, ", ".join(f"{n:.4f}" for n in out[-1, :4])] for name, out in named.items()],
            ),
        )


class LoadExplorer(Explorer):
    """Set the arrival rate and the pool; see latency and throughput, and where preemption begins.

    `rate` (2 to 9 requests per second) and `pool` (1,000 to 10,000 blocks of 16 tokens) may be
    set from code too. `guesses` are numeric questions about the rate at which preemption begins
    in the default pool. A new pool takes a run for each rate; those are kept.
    """

    pool = Number(
        "pool (blocks)",
        default=3_000,
        low=_POOLS[0],
        high=_POOLS[-1],
        whole=True,
        places=_POOLS,
    )
    rate = Number(
        "requests/s",
        default=4.0,
        low=studies.RATES_PER_S[0],
        high=studies.RATES_PER_S[-1],
        places=studies.RATES_PER_S,
    )

    def __init__(self, guesses: Sequence[Any] = ()) -> None:
        self._curves = LoadCurves()
        kind = type(self)
        super().__init__(self._curves, [kind.rate, kind.pool])
        self._draw_guesses(guesses, self._curves.guesses.show)

    def _fit(self) -> bool:
        return False

    def _show(self) -> Words:
        pool = int(self.pool)
        here, points = studies.under_load(self.rate, pool), studies.sweep(pool)
        self._curves.show(here, points)
        first = studies.preempts_from(points)
        onset = "nowhere in this range"
        if first is not None:
            already = first == points[0].requests_per_s
            onset = f"{words.plain(first)} requests/s"
            onset = f"already at {onset}" if already else f"from {onset} on"
        verdict = (
            f"{words.plain(self.rate)} requests/s, {words.count(pool, 'block')}: "
            f"{words.count(here.preemptions, 'preemption')}, "
            f"{words.digits(100 * here.recompute_share, 2)}% of the computed tokens computed "
            f"again, {words.digits(here.tokens_per_s, 3)} output tokens/s. This pool preempts "
            f"{onset}."
        )
        calm, full = points[0], points[-1]
        return Words(
            verdict=verdict,
            alternative=f"Latency and throughput over the rate of arrivals. {verdict} From "
            f"{words.plain(calm.requests_per_s)} to {words.plain(full.requests_per_s)} requests "
            f"per second the median time to first token grows from {_ms(calm.ttft_p50_ms)} to "
            f"{_ms(full.ttft_p50_ms)}, the throughput from {words.digits(calm.tokens_per_s, 3)} "
            f"to {words.digits(full.tokens_per_s, 3)} tokens per second.",
            table_html=table.number_table(
                ["at this rate (ms)", "p50", "p99"],
                [
                    ["time to first token", *map(_digits, here[1:3])],
                    ["time per output token", *map(_digits, here[3:5])],
                ],
            ),
        )


def _digits(value: float) -> str:
    return words.digits(value, 3)


def _ms(wait_ms: float) -> str:
    return f"{_digits(wait_ms)} ms"
