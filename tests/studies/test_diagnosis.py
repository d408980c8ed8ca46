"""What two scrapes say: costs by the model, and the row of the field guide that fits."""

from dataclasses import replace

import pytest

from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute
from preemption.studies import (
    FIELD_GUIDE,
    FOUND_AGAIN,
    between,
    example_scrapes,
    preempting,
    read_scrape,
    row_that_fits,
)

EXAMPLE = between(*map(read_scrape, example_scrapes()), 60)
LLAMA = MODELS["Llama-3-8B"]
RECOMPUTE = Recompute.of(LLAMA, DEVICES["A100 80 GB SXM"])
COPY = Copy(model=LLAMA, bandwidth_bytes_per_s=LINKS["PCIe 4.0 x16"].bandwidth_bytes_per_s)


def test_a_preemption_costs_what_an_average_request_costs():
    found = preempting(EXAMPLE, RECOMPUTE, COPY)
    assert found.tokens == EXAMPLE.tokens_per_request
    assert found.recompute_ms == RECOMPUTE.ms(found.tokens)
    assert found.swap_ms == COPY.ms(found.tokens)
    assert found.swap_again_ms == (
        pytest.approx((COPY.ms(found.tokens) + COPY.ms((1 - FOUND_AGAIN[1]) * found.tokens)) / 2),
        pytest.approx((COPY.ms(found.tokens) + COPY.ms((1 - FOUND_AGAIN[0]) * found.tokens)) / 2),
    )
    least, most = FOUND_AGAIN
    assert found.again_ms == (
        pytest.approx(RECOMPUTE.ms((1 - most) * found.tokens)),
        pytest.approx(RECOMPUTE.ms((1 - least) * found.tokens)),
    )
    assert found.again_ms[0] < found.again_ms[1] < found.recompute_ms
    assert found.busy == pytest.approx([36 * each / 60_000 for each in found.again_ms])


def test_without_a_prefix_cache_all_is_computed_again():
    found = preempting(replace(EXAMPLE, hit_rate=None), RECOMPUTE, COPY)
    assert found.again_ms == (found.recompute_ms,) * 2
    assert found.swap_again_ms == pytest.approx((found.swap_ms,) * 2)
    assert found.busy == pytest.approx([36 * found.recompute_ms / 60_000] * 2)


@pytest.mark.parametrize(
    "unknown",
    [{"tokens_per_request": None}, {"preemptions_per_minute": None}, {"tokens_per_request": 0.0}],
)
def test_what_the_pages_do_not_say_is_not_made_up(unknown):
    assert preempting(replace(EXAMPLE, **unknown), RECOMPUTE, COPY) is None


@pytest.mark.parametrize(
    ("changes", "row"),
    [
        ({}, "cliff"),
        ({"waiting_grown": 0.0}, "newcomers"),
        ({"cache_usage": 0.93}, "newcomers"),
        ({"cache_usage": 0.5}, "first chunk"),
        ({"running": 0.0}, "huge request"),
        ({"running": 0.0, "waiting": 0.0, "preemptions_per_minute": 0.0}, None),
        ({"preemptions_per_minute": 0.0, "cache_usage": 0.5}, "reserved"),
        ({"preemptions_per_minute": None, "cache_usage": 0.5}, "reserved"),
        ({"preemptions_per_minute": 0.0, "cache_usage": 0.5, "waiting": 0.0}, None),
        ({"preemptions_per_minute": 0.0}, None),
    ],
)
def test_the_row_that_fits(changes, row):
    found = row_that_fits(replace(EXAMPLE, **changes))
    assert found == row
    assert found is None or found in FIELD_GUIDE


@pytest.mark.parametrize("bad", [None, "page", 3])
def test_a_wrong_type_is_refused(bad):
    for call in (
        lambda: preempting(bad, RECOMPUTE, COPY),
        lambda: preempting(EXAMPLE, bad, COPY),
        lambda: preempting(EXAMPLE, RECOMPUTE, bad),
        lambda: row_that_fits(bad),
    ):
        with pytest.raises(TypeError):
            call()
