"""Numbers in the texts of notebook 05."""

from preemption import costs, serving, studies, words
from preemption.serving import DEFAULT_COST
from tests.notebooks.prose import Computed, Facts, ms

ABC = {"A": 2, "B": 1, "C": 2}
STATIC, CONTINUOUS = serving.static_schedule(ABC, 2), serving.continuous_schedule(ABC, 2)
PROMPT, POOL = 4_096, 3_000
ONE_PASS, DEFAULT, SMALLEST = (
    studies.chunked_prefill(PROMPT, budget) for budget in (8_192, 512, 128)
)
FIRST_RATE = studies.preempts_from(studies.sweep(POOL))
BELOW, ABOVE = (studies.under_load(rate, POOL) for rate in (5.5, 6.5))
CROWDED = {pool: studies.under_load(8.5, pool) for pool in (POOL, 10_000)}

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


def seconds(wait_ms):
    return f"{words.digits(wait_ms / 1000, 2)} s"


def mean(name):
    requests = studies.load_requests()
    return sum(getattr(request, name) for request in requests) / len(requests)


def pool_tokens():
    return POOL * costs.BLOCK_TOKENS


def at_once():
    """Requests that the pool holds, each with half of its output written."""
    return words.plain(round(pool_tokens() / (mean("prompt_tokens") + mean("output_tokens") / 2)))


def served_s():
    """Time in service at the first rate with preemptions: until the first token, and after it."""
    point = studies.under_load(FIRST_RATE, POOL)
    return (point.ttft_p50_ms + mean("output_tokens") * point.tpot_p50_ms) / 1000


COMPUTED: Computed = [
    ("That takes 4 iterations", lambda: iterations(STATIC)),
    ("fills 5 of 8 places, 62.5%", lambda: filled(STATIC)),
    ("fills 5 of 8 places, 62.5%", lambda: percent(STATIC)),
    ("That takes 3 iterations", lambda: iterations(CONTINUOUS)),
    ("fills 5 of 6 places, 83.3%", lambda: filled(CONTINUOUS)),
    ("fills 5 of 6 places, 83.3%", lambda: percent(CONTINUOUS)),
    ("takes 7.73 ms and", lambda: ms(DEFAULT_COST.base_ms)),
    ("and 0.0661 ms for each token", lambda: ms(DEFAULT_COST.per_token_ms)),
    ("at least 9.7 ms", lambda: ms(DEFAULT_COST.floor_ms)),
    ("its first token comes after 281 ms", lambda: f"{three(ONE_PASS.ttft_ms)} ms"),
    ("all others wait 281 ms", lambda: f"{three(ONE_PASS.max_itl_ms)} ms"),
    ("A budget of 512 needs 9 iterations", lambda: words.count(DEFAULT.chunks, "iteration")),
    ("the longest gap falls to 41.9 ms", lambda: f"{three(DEFAULT.max_itl_ms)} ms"),
    ("the first token comes after 362 ms", lambda: f"{three(DEFAULT.ttft_ms)} ms"),
    ("At 128 it is 16.7 ms against 706 ms", lambda: f"{three(SMALLEST.max_itl_ms)} ms"),
    ("At 128 it is 16.7 ms against 706 ms", lambda: f"{three(SMALLEST.ttft_ms)} ms"),
    ("pay the fixed 7.73 ms nine times", lambda: ms(DEFAULT_COST.base_ms)),
    ("the decodes take 32 tokens of the budget", lambda: f"{studies.DECODES} tokens"),
    ("320 requests arrive at random", lambda: words.count(studies.LOAD_REQUESTS, "request")),
    ("1,162 and 210 tokens in the mean", lambda: words.plain(round(mean("prompt_tokens")))),
    ("1,162 and 210 tokens in the mean", lambda: f"{round(mean('output_tokens'))} tokens"),
    ("each for 16 tokens", lambda: f"{costs.BLOCK_TOKENS} tokens"),
    ("3,000 blocks hold 48,000 tokens", lambda: words.count(pool_tokens(), "token")),
    ("about 38 such requests", at_once),
    ("is simulated at 15 rates", lambda: str(len(studies.RATES_PER_S))),
    ("preempts from 6 requests per second", lambda: words.plain(FIRST_RATE)),
    ("the time to first token is 0.62 s", lambda: seconds(BELOW.ttft_p99_ms)),
    ("at 6.5 it is 3.3 s", lambda: seconds(ABOVE.ttft_p99_ms)),
    ("stays near 1,130 tokens per second", lambda: three(ABOVE.tokens_per_s)),
    ("At 6 requests per second, each served", lambda: words.plain(FIRST_RATE)),
    ("served for about 5 seconds", lambda: f"{round(served_s())} seconds"),
    ("30 are in service on average", lambda: words.plain(round(FIRST_RATE * served_s()))),
    ("more than the 38 that fit", at_once),
    ("54.5 ms in the median", lambda: f"{three(CROWDED[10_000].tpot_p50_ms)} ms"),
    ("against 29.8 ms with 3,000", lambda: f"{three(CROWDED[POOL].tpot_p50_ms)} ms"),
    ("iterations | 4, or 3 |", lambda: str(len(STATIC))),
    ("iterations | 4, or 3 |", lambda: str(len(CONTINUOUS))),
    ("places filled | 62.5%, or 83.3% |", lambda: percent(STATIC)),
    ("places filled | 62.5%, or 83.3% |", lambda: percent(CONTINUOUS)),
]

FACTS: Facts = [
    ("*25 minutes.*", "example: reading time, with time to write the two functions"),
    ("An output of 0 tokens", "example"),
    ("a prompt of 16 tokens", "example"),
    ("which 99% of the requests stay below", "by definition"),
    ("median; 99% stay below", "by definition"),
    ("At 5.5 the p99", "example"),
    ("at 6.5 it is", "example"),
    ("3,000 blocks hold", "example"),
    ("With 3,000 blocks", "example"),
    ("at 8.5 requests per second", "example"),
    ("with 10,000 blocks", "example"),
    ("report 36.9 times the throughput", ORCA),
    ("175 billion parameters", ORCA),
    ("serves 2.6 times the load", SARATHI),
    ("rises from 0.53 to 0.76 s", SARATHI),
    ("falls from 0.68 to 0.14 s", SARATHI),
]
