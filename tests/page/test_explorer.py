"""The moving picture, on the cost explorer: settings, drags, errors, what is sent and saved."""

import asyncio
import gc
import io
import re
import threading

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from PIL import Image

from preemption import CostExplorer, MixExplorer
from preemption.lessons import how_slow_must_the_link_be
from preemption.page import explorer as page_explorer
from preemption.page import theme
from preemption.page.controls import Number, Whole
from tests.explorers.reading import page as page_text
from tests.explorers.reading import saved_picture
from tests.explorers.test_eviction_costs import verdict_of


@pytest.fixture(scope="module")
def shared():
    return CostExplorer()


@pytest.fixture
def explorer(shared):
    shared.reset()
    return shared


def row(explorer, name):
    return explorer._rows[name]


@pytest.fixture
def fitting():
    """Return an explorer whose axes follow its settings."""
    return MixExplorer()


def axes_of(explorer):
    """Return the still layer without the room for words that it keeps free."""
    return explorer._still.value.split('class="pe-room"')[0]


def limits(explorer):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in explorer.picture.figure.axes]


def test_defaults(explorer):
    assert explorer.settings == {"tokens": 1000, "bandwidth_gb_per_s": 25, "ms_per_token": 0.1}
    for part in ("recompute 100 ms", "swap 10.49 ms", "cheaper here: swap"):
        assert part in explorer.verdict
    assert f'role="status" aria-live="polite">{explorer.verdict}</p>' in page_text(explorer)
    assert row(explorer, "tokens").box.description == "cached tokens"
    assert row(explorer, "bandwidth_gb_per_s").box.description == "link bandwidth (GB/s)"


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
    with pytest.raises(error, match=re.escape(getattr(CostExplorer, name).label)) as raised:
        setattr(explorer, name, bad)
    assert str(bad) in str(raised.value)
    assert explorer.settings == before
    assert page_text(explorer) == page


def test_a_misspelt_setting_is_refused(explorer):
    before = dict(explorer.settings)
    for name in ("bandwith_gb_per_s", "token"):
        with pytest.raises(AttributeError, match=f"no setting '{name}'; do you mean"):
            setattr(explorer, name, 1)
    assert explorer.settings == before
    explorer.note_of_mine = "kept"
    assert explorer.note_of_mine == "kept"


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
    places = CostExplorer.bandwidth_gb_per_s.places
    assert places[slider.value] == 2.7
    assert verdict_of(1000, 2.7123) in explorer.verdict


def test_the_slider_moves_over_round_numbers(explorer):
    slider, box = row(explorer, "tokens").slider, row(explorer, "tokens").box

    async def drag():  # in an event loop, so that the limits need not follow every step
        for place in range(slider.max + 1):
            slider.value = place
            assert box.value == explorer.tokens == CostExplorer.tokens.places[place]
            assert slider.value == place

    asyncio.run(drag())
    assert verdict_of(131_072, 25) in explorer.verdict


@pytest.mark.parametrize(("low", "high", "whole"), [(1, 131_072, True), (0.1, 1000.0, False)])
def test_places_rise_evenly_from_end_to_end(low, high, whole):
    places = (Whole if whole else Number).round_numbers(low, high)
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

    monkeypatch.setattr(explorer.picture, "show", broken)
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


