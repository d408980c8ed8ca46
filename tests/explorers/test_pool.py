"""The pool block by block: what is drawn and said in each iteration, loads of one's own, play."""

from collections import Counter

import pytest

from preemption import PoolExplorer, studies, words
from preemption.explorers import pool
from preemption.explorers.pool import WAYS, read_load
from preemption.figures import pool as figure
from preemption.page import theme
from preemption.serving import RunSettings, frames_of, pauses
from tests.explorers.reading import corners, page

EIGHT = studies.SCENES["eight requests"]


def drawn(panel):
    """Return the texts of the cells of a panel by row: blocks, free queue, running, waiting."""
    rows = {name: [] for name in ("blocks", "free", "running", "waiting")}
    _, queue, requests = panel.tops
    for x, y, text in panel.cells.names.places:
        if y < queue - 1:
            rows["blocks"].append(text)
        elif y < requests - 1:
            rows["free"].append(text)
        else:
            rows["running" if x < figure.COLUMNS / 2 else "waiting"].append(text)
    return rows


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("load", studies.SCENES)
def test_each_block_and_each_queue_is_drawn_as_it_is(use, load, way):
    explorer = use(PoolExplorer, load=load, way=way)
    scene = studies.SCENES[load]
    settings = RunSettings(resume="swap" if way == "swap" else "recompute", log=True)
    host_blocks = studies.HOST_BLOCKS if way == "offload" else 0
    config = scene.config(caching=way == "caching", host_blocks=host_blocks)
    frames = frames_of(scene.requests, config, settings)
    assert explorer._scale().high == len(frames) - 1
    for number in (*range(0, len(frames), 7), len(frames) - 1):
        explorer.iteration = number
        frame, panel = frames[number], explorer.picture.pools[0]
        rows, decided = drawn(panel), frame.iteration.decided
        held = Counter(f"{who}" for who in frame.owner if who is not None)
        left = Counter(f"({who})" for who in frame.left if who is not None)
        assert Counter(rows["blocks"]) == held + left
        queue = [f"({frame.left[block]})" for block in frame.free_queue
                 if frame.left[block] is not None]  # fmt: skip
        assert rows["free"] == queue
        assert rows["running"] == [str(who) for who in decided.running]
        assert rows["waiting"] == [str(who) for who in (*decided.loading, *decided.waiting)]
        nobodys = sum(who is None for who in frame.owner) - sum(left.values())
        assert len(corners(panel.empty)) == 2 * nobodys
        assert f"{decided.free_blocks} of {scene.blocks} blocks free" in page(explorer)
        for name in decided.running:
            assert f"{name} holds {frame.iteration.blocks[name]}" in page(explorer)
        for name in decided.loading:
            assert f"{name} loads into {frame.owner.count(name)}" in page(explorer)


def test_a_request_has_one_colour_all_through(use):
    explorer = use(PoolExplorer, way="caching", iteration=40)
    requests = explorer._answer.requests
    for cells in (explorer.picture.pools[0].cells, explorer.picture.strip.runs):
        for number, boxes in enumerate(cells.boxes):
            assert boxes.styles[0].startswith(f"fill:{theme.SEQUENCES[number]};")
    panel = explorer.picture.pools[0]
    names = {(x, y): text.strip("()") for x, y, text in panel.cells.names.places}
    for number, boxes in enumerate(panel.cells.boxes):
        if boxes.get_visible():
            for x, y, wide, high in corners(boxes):
                at = pytest.approx((x + wide / 2, y + high / 2))
                found = [text for place, text in names.items() if place == at]
                assert found == [str(requests[number])]


def test_free_cells_with_a_cache_are_striped_and_in_brackets(use):
    explorer = use(PoolExplorer, way="caching", iteration=13)
    panel = explorer.picture.pools[0]
    brackets = [text for text in drawn(panel)["blocks"] if text.startswith("(")]
    assert brackets == ["(4)"] * 3
    assert len(panel.stripes.get_xdata()) == 3 * 4 * 2 * len(brackets)  # once more in the queue
    assert "with cache of 4" in page(explorer)
    explorer.way = "recompute"
    assert len(panel.stripes.get_xdata()) == 0


