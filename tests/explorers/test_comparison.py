"""How both ways compare, in words."""

import math

import pytest

from preemption.costs import cheaper
from preemption.explorers import comparison


@pytest.mark.parametrize(
    ("one_ms", "other_ms", "said"),
    [
        (1.0, 1.0, "on a tie"),
        (1.0, 1.004, "by less than 1%"),
        (1.042, 1.0, "by 4%"),
        (100.0, 95.3, "by 4.7%"),  # what is saved of the 100
        (9.54, 1.0, "by a factor of 9.54"),
    ],
)
def test_leads_are_told_in_words(one_ms, other_ms, said):
    assert comparison.lead(one_ms, other_ms) == comparison.lead(other_ms, one_ms) == said


def test_a_tie_goes_to_recompute_as_in_the_model():
    assert comparison.winner(100.0, 100.0) == cheaper(1_000, 131_072, 2.62144e9) == "recompute"
    assert comparison.winner(100.0, 99.9) == "swap"


def test_a_crossover_that_no_link_reaches_is_said():
    assert comparison.crossover(2.62144) == "The choice flips at 2.62 GB/s."
    assert comparison.crossover(math.inf).startswith("No link is fast enough")


def test_the_cheaper_cost_stands_out_in_the_table():
    for costs_ms, best in (((5.0, 6.0), "5"), ((6.0, 5.0), "5"), ((7.0, 7.0), "7")):
        table = comparison.cost_table(*costs_ms, recompute_how="2 × n^2", swap_how="a & b")
        assert table.count("pe-best") == 1
        assert f'pe-best">{best}<' in table
        assert "<td>2 × n<sup>2</sup></td>" in table
        assert "<td>a &amp; b</td>" in table
