"""Numbers in the texts of notebook 06."""

import re
from functools import cache

from preemption import OwnServer, studies, words
from preemption.serving import FAULTS, run_fault
from preemption.studies import FOUND_AGAIN
from tests.notebooks.prose import Computed, Facts

VLLM = "https://github.com/vllm-project/vllm/"
BROKEN, MENDED = ({name: run_fault(name, broken=b) for name in FAULTS} for b in (True, False))
LATE = max(len(each.preempted) for each in BROKEN["freed late"].log)


def plain(number):
    return words.plain(number)


def tokens(number):
    return words.count(number, "token")


@cache
def victims():
    """Return of each victim that comes back without its output: had, prefilled again, by id."""
    run = BROKEN["victim returns"]
    had = {event.id: event.tokens for each in run.log for event in each.preempted}
    rows = (row for each in run.log for row in each.scheduled if row.kind == "resumed")
    again = {row.id: row.tokens for row in rows}
    assert had.keys() == again.keys() == {3, 4}
    return {who: (had[who], again[who]) for who in had}


def missing(who):
    had, again = victims()[who]
    return had - again


def found_again():
    least, most = (100 * share for share in FOUND_AGAIN)
    return f"{least:.0f} to {most:.0f}%"


def watermark():
    """Return the share that the mended engine keeps free, in words."""
    assert FAULTS["newcomers"].mended.config.watermark == 0.25
    return "a quarter"


OFTEN = "preemptions per request"
TTFT, ANEW = "TTFT p99 (ms)", "TTFT p99 (ms), anew after a restart"
GAPS_MS, GAPS_S = "time between tokens p99 (ms)", "time between tokens p99 (s)"
RATE = "output tokens/s"
SMALL_CHUNKS = {
    "max_num_seqs": 64,
    "max_num_batched_tokens": 256,
    "scheduler_reserve_full_isl": False,
}


def model(name, measure, setting):
    """Return the model's median of a published result in the n-th setting."""
    (series,) = (each for each in studies.beside(name) if each.measure == measure)
    return series.model[setting].median


def published(name, measure, setting):
    return studies.PUBLISHED[name].figures[measure][setting]


def pair(name, measure, *settings):
    """Return the model's figures, then the published ones, as they stand in a sentence."""
    ours, theirs = (
        " and ".join(words.digits(found(name, measure, setting), 3) for setting in settings)
        if found is model
        else " and ".join(words.plain(found(name, measure, setting)) for setting in settings)
        for found in (model, published)
    )
    return f"{ours} where {theirs}"


def percent(share):
    return f"{words.digits(100 * share, 2)}%"


def times(factor):
    return f"{words.digits(factor, 2)} times"


def growth(found, name, measure):
    return found(name, measure, 1) / found(name, measure, 0) - 1


@cache
def levers():
    """Return the levers of the example's server, on all loads."""
    return OwnServer().levers.all_loads()


def first_token(lever, digits=2):
    """Return the p99 of the time to the first token, in s, as it stands in the text."""
    return words.digits(levers()._answer.spread(lever, "ttft_p99_ms").median / 1e3, digits)


def later_in_each():
    runs = levers()._answer.runs
    pairs = zip(runs["watermark"], runs["as it is"], strict=True)
    assert all(kept.ttft_p99_ms > as_it_is.ttft_p99_ms for kept, as_it_is in pairs)
    return f"{len(studies.SEEDS)} loads"


def faster():
    """How many times as fast the model's server is, over the watermarks."""
    factors = [model("watermark", RATE, i) / published("watermark", RATE, i) for i in range(4)]
    return f"{words.digits(min(factors), 2)} to {words.digits(max(factors), 2)} times"


def per_minute():
    return f"{float(re.search(r'As it is, ([0-9.]+) preemptions', levers().verdict)[1]):.0f}"


def counted_per_minute():
    first, second = map(studies.read_scrape, studies.example_scrapes())
    return f"{studies.between(first, second, 60).preemptions_per_minute:.0f}"


