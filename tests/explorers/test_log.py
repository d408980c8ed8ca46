"""An iteration in sentences: who comes, who has to go, who computes what."""

from dataclasses import replace

import pytest

from preemption.explorers.log import in_words
from preemption.serving import Request, RunSettings, SchedulerConfig, simulate, two
from tests.explorers.reading import wrong_numbers
from tests.serving.scheduler_loads import random_load

COLLISION = SchedulerConfig(16, 8, 64, 8)


def log_of(requests=None, config=COLLISION, **settings):
    return simulate(requests or two(), config, RunSettings(log=True, **settings)).log


def test_two_requests_arrive_and_one_makes_room():
    log = log_of()
    assert in_words(log[0]).endswith(
        "ms. Requests 0, 1 arrive. Request 0 is admitted. Request 0 prefills 32 tokens. Request 1 "
        "is admitted. Request 1 prefills 32 tokens. At its end: 3 free blocks. Nobody waits."
    )
    assert in_words(next(iteration for iteration in log if iteration.preempted)) == (
        "Iteration 17, at 166.9 ms, takes 9.7 ms. Request 1 needs 1 block where none is free, "
        "and is preempted: 3 blocks freed, 48 cached tokens dropped. Request 0 decodes. At its "
        "end: 3 free blocks. Request 1 waits."
    )
    assert in_words(log[-1]).endswith(
        "Request 1 decodes. Request 1 finishes. At its end: 7 free blocks. Nobody waits."
    )


def test_a_request_that_goes_itself_found_too_few_blocks():
    config = SchedulerConfig(16, 7, 48, 8, scheduler_reserve_full_isl=False)
    log = log_of([Request("short", 0, 1, 40), Request("long", 0, 95, 1)], config)
    assert log[0].end.free_blocks == 2
    assert "Request long needs 3 blocks where 2 are free, and is preempted: 3 blocks" in in_words(
        log[1]
    )
    log = log_of(
        [Request("short", 0, 16, 33), Request("long", 0, 64, 1)],
        replace(config, num_gpu_blocks=5, max_num_batched_tokens=32),
    )
    assert log[0].end.free_blocks == 2  # short takes one of them
    assert "Request long needs 2 blocks where 1 is free, and is preempted: 1 block" in in_words(
        log[1]
    )


def test_the_younger_makes_room_for_the_elder():
    log = log_of([Request("old", 0, 32, 40), Request("young", 0, 40, 40)])
    said = " ".join(map(in_words, log))
    assert "Request young makes room for old and is preempted: 4 blocks freed" in said


def test_a_cache_is_copied_out_and_back():
    said = [in_words(iteration) for iteration in log_of(resume="swap")]
    assert sum("48 cached tokens copied out" in words for words in said) == 1
    assert sum("Request 1 resumes with 48 tokens copied back." in words for words in said) == 1


def test_blocks_are_stored_on_the_host_and_loaded_from_it():
    said = [in_words(iteration) for iteration in log_of(config=replace(COLLISION, host_blocks=9))]
    assert (
        "Request 0 stores 2 blocks on the host. Request 1 stores 2 blocks on the host." in said[0]
    )
    loads = next(n for n, words in enumerate(said) if "1 loads 2 blocks from the host" in words)
    assert said[loads].endswith("Request 1 waits.")
    assert said[loads + 1].endswith(
        "ms. Nothing is computed. At its end: 5 free blocks. Request 1 waits."
    )
    assert "Request 1 resumes with 32 tokens copied back. Request 1 prefills 17" in said[loads + 2]


def test_a_part_is_found_in_the_pool_and_a_part_copied_back():
    config = SchedulerConfig(16, 10, 128, 8, host_blocks=99, enable_prefix_caching=True)
    requests = [Request(0, 0, 64, 40), Request(1, 0, 48, 30)]
    said = " ".join(in_words(iteration) for iteration in log_of(requests, config))
    assert "Request 1 loads 1 block from the host" in said
    assert "Request 1 resumes with 32 tokens found in the pool and 16 tokens copied back." in said


def test_a_victim_resumes_with_nothing():
    said = " ".join(in_words(iteration) for iteration in log_of())
    assert "Request 1 resumes. Request 1 prefills 49 tokens." in said


def test_names_are_written_as_they_are():
    assert "Request <b> arrives." in in_words(log_of([Request("<b>", 0, 1, 1)])[0])


def test_with_prefix_caching_it_says_what_was_found_and_what_was_overwritten():
    log = log_of(config=replace(COLLISION, enable_prefix_caching=True))
    said = [in_words(iteration) for iteration in log]
    assert (
        sum("Request 1 resumes with 32 tokens found in the pool." in words for words in said) == 1
    )
    overwritten = [words for words in said if "1 cached block is overwritten." in words]
    assert len(overwritten) == sum(len(iteration.overwritten) for iteration in log) == 3
    assert "copied back" not in " ".join(said)


def test_a_new_request_finds_a_common_prefix():
    requests = [Request(i, 0, 40, 2, prefix_group=0, prefix_tokens=40) for i in range(2)]
    config = SchedulerConfig(16, 20, 128, 8, enable_prefix_caching=True)
    assert (
        "Request 0 is admitted. Request 0 prefills 40 tokens. "
        "Request 1 is admitted with 32 tokens found in the pool. Request 1 prefills 8 tokens. "
    ) in in_words(log_of(requests, config)[0])


def test_several_blocks_are_overwritten():
    requests = [Request(0, 0, 64, 1), Request(1, 1000, 64, 1)]
    config = SchedulerConfig(16, 5, 128, 8, enable_prefix_caching=True)
    assert "4 cached blocks are overwritten." in in_words(log_of(requests, config)[-1])


@pytest.mark.parametrize("caching", [False, True])
def test_every_number_agrees_with_its_noun(caching):
    said = []
    for seed in range(30):
        requests, config, how = random_load(seed, enable_prefix_caching=caching)
        said += map(in_words, simulate(requests, config, replace(how, log=True)).log)
    assert wrong_numbers(" | ".join(said)) == []
    assert sum("1 cached token " in words for words in said) > 0
    assert sum("1 free block." in words for words in said) > 0


def test_one_cached_token():
    requests = [Request("old", 0, 1, 3), Request("young", 5, 1, 3)]
    said = " ".join(map(in_words, log_of(requests, SchedulerConfig(1, 4, 8, 8))))
    assert "1 block freed, 1 cached token dropped." in said
