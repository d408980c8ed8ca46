"""Numbers in the texts of notebook 04."""

from functools import cache
from itertools import pairwise

from preemption import LiveExplorer, SideBySideExplorer, costs, studies, words
from preemption.explorers.cliff import POOLS_TOKENS
from preemption.figures.live import PART_S
from preemption.lessons.pool import blocks_left
from preemption.serving import (
    DEFAULT_COST,
    Iteration,
    RunSettings,
    frames_of,
    pauses,
    simulate,
    simulate_plain,
)
from tests.notebooks.prose import Computed, Facts

LLAMA_A100 = costs.MODELS["Llama-3-8B"], costs.DEVICES["A100 80 GB SXM"]
VLLM = "measured: vLLM 0.33.0's own scheduler, recorded in tests/traces"
EIGHT, LONG = studies.SCENES["eight requests"], studies.SCENES["a long wait"]


def log(way: str = "recompute") -> list[Iteration]:
    """Return the log of the eight requests."""
    settings = RunSettings(resume="swap" if way == "swap" else "recompute", log=True)
    return [f.iteration for f in frames_of(EIGHT.requests, EIGHT.config(), settings)]


def preempting(request: int) -> Iteration:
    """Return the iteration in which one of the eight goes."""
    return next(each for each in log() if request in [event.id for event in each.preempted])


def resuming(request: int) -> Iteration:
    """Return the iteration in which one of the eight comes back."""
    return next(
        each
        for each in log()
        for row in each.scheduled
        if (row.id, row.kind) == (request, "resumed")
    )


def pause_ms(what: str, way: str = "recompute", digits: int = 4) -> str:
    """Return a part of the pause of request 4."""
    settings = RunSettings(resume="swap" if way == "swap" else "recompute", log=True)
    found = next(each for each in pauses(log(way), settings) if each.id == 4)
    return f"{words.digits(getattr(found, what), digits)} ms"


def found_at_the_return() -> int:
    """Return how many tokens the victim of the long wait finds."""
    return sum(each.tokens for f in LONG.frames(caching=True) for each in f.iteration.found)


def long_wait() -> Iteration:
    """Return the iteration in which the victim of the long wait goes."""
    return next(f.iteration for f in LONG.frames(caching=True) if f.iteration.preempted)


# Parts 2 to 4.
THREE_S = f"{studies.LATE_MS / 1e3:g} seconds"


@cache
def compared(kind, **changes):
    explorer = SideBySideExplorer(kind)
    explorer.change(**changes)
    return explorer.all_loads()._answer


def median(name, figure, kind="rules"):
    return compared(kind).spread(name, figure).median


def p99_s(name):
    return median(name, "ttft_p99_ms", "levers") / 1e3


def helped():
    """The longest waits with the levers that help about alike, in all loads."""
    alike = ("another rule", "swap", "offloading", "prefix caching", "a tenth more memory")
    assert all(compared("levers").wins(name) == len(studies.SEEDS) for name in alike)
    waits = sorted(map(p99_s, alike))
    return f"between {words.digits(waits[0], 3)} and {words.digits(waits[-1], 3)} s"


@cache
def over_pools(seed=0, **changes):
    served_by = studies.server(POOLS_TOKENS[0], **changes)
    return studies.over_pools(studies.two_minutes(seed, 5.5), POOLS_TOKENS, served_by)


def preempts(point):
    return point.preemptions


def late(point):
    return point.ttft_p99_ms > studies.LATE_MS


def trouble(column, seed=0, **changes):
    points = over_pools(seed, **changes)
    return max(pool for pool, point in zip(POOLS_TOKENS, points, strict=True) if column(point))


def troubles(column, between="and"):
    pools = [trouble(column, seed) for seed in studies.SEEDS]
    return f"between {min(pools):,} {between} {max(pools):,}"


def at_eighty_thousand():
    pools = [trouble(late, seed) for seed in studies.SEEDS]
    assert max(pools) == 80_000
    return f"{ {2: 'two'}[pools.count(80_000)] } loads"


