"""The moving picture, on the cost explorer: settings, drags, errors, what is sent and saved."""

import asyncio
import base64
import re
import threading

import numpy as np
import pytest

from preemption import CostExplorer, costs, eviction_timeline, open_costs, words
from preemption.explorers.eviction_costs import CostExplorer as Explorer
from preemption.lessons import how_slow_must_the_link_be
from preemption.page import live
from preemption.page.controls import round_numbers


@pytest.fixture(scope="module")
def shared():
    return CostExplorer()


@pytest.fixture
def explorer(shared):
    shared.reset()
    return shared


def row(explorer, name):
    return explorer._rows[name]


def verdict_of(tokens, gb_per_s):
    recompute = words.digits(costs.recompute_ms(tokens))
    swap = words.digits(costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, gb_per_s * 1e9))
    winner = costs.cheaper(tokens, costs.PER_TOKEN_BYTES, gb_per_s * 1e9)
    return f"recompute {recompute} ms, swap {swap} ms; cheaper here: {winner}"


def page_text(explorer):
    return explorer._moving.value


def limits(explorer):
    return [
        limit
        for axes in (explorer._curves.by_link, explorer._curves.by_tokens)
        for limit in (axes.get_xlim(), axes.get_ylim())
    ]


def test_defaults(explorer):
    assert explorer.settings == {"tokens": 1000, "bandwidth_gb_per_s": 25, "ms_per_token": 0.1}
    for part in ("recompute 100 ms", "swap 10.49 ms", "cheaper here: swap"):
        assert part in explorer.verdict
    assert f'role="status" aria-live="polite">{explorer.verdict}</p>' in page_text(explorer)
    assert row(explorer, "tokens").box.description == "cached tokens"
    assert row(explorer, "bandwidth_gb_per_s").box.description == "link bandwidth (GB/s)"


SETTINGS = [
    (1000, 25.0),
    (1000, 2.62144),
    (1000, 2.7),
    (1, 0.1),
    (1, 1000.0),
    (131_072, 0.1),
    (131_072, 1000.0),
    (16_001, 1.0),
]


@pytest.mark.parametrize(("tokens", "gb_per_s"), SETTINGS)
def test_verdict_is_the_models(explorer, tokens, gb_per_s):
    explorer.change(tokens=tokens, bandwidth_gb_per_s=gb_per_s)
    assert verdict_of(tokens, gb_per_s) in explorer.verdict
    assert explorer.verdict in page_text(explorer)
    assert re.search(r"recompute [\d,.]+ ms, swap [\d,.]+ ms; cheaper here: \w+", explorer.verdict)


@pytest.mark.parametrize(("tokens", "gb_per_s"), SETTINGS)
@pytest.mark.parametrize("ms_per_token", [0.01, 0.1, 10.0])
def test_curves_hold_the_models_data(explorer, tokens, gb_per_s, ms_per_token):
    explorer.change(tokens=tokens, bandwidth_gb_per_s=gb_per_s, ms_per_token=ms_per_token)
    curves, size = explorer._curves, costs.PER_TOKEN_BYTES
    recompute, swap = (
        costs.recompute_ms(tokens, ms_per_token),
        costs.swap_ms(tokens, size, gb_per_s * 1e9),
    )
    crossover = costs.crossover_bandwidth(size, ms_per_token) / 1e9

    def data(line):
        return [np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)]

    np.testing.assert_array_equal(
        data(curves.recompute_by_link), [[0.1, 1000], [recompute, recompute]]
    )
    np.testing.assert_array_equal(
        data(curves.swap_by_link),
        [[0.1, 1000], [costs.swap_ms(tokens, size, link) for link in (0.1e9, 1000e9)]],
    )
    right = max(16_000, tokens)
    np.testing.assert_array_equal(
        data(curves.recompute_by_tokens), [[0, right], [0, costs.recompute_ms(right, ms_per_token)]]
    )
    np.testing.assert_array_equal(
        data(curves.swap_by_tokens), [[0, right], [0, costs.swap_ms(right, size, gb_per_s * 1e9)]]
    )
    np.testing.assert_array_equal(data(curves.crossover), [[crossover], [recompute]])
    for points, cost in ((curves.recompute_points, recompute), (curves.swap_points, swap)):
        assert [data(point) for point in points] == [[[gb_per_s], [cost]], [[tokens], [cost]]]
    assert f"flips at {words.digits(crossover, 3)} GB/s" in page_text(explorer)


