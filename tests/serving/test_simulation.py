"""Which requests `simulate` and `simulate_plain` take, and which they refuse."""

from dataclasses import replace

import pytest

from preemption import serving
from preemption.serving import (
    IterationCost,
    Request,
    RunSettings,
    SchedulerConfig,
    simulate_plain,
    simulate_pools,
)

SMALL = SchedulerConfig(16, 16, 64, 8)


@pytest.mark.parametrize(
    ("requests", "settings", "message"),
    [
        ([(1, 0, 200, 42)], {}, r"request 1 can never fit: .* 242 tokens, and the pool allows 241"),
        ([(1, 0, 2, 1), (2, 0, 30, 3)], {"max_model_len": 32}, "request 2 .* max_model_len allows"),
        (
            [(1, 0, 60, 6)],
            {"enable_chunked_prefill": False},
            "request 1 .* 66 tokens, and max_num_batched_tokens, unchunked, allows 65",
        ),
        ([(1, 0, 1, 1), (1, 0, 1, 1)], {}, "id 1 comes twice"),
        ([("a", 5, 1, 1), ("b", 4, 1, 1)], {}, "request 'b' arrives at 4.0 ms, after 'a' at 5.0"),
    ],
)
def test_requests_that_cannot_be_served_are_refused(requests, settings, message):
    with pytest.raises(ValueError, match=message):
        simulate_plain([Request(*values) for values in requests], replace(SMALL, **settings))


def test_a_request_that_just_fits_is_served():
    assert simulate_plain([Request(1, 0, 200, 41)], SMALL).outcome == "finished"
    unchunked = replace(SMALL, enable_chunked_prefill=False)
    assert simulate_plain([Request(1, 0, 60, 5)], unchunked).outcome == "finished"
    short = replace(SMALL, max_model_len=32)
    assert simulate_plain([Request(1, 0, 30, 2)], short).outcome == "finished"


@pytest.mark.parametrize("serve", [simulate_plain, serving.simulate])
def test_requests_may_come_from_an_iterator_and_must_be_requests(serve):
    assert serve(iter(serving.two()), SMALL) == serve(serving.two(), SMALL)
    with pytest.raises(ValueError, match="comes twice"):
        serve(iter([*serving.two(), *serving.two()]), SMALL)
    for wrong in ([1], "ab", [None], [(0, 0, 32, 5)]):
        with pytest.raises(TypeError, match="each of requests must be a Request, not"):
            serve(wrong, SMALL)
    for wrong in (None, {}, "config"):
        with pytest.raises(TypeError, match="config must be a SchedulerConfig, not"):
            serve(serving.two(), wrong)
    for wrong in (None, {}, IterationCost()):
        with pytest.raises(TypeError, match="settings must be a RunSettings, not"):
            serve(serving.two(), SMALL, wrong)


def test_many_pools_are_refused_when_they_do_not_increase_or_ask_for_a_log():
    config = SchedulerConfig(16, 8, 64, 8)
    assert simulate_pools(serving.two(), config, []) == ()
    with pytest.raises(ValueError, match=r"must increase, not \[8, 8\]"):
        simulate_pools(serving.two(), config, [8, 8])
    with pytest.raises(ValueError, match="keep no log, not True"):
        simulate_pools(serving.two(), config, [8, 9], RunSettings(log=True))
    with pytest.raises(ValueError, match="request 0 can never fit"):
        simulate_pools(serving.two(), config, [4, 9])
    with pytest.raises(ValueError, match="num_gpu_blocks must be 2 or more"):
        simulate_pools(serving.two(), config, [-1, 9])
