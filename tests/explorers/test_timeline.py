"""The pictures of one eviction, which do not move."""

import math

import pytest

from preemption import eviction_timeline, open_costs
from preemption.figures.timeline import OpenCosts
from tests.explorers.reading import saved_picture


def test_a_still_picture_speaks():
    with pytest.raises(ValueError, match=r"tokens must be below 1,400, to end .*, not 1400"):
        eviction_timeline(1_400)
    picture = eviction_timeline(1_000)
    assert "100 ms" in picture.value
    data = picture._repr_mimebundle_()
    assert "5.243 ms" in data["text/plain"]
    assert saved_picture(data)[1] == data["text/plain"]


@pytest.mark.parametrize("show", [eviction_timeline, open_costs])
@pytest.mark.parametrize(
    ("bad", "error", "said"),
    [
        (-5, ValueError, "tokens must be 0 or more, not -5"),
        (10**400, ValueError, "tokens must be 9,007,199,254,740,992 or less"),
        (math.nan, TypeError, "tokens must be a whole number, not nan"),
        (1.5, TypeError, "tokens must be a whole number, not 1.5"),
        (True, TypeError, "tokens must be a whole number, not True"),
        ("1000", TypeError, "tokens must be a whole number, not '1000'"),
        (None, TypeError, "tokens must be a whole number, not None"),
    ],
)
def test_what_is_no_number_of_tokens_is_refused(show, bad, error, said):
    with pytest.raises(error, match=said):
        show(bad)


def test_open_costs_show_the_parts_but_not_the_times():
    shown = open_costs(1_000)
    assert shown.value.count("? ms") == 6  # two bars, narrow and wide; twice in what is read out
    for part in ("prefill 1,000 tokens again", "copy 131.1 MB out", "copy 131.1 MB back"):
        assert part in shown.value
    for time in ("100 ms", "5.243", "10.49"):
        assert time not in shown.value


def test_open_bars_are_as_long_as_one_another():
    (axes,) = OpenCosts(1_000, "131.1 MB").figure.axes
    rows = [[bar for bar in axes.patches if bar.get_y() == row] for row in (0, 1)]
    ends = [max(bar.get_x() + bar.get_width() for bar in row) for row in rows]
    assert ends[0] == ends[1], "one way looks shorter than the other"
