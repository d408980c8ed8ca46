"""The pictures of schedules and latency: what they draw is the model's data, at many settings."""

import base64
import re

import numpy as np
import pytest

from preemption import (
    AttentionExplorer,
    ChunkExplorer,
    LoadExplorer,
    SlotExplorer,
    attention,
    lessons,
    studies,
    words,
)
from preemption.explorers import schedules
from preemption.figures.chunks import BUDGETS
from preemption.serving import continuous_schedule, static_schedule, utilization

MAX_BYTES = 8_000
OWN = {"a": 4, "b": 0, "c": 1, "d": 7, "e": 0, "f": 2}
FULL = dict.fromkeys("abcdef", 8)


@pytest.fixture(scope="module")
def shared():
    """One explorer of each kind; building one takes longer than to change it."""
    kinds = (SlotExplorer, ChunkExplorer, AttentionExplorer, LoadExplorer)
    return {kind: kind() for kind in kinds}


@pytest.fixture
def use(shared):
    def changed(kind, **settings):
        explorer = shared[kind]
        explorer.reset()
        explorer.change(**settings)
        return explorer

    return changed


def page(explorer):
    return explorer._moving.value


def data(line):
    return np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float)


def corners(boxes):
    """Return x, y, width and height of each box."""
    first, last = boxes._corners[:, 0], boxes._corners[:, 2]
    return np.column_stack([first, last - first])


def label_texts(explorer):
    return re.findall(r"<text [^>]*>([^<]*)</text>", page(explorer))


# Slots.


def lengths_of(explorer):
    lengths = {name: explorer.settings[name.lower()] for name in "ABCDEF"}
    return {name: length for name, length in lengths.items() if length}


@pytest.mark.parametrize(
    "settings",
    [
        *({"preset": preset} for preset in schedules._PRESETS),
        OWN | {"slots": 3},
        FULL | {"slots": 1},
        FULL | {"slots": 4},
        dict.fromkeys("bcdef", 0) | {"a": 1, "slots": 4},
    ],
    ids=str,
)
def test_cells_are_those_of_the_schedules(use, settings):
    explorer = use(SlotExplorer, **settings)
    chart, lengths = explorer._chart, lengths_of(explorer)
    for drawn, schedule, name in (
        (chart.static, static_schedule, "static groups"),
        (chart.continuous, continuous_schedule, "iteration-level admission"),
    ):
        rows = schedule(lengths, explorer.slots)
        table = [list(row) for row in rows]
        found = [[None] * explorer.slots for _ in rows]
        for sequence, boxes in drawn.cells.items():
            for x, y, wide, high in corners(boxes):
                assert (wide, 0 < high < 1) == (1, True)
                found[int(x)][int(y)] = sequence
        assert found == table
        idle = {(int(x), int(y)) for x, y, *_ in corners(drawn.idle)}
        assert idle == {
            (i, slot) for i, row in enumerate(rows) for slot, held in enumerate(row) if held is None
        }
        percent = f"{words.digits(100 * utilization(rows), 3)}%"
        title = drawn._title.get_text()
        assert title.startswith(f"{name}: {words.count(len(rows), 'iteration')}, ")
        assert title.endswith(f"filled, {percent}")
        assert percent in explorer.verdict
        left, right = drawn.axes.get_xlim()
        assert left < 0
        assert right > len(rows)
    saved = len(static_schedule(lengths, explorer.slots)) - len(
        continuous_schedule(lengths, explorer.slots)
    )
    gain = f"{words.count(saved, 'iteration')} saved." if saved else "No gain here."
    assert explorer.verdict.endswith(gain)
    assert len(page(explorer).encode()) < MAX_BYTES


def test_the_chapters_example_is_the_default(use):
    explorer = use(SlotExplorer)
    assert explorer.verdict == (
        "Static groups: 4 iterations, 5 of 8 places filled, 62.5%. Iteration-level admission: "
        "3 iterations, 5 of 6 places filled, 83.3%. 1 iteration saved."
    )


def test_only_sequences_that_run_are_named(use):
    explorer = use(SlotExplorer, **OWN)
    letters = [text for text in label_texts(explorer) if len(text) == 1]
    assert sorted(letters) == ["A", "A", "C", "C", "D", "D", "F", "F"]


