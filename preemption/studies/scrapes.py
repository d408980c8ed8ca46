"""Two scrapes of a server's metrics page: how often it preempts, how full it is, what it serves.

A scrape is the text that a server of vLLM or SGLang gives at `/metrics`. Names as both publish
them: vLLM, *Production Metrics* (docs.vllm.ai), SGLang, *Production Metrics* (docs.sglang.io).
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Literal, NamedTuple, TypeAlias

from preemption.checks import instance, scalar

Engine: TypeAlias = Literal["vLLM", "SGLang"]


class Names(NamedTuple):
    """What an engine calls each figure; of several names, the first that is there counts."""

    preemptions: tuple[str, ...]
    cache_usage: tuple[str, ...]
    running: tuple[str, ...]
    waiting: tuple[str, ...]
    prompt_tokens: tuple[str, ...]
    generation_tokens: tuple[str, ...]
    requests: tuple[str, ...]
    cache_queries: tuple[str, ...] = ()
    cache_hits: tuple[str, ...] = ()


NAMES: dict[Engine, Names] = {
    "vLLM": Names(
        preemptions=("vllm:num_preemptions_total",),
        cache_usage=("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
        running=("vllm:num_requests_running",),
        waiting=("vllm:num_requests_waiting",),
        prompt_tokens=("vllm:prompt_tokens_total",),
        generation_tokens=("vllm:generation_tokens_total",),
        requests=("vllm:request_success_total",),
        cache_queries=("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total"),
        cache_hits=("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
    ),
    "SGLang": Names(
        preemptions=("sglang:num_retracted_requests_total", "sglang:num_retracted_reqs_total"),
        cache_usage=("sglang:token_usage",),
        running=("sglang:num_running_reqs",),
        waiting=("sglang:num_queue_reqs",),
        prompt_tokens=("sglang:prompt_tokens_total",),
        generation_tokens=("sglang:generation_tokens_total",),
        requests=("sglang:num_requests_total",),
    ),
}
"""Counters end in `_total` and only grow; the others are gauges."""

OPTIONAL = {"preemptions", "requests", "cache_queries", "cache_hits"}
COUNTERS = (
    *("preemptions", "prompt_tokens", "generation_tokens"),
    *("requests", "cache_queries", "cache_hits"),
)
_MOST = 1e18  # of anything that is counted
_POOL, _STARTED = "vllm:cache_config_info", "process_start_time_seconds"


@dataclass(frozen=True, kw_only=True)
class Scrape:
    """What one scrape says, summed over the engines on the page. None: the page does not say."""

    engine: Engine
    running: float
    waiting: float
    cache_usage: float
    """Share of the pool in use, 0 to 1; the mean over the engines."""
    prompt_tokens: float
    generation_tokens: float
    preemptions: float | None
    requests: float | None
    """Requests that ended, for whatever reason."""
    cache_queries: float | None
    """Tokens looked up in the prefix cache."""
    cache_hits: float | None
    """Tokens found there."""
    pool_tokens: int | None
    started_s: float | None
    """When the server started, in s since 1970."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """What happened between two scrapes of one server. None: the pages do not say."""

    engine: Engine
    preemptions_per_minute: float | None
    prompt_tokens_per_s: float
    generation_tokens_per_s: float
    running: float
    """Mean of the two scrapes, as the next two."""
    waiting: float
    cache_usage: float
    waiting_grown: float
    """By how many more requests wait at the second scrape."""
    hit_rate: float | None
    """Share of the tokens looked up that were found in the prefix cache."""
    tokens_per_request: float | None
    """Cached tokens of a running request on average; None if the size of the pool is unknown."""
    pool_tokens: int | None
    requests_per_s: float | None
    """Arrivals: those that ended, and those that are there besides at the second scrape."""
    prompt_tokens_mean: float | None
    """Prompt tokens per request that ended; None if none did. On average over a long time the
    same as the mean length of a prompt; likewise the next."""
    output_tokens_mean: float | None


def read_scrape(text: str) -> Scrape:
    """Read a metrics page in the text format of Prometheus.

    Needs the optional package prometheus_client (it comes with JupyterLab). Raises RuntimeError if
    it is missing; ValueError for a page of something else, for half a page, and for a page that
    lacks a figure; TypeError for what is no text.
    """
    instance("text", text, str)
    found = _samples(text)
    prefixes = {"vllm:": "vLLM", "sglang:": "SGLang"}
    engines = {prefixes[p] for name in found for p in prefixes if name.startswith(p)}
    if len(engines) != 1:
        what = "both vLLM's and SGLang's" if engines else "neither vLLM's nor SGLang's"
        raise ValueError(f"this page has {what} metrics; it must be a scrape of one server's")
    engine: Engine = "vLLM" if "vLLM" in engines else "SGLang"
    figures: dict[str, float | None] = {}
    for key, names in NAMES[engine]._asdict().items():
        name = next((name for name in names if name in found), None)
        rows = found[name] if name else None
        if rows is None and key not in OPTIONAL:
            raise ValueError(f"the page lacks {' and '.join(names)}: is it only a part of one?")
        combine: Callable[[list[float]], float] = _mean if key == "cache_usage" else sum
        figures[key] = None if rows is None else combine([value for _, value in rows])
        figure = figures[key]
        if figure is not None and not 0 <= figure <= _MOST:
            raise ValueError(f"{name} is {figure:g} on this page, which no server counts")
    pools = [labels for labels, _ in found.get(_POOL, ())]
    started = found.get(_STARTED)
    return Scrape(
        engine=engine,
        pool_tokens=_pool_tokens(pools),
        started_s=min(value for _, value in started) if started else None,
        **figures,  # type: ignore[arg-type]
    )


def between(first: Scrape, second: Scrape, seconds: float) -> Interval:
    """Return what happened in the `seconds` between two scrapes of one server.

    Raises ValueError for time that is not above 0, scrapes of different engines, a counter that
    went back or a server that started anew in between; TypeError for a wrong type.
    """
    instance("first", first, Scrape)
    instance("second", second, Scrape)
    scalar("seconds", seconds, positive=True)
    if first.engine != second.engine:
        raise ValueError(f"the scrapes are of {first.engine} and of {second.engine}")
    if None not in (first.started_s, second.started_s) and first.started_s != second.started_s:
        raise ValueError("the server started anew between the scrapes, so its counters did too")
    grown: dict[str, float | None] = {}
    for key in COUNTERS:
        before, after = getattr(first, key), getattr(second, key)
        grown[key] = None if before is None or after is None else after - before
        if before is not None and after is not None and after < before:
            raise ValueError(
                f"{key} went back from {before:,.0f} to {after:,.0f}: the scrapes are in the "
                "wrong order, or the server started anew between them"
            )
    preemptions, ended = grown["preemptions"], grown["requests"]
    queries, hits = grown["cache_queries"], grown["cache_hits"]
    prompt_tokens = second.prompt_tokens - first.prompt_tokens
    output_tokens = second.generation_tokens - first.generation_tokens
    waiting_grown = second.waiting - first.waiting
    there_grown = waiting_grown + second.running - first.running
    running = (first.running + second.running) / 2
    usage = (first.cache_usage + second.cache_usage) / 2
    per_request = None
    if second.pool_tokens is not None and running:
        per_request = usage * second.pool_tokens / running
    return Interval(
        engine=first.engine,
        preemptions_per_minute=None if preemptions is None else 60 * preemptions / seconds,
        prompt_tokens_per_s=prompt_tokens / seconds,
        generation_tokens_per_s=output_tokens / seconds,
        running=running,
        waiting=(first.waiting + second.waiting) / 2,
        cache_usage=usage,
        waiting_grown=waiting_grown,
        hit_rate=hits / queries if queries and hits is not None else None,
        tokens_per_request=per_request,
        pool_tokens=second.pool_tokens,
        requests_per_s=None if ended is None else max(ended + there_grown, 0) / seconds,
        prompt_tokens_mean=prompt_tokens / ended if ended else None,
        output_tokens_mean=output_tokens / ended if ended else None,
    )


def example_scrapes() -> tuple[str, str]:
    """Return two pages written by hand from vLLM's published names, meant as 60 s apart."""
    data = resources.files("preemption.studies").joinpath("data")
    return (
        data.joinpath("scrape_first.txt").read_text("utf-8"),
        data.joinpath("scrape_second.txt").read_text("utf-8"),
    )