COMPUTED: Computed = [
    ("comes after 7.25 s instead", lambda: f"{first_token('watermark', 3)} s"),
    ("instead of 6.67, later in", lambda: first_token("as it is", 3)),
    ("later in each of the 20 loads", later_in_each),
    ("makes it 4.6 s", lambda: f"{first_token('a tenth more memory')} s"),
    ("budget makes it 3 s,", lambda: f"{first_token('smaller budget')} s"),
    ("preempts 34 times a minute", per_minute),
    ("pages count 36 proves", counted_per_minute),
    (
        "1,060 and 376 where 1,065 and 400 were",
        lambda: pair("watermark", "preemptions", 0, 1),
    ),
    (
        "of the pool both have 168, but",
        lambda: words.digits(model("watermark", "preemptions", 3), 3),
    ),
    ("of the pool both have 168, but", lambda: plain(published("watermark", "preemptions", 3))),
    ("by 9.6% with the first", lambda: percent(growth(model, "watermark", RATE))),
    ("where 4.8% were measured", lambda: percent(growth(published, "watermark", RATE))),
    ("server is 1.4 to 1.5 times as fast", faster),
    ("a twentieth the model has 223 for", lambda: plain(model("watermark", "preemptions", 2))),
    ("has 223 for 187.", lambda: plain(published("watermark", "preemptions", 2))),
    (
        "best victim: 4.7% less than",
        lambda: percent(1 - model("victims", "recomputed, caching on", 3)),
    ),
    (
        "of the gaps falls to 1/17,",
        lambda: f"1/{model('watermark', GAPS_MS, 0) / model('watermark', GAPS_MS, 1):.0f}",
    ),
    (
        "best rule saves 7.9% in the model",
        lambda: percent(1 - model("victims", "recomputed, caching off", 0)),
    ),
    (
        "model, 40% in the RFC",
        lambda: percent(1 - published("victims", "recomputed, caching off", 0)),
    ),
    ("it is 34% here", lambda: percent(model("tax", "tax (%), caching off", 3) / 100)),
    (
        "here, 78.8% there",
        lambda: f"{words.plain(published('tax', 'tax (%), caching off', 3))}%",
    ),
    (
        "blocks, 55% with 400",
        lambda: percent(studies.anew("tax", **SMALL_CHUNKS)[0].model[3].median / 100),
    ),
    (
        "preempts 3.7 times as often with",
        lambda: times(published("cliff", OFTEN, 2) / model("cliff", OFTEN, 2)),
    ),
    (
        "and 4.9 times with 2,000",
        lambda: times(published("cliff", OFTEN, 3) / model("cliff", OFTEN, 3)),
    ),
    (
        "come 4.7 times as late",
        lambda: times(published("cliff", TTFT, 2) / published("cliff", TTFT, 1)),
    ),
    (
        "they come 2.3 times as late",
        lambda: times(model("cliff", ANEW, 2) / model("cliff", ANEW, 1)),
    ),
    (
        "not to 1/67 at",
        lambda: f"1/{published('first chunk', RATE, 0) / published('first chunk', RATE, 1):.0f}",
    ),
    ("on each GPU to 1.5 at", lambda: words.plain(published("first chunk", RATE, 1))),
    ("fall from 0.504 to", lambda: words.digits(model("chunking", GAPS_S, 0), 3)),
    ("0.504 to 0.23 s, not", lambda: f"{words.digits(model('chunking', GAPS_S, 1), 2)} s"),
    ("not from 0.68 to 0.14", lambda: words.plain(published("chunking", GAPS_S, 0))),
    ("0.68 to 0.14 s.", lambda: f"{words.plain(published('chunking', GAPS_S, 1))} s"),
    ("come 8.2% later", lambda: percent(growth(model, "chunking", "TTFT p50 (s)"))),
    ("later, not 43%", lambda: percent(growth(published, "chunking", "TTFT p50 (s)"))),
    ("swap takes 0.75 times as", lambda: times(model("block size", "swap / recompute", 4))),
    ("and 0.48 times at 64", lambda: times(model("block size", "swap / recompute", 6))),
    ("one token, with 16%", lambda: percent(1 / model("block size", "swap / recompute", 0))),
    ("It is preempted 24 times", lambda: f"{BROKEN['first chunk'].preemptions} times"),
    ("1,969 tokens are computed again", lambda: tokens(BROKEN["first chunk"].recomputed_tokens)),
    ("After 20 iterations request 0", lambda: f"{BROKEN['huge request'].iterations} iterations"),
    ("has 9 preemptions", lambda: f"{BROKEN['newcomers'].preemptions} preemptions"),
    ("keeps a quarter of the pool free", watermark),
    ("Then there are 4 preemptions", lambda: f"{MENDED['newcomers'].preemptions} preemptions"),
    ("takes 172 iterations instead", lambda: f"{MENDED['newcomers'].iterations} iterations"),
    ("instead of 155.", lambda: plain(BROKEN["newcomers"].iterations)),
    ("4 of 5 requests", lambda: f"{LATE} of {len(FAULTS['freed late'].requests)} requests"),
    ("prefills 30 tokens for each", lambda: tokens(victims()[4][1])),
    ("two victims: 60 in all", lambda: plain(sum(again for _, again in victims().values()))),
    ("where 111 were needed", lambda: plain(sum(had for had, _ in victims().values()))),
    ("generated: 17 tokens of request 4", lambda: tokens(missing(4))),
    ("request 4, 34 of request 3", lambda: plain(missing(3))),
    (
        "scheduler 27 to 70%: so",
        lambda: "{:.0%} to {:.0%}".format(*FOUND_AGAIN).replace("%", "", 1),
    ),
    ("24 tokens were computed", lambda: tokens(BROKEN["cached victim"].lost_tokens)),
    ("28 are found", lambda: plain(BROKEN["cached victim"].found_tokens)),
    ("here it holds 16 tokens", lambda: tokens(FAULTS["first chunk"].broken.config.block_size)),
    ("a block holds 4 tokens", lambda: tokens(FAULTS["cached victim"].broken.config.block_size)),
    (
        "has 300 tokens in its prompt",
        lambda: tokens(FAULTS["huge request"].requests[1].prompt_tokens),
    ),
    ("a prompt of 200 tokens", lambda: tokens(FAULTS["first chunk"].requests[-1].prompt_tokens)),
    (
        "8 tokens at a time",
        lambda: tokens(FAULTS["cached victim"].broken.config.long_prefill_token_threshold),
    ),
]
FACTS: Facts = [
    ("own server (10 minutes)", "example: counted in the same way"),
    ("How far to believe the model (30 minutes)", "example: counted in the same way"),
    ("Qwen2.5-7B on one GPU", "by definition: a name"),
    ("those of vLLM 0.33,", "by definition: a version"),
    ("128 requests at a time", VLLM + "pull/44594"),
    ("Of its 300 requests", VLLM + "issues/54644"),
    ("layer, 6 microseconds each", "example: the default of costs.Copy, in test_resume.py"),
    ("vLLM 0.33 swaps", "by definition: a version"),
    ("about 1,000 tokens in", VLLM + "pull/44594"),
    ("2,800 blocks, where nobody was", VLLM + "issues/54644"),
    ("With 400 blocks", VLLM + "issues/54644"),
    ("none with 2,800 blocks", VLLM + "issues/54644"),
    ("are 560 tokens on average", VLLM + "issues/54644"),
    ("200 requests arrive", "https://github.com/inference-sim/inference-sim/pull/298"),
    ("Llama-3.1-8B", "by definition: a name"),
    ("the same size: 5,000 blocks", "https://github.com/inference-sim/inference-sim/pull/298"),
    ("often with 2,100 blocks", "https://github.com/inference-sim/inference-sim/pull/298"),
    ("times with 2,000, and", "https://github.com/inference-sim/inference-sim/pull/298"),
    ("2,200 and 2,100 blocks", "https://github.com/inference-sim/inference-sim/pull/298"),
    ("about 100 tokens per second", VLLM + "pull/37307"),
    ("1,024 tokens per iteration", "https://arxiv.org/abs/2403.02310"),
    ("an assumption, 0.8 per second", "example"),
    ("as recompute at 16 tokens,", "by definition: a size of block"),
    ("times at 64.", "by definition: a size of block"),
    ("but in 0.33 that", "by definition: a version"),
    ("vLLM 0.33's own", "by definition: a version"),
    ("which 0.33 has. Requests", "by definition: a version"),
    ("With 800 blocks the best", VLLM + "issues/54644"),
    ("At 0.5 requests per second", "example: compared in tests/studies/test_published.py"),
    ("from 16 to 64 tokens", "https://arxiv.org/abs/2309.06180"),
    ("never above 20% of swap", "https://arxiv.org/abs/2309.06180"),
    ("*85 minutes, in four parts.*", "example: counted by a rule, in test_minutes.py"),
    ("Who is let in (20 minutes)", "example: counted in the same way"),
    ("Wrong books (25 minutes)", "example: counted in the same way"),
]
