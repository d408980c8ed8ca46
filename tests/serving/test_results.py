"""The figures of a result, by hand."""

import pytest

from preemption.serving import IterationCost, Request, SchedulerConfig, simulate_plain

SMALL = SchedulerConfig(16, 16, 64, 8)


def test_the_figures_of_a_run():
    # Iterations of 10 tokens, and of 1 with 10 and with 11 resident ones.
    first_ms, token_ms = (IterationCost().ns(tokens, 0) / 1e6 for tokens in (10, 1))
    result = simulate_plain([Request("a", 100, 10, 3), Request("b", 1000, 10, 1)], SMALL)
    assert result.total_ms == 900 + first_ms
    assert result.iterations == 4
    assert result.ttft_ms == {"a": first_ms, "b": first_ms}
    assert result.tpot_ms == {"a": token_ms + 21 / 2 * 84e-6}
    assert result.tokens_per_s == 4 / (result.total_ms / 1000)
    assert result.recompute_share == 0
    assert [(stay.id, stay.left_ms, stay.end) for stay in result.time_line] == [
        ("a", pytest.approx(100 + first_ms + 2 * token_ms + 21 * 84e-6), "finished"),
        ("b", 1000 + first_ms, "finished"),
    ]
    nothing = simulate_plain([], SMALL)
    assert (nothing.outcome, nothing.total_ms, nothing.tokens_per_s) == ("finished", 0, 0)
    assert nothing.recompute_share == 0
