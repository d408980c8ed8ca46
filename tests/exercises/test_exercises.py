"""The tasks against the package, their messages, and how check, hint and solution show."""

import re
from html.parser import HTMLParser
from itertools import combinations
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption import costs, serving
from preemption.costs import MODELS
from preemption.exercises import display
from preemption.exercises.display import check, hint, progress, solution
from preemption.exercises.judge import Case, judge_here
from preemption.exercises.stand_ins import judge_alone
from preemption.exercises.tasks import TASKS, pick_victims, share_to_recompute
from preemption.page import theme

FUNCTIONS = ["recompute_ms", "swap_ms", "cheaper", "pick_victim", "eviction_overhead"]
STRETCH = ["crossover_bandwidth", "pick_victims", "share_to_recompute"]
SCHEDULES = ["utilization", "continuous_schedule"]
ALL = FUNCTIONS + STRETCH + SCHEDULES


@pytest.fixture(autouse=True)
def fresh_progress(monkeypatch):
    monkeypatch.setattr(display, "_outcomes", {})


def notebook(*sources):
    """Run cells one after another in one namespace; return it."""
    names = {}
    for source in sources:
        exec(source, names)
    return names


def solved():
    return notebook(*(TASKS[name].solution for name in ALL))


# The tasks


def test_the_tasks_and_their_parts():
    assert list(TASKS) == ALL
    assert [TASKS[name].part for name in ALL] == (
        ["functions"] * 5 + ["stretch tasks"] * 3 + ["schedules"] * 2
    )
    for name in FUNCTIONS + STRETCH[:1]:
        assert TASKS[name].reference is getattr(costs, name)
    for name in SCHEDULES:
        assert TASKS[name].reference is getattr(serving, name)


@pytest.mark.parametrize("name", ALL)
def test_cases_agree_with_the_package(name):
    task = TASKS[name]
    assert not task.cases[0].refused
    for case in task.cases:
        if case.refused:
            with pytest.raises(ValueError, match=r"."):
                task.reference(*case.args, **case.options)
        else:
            result = task.reference(*case.args, **case.options)
            assert task.mistake(result, result, case) is None


def test_errors_are_asked_for_only_where_the_contract_has_them():
    refused = {name for name in ALL for case in TASKS[name].cases if case.refused}
    assert refused == {"swap_ms", "pick_victim", "pick_victims"}