@cache
def worst_hit(rule):
    """The most evictions of one request in any load, and its pauses together, in s."""
    evicted, paused_s = [], []
    for seed in studies.SEEDS:
        run = simulate(studies.two_minutes(seed, 5.5), *studies.server(32_000, victim=rule))
        stays = {}
        for request, admitted, left, _ in run.stays:
            stays.setdefault(request, []).append((admitted, left))
        evicted.append(max(map(len, stays.values())) - 1)
        gaps = ([b[0] - a[1] for a, b in pairwise(each)] for each in stays.values())
        paused_s.append(max(map(sum, gaps)) / 1e9)
    return max(evicted), max(paused_s)


def alone():
    """The whole machine, from the rate of the loads to four times that: nobody is preempted."""
    pool_tokens = 16 * studies.machine_blocks()
    for rate in (5.5, 10.0, 20.0):
        run = simulate(studies.two_minutes(0, rate), *studies.server(pool_tokens))
        assert run.preemptions == 0
    assert studies.measures(run).ttft_p99_ms > studies.LATE_MS
    return f"about {pool_tokens / 1e3:.0f},000 tokens"


@cache
def lines():
    """The longest line of each load, and the most victims that are out at a time."""
    found = []
    for seed in studies.SEEDS:
        run = simulate(studies.two_minutes(seed, 5.5), *studies.server(32_000))
        over = studies.over_time(run, 2e3, int(run.total_ms / 2e3) + 1)
        found.append((int(over.waiting.max()), int(over.evicted.max())))
    return tuple(zip(*found, strict=True))


def two_percent():
    """What every rule computes twice with prefix caching, in the median of the loads."""
    answer = compared("rules", together="prefix caching")
    shares = [answer.spread(name, "recompute_share").median for name in answer.runs]
    assert all(0.015 < share < 0.025 for share in shares)
    return "2%"


def as_long():
    """Waiting and computing again in the pauses of the two minutes, of the first six loads."""
    served_by = studies.server(32_000, log=True)
    found = []
    for seed in range(6):
        log = simulate_plain(studies.two_minutes(seed, 5.5), *served_by).log
        found += pauses(log, served_by.settings)
    waited, again = (sum(getattr(p, k) for p in found) for k in ("waited_ms", "recompute_ms"))
    assert 0.45 < waited / (waited + again) < 0.6
    return "about as long"


def by_layer(link):
    answer = compared("links", together="swap layer by layer")
    return f"{answer.wins(f'swap at {link} GB/s')}"


