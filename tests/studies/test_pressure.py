"""A load under pressure: the figures of a run, many pools, many servers."""

import itertools

import numpy as np
import pytest

from preemption import serving, studies
from preemption.serving import Request, RunSettings, SchedulerConfig, simulate, simulate_plain
from preemption.studies import (
    LEVERS,
    Means,
    measures,
    over_pools,
    over_time,
    server,
    side_by_side,
    spread,
    two_minutes,
)

RATE_PER_S = 5.53


def test_the_figures_of_a_run():
    config = SchedulerConfig(16, 16, 64, 8)
    result = simulate_plain(serving.eight(), config)
    found = measures(result)
    assert found.preemptions == result.preemptions > 0
    assert found.recomputed_tokens == result.recomputed_tokens
    assert found.recompute_share == result.recompute_share
    ttft_ms, tpot_ms = list(result.ttft_ms.values()), list(result.tpot_ms.values())
    assert found[3:7] == pytest.approx(
        [*np.percentile(ttft_ms, (50, 99)), *np.percentile(tpot_ms, (50, 99))]
    )
    assert found.tokens_per_s == result.tokens_per_s
    pauses_ms = []
    for request in serving.eight():
        stays = [stay for stay in result.time_line if stay.id == request.id]
        pauses_ms += [
            after.admitted_ms - before.left_ms for before, after in itertools.pairwise(stays)
        ]
    assert len(pauses_ms) == result.preemptions
    assert found.longest_pause_ms == pytest.approx(max(pauses_ms))


@pytest.mark.parametrize("caching", [False, True])
@pytest.mark.parametrize("pool_tokens", [24_000, 90_000])
def test_a_run_over_time_is_that_of_its_log(pool_tokens, caching):
    served_by = server(pool_tokens, enable_prefix_caching=caching)
    requests = two_minutes(4, RATE_PER_S)
    logged = simulate_plain(requests, *served_by.given(log=True)).log
    begin, part_ns = requests[0].arrival_ns, 10**9
    parts = (logged[-1].start_ns + logged[-1].duration_ns - begin) // part_ns + 1
    due = np.zeros((3, parts))
    came, begun, out = set(), set(), set()
    for each in logged:
        came |= set(each.arrived)
        for request in each.preempted:
            out.add(request.id)
        for request in each.decided.running:
            begun.add(request)
            out.discard(request)
        late = [request for request in requests if request.id not in came]
        end_ns = each.start_ns + each.duration_ns
        late = [request.arrival_ns for request in late if request.arrival_ns < end_ns]
        first, last = ((ns - begin) // part_ns for ns in (each.start_ns, end_ns - 1))
        for part in range(first, last + 1):
            joined = sum(ns < begin + (part + 1) * part_ns for ns in late)
            now = (len(each.decided.running), len(came - begun) + joined, len(out))
            due[:, part] = np.maximum(due[:, part], now)
    found = over_time(simulate(requests, *served_by), 1e3, parts)
    for name, values, wanted in zip(found._fields[:3], found[:3], due, strict=True):
        # What ends or comes within an instant of an edge counts on both sides.
        assert np.mean(values == wanted) > 0.97, name
        assert abs(values.max() - wanted.max()) <= 1, name
    held = served_by.config.usable_blocks - np.array([each.decided.free_blocks for each in logged])
    assert 0.99 * held.max() <= found.pool_blocks.max() <= held.max()
    assert (found.evicted.max() > 0) == (pool_tokens == 24_000)


def test_parts_of_a_run_must_be_some():
    result = simulate(two_minutes(0, 4.0), *server(90_000))
    for part_ms, parts in ((0.0, 4), (-1.0, 4), (float("nan"), 4), (1e3, 0)):
        with pytest.raises(ValueError, match="part"):
            over_time(result, part_ms, parts)
    with pytest.raises(TypeError, match="parts"):
        over_time(result, 1e3, 1.5)


def test_one_output_token_has_no_time_per_token():
    config = SchedulerConfig(16, 16, 64, 8)
    requests = [Request("a", 0.0, 9, 1), Request("b", 0.0, 9, 3)]
    result = simulate(requests, config)
    assert measures(result).tpot_p50_ms == pytest.approx(result.tpot_ms["b"])
    assert measures(result).longest_pause_ms == 0.0


def test_the_same_requests_come_closer_together():
    slow, fast = two_minutes(3, 2.0), two_minutes(3, 4.0)
    for a, b in zip(slow, fast, strict=True):
        assert a.arrival_ms == pytest.approx(2 * b.arrival_ms)
        assert (a.prompt_tokens, a.output_tokens) == (b.prompt_tokens, b.output_tokens)
    assert two_minutes(3, 4.0) != two_minutes(4, 4.0)
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="requests_per_s"):
            two_minutes(0, bad)


