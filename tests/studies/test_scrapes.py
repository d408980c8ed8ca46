"""Two scrapes of a metrics page: what is read from them, and which pages are refused."""

import builtins
import importlib
import re
from dataclasses import replace

import pytest

from preemption.studies import between, example_scrapes, read_scrape

FIRST, SECOND = example_scrapes()
SGLANG = """\
sglang:num_running_reqs{model_name="m"} 31.0
sglang:num_queue_reqs{model_name="m"} 4.0
sglang:token_usage{model_name="m"} 0.97
sglang:prompt_tokens_total{model_name="m"} 8.1e+06
sglang:generation_tokens_total{model_name="m"} 7.5e+06
"""


def test_the_examples_say_that_they_are_written_by_hand():
    assert all("Written by hand" in page.splitlines()[0] for page in (FIRST, SECOND))


def test_what_happened_between_the_examples():
    found = between(read_scrape(FIRST), read_scrape(SECOND), 60)
    assert found.engine == "vLLM"
    assert found.preemptions_per_minute == 36
    assert found.prompt_tokens_per_s == 6_400
    assert found.generation_tokens_per_s == pytest.approx(70_000 / 60)
    assert (found.running, found.waiting) == (30, 15)
    assert found.cache_usage == pytest.approx(0.994)
    assert found.hit_rate == pytest.approx(44_000 / 432_000)
    # The null block is never handed out, but vLLM counts it.
    assert found.tokens_per_request == pytest.approx(0.994 * 2_501 * 16 / 30)


def test_the_load_between_the_examples():
    found = between(read_scrape(FIRST), read_scrape(SECOND), 60)
    # 320 ended, for two reasons; 8 more wait and 2 fewer run.
    assert found.requests_per_s == pytest.approx(326 / 60)
    assert found.prompt_tokens_mean == pytest.approx(384_000 / 320)
    assert found.output_tokens_mean == pytest.approx(70_000 / 320)
    assert found.pool_tokens == 2_501 * 16


COUNTED = re.compile(r"^(vllm:num_preemptions_total\S*) .*$", re.MULTILINE)


@pytest.mark.parametrize(("ended", "rate_per_s"), [(None, None), (5_760.0, 6 / 60)])
def test_a_load_that_the_pages_do_not_tell(ended, rate_per_s):
    """Without the counter, and where nobody ended."""
    first, second = (read_scrape(page) for page in (FIRST, SECOND))
    found = between(first, replace(second, requests=ended), 60)
    assert found.requests_per_s == rate_per_s
    assert found.prompt_tokens_mean is found.output_tokens_mean is None


def test_several_engines_on_a_page_are_summed_and_their_usage_averaged():
    second = "".join(
        line.replace('engine="0"', 'engine="1"').replace("0.991", "0.5") + "\n"
        for line in FIRST.splitlines()
        if line.startswith("vllm:")
    )
    one, two = read_scrape(FIRST), read_scrape(FIRST + second)
    assert (two.preemptions, two.running) == (2 * one.preemptions, 2 * one.running)
    assert two.cache_usage == pytest.approx((0.991 + 0.5) / 2)
    assert two.pool_tokens == 2 * one.pool_tokens == 2 * 2_501 * 16


def test_sglang_as_far_as_it_publishes():
    scrape = read_scrape(SGLANG)
    assert (scrape.engine, scrape.running, scrape.cache_usage) == ("SGLang", 31, 0.97)
    assert scrape.preemptions is scrape.pool_tokens is scrape.cache_hits is None
    assert scrape.requests is None
    assert read_scrape(SGLANG + 'sglang:num_requests_total{model_name="m"} 9\n').requests == 9
    found = between(scrape, replace(scrape, generation_tokens=7.6e6), 100)
    assert found.generation_tokens_per_s == 1_000
    assert found.preemptions_per_minute is found.hit_rate is found.tokens_per_request is None
    retracted = 'sglang:num_retracted_requests_total{model_name="m"} 7.0\n'
    assert read_scrape(SGLANG + retracted).preemptions == 7


def test_older_names_are_known():
    old = FIRST.replace("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
    assert read_scrape(old) == read_scrape(FIRST)


def test_a_pool_of_unknown_size():
    unknown = FIRST.replace('num_gpu_blocks="2501"', 'num_gpu_blocks="None"')
    assert read_scrape(unknown).pool_tokens is None


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("", "the page is empty"),
        (FIRST[:-5], "no line break at its end"),
        (COUNTED.sub(r"\1 NaN", FIRST), "vllm:num_preemptions_total is nan"),
        (COUNTED.sub(r"\1 +Inf", FIRST), "vllm:num_preemptions_total is inf"),
        (COUNTED.sub(r"\1 1e300", FIRST), r"vllm:num_preemptions_total is 1e\+300"),
        (COUNTED.sub(r"\1 -3", FIRST), "vllm:num_preemptions_total is -3"),
        ("".join(FIRST.splitlines(keepends=True)[:-16]), "lacks vllm:prompt_tokens_total"),
        ("<html>404</html>\n", "no metrics page"),
        ("python_gc_objects_collected_total 3\n", "neither vLLM's nor SGLang's"),
        (FIRST + SGLANG, "both vLLM's and SGLang's"),
    ],
)
def test_other_pages_are_refused(page, message):
    with pytest.raises(ValueError, match=message):
        read_scrape(page)


def test_no_text_is_refused():
    with pytest.raises(TypeError, match="text must be a str, not 3"):
        read_scrape(3)


@pytest.mark.parametrize(
    ("change", "seconds", "message"),
    [
        ({}, 0, "seconds"),
        ({}, float("inf"), "seconds"),
        ({"preemptions": 239.0}, 60, "preemptions went back from 240 to 239"),
        ({"generation_tokens": 0.0}, 60, "generation_tokens went back"),
        ({"requests": 5_759.0}, 60, "requests went back from 5,760 to 5,759"),
        ({"started_s": 1.79e9}, 60, "started anew"),
        ({"engine": "SGLang"}, 60, "of vLLM and of SGLang"),
    ],
)
def test_scrapes_that_do_not_belong_together_are_refused(change, seconds, message):
    first = read_scrape(FIRST)
    with pytest.raises(ValueError, match=message):
        between(first, replace(first, **change), seconds)
    with pytest.raises(TypeError, match="second must be a Scrape"):
        between(first, SECOND, 60)


def test_without_prometheus_client_it_says_what_to_install(monkeypatch):
    real = importlib.import_module

    def missing(name, *rest):
        if name.startswith("prometheus_client"):
            raise builtins.ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(RuntimeError, match="pip install prometheus-client"):
        read_scrape(FIRST)