def test_the_lines_of_time_show_stays_and_pauses_but_nothing_to_come(use):
    explorer = use(PoolExplorer, iteration=12)
    strip = explorer.picture.strip
    assert len(corners(strip.paused)) == 0
    assert "not yet" in page(explorer)
    assert "request 4" not in page(explorer)
    explorer.iteration = 39
    settings = RunSettings(log=True)
    log = [frame.iteration for frame in explorer._answer.tracks[0].frames]
    ends = {pause.id: pause for pause in pauses(log, settings)}
    row = explorer._answer.requests.index(4)
    paused = next(box for box in corners(strip.paused) if row < box[1] < row + 1)
    assert paused[[0, 2]].tolist() == [
        ends[4].preempted_in,
        ends[4].resumed_in - ends[4].preempted_in,
    ]
    again = next(box for box in corners(strip.again) if row < box[1] < row + 1)
    assert again[[0, 2]].tolist() == [39, 1]
    assert again[3] > paused[3], "told apart by its height too"
    ends_at = [box[0] + box[2] for boxes in strip.runs.boxes for box in corners(boxes)]
    assert max(ends_at) == 40
    assert list(strip.cursor.get_xdata()) == [39.5, 39.5]


def test_a_pause_is_split_in_the_table(use):
    explorer = use(PoolExplorer, way="swap")
    explorer.iteration = explorer._scale().high
    for pause in explorer.pauses():
        assert pause.copy_ms > 0
        assert f"{pause.copy_ms:.3g}" in page(explorer)
    assert len(explorer.picture.strip.copies.get_xdata()) == 2 * len(explorer.pauses()) == 6
    assert explorer.pauses()[0].waited_ms > 100 * explorer.pauses()[0].copy_ms
    explorer.change(way="caching", load="a long wait", iteration=61)
    (pause,) = explorer.pauses()
    assert (pause.preempted_in, pause.resumed_in) == (5, 61)
    assert '<td class="pe-number">16</td>' in page(explorer)


def test_a_load_from_the_host_is_shown_as_it_begins_and_in_the_table(use):
    explorer = use(PoolExplorer, way="offload")
    log = [frame.iteration for frame in explorer._answer.tracks[0].frames]
    load = next(each for each in log if each.loads)
    explorer.iteration = load.number
    assert [(each.id, each.blocks) for each in load.loads] == [(3, 2), (4, 2)]
    assert "Request 3 loads 2 blocks from the host. Request 4 loads 2 blocks" in explorer.verdict
    assert drawn(explorer.picture.pools[0])["waiting"][:2] == ["3", "4"]
    assert "4 loads into 2" in page(explorer)
    explorer.iteration = load.number + 2
    assert "Request 4 resumes with 32 tokens copied back" in explorer.verdict
    copied_ms = words.digits(RunSettings().copy_in_ns(32) / 1e6, 3)
    assert f">{copied_ms}</td>" in page(explorer)
    assert list(explorer.picture.strip.copies.get_xdata()) == [load.number + 0.5] * 2


def test_what_is_left_of_a_cache(use):
    explorer = use(PoolExplorer, load="a long wait", way="caching", iteration=10)
    assert explorer.left(2) == 5
    explorer.iteration = 55
    assert explorer.left(2) == 1
    with pytest.raises(ValueError, match=r"request must be one of \(0, 1, 2\), not 3"):
        explorer.left(3)


def test_two_ways_stand_side_by_side_in_the_same_iteration():
    explorer = PoolExplorer(beside=True, other="swap")
    explorer.iteration = 39
    first, second = explorer._answer.tracks
    assert [first.name, second.name] == ["recompute", "swap over 25 GB/s"]
    assert explorer.verdict.count("Iteration 39,") == 2
    assert "resumes with 48 tokens copied back" in explorer.verdict.split("Swap")[1]
    panels = explorer.picture.pools
    running = [drawn(panel)["running"] for panel in panels]
    assert running == [
        [str(who) for who in each.frames[39].iteration.decided.running] for each in (first, second)
    ]
    explorer.iteration = 87
    assert len(second.frames) == 88
    for track in (first, second):
        assert f"{track.name}: request 4, from iteration 13" in page(explorer)


def test_one_run_may_be_over_before_the_other():
    explorer = PoolExplorer(beside=True, other="swap", requests="a, 0, 60, 60\nb, 1, 60, 90",
                            blocks=10)  # fmt: skip
    last = [len(track.frames) for track in explorer._answer.tracks]
    assert last[0] != last[1]
    explorer.iteration = max(last) - 1
    titles = [panel._title.get_text() for panel in explorer.picture.pools]
    assert ["(over)" in title for title in titles] == [each < max(last) for each in last]