def test_a_preset_sets_the_numbers_and_other_numbers_name_the_preset(use):
    explorer = use(SlotExplorer)
    explorer._rows["preset"].list.value = "one long, last in line"
    assert lengths_of(explorer) == dict.fromkeys("ABCDE", 1) | {"F": 8}
    assert explorer._rows["f"].box.value == 8
    explorer._rows["c"].slider.value = 3
    assert (explorer.c, explorer.f) == (3, 8)
    assert explorer.preset == explorer._rows["preset"].list.value == "your own"
    explorer.change(c=1)
    assert explorer.preset == "one long, last in line"
    explorer._rows["preset"].list.value = "your own"  # nothing to set
    assert explorer._rows["preset"].list.value == "one long, last in line"
    explorer.reset()
    assert explorer.preset == "A, B, C"
    assert lengths_of(explorer) == {"A": 2, "B": 1, "C": 2}


def test_numbers_given_with_a_preset_count(use):
    explorer = use(SlotExplorer, preset="equal lengths", slots=4)
    assert (explorer.slots, explorer.f, explorer.preset) == (4, 3, "your own")
    explorer.change(preset="equal lengths", f=3)
    assert (explorer.slots, explorer.preset) == (2, "equal lengths")


@pytest.mark.parametrize("preset", ["one long, last in line", "equal lengths", "all fit at once"])
def test_presets_without_any_gain(use, preset):
    assert use(SlotExplorer, preset=preset).verdict.endswith("No gain here.")


@pytest.mark.parametrize(
    ("bad", "error"),
    [({"a": 0}, ValueError), ({"slots": 5}, ValueError), ({"b": 1.5}, ValueError)],
)
def test_bad_numbers_of_slots_and_tokens(use, bad, error):
    explorer = use(SlotExplorer)
    before = dict(explorer.settings), page(explorer)
    with pytest.raises(error, match="must be a whole number"):
        explorer.change(**bad)
    assert (explorer.settings, page(explorer)) == before


def test_guesses_of_iterations_are_drawn_at_the_example_alone():
    guesses = [
        lessons.iterations_of_static_groups(),
        lessons.iterations_with_iteration_level_admission(),
    ]
    explorer = SlotExplorer(guesses=guesses)
    assert "your guess" not in page(explorer)
    for guess, iterations in zip(guesses, (5, 99), strict=True):
        guess.answer(iterations)
    assert {"your guess: 5", "your guess: 99"} <= set(label_texts(explorer))
    assert data(explorer._chart.static._guess_line)[:, 0].tolist() == [5, 5]
    right = explorer._chart.continuous.axes.get_xlim()[1]
    assert data(explorer._chart.continuous._guess_line)[0, 0] == right
    explorer.slots = 3
    assert "your guess" not in page(explorer)
    explorer.reset()
    assert "your guess: 5" in page(explorer)


# Chunked prefill.


@pytest.mark.parametrize(
    ("budget", "prompt"), [(512, 4_096), (128, 5_000), (8_192, 5_000), (8_192, 256), (777, 1_000)]
)
def test_boxes_and_curves_are_the_schedulers(use, budget, prompt):
    explorer = use(ChunkExplorer, budget=budget, prompt=prompt)
    makeup, run = explorer._makeup, studies.chunked_prefill(prompt, budget)
    np.testing.assert_allclose(
        corners(makeup.decode), [(p.start_ms, 0, p.duration_ms, 32) for p in run.iterations]
    )
    chunks = [p for p in run.iterations if p.prefill_tokens]
    np.testing.assert_allclose(
        corners(makeup.prefill),
        [(p.start_ms, 32, p.duration_ms, p.prefill_tokens) for p in chunks],
    )
    assert len(chunks) == run.chunks
    np.testing.assert_array_equal(data(makeup.tokens)[:, 0], [p.end_ms for p in run.iterations])
    assert data(makeup.ttft)[:, 0].tolist() == [0, run.ttft_ms]
    assert np.ptp(data(makeup.worst_gap)[:, 0]) == run.max_itl_ms
    at_budgets = [studies.chunked_prefill(prompt, each) for each in BUDGETS]
    for line, waits_ms in (
        (makeup.ttft_by_budget, [each.ttft_ms for each in at_budgets]),
        (makeup.gap_by_budget, [each.max_itl_ms for each in at_budgets]),
    ):
        np.testing.assert_array_equal(data(line), np.column_stack([BUDGETS, waits_ms]))
    assert [data(points).tolist() for points in makeup.points] == [
        [[budget, run.ttft_ms]],
        [[budget, run.max_itl_ms]],
    ]
    for wait_ms in (run.ttft_ms, run.max_itl_ms):
        assert f"{words.digits(wait_ms, 3)} ms" in explorer.verdict
    assert len(page(explorer).encode()) < MAX_BYTES


