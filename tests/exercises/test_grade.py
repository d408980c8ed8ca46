import csv
import functools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from preemption.exercises.grade import runner
from preemption.exercises.grade.apart import is_confined, judge_apart, value_of
from preemption.exercises.grade.rows import COLUMNS, Row, grade, submitted
from preemption.exercises.grade.submission import needed, statements_of
from preemption.exercises.judge import judge_here
from preemption.exercises.tasks import TASKS
from tests.exercises import submissions
from tests.exercises.cells import ALL
from tests.exercises.styles import STYLES

pytestmark = pytest.mark.skipif(
    sys.platform not in ("linux", "darwin"), reason="a submission is judged in a forked process"
)
CONFINED = pytest.mark.skipif(
    not is_confined(), reason="the kernel confines on Linux with an x86-64 processor"
)
NEEDS_THE_KERNEL = (
    *("asks_the_network", "writes_a_file", "ends_the_judge", "forks"),
    "rule_ends_the_judge",
)


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "preemption.exercises.grade", *map(str, arguments)],
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    "who",
    [
        pytest.param(who, marks=CONFINED if who in NEEDS_THE_KERNEL else ())
        for who in submissions.SUBMISSIONS
    ],
)
def test_each_submission_gets_what_is_due(tmp_path, who):
    due = submissions.hand_in(tmp_path, who)
    (row,) = grade([tmp_path], limit_s=2 if "never" in who else 8)
    assert {name: mark for name, mark in row.outcomes.items() if mark} == due
    assert (row.who, row.file) == (who, submissions.name_of(who))
    plain = {"complete", "partial", "untouched", "with_a_helper", "as_a_lambda", "stub_below"}
    plain |= {"prints_100_mb", "holds_100_mb"}
    plain |= {"rule_complete", "rule_untouched", "rule_with_a_helper"}
    assert bool(row.note) == (who not in plain)


def test_a_note_says_what_is_wrong(tmp_path):
    for who in ("wrong", "twice", "renamed", "no_json", "no_python", "never_ends"):
        submissions.hand_in(tmp_path, who)
    notes = {row.who: row.note for row in grade([tmp_path])}
    assert "recompute_ms(1000) gave 1000: too large." in notes["wrong"]
    assert "cheaper: right once the functions that it calls are" in notes["wrong"]
    assert "written 2 times: the last one counts" in notes["twice"]
    assert "it also defines recompute" in notes["renamed"]
    assert notes["no_json"].startswith("cannot be read")
    assert "code cell 2: SyntaxError" in notes["no_python"]
    assert "a loop that never ends" in notes["never_ends"]


def test_one_command_makes_a_table_and_shows_progress(tmp_path):
    for who in ("complete", "wrong"):
        submissions.hand_in(tmp_path / "first", who)
    submissions.hand_in(tmp_path / "second" / "zoe" / "ps1", "partial")
    table = tmp_path / "table.csv"
    said = command(tmp_path / "first", tmp_path / "second", "--csv", table)
    assert said.returncode == 0, said.stderr
    assert "[3/3]" in said.stderr
    assert "complete  02_try_it_yourself.ipynb: 8 of 8 right" in said.stderr
    rows = list(csv.DictReader(table.open()))
    assert [tuple(row) for row in rows] == [COLUMNS] * 3
    assert [row["who"] for row in rows] == ["complete", "wrong", "zoe"]
    assert rows[2]["file"] == f"ps1/partial/{submissions.NAME}"
    assert [row["utilization"] for row in rows] == [""] * 3
    printed = command(tmp_path / "first").stdout.splitlines()
    assert printed[0] == ",".join(COLUMNS)
    assert len(printed) == 3


@pytest.mark.parametrize("arguments", [[], ["no folder"], [Path(__file__).parent]])
def test_nothing_to_grade_is_said(arguments):
    said = command(*arguments)
    assert said.returncode == 2
    assert "error:" in said.stderr