def test_after_an_exception_axes_and_still_layer_agree(fitting, monkeypatch):
    still = axes_of(fitting)
    monkeypatch.setattr(fitting.picture, "show", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fitting.tokens = 1_000_000
    monkeypatch.undo()
    fitting.tokens = 1_000_000
    assert axes_of(fitting) != still
    fitting.tokens = 1_000
    assert axes_of(fitting) == still


def test_an_exception_while_a_guess_is_drawn_is_shown(monkeypatch):
    guess = how_slow_must_the_link_be(1_000)
    explorer = CostExplorer(guesses=[guess])
    monkeypatch.setattr(explorer._canvas, "moving_svg", lambda: 1 / 0)
    guess.answer(5.0)
    assert guess.value == 5.0
    assert "division by zero" in page_text(explorer)


def test_reset(explorer):
    explorer.change(tokens=5, bandwidth_gb_per_s=1.0, ms_per_token=1.0)
    explorer.reset()
    assert explorer.settings == CostExplorer().settings
    assert row(explorer, "tokens").box.value == 1000


def test_limits_stay_while_dragging_and_fit_when_it_ends(fitting, monkeypatch):
    monkeypatch.setattr(page_explorer, "SETTLE_S", 0.05)

    async def drag():
        before, still = limits(fitting), fitting._still.value
        slider = row(fitting, "tokens").slider
        for place in range(slider.value, slider.max + 1):
            slider.value = place
            assert limits(fitting) == before
        assert fitting.tokens == 1_000_000
        assert fitting._still.value == still
        await asyncio.sleep(0.2)
        assert limits(fitting) != before
        assert fitting._still.value != still

    asyncio.run(drag())
    at_rest = MixExplorer()
    at_rest.tokens = 1_000_000
    assert limits(fitting) == limits(at_rest)
    names = [explorer._canvas._id for explorer in (fitting, at_rest)]
    assert page_text(fitting) == page_text(at_rest).replace(*names[::-1])


def test_an_error_during_the_end_of_a_drag_stays_to_be_read(fitting, monkeypatch):
    monkeypatch.setattr(page_explorer, "SETTLE_S", 0.05)

    async def drag_and_type():
        before, tokens = limits(fitting), row(fitting, "tokens")
        tokens.slider.value = tokens.slider.max
        tokens.box.value = -1
        await asyncio.sleep(0.2)
        assert limits(fitting) != before
        assert "cached tokens must be" in page_text(fitting)
        tokens.box.value = 7
        assert "must be" not in page_text(fitting)

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


def test_code_fits_the_limits_at_once(fitting):
    before = limits(fitting)
    fitting.tokens = 1_000_000
    assert limits(fitting) != before


def test_a_redraw_sends_one_small_message(explorer):
    sent = []
    explorer._moving.observe(lambda change: sent.append(change["new"]), "value")
    for place in range(100):
        row(explorer, "bandwidth_gb_per_s").slider.value = place
    assert len(sent) == 100
    assert max(len(message.encode()) for message in sent) < 7_000


def test_explorers_do_not_disturb_each_other():
    one, two = CostExplorer(), CostExplorer()
    before = page_text(two)
    one.tokens = 7
    assert page_text(two) == before
    ids = [set(re.findall(r'id="(\w+)"', explorer._still.value)) for explorer in (one, two)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_what_is_saved_without_a_kernel(explorer):
    explorer.bandwidth_gb_per_s = 1.0
    data = explorer._repr_mimebundle_()
    assert data["text/plain"] == explorer.verdict
    png, alternative = saved_picture(data)
    assert png.startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "cross at 2.62 GB/s" in alternative


def test_colours_are_variables_in_the_page(explorer):
    for svg in (page_text(explorer), explorer._still.value.split("</style>")[-1]):
        assert "var(--pe-" in svg
        assert not re.findall(r"(?:fill|stroke): #(?!000000|ffffff)[0-9a-f]{6}", svg)


def test_the_model_is_asked_once_per_change(explorer, monkeypatch):
    asked = []
    ask = type(explorer)._ask
    monkeypatch.setattr(type(explorer), "_ask", lambda self: asked.append(1) or ask(self))
    row(explorer, "tokens").slider.value += 1
    assert len(asked) == 1  # the end of the drag draws the same answer
    explorer.change(tokens=7, bandwidth_gb_per_s=1.0)
    row(explorer, "bandwidth_gb_per_s").box.value = 3.0
    assert len(asked) == 3
    explorer.settle()
    explorer._repr_mimebundle_()
    assert len(asked) == 3


def test_a_wrong_answer_of_the_model_changes_nothing(explorer, monkeypatch):
    before, page = dict(explorer.settings), page_text(explorer)
    monkeypatch.setattr(explorer, "_ask", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        explorer.tokens = 7
    assert (explorer.settings, page_text(explorer)) == (before, page)
    explorer.settle()
    assert page_text(explorer) == page


def png_of(bundle):
    return Image.open(io.BytesIO(saved_picture(bundle)[0])).convert("RGB")


def test_a_covered_picture_that_does_not_move_leaves_only_what_to_do():
    still = CostExplorer().finding()
    shown = still._repr_mimebundle_()
    assert "<img " in shown["text/html"]
    bundle = still.covered()._repr_mimebundle_()
    assert bundle["text/plain"] == page_explorer.COVER
    assert bundle["text/html"] == f"<p>{page_explorer.COVER}</p>"
    assert bundle.keys() == shown.keys()


def test_a_covered_explorer_leaves_its_frame_and_what_to_do(explorer):
    covered = CostExplorer().covered()
    bundle = covered._repr_mimebundle_()
    assert bundle["text/plain"] == saved_picture(bundle)[1] == page_explorer.COVER
    assert "application/vnd.jupyter.widget-view+json" in bundle
    cover = png_of(bundle)
    shown = png_of(explorer._repr_mimebundle_())
    assert cover.size == shown.size
    colours = [{colour for _, colour in image.getcolors(1 << 20)} for image in (cover, shown)]
    recompute = tuple(bytes.fromhex(theme.RECOMPUTE[1:]))
    assert [recompute in found for found in colours] == [False, True]
    assert len(saved_picture(bundle)[0]) < 40_000


def test_under_its_cover_the_picture_is_there_and_moves():
    covered = CostExplorer().covered()
    covered._repr_mimebundle_()
    covered.tokens = 2_000
    assert verdict_of(2_000, 25) in page_text(covered)
    assert covered._moving.value.count("<path") == CostExplorer()._moving.value.count("<path")


def test_a_finding_is_the_whole_picture_and_moves_no_more(explorer):
    still = explorer.finding()
    alternative = still._alternative
    before = still.value
    assert alternative in before
    assert "flips at 2.62 GB/s" in before
    assert "link bandwidth (GB/s)" in before
    explorer.tokens = 5
    assert still.value == before
    bundle = still._repr_mimebundle_()
    assert saved_picture(bundle)[1] == bundle["text/plain"] == alternative


def renderers():
    gc.collect()
    return [each for each in gc.get_objects() if isinstance(each, RendererAgg)]


def test_nothing_keeps_the_pixels_of_a_picture_alive():
    before = renderers()  # those of other tests, which draw by matplotlib's own canvas
    shown = [CostExplorer(), CostExplorer().finding()]
    for each in shown:
        each._repr_mimebundle_()
    left = [each for each in renderers() if not any(each is other for other in before)]
    assert left == []