def test_everything_is_in_view_once_a_drag_has_ended(use):
    for budget, prompt in ((128, 5_000), (8_192, 5_000), (8_192, 256)):
        makeup = use(ChunkExplorer, budget=budget, prompt=prompt)._makeup
        run = studies.chunked_prefill(prompt, budget)
        assert makeup.waits.get_xlim()[1] > run.ttft_ms
        tallest = max(p.prefill_tokens + p.decode_tokens for p in run.iterations)
        assert tallest < makeup.iterations.get_ylim()[1] < 3 * tallest
        low, high = makeup.by_budget.get_ylim()
        waits_ms = np.concatenate(
            [data(line)[:, 1] for line in (makeup.ttft_by_budget, makeup.gap_by_budget)]
        )
        assert low < waits_ms.min()
        assert waits_ms.max() < high


def test_the_table_counts_the_iterations(use):
    def cells(explorer):
        rows = re.findall(r"<tr><th[^>]*>(.*?)</th>(.*?)</tr>", explorer._words.table_html)[1:]
        return {name: re.findall(r">([^<]+)</td>", rest) for name, rest in rows}

    found = cells(use(ChunkExplorer))
    assert found["with a full chunk"] == ["8", "480", "32", "41.9"]
    assert found["with the last chunk"][:3] == ["1", "256", "32"]
    assert found["decodes only"][1:3] == ["0", "32"]
    assert "with a full chunk" not in cells(use(ChunkExplorer, budget=8_192))


def test_the_guess_of_the_gap_is_drawn_for_the_default_prompt():
    guess = lessons.longest_gap()
    explorer = ChunkExplorer(guesses=[guess])
    guess.answer(100)
    assert "your guess: 100 ms" in label_texts(explorer)
    assert data(explorer._makeup._guess_point).tolist() == [[512, 100]]
    explorer.budget = 2_048
    assert "your guess: 100 ms" in label_texts(explorer)
    explorer.prompt = 1_000
    assert "your guess" not in page(explorer)


# Attention in chunks.


