"""Submissions of notebooks 02 and 04, honest and hostile, and what is to come of each."""

import nbformat

from preemption.exercises.tasks import NOTEBOOKS, TASKS

NAME = "02_try_it_yourself.ipynb"
ALL = [task.name for task in NOTEBOOKS["try_it_yourself"]]
FIRST = ALL[0]
RULE = "spare_the_oldest"
RIGHT = {name: TASKS[name].solution for name in ALL}
STUBS = {name: TASKS[name].solution.split("\n")[0] + "\n    ...\n" for name in ALL}
IMPORTS = "from preemption import check, hint, lessons, progress, solution\n%matplotlib inline\n"


def notebook(functions, *more, before=()):
    """Return a notebook: a cell for each of these functions, and more cells around them."""
    cells = [f"{source}\n\ncheck({name})" for name, source in functions.items()]
    sources = [IMPORTS, *before, *cells, *more]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in sources])


def with_first(source, *more, before=()):
    """Return a notebook whose first function is this one, and all others are right."""
    return notebook(RIGHT | {FIRST: source}, *more, before=before)


def body(lines):
    return "def recompute_ms(tokens, ms_per_token=0.1):\n" + "".join(
        f"    {line}\n" for line in lines.split("\n")
    )


PATCH = """
from preemption.exercises import judge, display, mistakes
right = judge.Verdict("right", "")
judge.judge = judge.judge_here = display.judge_alone = lambda *_args: right
mistakes.of_number = lambda *_args: None
"""
YOUNGER = """
YOUNGER = lambda running: min(
    reversed(list(running)[1:] or list(running)), key=lambda name: running[name]
)
"""
ALWAYS_EQUAL = """
class Any(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
return Any()
""".strip()
LOUD = nbformat.v4.new_output("stream", name="stdout", text=(9_999 * "l" + "\n") * 10_000)


def loud():
    """Return a right notebook that holds 100 MB of output."""
    made = notebook(RIGHT)
    made.cells[1].outputs = [LOUD]
    return made


def renamed():
    return notebook(
        {"recompute": RIGHT[FIRST].replace(FIRST, "recompute")} | dict(list(RIGHT.items())[1:])
    )


# By who: the notebook or the text of its file, and the outcome of the first function.
# Of the others all are right, where NOT_ALL does not say otherwise.
SUBMISSIONS = {
    "complete": (notebook(RIGHT), "right"),
    "untouched": (notebook(STUBS), "not attempted"),
    "partial": (notebook(STUBS | {FIRST: RIGHT[FIRST]}), "right"),
    "wrong": (with_first(body("return tokens")), "wrong"),
    "raises": (with_first(body("return tokens * rate")), "raises"),
    "with_a_helper": (
        with_first(
            body("return RATES['all'] * np.float64(tokens) * ms_per_token"),
            before=["import numpy as np\nRATES = {}", "RATES['all'] = 1"],
        ),
        "right",
    ),
    "as_a_lambda": (
        with_first("recompute_ms = lambda n, ms_per_token=0.1: n * ms_per_token"),
        "right",
    ),
    "renamed": (renamed(), "missing"),
    "twice": (with_first(RIGHT[FIRST], body("return tokens")), "wrong"),
    "stub_below": (with_first(RIGHT[FIRST], STUBS[FIRST]), "right"),
    "no_python": (with_first("def recompute_ms(tokens:\n    return"), "missing"),
    "no_json": ("{", "missing"),
    "patches_the_judge": (with_first(body("return 0"), before=[PATCH]), "wrong"),
    "patches_from_inside": (with_first(body(PATCH.strip() + "\nreturn 0")), "raises"),
    "takes_ours": (
        with_first(body("from preemption import costs\nreturn costs.recompute_ms(tokens)")),
        "raises",
    ),
    "never_ends": (with_first(body("while True: pass")), "wrong"),
    "never_ends_in_c": (
        with_first(body("import itertools\nreturn sum(itertools.count())")),
        "wrong",
    ),
    "forks": (
        with_first(body("import os\nfor _ in range(20): os.fork()\nreturn tokens * ms_per_token")),
        "raises",
    ),
    "takes_memory": (with_first(body("return len(bytearray(10**10)) and 0")), "raises"),
    "ends_python": (with_first(body("import os\nos._exit(0)")), "raises"),
    "prints_100_mb": (
        with_first(body("print('x' * 10_000_000)\nreturn tokens * ms_per_token")),
        "right",
    ),
    "holds_100_mb": (loud, "right"),
    "asks_the_network": (
        with_first(body("import socket\nsocket.create_connection(('127.0.0.1', 1))")),
        "raises",
    ),
    "writes_a_file": (with_first(body("open('left.txt', 'w').write('x')\nreturn 0")), "raises"),
    "ends_the_judge": (with_first(body("import os\nos.kill(os.getppid(), 9)\nreturn 0")), "raises"),
}


def rule(lines, *more, before=()):
    """Return notebook 04 with this body of its function."""
    head = TASKS[RULE].solution.partition("\n")[0]
    source = f"{head}\n" + "".join(f"    {line}\n" for line in lines.split("\n"))
    return notebook({RULE: source}, *more, before=before)


# Likewise, of notebook 04 with its one function.
RULES = {
    "rule_complete": (notebook({RULE: TASKS[RULE].solution}), "right"),
    "rule_untouched": (rule("..."), "not attempted"),
    "rule_with_a_helper": (
        rule("return YOUNGER(running)", before=[YOUNGER]),
        "right",
    ),
    "rule_takes_the_oldest": (rule("return min(running, key=running.get)"), "wrong"),
    "rule_empties_its_argument": (
        rule("names = [*running]\nrunning.clear()\nreturn names[-1]"),
        "wrong",
    ),
    "rule_raises": (rule("return running[0]"), "raises"),
    "rule_missing": (
        notebook({"my_rule": "def my_rule(running): return running[-1]\n"}),
        "missing",
    ),
    "rule_patches_the_judge": (rule("return 'a'", before=[PATCH]), "wrong"),
    "rule_takes_ours": (
        rule("from preemption.exercises.tasks import TASKS\nreturn TASKS['spare_the_oldest']"),
        "raises",
    ),
    "rule_never_ends": (rule("while True: pass"), "wrong"),
    "rule_ends_the_judge": (rule("import os\nos.kill(os.getppid(), 9)\nreturn 'a'"), "raises"),
    "rule_always_equal": (rule(ALWAYS_EQUAL), "wrong"),
}
SUBMISSIONS |= RULES
NOT_ALL = {
    "untouched": dict.fromkeys(ALL, "not attempted"),
    "partial": dict.fromkeys(ALL, "not attempted"),
    "no_json": dict.fromkeys(ALL, "missing"),
}


def name_of(who):
    """Return what the notebook of `who` is called."""
    return "04_choosing_a_victim.ipynb" if who in RULES else NAME


def hand_in(folder, who):
    """Write the submission of `who` below a folder; return its outcomes as they should be."""
    made, first = SUBMISSIONS[who]
    path = folder / who / name_of(who)
    path.parent.mkdir(parents=True)
    made = made() if callable(made) else made
    path.write_text(made if isinstance(made, str) else nbformat.writes(made))
    if who in RULES:
        return {RULE: first}
    return NOT_ALL.get(who, dict.fromkeys(ALL, "right")) | {FIRST: first}
