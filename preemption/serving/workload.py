"""Requests to serve: small loads by hand, Azure-shaped loads, and the real Azure trace."""

import copy
import csv
import importlib
import itertools
import math
import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeAlias

from preemption.checks import choice, scalar, shown, whole

Kind: TypeAlias = Literal["conversation", "conv", "code"]

MOST_REQUESTS = 10**7  # as many as memory holds
TRACE_URL = "https://raw.githubusercontent.com/Azure/AzurePublicDataset/master/data/"


@dataclass(frozen=True, slots=True)
class Request:
    """One request: who, when it arrives, and how many tokens it has.

    `id` is a number or a text; `arrival_ms` counts from 0 on; prompt and output have 1 token or
    more. A smaller `priority` is more urgent; only the priority policy looks at it. Requests of
    one `prefix_group` have the first tokens of their prompts in common, each as many as its
    `prefix_tokens`; only prefix caching looks at that. Raises ValueError for a value out of
    range, a prefix that is longer than the prompt, or a group or a length without the other;
    TypeError for a wrong type.
    """

    id: int | str
    arrival_ms: float
    prompt_tokens: int
    output_tokens: int
    priority: int = 0
    prefix_group: int | str | None = None
    prefix_tokens: int = 0
    arrival_ns: int = field(init=False, repr=False, compare=False)
    """The arrival in whole nanoseconds."""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str):
            object.__setattr__(self, "id", whole("id, if it is no text,", self.id))
        who = f"of request {shown(self.id)}"
        for name in ("prompt_tokens", "output_tokens"):
            tokens = whole(f"{name} {who}", getattr(self, name), least=1)
            object.__setattr__(self, name, tokens)
        object.__setattr__(self, "priority", whole(f"priority {who}", self.priority))
        object.__setattr__(self, "arrival_ms", scalar(f"arrival_ms {who}", self.arrival_ms))
        self._check_prefix(who)
        fraction, ms = math.modf(self.arrival_ms)
        object.__setattr__(self, "arrival_ns", int(ms) * 10**6 + round(fraction * 1e6))

    def _check_prefix(self, who: str) -> None:
        group = self.prefix_group
        if not (group is None or isinstance(group, str)):
            group = whole(f"prefix_group {who}, if it is no text,", group)
            object.__setattr__(self, "prefix_group", group)
        tokens = whole(f"prefix_tokens {who}", self.prefix_tokens, least=0)
        object.__setattr__(self, "prefix_tokens", tokens)
        if tokens > self.prompt_tokens:
            raise ValueError(
                f"prefix_tokens {who} must not be more than its prompt_tokens "
                f"({self.prompt_tokens}), not {tokens}"
            )
        if (group is None) != (tokens == 0):
            raise ValueError(
                f"prefix_group and prefix_tokens {who} must be given together, "
                f"not {shown(group)} and {tokens}"
            )


def two() -> list[Request]:
    """Two requests of 32 + 40 tokens that start together.

    In 7 blocks of 16 tokens both prompts fit, but not what they generate.
    """
    return crowd(2, prompt_tokens=32, output_tokens=40)


def eight() -> list[Request]:
    """Eight requests, one every 10 ms, with longer and longer prompts and shorter outputs.

    In 15 blocks of 16 tokens some of them have to go.
    """
    return [Request(i, 10.0 * i, 20 + 5 * i, 40 - 2 * i) for i in range(8)]


def crowd(
    count: int, *, prompt_tokens: int, output_tokens: int, every_ms: float = 0.0
) -> list[Request]:
    """`count` equal requests, one every `every_ms` ms."""
    count = whole("count", count, least=0, most=MOST_REQUESTS)
    every_ms = scalar("every_ms", every_ms)
    return [Request(i, every_ms * i, prompt_tokens, output_tokens) for i in range(count)]


def azure_shaped(seed: int, minutes: float, kind: Kind = "conversation") -> list[Request]:
    """Make `minutes` of requests shaped like Azure's service, the same ones for the same `seed`.

    `kind` is "conversation" (or "conv") or "code". The rate of arrivals and the quantiles and
    means of prompt and output tokens are those of the real trace (`quantiles`). The rest is
    plainer than it: arrivals are evenly random (the real ones come in bursts, those of "code"
    above all), and prompt and output are independent (their real correlation: -0.1 and 0.0).
    Raises ValueError for another kind or minutes that are not above 0, TypeError for a seed that
    is no whole number.
    """
    table = quantiles(kind)
    rng = random.Random(whole("seed", seed))
    count = round(scalar("minutes", minutes, positive=True) * 60 * table["requests_per_s"])
    whole(f"the requests in {minutes:g} minutes", count, least=0, most=MOST_REQUESTS)
    arrivals = sorted(rng.random() * minutes * 60_000 for _ in range(count))
    tokens = [_sample(rng, count, table["percent"], table[name]) for name in ("prompt", "output")]
    return [Request(i, *row) for i, row in enumerate(zip(arrivals, *tokens, strict=True))]