def test_both_curves_are_in_view_at_any_setting(explorer):
    for tokens, gb_per_s in SETTINGS:
        explorer.change(tokens=tokens, bandwidth_gb_per_s=gb_per_s)
        low, high = explorer._curves.by_link.get_ylim()
        shown = [costs.recompute_ms(tokens), costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, 0.1e9)]
        assert low <= min(shown)
        assert max(shown) <= high
        assert explorer._curves.by_tokens.get_xlim() == (0, max(16_000, tokens))


@pytest.mark.parametrize(
    ("name", "bad", "error"),
    [
        ("tokens", 0, ValueError),
        ("tokens", 131_073, ValueError),
        ("tokens", 10.5, ValueError),
        ("tokens", float("nan"), ValueError),
        ("tokens", float("inf"), ValueError),
        ("tokens", True, TypeError),
        ("tokens", "5", TypeError),
        ("tokens", None, TypeError),
        ("bandwidth_gb_per_s", 0, ValueError),
        ("bandwidth_gb_per_s", -1, ValueError),
        ("bandwidth_gb_per_s", 1000.1, ValueError),
        ("bandwidth_gb_per_s", float("nan"), ValueError),
        ("bandwidth_gb_per_s", [1], TypeError),
        ("ms_per_token", 0, ValueError),
    ],
)
def test_bad_settings_are_refused_and_change_nothing(explorer, name, bad, error):
    before, page = dict(explorer.settings), page_text(explorer)
    with pytest.raises(error, match=re.escape(getattr(Explorer, name).label)) as raised:
        setattr(explorer, name, bad)
    assert str(bad) in str(raised.value)
    assert explorer.settings == before
    assert page_text(explorer) == page


def test_one_bad_setting_spoils_the_change(explorer):
    with pytest.raises(ValueError, match="link bandwidth"):
        explorer.change(tokens=5, bandwidth_gb_per_s=0)
    with pytest.raises(ValueError, match="no setting 'tokkens'"):
        explorer.change(tokkens=5)
    assert explorer.tokens == 1000


def test_a_typed_value_counts_exactly(explorer):
    box, slider = (
        row(explorer, "bandwidth_gb_per_s").box,
        row(explorer, "bandwidth_gb_per_s").slider,
    )
    box.value = 2.7123
    assert explorer.bandwidth_gb_per_s == box.value == 2.7123
    places = Explorer.bandwidth_gb_per_s.places
    assert places[slider.value] == 2.7
    assert verdict_of(1000, 2.7123) in explorer.verdict


def test_the_slider_moves_over_round_numbers(explorer):
    slider, box = row(explorer, "tokens").slider, row(explorer, "tokens").box

    async def drag():  # in an event loop, so that the limits need not follow every step
        for place in range(slider.max + 1):
            slider.value = place
            assert box.value == explorer.tokens == Explorer.tokens.places[place]
            assert slider.value == place

    asyncio.run(drag())
    assert verdict_of(131_072, 25) in explorer.verdict


@pytest.mark.parametrize(("low", "high", "whole"), [(1, 131_072, True), (0.1, 1000.0, False)])
def test_places_rise_evenly_from_end_to_end(low, high, whole):
    places = round_numbers(low, high, whole=whole)
    assert (places[0], places[-1]) == (low, high)
    assert places == sorted(set(places))
    assert all(isinstance(place, int) for place in places) or not whole
    steps = np.diff(np.log10([place for place in places if place >= 20]))
    assert steps.max() < 0.03


def test_a_bad_value_from_the_reader_is_shown_and_undone(explorer):
    box = row(explorer, "bandwidth_gb_per_s").box
    box.value = 5000
    assert "must be a number from 0.1 to 1,000, not 5000" in page_text(explorer)
    assert explorer.verdict in page_text(explorer)
    assert box.value == explorer.bandwidth_gb_per_s == 25
    box.value = 1.0
    assert "must be" not in page_text(explorer)


