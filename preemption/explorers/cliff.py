"""Pool size against preemptions, work done twice and latency, run by run."""

from typing import Any

from preemption import studies, words
from preemption.costs import MODELS
from preemption.figures.cliff import Cliff, CliffCurves
from preemption.page import html
from preemption.page.controls import Number, Select, Whole
from preemption.page.explorer import Explorer, Words
from preemption.serving import RULES

POOLS_TOKENS = tuple(range(20_000, 89_001, 3_000))
_RATES_PER_S = tuple(quarter / 4 for quarter in range(8, 33))
WAYS: dict[str, dict[str, Any]] = {
    "recompute": {},
    "recompute what caching lost": {"enable_prefix_caching": True},
    "offloading": {"host_blocks": studies.HOST_BLOCKS},
    "swap": {"resume": "swap"},
    "swap layer by layer": {
        "resume": "swap",
        "copy_start_us": studies.copy_start_us(MODELS["Llama-3-8B"]),
    },
    "whichever is cheaper": {"resume": "cheaper"},
}


class CliffExplorer(Explorer[Cliff]):
    """Set the rate of arrivals, who goes and how they come back; see 24 pools at once.

    `rate` (2 to 8 requests per second), `rule` (a name of `serving.RULES`), `way` (one of the
    dropdown's), `link` (1 to 100 GB/s, for copies) and `load` (the seed, 0 to 19) may be set
    from code too.
    """

    rate = Number(
        "requests/s", default=5.5, low=_RATES_PER_S[0], high=_RATES_PER_S[-1], places=_RATES_PER_S
    )
    link = Number("link bandwidth (GB/s)", default=25.0, low=1.0, high=100.0)
    rule = Select("who goes", options=list(RULES), default="last admitted")
    way = Select("how they come back", options=list(WAYS), default="recompute")
    load = Whole("load", default=0, low=0, high=len(studies.SEEDS) - 1, places=studies.SEEDS)

    def __init__(self) -> None:
        kind = type(self)
        super().__init__(
            CliffCurves(POOLS_TOKENS),
            [kind.rate, kind.link, kind.load],
            beside=[kind.rule, kind.way],
        )

    def _ask(self) -> Cliff:
        served_by = studies.server(
            POOLS_TOKENS[0], victim=self.rule, link_gb_per_s=self.link, **WAYS[self.way]
        )
        points = studies.over_pools(
            studies.two_minutes(self.load, self.rate), POOLS_TOKENS, served_by
        )
        preempting = [pool for pool, p in zip(POOLS_TOKENS, points, strict=True) if p.preemptions]
        late = [
            pool
            for pool, point in zip(POOLS_TOKENS, points, strict=True)
            if point.ttft_p99_ms > studies.LATE_MS
        ]
        return Cliff(POOLS_TOKENS, points, max(preempting, default=None), max(late, default=None))

    def _say(self, answer: Cliff) -> Words:
        preempts, late = (
            "in none of these pools"
            if pool is None
            else "in all of these pools"
            if pool == POOLS_TOKENS[-1]
            else f"in pools up to {words.count(pool, 'token')}"
            for pool in (answer.preempts, answer.late)
        )
        verdict = (
            f"{words.plain(self.rate)} requests/s: preemptions {preempts}; one request in a "
            f"hundred waits over 3 s for its first token {late}."
        )
        all_pools = list(zip(POOLS_TOKENS, answer.points, strict=True))
        small, large = answer.points[0], answer.points[-1]
        waits = ", ".join(
            f"{words.plain(pool)} tokens {words.digits(point.ttft_p99_ms, 3)}"
            for pool, point in all_pools[::-2]
        )
        rows = [
            [
                words.plain(pool),
                words.plain(point.preemptions),
                words.digits(100 * point.recompute_share, 3),
                words.digits(point.ttft_p99_ms, 3),
                words.digits(point.tpot_p99_ms, 3),
                words.digits(point.tokens_per_s, 3),
            ]
            for pool, point in all_pools[::4]
        ]
        head = ["pool (tokens)", "preemptions", "computed twice (%)", "TTFT p99 (ms)"]
        head += ["TPOT p99 (ms)", "output tokens/s"]
        return Words(
            verdict=verdict,
            alternative="Preemptions, tokens computed twice and the time to first token over the "
            f"pool. {verdict} From {words.plain(POOLS_TOKENS[0])} to "
            f"{words.plain(POOLS_TOKENS[-1])} tokens preemptions go from {small.preemptions} to "
            f"{large.preemptions}. The p99 of the time to first token, in ms: {waits}.",
            table=html.table(head, rows, numbers=range(len(head))),
        )