@pytest.mark.parametrize("size", range(1, 17))
def test_a_cell_for_each_pair_that_attends_and_a_point_for_each_output(use, size):
    explorer = use(AttentionExplorer, chunk=size)
    drawn = {True: set(), False: set()}
    for same_chunk, boxes in ((True, explorer._map.computed), (False, explorer._map.cached)):
        for x, y, *_ in corners(boxes):
            drawn[same_chunk].add((int(y + 0.5), int(x + 0.5)))
    assert drawn[True] | drawn[False] == {(i, j) for i in range(1, 17) for j in range(1, i + 1)}
    assert not drawn[True] & drawn[False]
    assert all((i - 1) // size == (j - 1) // size for i, j in drawn[True])
    assert all((i - 1) // size > (j - 1) // size for i, j in drawn[False])

    right, wrong = data(explorer._map.right), data(explorer._map.wrong)
    assert right[:, 1].max() < 1e-12
    assert (wrong[:size, 1] < 1e-12).all()
    assert (wrong[size:, 1] > 0.1).all()
    assert f"With each chunk alone {16 - size} of 16 outputs change" in explorer.verdict
    assert "are equal to those of one pass" in explorer.verdict
    in_one_pass, in_chunks, alone = re.findall(r"pe-number\">(-?\d[^<]+)<", page(explorer))
    assert in_one_pass == in_chunks
    assert (alone == in_chunks) == (size == 16)
    assert len(page(explorer).encode()) < MAX_BYTES


def test_a_cache_that_differs_would_be_told(use, monkeypatch):
    def off(layer, tokens, _chunks):
        outputs, cache = attention.forward(layer, tokens)
        return outputs, attention.KVCache(cache.keys + 1e-9, cache.values)

    explorer = use(AttentionExplorer)
    monkeypatch.setattr(attention, "prefill", off)
    explorer.chunk = 4
    assert "are other than those of one pass" in explorer.verdict


# Latency by load.


@pytest.mark.parametrize(
    ("rate", "pool"), [(4.0, 3_000), (9.0, 1_000), (2.0, 10_000), (5.53, 3_000)]
)
def test_curves_are_the_sweep_and_points_the_present_run(use, rate, pool):
    explorer = use(LoadExplorer, rate=rate, pool=pool)
    curves, points, here = explorer._curves, studies.sweep(pool), studies.under_load(rate, pool)
    for panel, x, at, columns in (
        ("ttft", "requests_per_s", here.requests_per_s, ("ttft_p50_ms", "ttft_p99_ms")),
        ("tpot", "requests_per_s", here.requests_per_s, ("tpot_p50_ms", "tpot_p99_ms")),
        ("hook", "tokens_per_s", here.tokens_per_s, ("ttft_p50_ms", "ttft_p99_ms")),
    ):
        for column, curve, point in zip(
            columns, curves.curves[panel], curves.points[panel], strict=True
        ):
            expected = [(getattr(p, x), getattr(p, column)) for p in points]
            np.testing.assert_array_equal(data(curve), expected)
            assert data(point).tolist() == [[at, getattr(here, column)]]
            low, high = curve.axes.get_ylim()
            assert low < data(curve)[:, 1].min()
            assert data(curve)[:, 1].max() < high
    np.testing.assert_array_equal(
        data(curves.tokens_per_s), [(p.requests_per_s, p.tokens_per_s) for p in points]
    )
    assert words.count(here.preemptions, "preemption") in explorer.verdict
    first = studies.preempts_from(points)
    onset = f"{words.plain(first)} requests/s"
    onset = f"already at {onset}" if first == studies.RATES_PER_S[0] else f"from {onset} on"
    assert f"This pool preempts {onset}." in explorer.verdict
    assert f"preempts from {words.plain(first)}/s" in label_texts(explorer)
    assert curves.bands[0].get_x() == first
    assert len(page(explorer).encode()) < MAX_BYTES


def test_a_pool_that_never_preempts_has_no_band(use, monkeypatch):
    for module in ("preemption.studies", "preemption.figures.load"):
        monkeypatch.setattr(f"{module}.preempts_from", lambda _points: None)
    explorer = use(LoadExplorer)
    assert "This pool preempts nowhere in this range." in explorer.verdict
    assert not any(band.get_visible() for band in explorer._curves.bands)
    assert not any("preempts" in text for text in label_texts(explorer))


def test_a_pool_is_swept_once(use):
    explorer = use(LoadExplorer, pool=4_500)
    runs = studies.under_load.cache_info().misses
    explorer.rate = 7.0
    explorer.pool = 3_000
    explorer.pool = 4_500
    assert studies.under_load.cache_info().misses == runs


def test_the_guess_of_the_rate_is_drawn():
    guess = lessons.where_does_preemption_begin()
    explorer = LoadExplorer(guesses=[guess])
    guess.answer(7.5)
    for line in ("your guess: 7.5 requests/s", "for 3,000 blocks"):
        assert line in explorer._still.value


# All of them.


@pytest.mark.parametrize("kind", [SlotExplorer, ChunkExplorer, AttentionExplorer, LoadExplorer])
def test_what_is_drawn_still_and_what_is_saved(use, kind):
    explorer = use(kind)
    assert "<svg" in explorer._still.value
    saved, metadata = explorer._repr_mimebundle_()
    assert saved["text/plain"] == explorer.verdict
    assert base64.b64decode(saved["image/png"]).startswith(b"\x89PNG")
    alternative = metadata["image/png"]["alt"]
    assert f'aria-label="{alternative}"' in page(explorer)
    labels = [setting.label for setting in explorer._known.values()]
    assert alternative not in labels
    for svg in (page(explorer), explorer._still.value.split("</style>")[-1]):
        assert not re.findall(r"(?:fill|stroke): ?#(?!000000|ffffff)[0-9a-f]{6}", svg)


def test_curves_and_cells_differ_without_colour_too(use):
    makeup, curves = use(ChunkExplorer)._makeup, use(LoadExplorer)._curves
    pairs = [(makeup.ttft_by_budget, makeup.gap_by_budget), *curves.curves.values()]
    for solid, dashed in pairs:
        assert "dasharray" not in solid.svg(1)
        assert "dasharray" in dashed.svg(1)
    for one, other in (makeup.points, *curves.points.values()):
        assert one.get_marker() != other.get_marker()
    cells = use(AttentionExplorer)._map
    assert "fill:#ffffff" in cells.computed.svg(1)
    assert "fill:#ffffff" not in cells.cached.svg(1)
