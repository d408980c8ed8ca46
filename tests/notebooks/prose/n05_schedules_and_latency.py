"""Numbers in the texts of notebook 05."""

from dataclasses import replace
from functools import cache

from preemption import costs, serving, studies, words
from preemption.serving import DEFAULT_COST
from tests.notebooks.prose import Computed, Facts, ms

ABC = {"A": 2, "B": 1, "C": 2}
STATIC, CONTINUOUS = serving.static_schedule(ABC, 2), serving.continuous_schedule(ABC, 2)
PROMPT, POOL = 4_096, 3_000
ONE_PASS, DEFAULT, SMALLEST = (
    studies.chunked_prefill(PROMPT, budget) for budget in (8_192, 512, 128)
)
SWEEP = studies.sweep(POOL)
PREEMPTS, CLIFF = studies.first_preemption(SWEEP), studies.cliff(SWEEP)
FIVE, ABOVE = (studies.under_load(rate, POOL) for rate in (5.0, 6.5))
CROWDED = {pool: studies.under_load(8.5, pool) for pool in (POOL, studies.machine_blocks())}
MACHINE = costs.DEVICES["A100 80 GB SXM"]
RECOMPUTE = costs.Recompute.of(costs.MODELS["Llama-3-8B"], MACHINE)

ORCA = "https://friendli.ai/research/orca/"
SARATHI = "https://arxiv.org/abs/2403.02310"


def iterations(rows):
    return words.count(len(rows), "iteration")


def percent(rows):
    return f"{words.digits(100 * serving.utilization(rows), 3)}%"


def filled(rows):
    held = sum(name is not None for row in rows for name in row)
    return f"{held} of {len(rows) * len(rows[0])} places"


def three(value):
    return words.digits(value, 3)


def seconds(spread):
    low, _, high = (words.digits(wait_ms / 1000, 2) for wait_ms in spread)
    return f"{low} to {high} s"


def measured_ms(tokens):
    return DEFAULT_COST.computing_ns(tokens) / 1e6


def mean(name):
    loads = [request for seed in studies.SEEDS for request in studies.load_requests(seed)]
    return sum(getattr(request, name) for request in loads) / len(loads)


def later_with_1024_ms():
    later_ms = studies.chunked_prefill(PROMPT, 1_024).ttft_ms - DEFAULT.ttft_ms
    return f"{later_ms:.0f} ms"


def real_blocks():
    """Blocks beside the weights, if 90% of what PyTorch reports are used."""
    more_bytes = studies.MEMORY_SHARE * (79.35 * 2**30 - 80e9)
    return studies.machine_blocks() + more_bytes / (costs.PER_TOKEN_BYTES * costs.BLOCK_TOKENS)


def pool_tokens():
    return POOL * costs.BLOCK_TOKENS


def at_once():
    """Requests that the pool holds, each with half of its output written."""
    return words.plain(round(pool_tokens() / (mean("prompt_tokens") + mean("output_tokens") / 2)))


def served_s():
    """Time in service from the first preemption to the cliff, in whole seconds."""
    served = []
    for rate in (PREEMPTS.first, CLIFF.first):
        point = studies.under_load(rate, POOL)
        served.append(point.ttft_p50_ms.median + mean("output_tokens") * point.tpot_p50_ms.median)
    four, five = (round(each_ms / 1000) for each_ms in served)
    assert (four, five) == (4, 5)
    return "four to five seconds"


def decodes_more_ms():
    """What the decodes of eight more iterations take, at the time of a token among 512."""
    return (DEFAULT.chunks - 1) * studies.DECODES * measured_ms(512) / 512


def again_share():
    """The share of tokens computed twice at 9 per second: "a tenth"."""
    assert round(SWEEP[-1].recompute_share.median, 1) == 0.1
    return "a tenth"


@cache
def long_loads(requests_per_s):
    """Serve six loads of 3,200 requests with 3,000 blocks."""
    of_trace = serving.quantiles("conversation")["requests_per_s"]
    config = serving.SchedulerConfig(16, 3_001, 2_048, 256)
    return tuple(
        studies.measures(
            serving.simulate(
                [
                    replace(each, arrival_ms=each.arrival_ms * of_trace / requests_per_s)
                    for each in serving.azure_shaped(seed, 3_200 / 60 / of_trace)
                ],
                config,
            )
        )
        for seed in range(6)
    )