def test_an_exception_while_drawing_is_shown_or_raised(explorer, monkeypatch):
    def broken(*_):
        raise RuntimeError("the <pen> broke")

    monkeypatch.setattr(explorer._curves, "show", broken)
    with pytest.raises(RuntimeError, match="pen"):
        explorer.tokens = 2000
    assert explorer.tokens == row(explorer, "tokens").box.value == 1000
    row(explorer, "tokens").box.value = 2000
    assert "the &lt;pen&gt; broke" in page_text(explorer)
    assert explorer.tokens == row(explorer, "tokens").box.value == 1000
    monkeypatch.undo()
    explorer.tokens = 2000
    assert "pen" not in page_text(explorer)
    assert verdict_of(2000, 25) in explorer.verdict


def test_after_an_exception_axes_and_still_layer_agree(explorer, monkeypatch):
    still = explorer._still.value
    monkeypatch.setattr(explorer._curves, "show", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        explorer.tokens = 131_072
    monkeypatch.undo()
    explorer.tokens = 131_072
    assert explorer._still.value != still
    explorer.tokens = 1_000
    assert explorer._still.value == still


def test_an_exception_while_a_guess_is_drawn_is_shown(monkeypatch):
    guess = how_slow_must_the_link_be(1_000)
    explorer = CostExplorer(guesses=[guess])
    monkeypatch.setattr(explorer, "_draw_still", lambda: 1 / 0)
    guess.answer(5.0)
    assert guess.value == 5.0
    assert "division by zero" in page_text(explorer)


def test_reset(explorer):
    explorer.change(tokens=5, bandwidth_gb_per_s=1.0, ms_per_token=1.0)
    explorer.reset()
    assert explorer.settings == CostExplorer().settings
    assert row(explorer, "tokens").box.value == 1000


def test_limits_stay_while_dragging_and_fit_when_it_ends(explorer, monkeypatch):
    monkeypatch.setattr(live, "SETTLE_S", 0.05)

    async def drag():
        before, still = limits(explorer), explorer._still.value
        slider = row(explorer, "tokens").slider
        for place in range(slider.value, slider.max + 1):
            slider.value = place
            assert limits(explorer) == before
        assert explorer.tokens == 131_072
        assert explorer._still.value == still
        await asyncio.sleep(0.2)
        assert limits(explorer) != before
        assert explorer._still.value != still

    asyncio.run(drag())
    at_rest = CostExplorer()
    at_rest.tokens = 131_072
    assert limits(explorer) == limits(at_rest)
    assert page_text(explorer) == page_text(at_rest)


def test_an_error_during_the_end_of_a_drag_stays_to_be_read(explorer, monkeypatch):
    monkeypatch.setattr(live, "SETTLE_S", 0.05)

    async def drag_and_type():
        before, tokens = limits(explorer), row(explorer, "tokens")
        tokens.slider.value = tokens.slider.max
        tokens.box.value = -1
        await asyncio.sleep(0.2)
        assert limits(explorer) != before
        assert "cached tokens must be" in page_text(explorer)
        tokens.box.value = 7
        assert "must be" not in page_text(explorer)

    asyncio.run(drag_and_type())


def test_a_reader_is_heard_while_another_thread_resets(explorer):
    explorer.tokens = 5
    box = row(explorer, "tokens").box
    reader = threading.Thread(target=setattr, args=(box, "value", 7))

    def meanwhile(_):
        box.unobserve(meanwhile, "value")
        reader.start()
        reader.join(0.2)
        assert reader.is_alive(), "the reader did not wait for the end of the reset"

    box.observe(meanwhile, "value")
    explorer.reset()
    reader.join()
    assert explorer.tokens == box.value == 7
    assert verdict_of(7, 25) in page_text(explorer)


def test_code_fits_the_limits_at_once(explorer):
    explorer.tokens = 131_072
    assert explorer._curves.by_tokens.get_xlim() == (0, 131_072)


def test_a_redraw_sends_one_small_message(explorer):
    sent = []
    explorer._moving.observe(lambda change: sent.append(change["new"]), "value")
    for place in range(100):
        row(explorer, "bandwidth_gb_per_s").slider.value = place
    assert len(sent) == 100
    assert max(len(message.encode()) for message in sent) < 7_000


def test_there_is_room_for_words_above_the_flat_line():
    explorer = CostExplorer(prefill_control=True)
    for ms_per_token in (0.01, 1.0, 1.4, 5.4, 10.0):
        explorer.ms_per_token = ms_per_token
        top = explorer._curves.by_link.get_ylim()[1]
        assert costs.recompute_ms(1_000, ms_per_token) <= top / 7


def test_explorers_do_not_disturb_each_other():
    one, two = CostExplorer(), CostExplorer()
    before = page_text(two)
    one.tokens = 7
    assert page_text(two) == before
    ids = [set(re.findall(r'id="(\w+)"', explorer._still.value)) for explorer in (one, two)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_the_prefill_control_is_optional():
    assert "ms_per_token" not in CostExplorer()._rows
    with_control = CostExplorer(prefill_control=True)
    row(with_control, "ms_per_token").box.value = 1.0
    assert "recompute 1,000 ms" in with_control.verdict


def test_guesses_are_drawn_once_answered():
    guess = how_slow_must_the_link_be(1_000)
    explorer = CostExplorer(guesses=[guess])
    assert "your guess" not in explorer._still.value
    guess.answer(5.0)
    for line in ("your guess: 5 GB/s", "for 1,000 tokens"):
        assert line in explorer._still.value
    explorer.tokens = 100_000
    assert "your guess: 5 GB/s" in explorer._still.value


@pytest.mark.parametrize("guess", [0.001, 1e6])
def test_a_guess_off_the_chart_stands_at_its_edge(guess):
    explorer = CostExplorer()
    explorer._curves.guesses.show([(guess, "1,000 tokens")])
    line = explorer._curves.by_link.lines[-1]
    assert line.get_xdata()[0] == (0.1 if guess < 1 else 1000)


def test_what_is_saved_without_a_kernel(explorer):
    explorer.bandwidth_gb_per_s = 1.0
    data, metadata = explorer._repr_mimebundle_()
    assert data["text/plain"] == explorer.verdict
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "cross at 2.62 GB/s" in metadata["image/png"]["alt"]


def test_the_alternative_text_says_the_finding(explorer):
    def alternative():
        return re.search(r'role="img" aria-label="([^"]+)"', page_text(explorer)).group(1)

    assert "victim of 1,000 tokens" in alternative()
    assert "cross at 2.62 GB/s" in alternative()
    assert "swap below" in alternative()
    explorer.bandwidth_gb_per_s = 1.0
    assert "recompute below" in alternative()


def test_colours_are_variables_in_the_page(explorer):
    for svg in (page_text(explorer), explorer._still.value.split("</style>")[-1]):
        assert "var(--pe-" in svg
        assert not re.findall(r"(?:fill|stroke): #(?!000000|ffffff)[0-9a-f]{6}", svg)


def test_a_still_picture_speaks():
    with pytest.raises(ValueError, match=r"tokens must be below 1,400, to end .*, not 1400"):
        eviction_timeline(1_400)
    picture = eviction_timeline(1_000)
    assert "100 ms" in picture.value
    data, metadata = picture._repr_mimebundle_()
    assert "5.243 ms" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_open_costs_show_the_parts_but_not_the_times():
    shown = open_costs(1_000)
    assert shown.value.count("? ms") == 4  # two bars; twice in what is read out
    for part in ("prefill 1,000 tokens again", "copy 131.1 MB out", "copy 131.1 MB back"):
        assert part in shown.value
    for time in ("100 ms", "5.243", "10.49"):
        assert time not in shown.value
    ends = [max(bar.get_x() + bar.get_width() for bar in row) for row in _bars_by_row(shown)]
    assert ends[0] == ends[1], "one way looks shorter than the other"


def _bars_by_row(shown):
    (axes,) = shown._canvas._picture.figure.axes
    return [[bar for bar in axes.patches if bar.get_y() == row] for row in (0, 1)]
