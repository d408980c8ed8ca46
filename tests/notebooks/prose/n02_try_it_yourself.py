"""Numbers in the texts of notebook 02."""

from preemption import costs, words
from preemption.exercises import answers, mistakes
from tests.notebooks.prose import Computed, Facts, gb_per_s, ms

UNSEEN = answers.UNSEEN
BYTES, LINK = costs.PER_TOKEN_BYTES, costs.BANDWIDTH_BYTES_PER_S

RFC = "https://github.com/vllm-project/vllm/issues/54644"
CACHE_SETTINGS = "https://docs.vllm.ai/en/stable/api/vllm/config/cache/"

COMPUTED: Computed = [
    ("**0.1 ms per token**", lambda: ms(costs.MS_PER_TOKEN)),
    ("**131,072 bytes per token**", lambda: f"{words.plain(BYTES)} bytes"),
    ("**25 GB/s** each way", lambda: gb_per_s(LINK)),
    ("**2,000 cached tokens**", lambda: words.count(UNSEEN.tokens, "cached token")),
    ("**0.2 ms per token**", lambda: ms(UNSEEN.ms_per_token)),
    ("**800,000 bytes per token**", lambda: f"{words.plain(UNSEEN.per_token_bytes)} bytes"),
    ("only **5 GB/s** each way", lambda: gb_per_s(UNSEEN.bandwidth_bytes_per_s)),
    ("ms_per_token=0.1)` gives the time", lambda: words.plain(costs.MS_PER_TOKEN)),
    ("the default 0.1 ms per token", lambda: ms(costs.MS_PER_TOKEN)),
    ("No evictions cost 0.", lambda: words.plain(costs.eviction_overhead([]))),
    ("ms_per_token=0.1, round_trip=True)", lambda: words.plain(costs.MS_PER_TOKEN)),
    ("**blocks** of 16 tokens", lambda: f"{mistakes.BLOCK_TOKENS} tokens"),
    ("ms_per_token=0.1)` gives the share", lambda: words.plain(costs.MS_PER_TOKEN)),
    ("prefill time per token | 0.1 ms |", lambda: ms(costs.MS_PER_TOKEN)),
    ("bytes of cache per token | 131,072 |", lambda: words.plain(BYTES)),
    ("bandwidth of the link, one way | 25 GB/s |", lambda: gb_per_s(LINK)),
    ("time to recompute | 100 ms |", lambda: ms(costs.recompute_ms(1_000))),
    (
        "time of one copy | 5.243 ms |",
        lambda: ms(costs.swap_ms(1_000, BYTES, LINK, round_trip=False)),
    ),
    ("time to swap out and back | 10.49 ms |", lambda: ms(costs.swap_ms(1_000, BYTES, LINK))),
]

FACTS: Facts = [
    ("*65 minutes in three parts.", "by definition: counted by tests/notebooks/test_minutes.py"),
    ("by hand (10 minutes)", "by definition: its share of them"),
    ("in code (30 minutes)", "by definition: its share of them"),
    ("stretch (25 minutes)", "by definition: its share of them"),
    ("a request of 1,000 cached tokens", "example"),
    ("each victim had 1,000 cached tokens", "example"),
    ("Give the link 2 GB/s", "example"),
    ("Then try 0 GB/s", "example"),
    ('such as `(1000, "swap")`', "example"),
    ("times 1,000 they are ms", "by definition"),
    ("(1 GB is a billion bytes)", "by definition"),
    ("10 to 23% in its author's online runs", RFC),
    ("cut the wasted tokens by 24 to 30%", RFC),
    ("first token fell by 24%", RFC),
    ("A block of vLLM holds 16 tokens by default", CACHE_SETTINGS),
]