def _samples(text: str) -> dict[str, list[tuple[Mapping[str, str], float]]]:
    """Return labels and values of each sample name on the page."""
    try:
        parser = importlib.import_module("prometheus_client.parser")  # optional: only here
    except ImportError:
        raise RuntimeError("reading a scrape needs pip install prometheus-client") from None
    if not text.strip():
        raise ValueError("the page is empty: paste a whole scrape of /metrics")
    if not text.endswith("\n"):
        raise ValueError(
            "the page has no line break at its end, so its last line may be cut off: copy all of "
            "it, with the line break"
        )
    found: dict[str, list[tuple[Mapping[str, str], float]]] = {}
    try:
        for family in parser.text_string_to_metric_families(text):
            for sample in family.samples:
                found.setdefault(sample.name, []).append((sample.labels, sample.value))
    except Exception as error:  # whatever the parser stumbles over
        raise ValueError(f"this is no metrics page in the format of Prometheus: {error}") from None
    return found


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _pool_tokens(pools: Iterable[Mapping[str, str]]) -> int | None:
    """Return the tokens that the pools of all engines hold, if the page says it."""
    try:
        tokens = sum(int(pool["num_gpu_blocks"]) * int(pool["block_size"]) for pool in pools)
    except (KeyError, ValueError):
        return None
    return tokens or None