@pytest.mark.parametrize("means", [Means(1_200, 218.75), Means(1, 2), Means(40_000, 9_000)])
def test_lengths_are_stretched_to_other_means(means):
    plain, found = two_minutes(3, 4.0), two_minutes(3, 4.0, means)
    for name, mean in means._asdict().items():
        now, then = (np.array([getattr(each, name) for each in load]) for load in (found, plain))
        assert now.mean() == pytest.approx(mean, rel=0.01, abs=0.1)  # rounded
        assert now.min() >= 1
        assert (np.diff(now[np.argsort(then)]) >= 0).all()
    assert [each.arrival_ms for each in found] == [each.arrival_ms for each in plain]
    for bad in (0.5, float("nan"), -3):
        with pytest.raises(ValueError, match="the mean of prompt_tokens"):
            two_minutes(3, 4.0, Means(bad, 10))


@pytest.mark.parametrize("change", [{}, {"victim": "smallest cache"}, {"resume": "swap"}])
def test_many_pools_are_as_many_runs(change):
    base, requests = server(16_384, **change), two_minutes(0, RATE_PER_S)
    pools = (24_000, 40_000, 90_000, 91_000)
    found = over_pools(requests, pools, base)
    for tokens, each in zip(pools, found, strict=True):
        assert each == measures(simulate(requests, *base.given(num_gpu_blocks=tokens // 16 + 1)))
    assert found[0].preemptions > found[2].preemptions == 0
    assert found[2] == found[3]


def test_servers_side_by_side_serve_the_same_loads():
    servers = {"as it is": server(32_000), "swap": server(32_000, resume="swap")}
    rows = list(side_by_side(servers, RATE_PER_S, seeds=(0, 1)))
    assert [row[:2] for row in rows] == [(name, seed) for seed in (0, 1) for name in servers]
    for name, seed, found in rows:
        assert found == measures(simulate(two_minutes(seed, RATE_PER_S), *servers[name]))
    means = Means(300, 50)
    (row,) = side_by_side({"as it is": servers["as it is"]}, 9.0, [2], means)
    assert row[2] == measures(simulate(two_minutes(2, 9.0, means), *servers["as it is"]))


def test_a_server_with_other_settings():
    base = server(1_000)
    assert base.config == SchedulerConfig(16, 63, 2_048, 256)
    assert base.settings == RunSettings()
    changed = base.given(watermark=0.1, victim="random")
    assert (changed.config.watermark, changed.settings.victim) == (0.1, "random")
    assert base.config.watermark == 0.0
    with pytest.raises(TypeError, match="has wattermark"):
        base.given(wattermark=0.1)
    with pytest.raises(ValueError, match="watermark"):
        base.given(watermark=2)


def test_each_lever_changes_the_server():
    base = server(32_000)
    assert all(change(base) != base for change in LEVERS.values())
    assert LEVERS["a tenth more memory"](base).config.usable_blocks == 2_200


def test_all_prompts_of_a_load_have_room_on_the_host():
    offloading, blocks = LEVERS["offloading"](server(32_000)), studies.HOST_BLOCKS
    assert blocks * 16 * 131_072 == pytest.approx(studies.HOST_GB * 1e9, rel=1e-4)
    for seed in studies.SEEDS:
        requests = two_minutes(seed, RATE_PER_S)
        assert sum(request.prompt_tokens // 16 for request in requests) < 0.55 * blocks
        assert serving.covers(requests, *offloading)


def test_spread_over_seeds():
    assert spread(range(101)) == (5, 50, 95)
    assert tuple(range(20)) == studies.SEEDS


@pytest.mark.parametrize("rule", ["last admitted", lambda running: running[0]])
def test_any_rule_keeps_every_output(rule):
    kept = studies.outputs_kept(rule)
    assert kept.preemptions > 10
    assert kept.same == kept.requests == 120


def test_outputs_that_differ_are_counted(monkeypatch):
    """With an engine that gives up what was written, they would not all be kept."""
    outputs_of, calls = serving.outputs_of, []

    def lossy(result):
        calls.append(result)
        written = outputs_of(result)
        return written if len(calls) > 1 else written | {result.requests[3].id: ()}

    monkeypatch.setattr("preemption.studies.pressure.outputs_of", lossy)
    assert studies.outputs_kept("last admitted").same == 119
    with pytest.raises(ValueError, match="victim"):
        studies.outputs_kept(lambda _running: None)