counts = st.integers(0, 10**6)
sizes = st.integers(1, 10**7)
speeds = st.floats(1, 1e13)
names = st.text("abcAB1", min_size=1, max_size=3)
flags = st.booleans()
ARGUMENTS = {
    "recompute_ms": st.tuples(counts, st.floats(0, 1e3)),
    "swap_ms": st.tuples(counts, sizes, speeds, flags),
    # Away from the tie, where rounding decides.
    "cheaper": st.tuples(counts, sizes, speeds).filter(
        lambda x: abs(x[2] / costs.crossover_bandwidth(x[1]) - 1) > 1e-9
    ),
    "pick_victim": st.tuples(st.dictionaries(names, st.integers(0, 3), min_size=1)),
    "eviction_overhead": st.tuples(
        st.lists(st.tuples(counts, st.sampled_from(["recompute", "swap"])))
    ),
    "crossover_bandwidth": st.tuples(sizes, st.floats(1e-4, 1e3), flags),
    "pick_victims": st.tuples(
        st.dictionaries(names, st.integers(0, 70), max_size=5), st.integers(0, 8)
    ).filter(lambda x: sum(-(-tokens // 16) for tokens in x[0].values()) >= x[1]),
    "share_to_recompute": st.tuples(sizes, speeds, st.floats(1e-4, 1e3)),
    "utilization": st.integers(1, 4).flatmap(
        lambda width: st.tuples(
            st.lists(
                st.lists(st.sampled_from(["A", "B", None]), min_size=width, max_size=width),
                min_size=1,
            )
        )
    ),
    "continuous_schedule": st.tuples(
        st.dictionaries(names, st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 4)
    ),
}


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=40)
@given(data=st.data())
def test_a_solution_equals_the_package(name, data):
    args = data.draw(ARGUMENTS[name])
    result, right = solved()[name](*args), TASKS[name].reference(*args)
    assert TASKS[name].mistake(result, right, Case(args, {}, "")) is None


@pytest.mark.parametrize("name", ALL)
def test_a_solution_has_five_lines_at_most(name):
    lines = TASKS[name].solution.splitlines()
    assert len(lines) <= 5
    assert all(len(line) <= 100 for line in lines)
    assert lines[0].startswith(f"def {name}(")


@given(
    seqs=st.dictionaries(names, st.integers(0, 70), max_size=5),
    needed=st.integers(0, 12),
)
def test_pick_victims_is_the_cheapest_group_that_frees_enough(seqs, needed):
    costs_of_enough = [
        sum(group)
        for size in range(len(seqs) + 1)
        for group in combinations(seqs.values(), size)
        if sum((tokens + 15) // 16 for tokens in group) >= needed
    ]
    if not costs_of_enough:
        with pytest.raises(ValueError, match="blocks are needed"):
            pick_victims(seqs, needed)
    else:
        group = pick_victims(seqs, needed)
        assert sum(seqs[name] for name in group) == min(costs_of_enough)
        assert sum((seqs[name] + 15) // 16 for name in group) >= needed


@given(speed=st.floats(1e8, 1e12), prefill=st.floats(1e-2, 10))
def test_the_best_share_is_that_of_a_real_machine_without_its_extras(speed, prefill):
    recompute = costs.Recompute(
        floor_ms=0, start_ms=0, ms_per_token=prefill, source="example", sure="derived"
    )
    model = MODELS["Llama-3-8B"]
    copy = costs.Copy(model=model, bandwidth_bytes_per_s=speed, launch_us=0, round_trip=False)
    share = share_to_recompute(costs.PER_TOKEN_BYTES, speed, prefill)
    assert costs.best_mix(1_000, recompute, copy).share == pytest.approx(share)


@given(size=st.floats(1, 1e7), speed=st.floats(1e6, 1e13), prefill=st.floats(1e-3, 1e3), n=counts)
def test_with_the_best_share_both_ways_end_together(size, speed, prefill, n):
    share = share_to_recompute(size, speed, prefill)
    recompute = share * costs.recompute_ms(n, prefill)
    load = (1 - share) * costs.swap_ms(n, size, speed, round_trip=False)
    assert recompute == pytest.approx(load, rel=1e-6, abs=1e-6)
    whole = min(costs.recompute_ms(n, prefill), costs.swap_ms(n, size, speed, round_trip=False))
    assert recompute <= whole * (1 + 1e-9)


# What a reader is told

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
    ("recompute_ms", "lambda t, m=0.1: -(10**400)", "too small."),
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
]


@pytest.mark.parametrize(("name", "source", "words"), FIRST_TRIES)
def test_a_mistake_is_named_with_input_result_and_direction(name, source, words):
    verdict = judge_here(TASKS[name], eval(source))
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


# Functions that call each other

BROKEN = [
    "def {0}(*args, **options): return 'broken'",
    "def {0}(*args, **options): ...",
    "def {0}(*args, **options): raise NotImplementedError",
    "def {0}(*args, **options): return 1 / 0",
    "def {0}(): return 1",
    "del {0}",
]


@pytest.mark.parametrize("broken", FUNCTIONS)
@pytest.mark.parametrize("source", BROKEN)
def test_with_one_function_broken_the_others_stay_right(broken, source):
    cells = solved()
    exec(source.format(broken), cells)
    before = {name: cells.get(name) for name in ALL}
    for name in set(FUNCTIONS) - {broken}:
        assert check(cells[name]).outcome == "right"
    if broken in cells:
        assert check(cells[broken], broken).outcome != "right"
    assert {name: cells.get(name) for name in ALL} == before
    assert (broken in cells) == (source != "del {0}")


RIGHT = {name: task.reference for name, task in TASKS.items()}


def test_a_stand_in_is_told():
    cells = notebook(TASKS["cheaper"].solution, "def swap_ms(*args): ...")
    words = judge_alone(TASKS["cheaper"], cells["cheaper"], RIGHT).words
    assert "With your recompute_ms and swap_ms it did not yet work" in words
    words = judge_alone(TASKS["cheaper"], solved()["cheaper"], RIGHT).words
    assert "your" not in words


@pytest.mark.parametrize(
    "helper",
    [
        "def cost(n, how): return swap_ms(n, 131_072, 25e9) if how == 'swap' else n / 10",
        "cost = lambda n, how: [lambda: swap_ms(n, 131_072, 25e9), lambda: n / 10][how < 's']()",
    ],
)
def test_right_ones_stand_in_for_what_helpers_call(helper):
    cells = notebook(
        helper,
        "def eviction_overhead(evictions): return sum(cost(*one) for one in evictions)",
        "def swap_ms(*args): ...",
    )
    verdict = judge_alone(TASKS["eviction_overhead"], cells["eviction_overhead"], RIGHT)
    assert verdict.outcome == "right"
    assert "With your swap_ms it did not yet work" in verdict.words


def test_a_stand_in_excuses_no_mistake_of_ones_own():
    cells = notebook(
        "def cheaper(*x): return max(['swap', 'recompute'], key=lambda w: swap_ms(*x))",
        "def swap_ms(*args): ...",
    )
    verdict = judge_alone(TASKS["cheaper"], cells["cheaper"], RIGHT)
    assert verdict.outcome == "wrong"
    assert "takes less time" in verdict.words


# How it shows


class Page(HTMLParser):
    """Tags and text of a piece of HTML; every tag has to be closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        style, html = re.fullmatch(r"(?s)(<style>.*</style>)(.*)", html).groups()
        assert style == theme.STYLE
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def shell(monkeypatch):
    """A stand-in for IPython that keeps what is shown."""
    shown = []
    shell = SimpleNamespace(execution_count=1, shown=shown)
    shell.display_pub = SimpleNamespace(publish=shown.append)
    monkeypatch.setattr(display, "get_ipython", lambda: shell)
    return shell


def test_check_shows_and_returns_its_result(capsys):
    result = check(costs.recompute_ms)
    assert result.outcome == "right"
    assert result.message == "recompute_ms: right. All 8 calls came out right."
    assert capsys.readouterr().out == f"{result.message}\nProgress: 1 of 5 functions right.\n"
    assert repr(result) == "Checked(name='recompute_ms', outcome='right')"


def test_the_task_can_be_named(capsys):
    assert check(lambda *_: 0, "recompute_ms").outcome == "wrong"
    assert check(costs.recompute_ms, name="swap_ms").outcome == "wrong"
    assert "swap_ms: wrong. It is called as swap_ms(1000, 131072, 25e9)" in capsys.readouterr().out


def test_a_lambda_has_the_name_that_its_notebook_gives_it(capsys):
    cells = notebook("recompute_ms = lambda tokens, ms_per_token=0.1: tokens * ms_per_token")
    assert check(cells["recompute_ms"]).name == "recompute_ms"
    assert "recompute_ms: right" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("function", "name", "error", "words"),
    [
        (100.0, None, TypeError, "the function itself"),
        (None, "swap_ms", TypeError, "the function itself"),
        (lambda: 1, None, ValueError, "no task '<lambda>'; the tasks are recompute_ms, swap_ms"),
        (len, "length", ValueError, "no task 'length'"),
        (object, None, ValueError, "no task 'object'"),
    ],
)
def test_check_refuses_what_it_cannot_check(function, name, error, words):
    with pytest.raises(error, match=re.escape(words)):
        check(function, name)


def test_html_says_what_the_text_says_and_escapes_it(shell):
    def swap_ms(*_args):
        raise ValueError("<script>alert('&')</script>")

    result = check(swap_ms)
    (bundle,) = shell.shown
    assert bundle["text/plain"] == f"{result.message}\nProgress: 0 of 5 functions right."
    page = Page(bundle["text/html"])
    assert page.text == bundle["text/plain"].replace("\n", "")
    assert [tag for tag, _ in page.tags] == ["div", "div", "p", "strong", "p"]
    assert page.tags[0][1]["class"] == "pe"
    assert page.tags[1][1]["role"] == "status"


def test_a_result_at_the_end_of_its_own_cell_is_shown_once(shell):
    result = check(costs.swap_ms)
    result._ipython_display_()
    assert len(shell.shown) == 1
    shell.execution_count += 1
    result._ipython_display_()
    assert len(shell.shown) == 2


def test_checks_are_the_same_in_every_run(shell):
    def pick_victim(_seqs):
        return object()

    assert check(pick_victim) == check(pick_victim)
    assert shell.shown[0] == shell.shown[1]


def test_progress_counts_what_is_right_now(capsys):
    check(costs.recompute_ms)
    check(costs.swap_ms)
    check(lambda *_: 0, "swap_ms")
    check(serving.utilization)
    capsys.readouterr()
    progress()
    assert capsys.readouterr().out == (
        "1 of 5 functions right\n"
        "  recompute_ms: right\n"
        "  swap_ms: wrong\n"
        "  cheaper: not attempted\n"
        "  pick_victim: not attempted\n"
        "  eviction_overhead: not attempted\n"
    )
    progress("schedules")
    assert capsys.readouterr().out.startswith("1 of 2 schedules right\n  utilization: right\n")
    with pytest.raises(ValueError, match="the parts are functions, stretch tasks, schedules"):
        progress("all")


def test_progress_in_html(shell):
    for name, function in solved().items():
        if name in ALL:
            check(function)
    progress()
    page = Page(shell.shown[-1]["text/html"])
    assert page.text.startswith("5 of 5 functions right")
    assert [tag for tag, _ in page.tags].count("li") == 5


@pytest.mark.parametrize("name", ALL)
def test_hints_open_one_by_one(name, shell, capsys):
    hints = TASKS[name].hints
    assert len(hints) == 3
    hint(name)
    page = Page(shell.shown[0]["text/html"])
    assert [tag for tag, _ in page.tags].count("details") == 3
    assert all("open" not in attributes for _, attributes in page.tags)
    assert shell.shown[0]["text/plain"] == f'Hint 1. {hints[0]}\nMore: hint("{name}", 2)'
    hint(name, 3)
    text = shell.shown[1]["text/plain"]
    assert text.splitlines() == [f"Hint {level}. {words}" for level, words in enumerate(hints, 1)]
    with pytest.raises(ValueError, match="level must be from 1 to 3, not 4"):
        hint(name, 4)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ALL)
def test_a_solution_is_shown_folded_and_right(name, shell):
    solution(name)
    (bundle,) = shell.shown
    assert bundle["text/plain"] == TASKS[name].solution
    page = Page(bundle["text/html"])
    assert [tag for tag, _ in page.tags] == ["div", "details", "summary", "div", "pre", "code"]
    assert page.text == f"A solution of {name}{TASKS[name].solution}"
    assert check(notebook(TASKS[name].solution)[name]).outcome == "right"


@pytest.mark.parametrize("call", [hint, solution])
def test_unknown_tasks_are_refused(call):
    with pytest.raises(ValueError, match="no task 'swap'"):
        call("swap")
