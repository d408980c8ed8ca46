"""Artists that write themselves into an SVG: in the place where matplotlib would draw them."""

import io
import math
import re

import numpy as np
import pytest
from matplotlib.image import imread

from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme
from preemption.page.canvas import Canvas

HEIGHT = 200.0
NUMBER = r"-?[\d.]+"


@pytest.fixture(params=[False, True], ids=["linear", "log"])
def axes(request):
    figure = style.figure(300, HEIGHT)
    axes = style.panel(figure, (0.1, 0.1, 0.8, 0.8), xlabel="", log=request.param)
    axes.set(xlim=(1, 1000), ylim=(10, 100))
    return axes


def place(axes, x, y):
    """Return where matplotlib puts a point of the axes, in pixels, y downwards."""
    px, py = axes.transData.transform((x, y))
    return [px, HEIGHT - py]


def numbers(markup, letter):
    return [
        [float(x), float(y)]
        for x, y in re.findall(rf"{letter}({NUMBER}) ({NUMBER})", markup.split('class="')[0])
    ]


def style_in(svg):
    """Return the style that its class stands for."""
    (name,) = re.findall(r'class="([^"]*)"', svg)
    return theme.css_of(name)


def test_a_line_goes_through_its_points(axes):
    line = quick.Line(axes, theme.SWAP, dashes=(4, 2))
    line.set_data([1, 10, 1000], [10, 100, 50])
    svg = line.svg(HEIGHT)
    assert numbers(svg, "M") + numbers(svg, "L") == [
        pytest.approx(place(axes, *point), abs=0.06) for point in ((1, 10), (10, 100), (1000, 50))
    ]
    assert "stroke-dasharray:12,6" in style_in(svg)
    assert theme.SWAP in style_in(svg)


def test_a_line_follows_the_limits_and_goes_on_below_them(axes):
    line = quick.Line(axes, theme.SWAP)
    line.set_data([2, 0], [20, -5])
    for limits in ((1, 1000), (2, 50)):
        axes.set_xlim(limits)
        svg = line.svg(HEIGHT)
        assert numbers(svg, "M") == [pytest.approx(place(axes, 2, 20), abs=0.06)]
        assert numbers(svg, "L") == [pytest.approx(place(axes, 0, -5), abs=0.06)]


def test_a_point_that_is_not_finite_breaks_the_line(axes):
    line = quick.Line(axes, theme.SWAP)
    line.set_data([1, 2, 3, 4], [10, math.nan, 30, 40])
    svg = line.svg(HEIGHT)
    assert len(numbers(svg, "M")) == 2
    assert numbers(svg, "L") == [pytest.approx(place(axes, 4, 40), abs=0.06)]


def test_a_line_may_stand_at_parts_of_the_height(axes):
    line = quick.Line(axes, theme.MUTED, place="x")
    line.set_data([10, 10], [0, 1])
    assert numbers(line.svg(HEIGHT), "M") == [
        pytest.approx([place(axes, 10, 10)[0], 180], abs=0.06)
    ]


@pytest.mark.parametrize("marker", ["o", "s", "D"])
def test_points_stand_at_their_places(axes, marker):
    points = quick.Points(axes, theme.INK, marker, size=8, face=theme.PAPER)
    points.set_data([10, 100], [20, 80])
    svg = points.svg(HEIGHT)
    assert numbers(svg, "M") == [
        pytest.approx(place(axes, *point), abs=0.06) for point in ((10, 20), (100, 80))
    ]
    assert f"fill:{theme.PAPER};stroke:{theme.INK}" in style_in(svg)


def test_a_band_spans_the_height(axes):
    band = quick.Band(axes, theme.RECOMPUTE)
    band.span(10, 100)
    ((left, bottom),) = numbers(band.svg(HEIGHT), "M")
    right, top = re.search(rf"H({NUMBER})V({NUMBER})", band.svg(HEIGHT)).groups()
    assert [left, float(right)] == pytest.approx(
        [place(axes, 10, 10)[0], place(axes, 100, 10)[0]], abs=0.06
    )
    assert [bottom, float(top)] == pytest.approx([180, 20], abs=0.06)


def test_an_area_lies_between_two_curves(axes):
    area = quick.Area(axes, theme.SWAP, alpha=0.2)
    area.put([(10, 20), (100, 30)], [(10, 40), (100, 80)])
    svg = area.svg(HEIGHT)
    corners = numbers(svg, "M") + numbers(svg, "L")
    assert corners[:4] == [
        pytest.approx(place(axes, *corner), abs=0.06)
        for corner in ((10, 20), (100, 30), (100, 80), (10, 40))
    ]
    assert f"fill:{theme.SWAP};opacity:0.2" in style_in(svg)