def all_preempt():
    assert all(run.preemptions for run in long_loads(4.0))
    return "4 per second"


def all_late():
    assert all(run.ttft_p99_ms > studies.LATE_MS for run in long_loads(5.5))
    assert not all(run.ttft_p99_ms > studies.LATE_MS for run in long_loads(5.0))
    return "5.5"


def half_of_the_delay():
    """What 32 chunks of 128 tokens alone take longer than one pass, of what they do here."""
    alone_ms = 32 * DEFAULT_COST.computing_ns(128) / 1e6 - DEFAULT_COST.computing_ns(4_096) / 1e6
    assert 0.45 < alone_ms / (SMALLEST.ttft_ms - ONE_PASS.ttft_ms) < 0.6
    return "about half"


COMPUTED: Computed = [
    ("all preempt at 4 per second", all_preempt),
    ("pass the cliff at 5.5.", all_late),
    ("that is about half of the delay", half_of_the_delay),
    ("That takes 4 iterations", lambda: iterations(STATIC)),
    ("fills 5 of 8 places, 62.5%", lambda: filled(STATIC)),
    ("fills 5 of 8 places, 62.5%", lambda: percent(STATIC)),
    ("That takes 3 iterations", lambda: iterations(CONTINUOUS)),
    ("fills 5 of 6 places, 83.3%", lambda: filled(CONTINUOUS)),
    ("fills 5 of 6 places, 83.3%", lambda: percent(CONTINUOUS)),
    ("has 9.7 ms for a single token", lambda: ms(measured_ms(1))),
    ("and 273 ms for 4,096", lambda: ms(measured_ms(PROMPT))),
    ("its first token comes after 275 ms", lambda: f"{three(ONE_PASS.ttft_ms)} ms"),
    ("everybody else waits 275 ms", lambda: f"{three(ONE_PASS.max_itl_ms)} ms"),
    ("A budget of 512 needs 9 iterations", lambda: words.count(DEFAULT.chunks, "iteration")),
    ("the longest gap falls to 34.6 ms", lambda: f"{three(DEFAULT.max_itl_ms)} ms"),
    ("the first token comes after 298 ms", lambda: f"{three(DEFAULT.ttft_ms)} ms"),
    ("At 128 it is 14 ms against 599 ms", lambda: f"{three(SMALLEST.max_itl_ms)} ms"),
    ("At 128 it is 14 ms against 599 ms", lambda: f"{three(SMALLEST.ttft_ms)} ms"),
    ("eight times 512 tokens take 277 ms", lambda: f"{three(8 * measured_ms(512))} ms"),
    ("4,096 at once 273 ms", lambda: ms(measured_ms(PROMPT))),
    ("the decodes take 32 tokens of each budget", lambda: f"{studies.DECODES} tokens"),
    (
        "256 tokens more than in one",
        lambda: f"{(DEFAULT.chunks - ONE_PASS.chunks) * studies.DECODES} tokens",
    ),
    ("about 17 of the 23 ms", lambda: f"{decodes_more_ms():.0f} of the"),
    ("about 17 of the 23 ms", lambda: f"{DEFAULT.ttft_ms - ONE_PASS.ttft_ms:.0f} ms"),
    ("1,024 gives the first token 18 ms later than 512", later_with_1024_ms),
    ("then takes 0.0733 ms, not", lambda: f"{three(measured_ms(1_024) / 1_024)} ms"),
    ("ms, not 0.0676 ms.", lambda: f"{three(measured_ms(512) / 512)} ms"),
    ("even one token takes 9.7 ms", lambda: ms(measured_ms(1))),
    ("add 28 ms to the 273 ms of 4,096", lambda: f"{RECOMPUTE.attention_ms(PROMPT):.0f} ms"),
    ("to the 273 ms of 4,096", lambda: ms(measured_ms(PROMPT))),
    (
        "would add 2.3 ms to an average prompt",
        lambda: f"{RECOMPUTE.attention_ms(mean('prompt_tokens')):.1f} ms",
    ),
    ("320 requests arrive at random", lambda: words.count(studies.LOAD_REQUESTS, "request")),
    ("1,164 and 210 tokens on average", lambda: words.plain(round(mean("prompt_tokens")))),
    ("1,164 and 210 tokens on average", lambda: f"{round(mean('output_tokens'))} tokens"),
    ("in blocks of 16 tokens", lambda: f"{costs.BLOCK_TOKENS} tokens"),
    (
        "4 ms for 48,000 tokens",
        lambda: f"{DEFAULT_COST.per_resident_token_ms * pool_tokens():.0f} ms",
    ),
    ("4 ms for 48,000 tokens", lambda: words.count(pool_tokens(), "token")),
    ("3,000 blocks hold 48,000 tokens", lambda: words.count(pool_tokens(), "token")),
    ("about 38 such requests", at_once),
    ("an A100 with 80 GB has room", lambda: f"{MACHINE.memory_gb:g} GB"),
    ("about 26,700 blocks", lambda: words.count(round(studies.machine_blocks(), -2), "block")),
    ("if 90% of its memory is used", lambda: f"{100 * studies.MEMORY_SHARE:g}%"),
    ("memory is used: nine times", lambda: {9: "nine"}[round(studies.machine_blocks() / POOL)]),
    ("85.2 billion", lambda: f"{three(79.35 * 2**30 / 1e9)} billion"),
    ("about 28,900 blocks, 8% more", lambda: words.count(round(real_blocks(), -2), "block")),
    (
        "about 28,900 blocks, 8% more",
        lambda: f"{100 * (real_blocks() / studies.machine_blocks() - 1):.0f}%",
    ),
    ("server takes four to five seconds for each", served_s),
    ("the median of the 20 loads", lambda: str(len(studies.SEEDS))),
    ("waits over 3 seconds", lambda: f"{studies.LATE_MS / 1000:g} seconds"),
    ("first load preempts at 4.5 requests", lambda: words.plain(PREEMPTS.first)),
    ("requests per second, the last at 6.", lambda: words.plain(PREEMPTS.all)),
    ("At 5 per second 16 of 20 loads", lambda: f"{FIVE.preempting} of {len(studies.SEEDS)}"),
    ("over all 20, is still 0.55 to 2.7 s", lambda: seconds(FIVE.ttft_p99_ms)),
    ("At 6.5 it is 3.3 to 9.3 s", lambda: seconds(ABOVE.ttft_p99_ms)),
    ("about a tenth of the tokens that it computes", again_share),
    (
        "stays near 1,100 tokens per second",
        lambda: words.plain(round(ABOVE.tokens_per_s.median, -2)),
    ),
    (
        "52.8 ms in the median on the whole",
        lambda: f"{three(CROWDED[studies.machine_blocks()].tpot_p50_ms.median)} ms",
    ),
    ("against 27.5 ms with 3,000", lambda: f"{three(CROWDED[POOL].tpot_p50_ms.median)} ms"),
    ("iterations | 4, or 3 |", lambda: str(len(STATIC))),
    ("iterations | 4, or 3 |", lambda: str(len(CONTINUOUS))),
    ("places filled | 62.5%, or 83.3% |", lambda: percent(STATIC)),
    ("places filled | 62.5%, or 83.3% |", lambda: percent(CONTINUOUS)),
]