def test_a_folder_is_read_as_it_is(tmp_path):
    for name in ("ann/.ipynb_checkpoints/a.ipynb", "ann/deep/er/b.ipynb", "carl.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    os.mkfifo(tmp_path / "ann" / "pipe.ipynb")
    found = [(who, file) for who, _, file in submitted([tmp_path])]
    assert found == [("ann", "deep/er/b.ipynb"), ("carl", "carl.ipynb")]


def test_a_notebook_is_known_by_what_it_holds(tmp_path):
    made = submissions.notebook({"utilization": TASKS["utilization"].solution})
    (tmp_path / "hand in.ipynb").write_text(nbformat.writes(made))
    (tmp_path / "other.ipynb").write_text(nbformat.writes(submissions.notebook({})))
    mine, other = sorted(grade([tmp_path]), key=lambda row: row.file)
    assert mine.outcomes["utilization"] == "right"
    assert mine.outcomes["continuous_schedule"] == "missing"
    assert mine.outcomes["swap_ms"] == other.outcomes["swap_ms"] == ""
    assert other.note == "none of the functions is in it"


def test_no_cell_of_the_table_is_a_formula():
    row = Row('=HYPERLINK("x")', "a\nb", {}, 1.0, "")
    assert row.cells["who"] == '\'=HYPERLINK("x")'
    assert row.cells["file"] == "a b"


def test_only_what_a_function_needs_is_run():
    cell = """
rates, tokens = {}, boom()
from math import ceil
rates["x"] = helper(1)
def helper(n): return ceil(n)
def swap_ms(tokens): return rates["x"]
def cheaper(): return tokens
boom()
"""
    statements = statements_of(cell, "")
    chosen = needed("swap_ms", statements)
    assert [each.source.split("(")[0] for each in chosen] == [
        *("rates, tokens = ", "from math import ceil", "rates['x'] = helper"),
        *("def helper", "def swap_ms"),
    ]
    assert [each.defines for each in needed("helper", statements)] == ["", "helper"]


@pytest.mark.parametrize(
    "body", ["...", "pass", "'words'", "return", "return None", "raise NotImplementedError()"]
)
def test_a_body_that_does_nothing_is_not_attempted(body):
    (statement,) = statements_of(f"def swap_ms():\n    'words'\n    {body}", "")
    assert statement.is_stub
    (statement,) = statements_of(f"def swap_ms():\n    {body}\n    return 0", "")
    assert not statement.is_stub


RESULTS = """
1; 100.0; 100; True; "100"; ...; 1j; float("nan"); float("inf"); 10**400; 10**5000; b"x"
[100.0]; (100,); {100.0}; {"a": 1}; object(); (n for n in ""); np.float64(100); np.array(100.0)
np.array([100.0]); Fraction(100); Decimal("Infinity"); Decimal("sNaN"); np.int8(100); np.str_("a")
"""


@pytest.mark.parametrize("result", [each.strip() for each in RESULTS.replace("\n", ";").split(";")])
def test_a_result_counts_apart_as_it_does_in_the_notebook(result):
    before = "import numpy as np; from fractions import Fraction; from decimal import Decimal"
    source = f"def recompute_ms(tokens, ms_per_token=0.1): return {result or 'circle'}\n"
    circle = "circle = []; circle.append(circle)"
    names = {}
    exec(f"{before}\n{circle}\n{source}", names)
    here = judge_here(TASKS["recompute_ms"], names["recompute_ms"])
    apart = judge_apart(TASKS["recompute_ms"], [("", before), ("", circle), ("", source)], 10)
    assert (apart.outcome == "right") == (here.outcome == "right")
    assert (apart.outcome == "not attempted") == (here.outcome == "not attempted")


@pytest.mark.parametrize("name", ALL)
def test_results_of_all_styles_stay_right_on_their_way(name):
    def carried(function):
        def call(*args, **options):
            line = json.dumps(runner.plain(function(*args, **options)))
            return json.loads(line, object_hook=value_of)

        return functools.wraps(function)(call)

    outcomes = {judge_here(TASKS[name], carried(each), 20).outcome for each in STYLES[name]}
    assert outcomes == {"right"}


def test_a_changed_argument_is_noticed():
    source = "def pick_victim(seqs):\n    return min((seqs.pop(n), n) for n in sorted(seqs))[1]"
    verdict = judge_apart(TASKS["pick_victim"], [("", source)], 10)
    assert "changed its argument seqs" in verdict.words


def test_other_parameters_are_shown():
    verdict = judge_apart(TASKS["swap_ms"], [("", "def swap_ms(a, b=1): return 0")], 10)
    assert "defined as swap_ms(a, b=1)" in verdict.words


SPOIL = """import os
for number in range(3, 64):
    try: os.write(number, b'{}')
    except OSError: pass"""


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (SPOIL.format("[["), ""),
        (SPOIL.format("1\\n"), ""),
        (SPOIL.format('{{"error": 1}}\\n'), ""),
        ("return 'x' * 2_000_000", "its result is too long"),
        ("raise type('Odd', (ValueError,), {'__str__': lambda self: 1 / 0})", "raised Odd"),
    ],
)
def test_spoilt_answers_gain_nothing(lines, said):
    verdict = judge_apart(TASKS["recompute_ms"], [("", submissions.body(lines))], 10)
    assert verdict.outcome == "raises"
    assert said in verdict.words


def test_a_class_is_graded_in_time(tmp_path):
    for number in range(6):
        for who in ("complete", "partial", "wrong"):
            submissions.hand_in(tmp_path / f"{who}{number}", who)
    start = time.monotonic()
    rows = list(grade([tmp_path]))
    assert len(rows) == 18
    assert time.monotonic() - start < 180 * 18 / 60
