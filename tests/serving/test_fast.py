"""`simulate` against `simulate_plain`: every field of the result equal, on every load."""

import itertools
import math
import random
from collections import Counter
from dataclasses import fields, replace

import pytest

from preemption import serving
from preemption.serving import (
    FastRun,
    IterationCost,
    NotCoveredError,
    Request,
    RunSettings,
    SchedulerConfig,
    covers,
    simulate,
    simulate_plain,
    simulate_pools,
)
from preemption.serving.replay import config_of, read_recorded, requests_of
from tests.serving.scheduler_loads import (
    AZURE,
    CACHING,
    NO_AZURE,
    OFFLOAD,
    TRACES,
    random_load,
    recorded,
    sharing,
)

TIGHT = SchedulerConfig(16, 1251, 2048, 256)
WIDE = SchedulerConfig(16, 3751, 2048, 256)
NAMED = [path for path in CACHING if not path.name.startswith("random")]
UNFILLED = (96, 4331)  # random loads
# Random loads with offloading: the head of the queue comes to load; somebody arrives while nobody
# runs; blocks that are being stored are handed out in an iteration that preempts.
RARE = (256, 1175, 1318, 1504, 2301, 2937, 3903)
HOW = [
    RunSettings(),
    RunSettings(resume="swap", swap_blocks=200, copy_start_us=384.0),
    RunSettings(resume="cheaper", link_gb_per_s=4.0, copy_out_in_background=True),
]


def way(how):
    return how.resume


def assert_equal(requests, config, how=HOW[0]):
    ours, plain = (serve(requests, config, how) for serve in (simulate, simulate_plain))
    for field in [field for field in fields(plain) if field.compare]:
        assert getattr(ours, field.name) == getattr(plain, field.name), field.name
    assert ours == plain
    # It knows of fewer iterations what is held, but of all in which somebody comes.
    assert set(ours.pool_use) <= set(plain.pool_use)
    assert {stay[1] for stay in ours.stays} <= {moment for moment, _ in ours.pool_use}
    return plain


def rounds(requests, config):
    """How often it goes round, per request."""
    run = FastRun(requests, config)
    run.result()
    return run.rounds / len(requests)


@pytest.mark.parametrize("part", range(20))
def test_2000_random_loads(part):
    seen = Counter()
    for seed in range(100 * part, 100 * part + 100):
        rng = random.Random(seed)
        requests, config, how = random_load(seed)
        first = rng.randrange(60)
        log = rng.choice([False, False, range(first, first + rng.randrange(20))])
        result = assert_equal(requests, config, replace(how, log=log))
        seen["preempted"] += result.preemptions > 0
        seen["swapped"] += result.moved_bytes > 0
        seen["logged"] += len(result.log) > 0
        seen[config.policy] += 1
    assert min(seen.values()) > 5
    assert seen["preempted"] > 25


@pytest.mark.parametrize("part", range(15))
def test_1500_random_loads_with_prefix_caching(part):
    seen = Counter()
    for seed in range(100 * part, 100 * part + 100):
        requests, config, how = random_load(seed, enable_prefix_caching=True)
        how = replace(how, resume="recompute")
        assert covers(requests, config, how)
        result = assert_equal(requests, config, how)
        seen["preempted"] += result.preemptions > 0
        seen["found"] += result.found_tokens > 0
        seen["recomputed"] += result.recomputed_tokens > 0
        seen[config.policy] += 1
    assert min(seen.values()) > 15


def random_load_with_host(seed):
    """A random load with a host that is never full, over links from very slow to infinite."""
    rng = random.Random(seed)
    caching = rng.random() < 0.5
    requests, config, how = random_load(
        seed, policy="fcfs", enable_prefix_caching=caching, host_blocks=10_000
    )
    link = rng.choice([0.01, 0.05, 0.2, 1.0, 4.5, 25.0, math.inf])
    return requests, config, replace(how, resume="recompute", link_gb_per_s=link)


@pytest.mark.parametrize("seeds", [range(200), range(200, 400), RARE], ids=["1", "2", "rare"])
def test_400_random_loads_with_offloading(seeds):
    seen = Counter()
    for seed in seeds:
        requests, config, how = random_load_with_host(seed)
        assert covers(requests, config, how)
        result = assert_equal(requests, config, how)
        seen["preempted"] += result.preemptions > 0
        seen["loaded"] += result.loaded_tokens > 0
        seen["found"] += result.found_tokens > 0
        seen["recomputed"] += result.recomputed_tokens > 0
    assert min(seen.values()) > (1 if seeds is RARE else 25)