FACTS: Facts = [
    (
        "*50 minutes, in three parts.*",
        "example: counted by a rule, in test_minutes.py",
    ),
    ("next iteration? (20 minutes)", "example: counted in the same way"),
    ("everybody wait (15 minutes)", "example: counted in the same way"),
    ("Under load (15 minutes)", "example: counted in the same way"),
    ("An output of 0 tokens", "example"),
    ("a prompt of 16 tokens", "example"),
    ("which 99% of the requests stay below", "by definition"),
    ("median; 99% stay below", "by definition"),
    ("At 6.5 it is", "example"),
    ("eight times 512 tokens", "example"),
    ("1,024 gives the first token", "example"),
    ("with a budget of 2,048 tokens", "example: studies.load gives it to the scheduler"),
    ("takes 80 GB as 80 billion bytes", "by definition: a GB"),
    ("six loads of 3,200 requests", "example"),
    ("with 79.35 GiB", "https://github.com/MoonshotAI/Kimi-VL/issues/54"),
    ("((1, 5), (4_096, 100))", "example"),
    ("3,000 blocks hold", "example"),
    ("With 3,000 blocks", "example"),
    ("at 8.5 requests per second", "example"),
    ("report 36.9 times the throughput", ORCA),
    ("175 billion parameters", ORCA),
    ("serves 2.6 times the load", SARATHI),
]
