"""The figures of a result, by hand."""

from preemption.serving import Request, SchedulerConfig, simulate_plain

SMALL = SchedulerConfig(16, 16, 64, 8)


def test_the_figures_of_a_run():
    # Iterations of 9.7 ms plus 84 ns for each of 0, 10 and 11 resident tokens.
    result = simulate_plain([Request("a", 100, 10, 3), Request("b", 1000, 10, 1)], SMALL)
    assert result.total_ms == 900 + 9.7
    assert result.iterations == 4
    assert result.ttft_ms == {"a": 9.7, "b": 9.7}
    assert result.tpot_ms == {"a": 9.7 + 21 / 2 * 84e-6}
    assert result.tokens_per_s == 4 / 0.9097
    assert result.recompute_share == 0
    assert [(stay.id, stay.left_ms, stay.end) for stay in result.time_line] == [
        ("a", 100 + 29.1 + 21 * 84e-6, "finished"),
        ("b", 1009.7, "finished"),
    ]
    nothing = simulate_plain([], SMALL)
    assert (nothing.outcome, nothing.total_ms, nothing.tokens_per_s) == ("finished", 0, 0)
    assert nothing.recompute_share == 0