def test_random_loads_with_offloading_in_many_pools():
    shared = 0
    for seed in range(150, 300):
        requests, config, how = random_load_with_host(seed)
        pools = [config.num_gpu_blocks + more for more in (0, 3, 20, 60)]
        results = simulate_pools(requests, config, pools, how)
        assert results == tuple(
            simulate(requests, replace(config, num_gpu_blocks=blocks), how) for blocks in pools
        )
        shared += results[-1] is results[-2]
    assert shared > 50


@pytest.mark.parametrize("part", range(5))
def test_500_random_loads_in_many_pools(part):
    seen = Counter()
    for seed in range(100 * part, 100 * part + 100):
        rng = random.Random(seed)
        requests, config, how = random_load(seed, enable_prefix_caching=rng.random() < 0.5)
        if config.enable_prefix_caching and rng.random() < 0.7:
            how = replace(how, resume="recompute")
        more = sorted(rng.sample(range(60), 6))
        pools = [config.num_gpu_blocks + blocks for blocks in more]
        results = simulate_pools(requests, config, pools, how)
        assert results == tuple(
            simulate(requests, replace(config, num_gpu_blocks=blocks), how) for blocks in pools
        )
        seen["roomy"] += results[-1] is results[-2]
        seen["short"] += results[0] != results[-1]
        seen["found"] += results[0].found_tokens > 0
        seen["plain"] += not covers(requests, config, how)
        seen[config.policy] += 1
    assert min(seen.values()) > 3


@pytest.mark.parametrize("seed", UNFILLED)
def test_in_many_pools_a_run_that_turns_out_not_to_be_covered_is_taken_plainly(seed):
    requests, config, how = random_load(seed, enable_prefix_caching=True)
    how = replace(how, resume="recompute")
    pools = [config.num_gpu_blocks, config.num_gpu_blocks + 1]
    first, _ = simulate_pools(requests, config, pools, how)
    assert first == simulate_plain(requests, config, how)


def test_many_pools_cost_less_than_as_many_runs(monkeypatch):
    taken = Counter()
    stride = FastRun.stride

    def counted(self):
        taken["strides"] += 1
        stride(self)

    monkeypatch.setattr(FastRun, "stride", counted)
    requests = serving.azure_shaped(0, 1.0)
    pools = range(3_001, 8_001, 500)
    simulate_pools(requests, TIGHT, pools)
    shared = taken.pop("strides")
    for blocks in pools:
        simulate(requests, replace(TIGHT, num_gpu_blocks=blocks))
    assert shared < 0.5 * taken["strides"]


def test_what_is_taken_plainly_is_equal_too():
    for seed in range(60):
        rng = random.Random(seed)
        requests, config, how = random_load(seed, enable_prefix_caching=True)
        if rng.random() < 0.5:
            requests = sharing(rng, requests)
        if rng.random() < 0.3:
            how = replace(how, log=range(5, 9))
        assert_equal(requests, config, how)


@pytest.mark.parametrize("seed", UNFILLED)
def test_a_run_that_turns_out_not_to_be_covered_is_taken_plainly(seed):
    """A decode goes, its block promised and not filled, and then the chunk that asked for it."""
    requests, config, how = random_load(seed, enable_prefix_caching=True)
    how = replace(how, resume="recompute")
    assert covers(requests, config, how)
    with pytest.raises(NotCoveredError):
        FastRun(requests, config, how).result()
    assert_equal(requests, config, how)


def test_what_is_covered():
    requests, config, how = serving.two(), replace(TIGHT, max_model_len=None), RunSettings()
    caching = replace(config, enable_prefix_caching=True)
    share = [replace(r, prefix_group=0, prefix_tokens=16) for r in requests]
    hardly = [replace(r, prefix_group=0, prefix_tokens=15) for r in requests]
    assert covers(requests, config, how)
    assert covers(share, config, how)
    assert covers(requests, caching, how)
    assert covers(hardly, caching, how)
    assert covers(requests, config, replace(how, log=range(5)))
    assert not covers(share, caching, how)
    assert not covers(requests, caching, replace(how, resume="swap"))
    assert not covers(requests, caching, replace(how, log=range(5)))
    assert not covers(requests, config, replace(how, log=True))
    assert not covers(requests, replace(config, long_prefill_token_threshold=1), how)


