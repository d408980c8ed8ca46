"""Boxes and curves of a prompt in chunks are the scheduler's."""

import re
from itertools import pairwise

import numpy as np
import pytest

from preemption import ChunkExplorer, lessons, studies, words
from preemption.studies import BUDGETS
from tests.explorers.reading import MAX_BYTES, corners, data, label_texts, page


@pytest.mark.parametrize(
    ("budget", "prompt"), [(512, 4_096), (128, 5_000), (8_192, 5_000), (8_192, 256), (777, 1_000)]
)
def test_boxes_and_curves_are_the_schedulers(use, budget, prompt):
    explorer = use(ChunkExplorer, budget=budget, prompt=prompt)
    makeup, run = explorer.picture, studies.chunked_prefill(prompt, budget)
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


def test_everything_is_in_view_in_a_frame_that_stands_still(use):
    frames = []
    for budget, prompt in ((128, 5_000), (8_192, 5_000), (8_192, 256), (512, 4_096)):
        makeup = use(ChunkExplorer, budget=budget, prompt=prompt).picture
        run = studies.chunked_prefill(prompt, budget)
        axes = (makeup.iterations, makeup.waits, makeup.by_budget)
        frames.append([each.axis() for each in axes])
        assert makeup.waits.get_xlim()[1] > run.ttft_ms
        tallest = max(p.prefill_tokens + p.decode_tokens for p in run.iterations)
        assert tallest < makeup.iterations.get_ylim()[1]
        low, high = makeup.by_budget.get_ylim()
        waits_ms = np.concatenate(
            [data(line)[:, 1] for line in (makeup.ttft_by_budget, makeup.gap_by_budget)]
        )
        assert low < waits_ms.min()
        assert waits_ms.max() < high
    assert all(frame == frames[0] for frame in frames)


def test_boxes_of_different_budgets_look_different(use):
    heights_px = []
    for budget in (128, 512, 2_048, 8_192):
        makeup = use(ChunkExplorer, budget=budget).picture
        left, bottom, wide, high = makeup.prefill.boxes[0]
        ends = [(left, bottom), (left + wide, bottom + high)]
        boxes = makeup.iterations.transData.transform(ends)
        heights_px.append(float(np.ptp(boxes[:, 1])))
        x, y = makeup._kinds[0].get_position()
        named_px = makeup.iterations.get_xaxis_transform().transform((x, y))
        assert named_px[1] == pytest.approx(boxes[:, 1].max())
    for small, large in pairwise(heights_px):
        assert large > 1.4 * small > 14


def test_the_table_counts_the_iterations(use):
    def cells(explorer):
        rows = re.findall(r"<tr><th[^>]*>(.*?)</th>(.*?)</tr>", explorer._words.table)[1:]
        return {name: re.findall(r">([^<]+)</td>", rest) for name, rest in rows}

    found = cells(use(ChunkExplorer))
    assert found["with a full chunk"] == ["8", "480", "32", "34.6"]
    assert found["with the last chunk"][:3] == ["1", "256", "32"]
    assert found["decodes only"][1:3] == ["0", "32"]
    assert "with a full chunk" not in cells(use(ChunkExplorer, budget=8_192))


def test_the_guess_of_the_gap_is_drawn_for_the_default_prompt():
    guess = lessons.longest_gap()
    explorer = ChunkExplorer(guesses=[guess])
    guess.answer(100)
    assert "your guess: 100 ms" in label_texts(explorer)
    assert data(explorer.picture._guess_point).tolist() == [[512, 100]]
    explorer.budget = 2_048
    assert "your guess: 100 ms" in label_texts(explorer)
    explorer.prompt = 1_000
    assert "your guess" not in page(explorer)


def test_the_hump_is_said(use):
    explorer = use(ChunkExplorer)
    said = explorer._words.alternative
    waits_ms = [
        round(studies.chunked_prefill(explorer.prompt, budget).ttft_ms) for budget in BUDGETS
    ]
    told = [
        (int(ms), int(budget.replace(",", "")))
        for ms, budget in re.findall(r"(\d+) ms at ([\d,]*\d)", said)
    ]
    assert told[0] == (waits_ms[0], BUDGETS[0])
    assert told[-1] == (waits_ms[-1], BUDGETS[-1])
    places = [BUDGETS.index(budget) for _, budget in told]
    for low, high in pairwise(places):
        between = waits_ms[low : high + 1]
        assert between in (sorted(between), sorted(between, reverse=True))
    assert (316, 1_024) in told
