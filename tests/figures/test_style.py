"""Limits and ticks of log axes."""

import numpy as np

from preemption.figures import style


def test_log_limits_hold_the_values_with_room():
    for values in ([0.1], [1.0, 1000.0], [0.0123, 17.0], [3.0, 3.1]):
        low, high = style.log_limits(np.array(values))
        assert low * 2 <= min(values) * (1 + 1e-9)
        assert max(values) * 1.5 <= high * (1 + 1e-9)
        ticks = style.decades(low, high)
        assert len(ticks) >= 1
        assert low * 0.999 <= ticks[0]
        assert ticks[-1] <= high * 1.001
