"""Levers on a load like the reader's: which load, whose times, what does not fit."""

import pytest

from preemption import studies
from preemption.costs import DEVICES, LINKS, MODELS
from preemption.explorers import OwnLoad
from preemption.studies import Means
from tests.explorers.reading import broken_places, data, label_texts, page, wrong_numbers


@pytest.fixture(scope="module")
def explorer():
    return OwnLoad()


def test_rows_are_the_levers_on_that_load(explorer):
    explorer.reset()
    explorer.change(rate=3.0, prompt=600, output=90.5, pool=12_000, model="OPT-13B")
    base = studies.own_server(
        MODELS["OPT-13B"], DEVICES["A100 80 GB SXM"], LINKS["PCIe 4.0 x16"], 12_000
    )
    means = Means(600, 90.5)
    levers = studies.own_levers(means, MODELS["OPT-13B"])
    servers = {"as it is": base, **{name: lever(base) for name, lever in levers.items()}}
    due = [run.ttft_p99_ms / 1e3 for _, _, run in studies.side_by_side(servers, 3.0, [0], means)]
    assert data(explorer.picture.medians[0])[:, 0] == pytest.approx(due)


def test_it_is_called_a_model_and_says_whose_times_it_has(explorer):
    explorer.reset()
    assert explorer.verdict.startswith("A model, with measured times of Llama-3-8B on A100 80 GB")
    explorer.change(model="Llama-3-70B", device="H100 SXM")
    assert "A model, with derived times of Llama-3-70B on 2 of H100 SXM:" in explorer.verdict
    assert "A model, not a measurement." in explorer.children[-1].value


def test_preemptions_per_minute_are_those_of_the_run(explorer):
    explorer.reset()
    explorer.change(pool=40_000)
    (run,) = explorer._answer.runs["as it is"]
    tokens = sum(each.output_tokens for each in studies.two_minutes(0, 5.5, Means(1_155, 211)))
    per_minute = run.preemptions / (tokens / run.tokens_per_s / 60)
    assert per_minute > 10
    assert f"As it is, {per_minute:.3g} preemptions per minute." in explorer.verdict


def test_axes_fit_the_figures_of_any_load(explorer):
    ends = {"rate": 1_000, "prompt": 1, "output": 20_000, "pool": 10_000_000}
    for changes in ({"rate": 0.05}, ends, {"rate": 2.0, "pool": 20_000, "device": "RTX 4090"}):
        explorer.reset()
        explorer.change(**changes)
        for i, axes in enumerate(explorer.picture.panels):
            low, high = axes.get_xlim()
            values = data(explorer.picture.medians[i])[:, 0]
            assert (low <= values).all()
            assert (values <= high).all()
            assert values.max() > (high / 12 if i < 3 else -1)
        assert broken_places(page(explorer) + explorer._still.value.split("</style>")[-1]) == []
        texts = [*label_texts(explorer), explorer.verdict, page(explorer)]
        assert wrong_numbers(" | ".join(texts)) == []


def test_where_nothing_helps_it_says_so(explorer):
    explorer.reset()
    explorer.change(rate=0.01, prompt=1, output=2)
    assert "nothing makes the first token come sooner than as it is" in explorer.verdict


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"pool": 10_000}, "up to 15,054 tokens, and the pool holds 10,000: they would never fit"),
        ({"prompt": 90_000.0}, "they would never fit"),
        ({"rate": 0.0}, "requests/s must be a number from 0.01 to 1,000, not 0"),
        ({"output": 1.0}, "must be a number from 2 to"),
    ],
)
def test_what_cannot_be_served_is_said_and_the_rows_stay(explorer, changes, word):
    explorer.reset()
    before = explorer._answer
    with pytest.raises(ValueError, match=word):
        explorer.change(**changes)
    assert explorer._answer == before
    (name, value), *_ = changes.items()
    explorer._reader_sets(name, value, False)
    assert word.split(",")[0] in explorer._moving.value
