"""What a reader is told of a wrong result: input, result and direction."""

from decimal import Decimal

import numpy as np
import pytest

from preemption.exercises.judge import judge_here
from preemption.exercises.tasks import TASKS

FIRST_TRIES = [
    (
        "recompute_ms",
        "lambda tokens, ms_per_token=0.1: tokens * ms_per_token / 1000",
        "recompute_ms(1000) gave 0.1: too small, by a factor of 1,000. Look at the units.",
    ),
    (
        "recompute_ms",
        "lambda tokens, ms_per_token=0.1: 100",
        "recompute_ms(0) gave 100: too large.",
    ),
    (
        "recompute_ms",
        "lambda tokens, ms_per_token=0.1: tokens * 0.1",
        "recompute_ms(1000, ms_per_token=0.25) gave 100.0: too small.",
    ),
    (
        "recompute_ms",
        "lambda tokens, ms_per_token=0.1: str(tokens * ms_per_token)",
        "gave '100.0': the result must be one number.",
    ),
    (
        "recompute_ms",
        "lambda tokens, ms_per_token=0.1: tokens == 1000",
        "gave True: the result must be one number.",
    ),
    ("recompute_ms", "lambda t, m=0.1: float('nan')", "gave nan: that is not a number."),
    ("recompute_ms", "lambda t, m=0.1: 10**400", "too large."),
    ("recompute_ms", "lambda t, m=0.1: -(10**400)", "too small. Its sign is wrong."),
    ("recompute_ms", "lambda t, m=0.1: -t * m", "gave -100.0: too small. Its sign is wrong."),
    ("recompute_ms", "lambda t, m=0.1: -t * m / 1000", "too small. Its sign is wrong."),
    ("recompute_ms", "lambda t, m=0.1: Decimal('sNaN')", "that is not a number."),
    ("recompute_ms", "lambda t, m=0.1: Decimal('1e999999')", "too large."),
    ("recompute_ms", "lambda t, m=0.1: 1j", "the result must be one number."),
    ("recompute_ms", "lambda t, m=0.1: np.array([1.0])", "the result must be one number."),
    ("recompute_ms", "lambda t, m=0.1: np.True_", "the result must be one number."),
    (
        "swap_ms",
        "lambda n, size, speed, round_trip=True: 1000 * n * size / speed",
        "swap_ms(1000, 131072, 25e9) gave 5.24288: too small.",
    ),
    (
        "swap_ms",
        "lambda n, size, speed, round_trip=True: round(2000 * n * size / speed, 2)",
        "gave 10.49: close, but too large. Is it rounded?",
    ),
    (
        "swap_ms",
        "lambda n, size, speed, round_trip=True: (1000, 2000)[round_trip] * n * size / speed",
        "swap_ms(1000, 131072, 0) raised ZeroDivisionError (division by zero), "
        "but a bandwidth of 0 calls for a ValueError.",
    ),
    (
        "cheaper",
        "lambda n, size, speed: 'Swap'",
        'gave \'Swap\': the result must be exactly "recompute" or "swap".',
    ),
    ("cheaper", "lambda n, size, speed: 'swap'", "1e9) gave 'swap': the other way takes less"),
    (
        "cheaper",
        "lambda n, size, speed: 'swap' if n * size * 2 / speed <= n / 10_000 else 'recompute'",
        "gave 'swap': here swapping takes as long as recomputing, not less.",
    ),
    (
        "spare_the_oldest",
        "lambda running: min(running, key=running.get)",
        "gave 'a': that one was admitted first, and is to be spared.",
    ),
    (
        "spare_the_oldest",
        "lambda running: list(running)[1]",
        "gave 'b': that one has too many tokens; another has fewer.",
    ),
    (
        "spare_the_oldest",
        "lambda running: min(list(running)[1:] or running, key=running.get)",
        "gave 'b': another one with as few tokens was admitted later.",
    ),
    ("spare_the_oldest", "lambda running: 100", "gave 100: the result must be one of the names."),
    (
        "pick_victim",
        "lambda seqs: max(seqs, key=seqs.get)",
        "pick_victim({'a': 300, 'b': 100, 'c': 200}) gave 'a': "
        "that one has too many tokens; another has fewer.",
    ),
    (
        "pick_victim",
        "lambda seqs: min(seqs, key=seqs.get)",
        "gave 'b': another name with as few tokens comes first in plain string order.",
    ),
    ("pick_victim", "lambda seqs: min(seqs.values())", "gave 100: the result must be one of the"),
    (
        "pick_victim",
        "lambda seqs: min([(n, name) for name, n in seqs.items()] or [(0, '')])[1]",
        "pick_victim({}) gave '', but an empty seqs calls for a ValueError.",
    ),
    (
        "pick_victim",
        "lambda seqs: sorted((n, name) for name, n in seqs.items())[0][1]",
        "pick_victim({}) raised IndexError (list index out of range), "
        "but an empty seqs calls for a ValueError.",
    ),
    (
        "pick_victims",
        "lambda seqs, blocks_needed: [min(seqs, key=seqs.get)]",
        "gave ['b']: they hold too few blocks, 1 of 3.",
    ),
    (
        "pick_victims",
        "lambda seqs, blocks_needed: list(seqs)",
        "too expensive: another choice frees enough blocks for fewer tokens.",
    ),
    ("pick_victims", "lambda seqs, blocks_needed: 'c'", "must be a list of different names"),
    ("pick_victims", "lambda seqs, n: ['c', 'c']", "must be a list of different names"),
    ("pick_victims", "lambda seqs, n: [['c']]", "must be a list of different names"),
    ("pick_victims", "lambda seqs, n: seqs", "must be a list of different names"),
    ("pick_victims", "lambda seqs, n: np.array('c')", "must be a list of different names"),
    (
        "continuous_schedule",
        "lambda lengths, slots: [['A', 'B'], ['A', None], ['C', None], ['C', None]]",
        "slot 1 is left free in iteration 1, both counted from 0.",
    ),
    (
        "continuous_schedule",
        "lambda lengths, slots: [['A', 'B'], ['A', 'C'], ['A', 'C']]",
        "slot 0 is held too long in iteration 2, both counted from 0.",
    ),
    (
        "continuous_schedule",
        "lambda lengths, slots: [['B', 'A']]",
        "slot 0 is held by the wrong sequence in iteration 0",
    ),
    ("continuous_schedule", "lambda x, slots: [['A', 'B']]", "1 rows are too few."),
    (
        "continuous_schedule",
        "lambda x, slots: [['A', 'B'], ['A', 'C'], [None, 'C'], [None, None]]",
        "4 rows are too many.",
    ),
    ("continuous_schedule", "lambda x, slots: [['A']]", "must have one entry per slot, 2."),
    ("continuous_schedule", "lambda x, slots: ['AB']", "must be a list of rows"),
    ("continuous_schedule", "lambda x, slots: [['A', 5]]", "held by the wrong sequence"),
    ("continuous_schedule", "lambda x, slots: [{'A', 'B'}]", "must be a list of rows"),
    ("continuous_schedule", "lambda x, slots: 5", "must be a list of rows"),
    ("continuous_schedule", "lambda x, slots: []", "0 rows are too few."),
]


@pytest.mark.parametrize(("name", "source", "words"), FIRST_TRIES)
def test_a_mistake_is_named_with_input_result_and_direction(name, source, words):
    verdict = judge_here(TASKS[name], eval(source, {"np": np, "Decimal": Decimal}))
    assert verdict.outcome == "wrong"
    assert words in verdict.words


def test_no_value_can_pretend_to_be_right():
    class Yes(float):
        def __eq__(self, _other):
            return True

        def __sub__(self, _other):
            return 0

        def __le__(self, _other):
            return True

        __hash__ = float.__hash__

    class Any(str):
        def __eq__(self, _other):
            return True

        __hash__ = str.__hash__

    assert judge_here(TASKS["recompute_ms"], lambda *_: Yes(1)).outcome == "wrong"
    assert judge_here(TASKS["cheaper"], lambda *_: Any("x")).outcome == "wrong"
    assert judge_here(TASKS["pick_victim"], lambda *_: Any("x")).outcome == "wrong"
    assert judge_here(TASKS["pick_victims"], lambda *_: [Any("x")]).outcome == "wrong"
    rows = [[Any("x")] * 2] * 3
    assert judge_here(TASKS["continuous_schedule"], lambda *_: rows).outcome == "wrong"