def test_what_is_covered_of_offloading():
    requests, config = serving.two(), replace(TIGHT, max_model_len=None)
    prompts_blocks = sum(request.prompt_tokens // 16 for request in requests)
    host = replace(config, host_blocks=prompts_blocks)
    share = [replace(r, prefix_group=0, prefix_tokens=16) for r in requests]
    assert covers(requests, host, RunSettings())
    assert covers(iter(requests), replace(host, enable_prefix_caching=True), RunSettings())
    assert not covers(share, host, RunSettings())
    assert not covers(requests, replace(host, host_blocks=prompts_blocks - 1), RunSettings())
    assert not covers(requests, replace(host, offload_prompt_only=False), RunSettings())
    assert not covers(requests, replace(host, policy="priority"), RunSettings())
    assert not covers(requests, host, RunSettings(log=range(5)))


@pytest.mark.parametrize("path", OFFLOAD, ids=lambda path: path.name.partition(".")[0])
def test_the_loads_of_the_recorded_runs_with_offloading(path):
    cost, covered = IterationCost(((1, 1),), 0), 0
    for trace in itertools.islice(read_recorded(path), 10):
        requests, config = requests_of(trace), config_of(trace)
        alone = [replace(r, prefix_group=None, prefix_tokens=0) for r in requests]
        never_full = replace(config, host_blocks=10_000, offload_prompt_only=True, policy="fcfs")
        for load, served_by in ((requests, config), (alone, never_full)):
            assert_equal(load, served_by, RunSettings(cost=cost, link_gb_per_s=0.5))
        covered += covers(alone, never_full, RunSettings())
    assert covered


@pytest.mark.parametrize("path", NAMED, ids=lambda path: path.name.partition(".")[0])
def test_the_loads_of_the_recorded_runs_with_prefix_caching(path):
    trace = recorded(path)
    requests, config = requests_of(trace), config_of(trace)
    alone = [replace(r, prefix_group=None, prefix_tokens=0) for r in requests]
    if "too_big" in path.stem:
        with pytest.raises(ValueError, match="request 0 can never fit"):
            simulate(requests, config)
        return
    for load in (requests, alone):
        assert_equal(load, config, RunSettings(cost=IterationCost(((1, 1),), 0)))


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_loads_of_the_recorded_runs(path):
    trace = recorded(path)
    requests, config = requests_of(trace), config_of(trace)
    if "too_big" in path.stem:
        for serve in (simulate, simulate_plain):
            with pytest.raises(ValueError, match="request 0 can never fit"):
                serve(requests, config)
        return
    # Iterations of at least 1 ms, so that the recorded ticks of arrival spread over the run.
    for cost in (
        IterationCost(),
        IterationCost(((1, 1),), 0),
        IterationCost(((10, 1), (20, 2)), 0.01),
    ):
        for how in HOW:
            assert_equal(requests, config, replace(how, cost=cost, log=range(20, 40)))


@pytest.mark.parametrize("how", HOW, ids=way)
@pytest.mark.parametrize("rule", [None, *serving.RULES])
def test_a_minute_shaped_like_azure(rule, how):
    requests = serving.azure_shaped(1, 1)
    config = replace(TIGHT, num_gpu_blocks=901)
    assert assert_equal(requests, config, replace(how, victim=rule)).preemptions > 10


@pytest.mark.parametrize("rule", [None, *serving.RULES])
def test_a_minute_shaped_like_azure_with_prefix_caching(rule):
    requests = serving.azure_shaped(1, 1)
    config = replace(TIGHT, num_gpu_blocks=901, enable_prefix_caching=True)
    result = assert_equal(requests, config, RunSettings(victim=rule))
    assert 0 < result.recomputed_tokens < result.lost_tokens


@pytest.mark.parametrize("caching", [False, True])
def test_a_minute_shaped_like_azure_with_offloading(caching):
    requests = serving.azure_shaped(1, 1)
    config = replace(TIGHT, num_gpu_blocks=901, host_blocks=50_000, enable_prefix_caching=caching)
    result = assert_equal(requests, config)
    assert 0 < result.recomputed_tokens < result.loaded_tokens


@pytest.mark.parametrize("how", HOW, ids=way)
def test_a_minute_shaped_like_azure_by_priority(how):
    requests = [replace(r, priority=r.id % 3) for r in serving.azure_shaped(2, 1)]
    config = replace(TIGHT, num_gpu_blocks=901, policy="priority")
    assert assert_equal(requests, config, how).preemptions > 10


def test_a_crowd_that_decodes():
    requests = serving.crowd(150, prompt_tokens=16, output_tokens=256)
    config = SchedulerConfig(16, 301, 512, 64)
    assert assert_equal(requests, config).preemptions > 100
    assert rounds(requests, config) < 6


@pytest.mark.parametrize(
    ("minutes", "config", "figures", "bound"),
    [(5, TIGHT, (1445, 25_831, 287), 2.25), (None, WIDE, (19_366, 151_748, 825), 2.25)],
    ids=["five minutes", "hour"],
)
def test_azure_conversations(minutes, config, figures, bound):
    path = AZURE / "AzureLLMInferenceTrace_conv.csv"
    if not path.exists():
        pytest.skip(NO_AZURE)
    requests = serving.read_trace(path, minutes)
    result = assert_equal(requests, config)
    assert (len(requests), result.iterations, result.preemptions) == figures
    assert rounds(requests, config) <= bound
    caching = assert_equal(requests, replace(config, enable_prefix_caching=True))
    assert 0 < caching.recomputed_tokens < caching.lost_tokens / 2


def test_azure_code():
    path = AZURE / "AzureLLMInferenceTrace_code.csv"
    if not path.exists():
        pytest.skip(NO_AZURE)
    requests = [replace(r, priority=r.id % 4) for r in serving.read_trace(path)]
    for policy, how in (("fcfs", HOW[0]), ("priority", HOW[1])):
        assert assert_equal(requests, replace(TIGHT, policy=policy), how).preemptions > 50


def test_few_steps_on_a_shaped_load():
    assert rounds(serving.azure_shaped(0, 5), WIDE) <= 2.25
    assert rounds(serving.azure_shaped(0, 5), TIGHT) <= 2.25


# With a budget of 8 an evicted cache comes back in many chunks, the last of them generated tokens.
@pytest.mark.parametrize("budget", [8, 64])
@pytest.mark.parametrize("how", HOW, ids=way)
def test_a_window_of_the_log_anywhere(budget, how):
    requests = serving.eight()
    config = SchedulerConfig(16, 16, budget, 8)
    whole = simulate_plain(requests, config, replace(how, log=True))
    assert whole.preemptions > 0
    assert simulate(requests, config, replace(how, log=True)) == whole
    for first in range(0, whole.iterations + 2, 3):
        part = simulate(requests, config, replace(how, log=range(first, first + 5)))
        assert part.log == whole.log[first : first + 5]
    assert simulate(requests, config, replace(how, log=range(0))).log == ()
    assert simulate(requests, config, replace(how, log=range(3, 10**9))).log == whole.log[3:]


def test_arrivals_on_the_very_start_of_an_iteration():
    # Iterations of 10 ms; the second request arrives when the third one starts.
    cost = IterationCost(((1, 10),), 0)
    for arrival in (19.999999, 20, 20.000001):
        requests = [Request(0, 0, 4, 9), Request(1, arrival, 4, 9)]
        result = assert_equal(requests, TIGHT, RunSettings(cost=cost, log=range(5)))
        assert result.log[2].arrived == (() if arrival > 20 else (1,))


def test_a_rule_sees_the_same_batches_in_the_same_order():
    for seed in range(200):
        requests, config, how = random_load(seed)
        seen = {simulate: [], simulate_plain: []}
        for serve, batches in seen.items():

            def rule(running, batches=batches):
                batches.append(running)
                return serving.RULES["random"](running)

            serve(requests, config, replace(how, victim=rule))
        assert seen[simulate] == seen[simulate_plain]


def test_no_requests():
    assert assert_equal([], TIGHT).iterations == 0


def test_the_threshold_is_taken_plainly():
    requests, config, how = random_load(3)
    config = replace(config, long_prefill_token_threshold=2)
    assert assert_equal(requests, config, how).iterations > 0


@pytest.mark.parametrize(
    ("requests", "how"),
    [
        ([Request(1, 0, 30_000, 1)], {}),
        ([Request(1, 0, 1, 1), Request(1, 0, 1, 1)], {}),
        ([Request(1, 2, 1, 1), Request(2, 1, 1, 1)], {}),
        ([], {"victim": "oldest"}),
        ([], {"resume": "offload"}),
        ([], {"link_gb_per_s": -math.inf}),
        ([], {"swap_blocks": 1.5}),
        ([], {"log": range(5, 0, -1)}),
        (
            serving.crowd(9, prompt_tokens=2200, output_tokens=99),
            {"victim": lambda running: running},
        ),
    ],
)
def test_the_same_errors(requests, how):
    said = []
    for serve in (simulate, simulate_plain):
        with pytest.raises((ValueError, TypeError)) as error:
            serve(requests, TIGHT, RunSettings(**how))
        said.append((error.type, str(error.value)[:60]))
    assert said[0] == said[1]