def test_a_scene_names_the_run_it_repeats(use):
    explorer = use(PoolExplorer)
    assert "s13_eight_thrash" in explorer._sources.value
    explorer.way = "caching"
    assert "p15_eight_thrash" in explorer._sources.value
    explorer.way = "swap"
    assert explorer._sources.value == ""
    explorer.change(way="recompute", blocks=14)
    assert explorer.load == "own"
    assert explorer._sources.value == ""
    explorer.blocks = 15
    assert explorer.load == "eight requests"
    explorer.load = "a long wait"
    assert (explorer.blocks, explorer.budget) == (13, 32)
    assert explorer._rows["requests"].area.value == explorer.requests


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1, 2, 3", "a line has id, arrival in ms, prompt tokens, output tokens"),
        ("abc, 0, 1, 1", "an id is one letter or digit"),
        ("&lt, 0, 1, 1", "an id is one letter or digit"),
        (", 0, 1, 1", "an id is one letter or digit"),
        ("b, -1, 1, 1", "an arrival is from 0 to 10,000 ms"),
        ("b, nan, 1, 1", "Type a number in ms, not &#x27;nan&#x27;"),
        ("b, 1e9, 1, 1", "an arrival is from"),
        ("b, 0, 0, 1", "tokens are whole numbers from 1 to 1,000"),
        ("b, 0, 1.5, 1", "tokens are whole numbers"),
        ("b, 0, 1, 1001", "tokens are whole numbers"),
        ("b, 0, 200, 42", "it needs 16 blocks in the end, so it never fits"),
        ("0, 5, 1, 1", "there is a request 0 already"),
        ("<b>, 0, 1, 1", "an id is one letter or digit"),
    ],
)
def test_a_bad_line_gets_a_word_and_the_others_run(use, line, said):
    explorer = use(PoolExplorer, requests=f"0, 0, 20, 4\n\n{line}\n9, 1, 20, 4")
    assert explorer.verdict.startswith("Line 3 is left out: ")
    assert said in page(explorer)
    assert explorer._answer.requests == (0, 9)
    assert line in explorer._rows["requests"].area.value, "what was typed stays"


def test_a_request_that_just_fits_is_served(use):
    explorer = use(PoolExplorer, requests="b, 0, 200, 41")
    explorer.iteration = explorer._scale().high
    assert explorer.verdict.startswith("Iteration")
    assert "Request b finishes." in explorer.verdict


def test_too_many_requests_and_none(use):
    many = "\n".join(f"{n}, 0, 1, 1" for n in range(9))
    assert len(read_load(many, 15)[0]) == 8
    assert read_load(many, 15)[1] == ("Line 9 is left out: there is room for 8 requests.",)
    _, told = read_load("\n".join(["nobody"] * 300), 15)
    assert len(told) == 9
    assert told[-1] == "So are 292 more lines."
    explorer = use(PoolExplorer, requests="nothing")
    assert "No line is a request" in explorer.verdict
    with pytest.raises(TypeError, match="requests must be text, not 3"):
        explorer.requests = 3


def test_another_load_has_another_length_and_the_iteration_stays_in_it(use):
    explorer = use(PoolExplorer, iteration=87)
    assert explorer._rows["iteration"].slider.max == 87
    explorer.requests = "a, 0, 20, 5"
    assert explorer.iteration == explorer._rows["iteration"].slider.max == 4
    with pytest.raises(ValueError, match="iteration must be a whole number from 0 to 4, not 5"):
        explorer.iteration = 5
    explorer.reset()
    assert explorer._rows["iteration"].slider.max == 87
    assert PoolExplorer.iteration.high == 1, "that of the class stays as it was"


def test_the_slider_and_the_buttons_go_through_the_run(use):
    explorer = use(PoolExplorer)
    explorer._rows["iteration"].slider.value = 30
    player = explorer.player
    player.on.click()
    assert explorer.iteration == 31
    for _ in range(2):
        player.back.click()
    assert explorer.iteration == explorer._rows["iteration"].box.value == 29
    explorer.steps_per_s = 10
    assert player.clock.interval == 100


def test_a_run_is_computed_once_then_scrubbed(monkeypatch):
    explorer = PoolExplorer(beside=True, other="caching")
    monkeypatch.setattr(pool, "frames_of", None)
    for iteration in range(explorer._scale().high):
        explorer.iteration = iteration
    with pytest.raises(TypeError):
        explorer.blocks = 17
    assert explorer.blocks == 15
