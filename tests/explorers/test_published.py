"""Published results beside the model: the pictures hold the figures, and say them."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from preemption import published_beside_model, studies, words
from preemption.figures.published import PublishedBesideModel
from preemption.page.canvas import Canvas
from tests.explorers.reading import broken_places, data, saved_picture


@pytest.mark.parametrize("name", studies.PUBLISHED)
def test_the_lines_are_the_figures_and_the_bars_their_spread(name):
    picture = PublishedBesideModel("setting", studies.beside(name))
    for axes, series in zip(picture.panels, studies.beside(name), strict=True):
        model, published = axes.lines[:2]
        assert data(model)[:, 1].tolist() == [found.median for found in series.model]
        given = [figure for figure in series.published if figure is not None]
        assert data(published)[:, 1].tolist() == given
        (bars,) = axes.collections
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        assert ends.tolist() == [[found.low, found.high] for found in series.model]
        assert model.get_linestyle() == "-"
        assert published.get_linestyle() == "--"
        assert (model.get_marker(), published.get_marker()) == ("o", "s")
        assert axes.get_ylim()[0] == 0 < max(*ends[:, 1], *given) < axes.get_ylim()[1]


@pytest.mark.parametrize("name", studies.PUBLISHED)
def test_all_figures_are_said(name):
    picture = published_beside_model(name)
    bundle = picture._repr_mimebundle_()
    said = bundle["text/plain"]
    assert saved_picture(bundle)[1] == said
    for series in studies.beside(name):
        assert f"{series.measure}. " in said
        for setting, given, found in zip(
            series.settings, series.published, series.model, strict=True
        ):
            figure = "" if given is None else f"published {words.digits(given)}, "
            assert f"{setting}: {figure}model {words.digits(found.median, 3)}" in said
    assert broken_places(picture.value.split("</style>")[-1]) == []


@pytest.mark.parametrize("name", studies.PUBLISHED)
@pytest.mark.parametrize("narrow", [False, True])
def test_names_of_settings_do_not_touch(name, narrow):
    picture = PublishedBesideModel("setting", studies.beside(name))
    Canvas(picture)
    picture.arrange(narrow=narrow)
    renderer = FigureCanvasAgg(picture.figure).get_renderer()
    for axes in picture.panels:
        boxes = [label.get_window_extent(renderer) for label in axes.get_xticklabels()]
        for left, right in pairwise(boxes):
            assert left.x1 < right.x0


def test_an_unknown_result_is_refused():
    with pytest.raises(ValueError, match='name must be "watermark"'):
        published_beside_model("waterline")