def test_the_png_shows_an_area(axes):
    area = quick.Area(axes, "#ff0000", alpha=1)
    canvas = Canvas(Pair(axes, area))
    without = canvas.png()
    area.put([(2, 20), (500, 20)], [(2, 80), (500, 80)])
    assert [has_red(without), has_red(canvas.png())] == [False, True]


def test_boxes_stand_at_their_places(axes):
    boxes = quick.Boxes(axes, theme.DECODE, edge=theme.INK)
    boxes.put([(10, 20, 90, 60), (200, 90, -150, -70)])
    svg = boxes.svg(HEIGHT)
    corners = np.cumsum(numbers(svg, "m"), axis=0).tolist()  # each from the one before
    assert corners == [
        pytest.approx(place(axes, *corner), abs=0.06) for corner in ((10, 20), (200, 90))
    ]
    for found, first, opposite in zip(
        re.findall(rf"h({NUMBER})v({NUMBER})h({NUMBER})z", svg),
        ((10, 20), (200, 90)),
        ((100, 80), (50, 20)),
        strict=True,
    ):
        (x0, y0), (x1, y1) = place(axes, *first), place(axes, *opposite)
        assert [float(n) for n in found] == pytest.approx([x1 - x0, y1 - y0, x0 - x1], abs=0.06)
    assert f"fill:{theme.DECODE};stroke:{theme.INK}" in style_in(svg)


def test_the_png_shows_boxes(axes):
    boxes = quick.Boxes(axes, "#ff0000")
    canvas = Canvas(Pair(axes, boxes))
    without = canvas.png()
    boxes.put([(2, 20, 500, 60)])
    assert [has_red(without), has_red(canvas.png())] == [False, True]


def test_a_label_is_placed_shifted_and_escaped(axes):
    label = quick.Label(axes, ha="right", fontweight="bold")
    label.put(10, 20, "a < b")
    label.shift_px = (5, 7)
    svg = label.svg(HEIGHT)
    x, y = place(axes, 10, 20)
    found = re.search(rf'x="({NUMBER})" y="({NUMBER})"', svg).groups()
    assert [float(n) for n in found] == pytest.approx([x + 5, y - 7], abs=0.06)
    for part in ('text-anchor="end"', "a &lt; b"):
        assert part in svg
    assert "font-weight:bold" in style_in(svg)


class Pair(Picture):
    """A picture with one moving artist."""

    def __init__(self, axes, artist):
        self.figure = axes.figure
        assert artist in self.moving


def has_red(png):
    pixels = imread(io.BytesIO(png))[..., :3]
    return bool(np.any((pixels[..., 0] > 0.9) & (pixels[..., 1:] < 0.1).all(axis=-1)))


def test_only_clipped_artists_are_cut_off_at_the_axes(axes):
    line, label = quick.Line(axes, theme.INK), quick.Label(axes, "x")
    label.set_visible(False)
    canvas = Canvas(Pair(axes, line))
    canvas.still_svg()
    assert '<svg role="none" x=' in canvas.moving_svg()
    label.set_visible(True)
    line.set_visible(False)
    assert "<svg role=" not in canvas.moving_svg()
    assert "<path" not in canvas.moving_svg()


def test_the_still_layer_leaves_them_out_and_the_png_shows_them(axes):
    line = quick.Line(axes, "#ff0000", width=9)
    canvas = Canvas(Pair(axes, line))
    without, still = canvas.png(), canvas.still_svg()
    line.set_data([1, 1000], [10, 100])
    assert canvas.still_svg() == still
    assert [has_red(without), has_red(canvas.png())] == [False, True]


def test_points_that_are_not_finite_have_no_marker(axes):
    points = quick.Points(axes, theme.SWAP, "D")
    points.set_data([2, math.inf, math.nan], [20, 20, 20])
    svg = points.svg(HEIGHT)
    assert svg.count("M") == 1
    assert "inf" not in svg
    assert "nan" not in svg


def test_a_halo_of_paper_lies_behind_the_letters(axes):
    label = quick.Label(axes, "here", halo=True)
    label.put(10, 50)
    assert f"paint-order:stroke;stroke:{theme.PAPER}" in style_in(label.svg(HEIGHT))
    assert "paint-order" not in quick.Label(axes, "here").svg(HEIGHT)


def test_an_upright_line_spans_the_axes(axes):
    line = quick.upright(axes)
    line.set_data([100, 100], [0, 1])
    (_, bottom), (_, top) = numbers(line.svg(HEIGHT), "M") + numbers(line.svg(HEIGHT), "L")
    assert bottom - top == pytest.approx(0.8 * HEIGHT, abs=0.2)