def _sample(
    rng: random.Random, count: int, percent: Sequence[float], tokens: Sequence[int]
) -> list[int]:
    """Draw one value from each `count`-th of the distribution, in random order.

    So the quantiles of the sample are those of the table, also in a short load.
    """
    segments = list(itertools.pairwise(zip(percent, tokens, strict=True)))
    values = []
    segment = 0
    for i in range(count):
        p = 100 * (i + rng.random()) / count
        while p > segments[segment][1][0]:
            segment += 1
        (p0, low), (p1, high) = segments[segment]
        values.append(round(low + (high - low) * (p - p0) / (p1 - p0)))
    return sorted(values, key=lambda _: rng.random())


@cache
def _tables() -> dict[str, Any]:
    text = (
        resources.files("preemption.serving")
        .joinpath("data/azure_quantiles.toml")
        .read_text("utf-8")
    )
    return tomllib.loads(text)


def quantiles(kind: Kind) -> dict[str, Any]:
    """Return the table of one Azure trace: arrival rate, quantiles of prompt and output tokens.

    `requests_per_s`; `percent`, and for each percentage the tokens of `prompt` and `output`;
    `prompt_mean` and `output_mean`; `file` and `sha256` of the trace. Source and licence stand
    in `preemption/serving/data/azure_quantiles.toml`. Raises ValueError for another kind.
    """
    tables: dict[str, dict[str, Any]] = _tables()["trace"]
    name = choice("kind", kind, (*tables, "conv"))
    return copy.deepcopy(tables["conversation" if name == "conv" else name])


def read_trace(path: str | Path, minutes: float | None = None) -> list[Request]:
    """Read a file of the Azure LLM inference trace 2023, or its first `minutes`.

    The file has the columns TIMESTAMP, ContextTokens and GeneratedTokens. Arrivals count in ms
    from its first row. Raises ValueError if it is another kind of file, or for a row that cannot
    be read.
    """
    end_ms = math.inf if minutes is None else 60_000 * scalar("minutes", minutes, positive=True)
    lines = _lines(path)
    _, columns = next(lines, (1, []))
    if columns != ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]:
        raise ValueError(
            f"{path} is not an Azure LLM inference trace: its columns are {shown(columns)}"
        )
    requests: list[Request] = []
    start = None
    for number, row in lines:
        try:
            stamp, prompt, output = row
            ticks = _ticks(stamp)
            start = ticks if start is None else start
            arrival_ms = (ticks - start) / 10_000
            if arrival_ms >= end_ms:
                break
            requests.append(Request(len(requests), arrival_ms, int(prompt), int(output)))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}, {shown(row)}: {error}") from None
    return requests


def _lines(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line."""
    with open(Path(path), newline="", encoding="utf-8") as file:  # a number would be a descriptor
        rows = csv.reader(file)
        try:
            for row in rows:
                yield rows.line_num, row
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is not an Azure LLM inference trace: {error}") from None


def _ticks(stamp: str) -> int:
    """Return a time stamp with up to seven decimals in units of 100 ns; datetime knows six."""
    whole_seconds, _, decimals = stamp.partition(".")
    since = datetime.fromisoformat(whole_seconds) - datetime.min
    if len(decimals) > 7:
        raise ValueError(f"a time stamp must have up to seven decimals, not {shown(stamp)}")
    return since // timedelta(seconds=1) * 10**7 + int(decimals.ljust(7, "0"))


def fetch_trace(kind: Kind = "conversation") -> Path:
    """Fetch the real Azure trace once, check its sha256, and return where the file lies.

    Needs the optional package pooch and, the first time, the network. Raises RuntimeError that
    says which of them is missing, ValueError for a file with another sha256.
    Patel et al., "Splitwise", ISCA 2024; CC BY 4.0.
    """
    table = quantiles(kind)
    try:
        pooch = importlib.import_module("pooch")  # optional, so imported only here
    except ImportError:
        raise RuntimeError(
            "fetching the trace needs pooch: pip install pooch. "
            f"Or download {TRACE_URL}{table['file']} and give the file to read_trace"
        ) from None
    try:
        file = pooch.retrieve(TRACE_URL + table["file"], known_hash="sha256:" + table["sha256"])
    except OSError as error:
        raise RuntimeError(
            f"{TRACE_URL}{table['file']} could not be fetched; is this machine offline? ({error})"
        ) from error
    return Path(file)
