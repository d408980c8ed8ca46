"""How check, hint, solution and progress show, as text and as HTML."""

import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from preemption import costs, serving
from preemption.exercises import check, display, hint, progress, solution
from preemption.exercises.tasks import TASKS
from preemption.page import theme
from tests.exercises.cells import ALL, notebook, solved


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
    assert result.message == (
        f"recompute_ms: right. All {len(TASKS['recompute_ms'].cases)} calls came out right."
    )
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
    with pytest.raises(
        ValueError, match="the parts are functions, stretch tasks, rules, schedules"
    ):
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


def test_in_a_browser_it_says_beforehand_what_cannot_be_stopped(monkeypatch, capsys):
    def cheaper(tokens, per_token_bytes, link_bytes_per_s): ...

    assert "Restart Kernel" not in check(cheaper).message
    monkeypatch.setattr("sys.platform", "emscripten")
    assert "choose Kernel > Restart Kernel" in check(cheaper).message
    assert "choose Kernel > Restart Kernel" in capsys.readouterr().out