def event_turns_by_layer():
    """Likewise, with starting the copies: `start_us` for each 16 tokens, out and back."""
    ms = (DEFAULT_COST.computing_ns(1_000) - DEFAULT_COST.computing_ns(0)) / 1e6
    start_us = lever("swap layer by layer").settings.copy_start_us
    assert start_us == 2 * 32 * costs.LAUNCH_US
    left_ms = ms - 2 * -(-1_000 // 16) * start_us / 1e3
    return f"{2 * 1_000 * costs.PER_TOKEN_BYTES / left_ms / 1e6:.0f} GB/s"


def turns():
    answer = compared("links")
    assert answer.wins("swap at 3 GB/s") < answer.wins("swap at 4 GB/s")
    assert answer.wins("swap at 5 GB/s") == len(studies.SEEDS)
    return f"{answer.wins('swap at 4 GB/s')} of {len(studies.SEEDS)} loads"


def event_turns():
    """Where one event turns, if its tokens are computed in one iteration of 1,000."""
    ms_per_token = DEFAULT_COST.computing_ns(1_000) / 1e6 / 1_000
    return f"{costs.crossover_bandwidth(costs.PER_TOKEN_BYTES, ms_per_token) / 1e9:.0f} GB/s"


def wins_at_two():
    answer = compared("links", together="admission by the first chunk")
    assert answer.wins("swap at 2 GB/s") == len(studies.SEEDS)
    two = costs.swap_ms(1_000, costs.PER_TOKEN_BYTES, 2e9)
    four = costs.swap_ms(1_000, costs.PER_TOKEN_BYTES, 4e9)
    assert two == 2 * four
    return "2 GB/s"


def lever(name):
    return studies.LEVERS[name](studies.server(32_000))


@cache
def live():
    return LiveExplorer()._answer


def most(what):
    """The most at any moment of the first run over time."""
    return getattr(live().over_time, what).max()


def full_from():
    """From when on the pool of the first run stays full, to five seconds, until the last came."""
    answer = live()
    upto = int(answer.last_arrival_s / PART_S)
    short = [part for part in range(upto) if answer.pool_share[part] < 0.95]
    return f"{5 * round(PART_S * (short[-1] + 1) / 5)} seconds"


COMPUTED: Computed = [
    ("into **blocks**, here of 16 tokens", lambda: f"{EIGHT.block_tokens} tokens"),
    ("a small server with 15 blocks", lambda: f"{EIGHT.blocks} blocks"),
    ("one every 10 ms", lambda: f"{EIGHT.requests[1].arrival_ms:g} ms"),
    ("In iteration 13 request 4", lambda: f"iteration {preempting(4).number}"),
    ("go to iteration 42", lambda: f"iteration {preempting(6).number}"),
    ("has 64 cached tokens", lambda: f"{preempting(6).decided.state[3][0]} cached tokens"),
    ("request 6 goes with 50", lambda: f"{preempting(6).preempted[0].computed_tokens}"),
    ("In iteration 39 request 4", lambda: f"iteration {resuming(4).number}"),
    ("prefills 49 tokens", lambda: f"{preempting(4).preempted[0].tokens} tokens"),
    ("its 40 of prompt", lambda: f"{EIGHT.requests[4].prompt_tokens}"),
    (
        "the 9 that it had written",
        lambda: f"{preempting(4).preempted[0].tokens - EIGHT.requests[4].prompt_tokens}",
    ),
    ("waits 255.6 ms for memory", lambda: pause_ms("waited_ms")),
    ("needs 11.2 ms to compute", lambda: pause_ms("recompute_ms", digits=3)),
    ("has 13 blocks and three requests", lambda: f"{LONG.blocks} blocks"),
    ("Request 2 goes in iteration 5.", lambda: f"iteration {long_wait().number}"),
    ("all 5 full blocks are still there", lambda: f"{blocks_left(5)} full blocks"),
    ("After 50 only 1 is left", lambda: f"{blocks_left(50)}"),
    ("of 93 tokens 16", lambda: f"{long_wait().preempted[0].computed_tokens} tokens"),
    ("93 tokens 16 are found", lambda: f"{found_at_the_return()} are"),
    ("a block every 16 tokens", lambda: f"{EIGHT.block_tokens} tokens"),
    ("out and back takes 0.503 ms", lambda: pause_ms("copy_ms", "swap", 3)),
    ("wait for memory is 255.1 ms", lambda: pause_ms("waited_ms", "swap")),
    ("tokens | 16 tokens |", lambda: f"{EIGHT.block_tokens} tokens"),
    ("664 requests", lambda: words.count(len(studies.two_minutes(0, 5.5)), "request")),
    ("two minutes of traffic", lambda: {2: "two minutes"}[studies.MINUTES]),
    ("about 427,000 tokens", alone),
    ("121 preemptions where", lambda: f"{median('smallest cache', 'preemptions'):g} preemptions"),
    ("vLLM's rule has 89", lambda: f"has {median('last admitted', 'preemptions'):g}"),
    (
        "only 3.2% of all tokens",
        lambda: f"{100 * median('smallest cache', 'recompute_share'):.2g}%",
    ),
    ("against 10%", lambda: f"{100 * median('last admitted', 'recompute_share'):.2g}%"),
    ("passes 3 seconds", lambda: THREE_S),
    ("begin at 74,000 tokens", lambda: words.count(trouble(preempts), "token")),
    ("only at 47,000", lambda: f"{trouble(late):,}"),
    (
        "over 100 GB/s only moves the edge to 44,000",
        lambda: (
            f"100 GB/s only moves the edge to {trouble(late, resume='swap', link_gb_per_s=100.0):,}"
        ),
    ),
    ("begin between 59,000 tokens and 89,000", lambda: troubles(preempts, "tokens and")),
    ("in two loads it does so at 80,000", at_eighty_thousand),
    ("is evicted 13 times by", lambda: f"{worst_hit('smallest cache')[0]} times"),
    ("rule, 3 times by vLLM's", lambda: f"{worst_hit('last admitted')[0]} times"),
    ("together are 3 s at most", lambda: f"{worst_hit('smallest cache')[1]:.0f} s"),
    ("adds 7.73 ms to", lambda: f"{costs.Recompute.of(*LLAMA_A100).start_ms:.2f} ms"),
    ("89,000 or more, the largest pool here", lambda: f"{POOLS_TOKENS[-1]:,}"),
    ("3 seconds between 41,000 and 80,000;", lambda: troubles(late)),
    ("computes at most 64 tokens", lambda: f"{EIGHT.config().max_num_batched_tokens} tokens"),
    ("| 64; from part", lambda: f"| {EIGHT.config().max_num_batched_tokens}"),
    ("on 2,048 |", lambda: words.plain(lever("swap").config.max_num_batched_tokens)),
    ("from part 2 on 32,000 tokens", lambda: words.count(SideBySideExplorer().pool, "token")),
    ("budget, 512 tokens in", lambda: f"{lever('smaller budget').config.max_num_batched_tokens}"),
    ("place of 2,048, are", lambda: words.plain(lever("swap").config.max_num_batched_tokens)),
    (
        "vLLM's rule, 85.5 times in",
        lambda: f"{median('largest cache', 'preemptions'):g}",
    ),
    ("measured, it has 14.8 s", lambda: f"{p99_s('swap layer by layer'):.1f} s"),
    ("loads, and has 12 s", lambda: f"{p99_s('watermark'):.0f} s"),
    ("fewer in has 14.4 s", lambda: f"{p99_s('fewer at a time'):.1f} s"),
    ("and 6 microseconds each", lambda: f"{costs.LAUNCH_US:g} microseconds"),
    ("only about 2% of all tokens", two_percent),
    ("again take about as long", as_long),
    ("turns at 17 GB/s", event_turns_by_layer),
    ("wins in 7 loads at 12 GB/s", lambda: f"{by_layer(12)} loads at 12 GB/s"),
    ("12 GB/s, in 12 at 16, in", lambda: f"{by_layer(16)} at 16"),
    ("in 18 at 25.", lambda: f"{by_layer(25)} at 25"),
    ("20 loads 64 to 103,", lambda: f"{min(lines()[0])} to {max(lines()[0])}"),
    ("more than 3 victims", lambda: words.count(max(lines()[1]), "victim")),
    ("from 15.6 s to between", lambda: f"{p99_s('as it is'):.1f} s"),
    ("between 10.1 and 11.1 s", helped),
    ("wins in 10 of 20 loads", turns),
    ("At 4 GB/s swapping wins", lambda: turns() and "4 GB/s"),
    ("faster than about 4 GB/s", event_turns),
    ("even at 2 GB/s", wins_at_two),
    ("a margin of 5% at admission", lambda: f"{100 * lever('watermark').config.watermark:g}%"),
    ("at most 24 requests", lambda: f"{lever('fewer at a time').config.max_num_seqs} requests"),
    ("a link of 25 GB/s", lambda: f"{lever('swap').settings.link_gb_per_s:g} GB/s"),
    ("a pool of 32,000 tokens", lambda: words.count(SideBySideExplorer().pool, "token")),
    ("all 24 again", lambda: f"all {len(POOLS_TOKENS)}"),
    ("two seconds; mind", lambda: {2: "two seconds"}[PART_S]),
    ("stays full after 40 seconds", full_from),
    ("the host has 200 GB", lambda: f"{studies.HOST_GB} GB"),
    ("At most 2 victims", lambda: words.count(most("evicted"), "victim")),
    ("begun: 71 of them", lambda: f"{most('waiting'):g} of them"),
]

COUNTED = "example: counted by a rule, in test_minutes.py"
FACTS: Facts = [
    ("*65 minutes, in", COUNTED),
    ("a pool (20 minutes)", COUNTED),
    ("should go? (20 minutes)", COUNTED),
    ("is enough? (10 minutes)", COUNTED),
    ("helps most? (15 minutes)", COUNTED),
    (
        "measured on this GPU 512 tokens take no longer each than 2,048",
        "measured: the points of IterationCost",
    ),
    ("After 5 iterations", "example"),
    ("single event of 1,000 tokens", "example"),
    ("single eviction of 1,000 tokens", "example"),
    ("the scheduler of vLLM 0.33.0", VLLM),
]
