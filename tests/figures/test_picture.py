"""The base of pictures: what moves is found, limits tell their change, a flip stands at an edge."""

import math

import pytest

from preemption import MachineExplorer
from preemption.figures import quick, style
from preemption.figures.picture import Flip, Picture, Sides
from preemption.page import theme


class Two(Picture[float]):
    def __init__(self):
        super().__init__(300, 200)
        self.panels = [
            style.panel(self.figure, (left, 0.1, 0.4, 0.8), xlabel="") for left in (0.1, 0.6)
        ]
        self.label = quick.Label(self.panels[0], "a")
        self.points = quick.Points(self.panels[0], theme.SWAP, "o")
        self.lines = [quick.Line(axes, theme.SWAP) for axes in self.panels]
        self.band = quick.Band(self.panels[1], theme.SWAP)
        self.panels[0].axvline(0.5)

    def _limits(self, answer):
        return (answer,)

    def _set_limits(self, right):
        self.panels[0].set_xlim(0, right)


def test_what_is_animated_moves_panel_by_panel_in_the_order_of_drawing():
    two = Two()
    assert two.moving == [two.lines[0], two.points, two.band, two.lines[1], two.label]


def test_limits_tell_whether_they_have_changed():
    two = Two()
    assert [two.fit(right) for right in (2.0, 2.0, 3.0, 2.0)] == [True, False, True, True]
    assert two.panels[0].get_xlim() == (0, 2)


def test_a_picture_without_limits_of_its_own_never_changes_them():
    class Fixed(Picture[float]):
        pass

    assert not Fixed(300, 200).fit(1.0)


@pytest.fixture
def axes():
    axes = style.panel(style.figure(300, 200), (0.1, 0.1, 0.8, 0.8), xlabel="", log=True)
    axes.set(xlim=(0.1, 1000), ylim=(1, 100))
    return axes


@pytest.mark.parametrize(
    ("x", "at", "text", "early"),
    [
        (2.62144, 2.62144, "flips at 2.62 GB/s", True),
        (0.05, 0.1, "◂ flips at 0.05 GB/s", True),
        (262.1, 262.1, "flips at 262 GB/s", False),
        (2_000, 1_000, "flips at 2,000 GB/s ▸", False),
        (math.inf, 1_000, "", False),
    ],
)
def test_a_flip_is_named_where_there_is_room(axes, x, at, text, early):
    flip = Flip(axes, "GB/s", middle=10)
    assert flip.mark(x, 10) == early
    assert (flip.get_position(), flip.get_text()) == ((at, 10), text)
    assert flip.get_horizontalalignment() == ("left" if early else "right")


@pytest.mark.parametrize(("x", "edge"), [(3, 3), (0.01, 0.1), (math.inf, 1_000)])
def test_sides_meet_at_the_crossover_or_the_edge(axes, x, edge):
    sides = Sides(axes)
    sides.part(x)
    left, right = sides.bands
    assert (left.get_x(), left.get_x() + left.get_width()) == pytest.approx((0.1, edge))
    assert (right.get_x(), right.get_x() + right.get_width()) == pytest.approx((edge, 1_000))


def test_all_that_an_explorer_moves_is_found():
    explorer = MachineExplorer()
    drawn = [artist for artist in explorer.picture.figure.findobj() if artist.get_animated()]
    assert len(explorer.picture.moving) == len(drawn) > 20
    assert set(explorer.picture.moving) == set(drawn)
