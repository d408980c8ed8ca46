"""Submissions of notebook 02, honest and hostile, and what is to come of each."""

import nbformat

from preemption.exercises.tasks import NOTEBOOKS, TASKS

NAME = "02_try_it_yourself.ipynb"
ALL = [task.name for task in NOTEBOOKS["try_it_yourself"]]
FIRST = ALL[0]
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
NOT_ALL = {
    "untouched": dict.fromkeys(ALL, "not attempted"),
    "partial": dict.fromkeys(ALL, "not attempted"),
    "no_json": dict.fromkeys(ALL, "missing"),
}


def hand_in(folder, who):
    """Write the submission of `who` below a folder; return its outcomes as they should be."""
    made, first = SUBMISSIONS[who]
    path = folder / who / NAME
    path.parent.mkdir(parents=True)
    made = made() if callable(made) else made
    path.write_text(made if isinstance(made, str) else nbformat.writes(made))
    return NOT_ALL.get(who, dict.fromkeys(ALL, "right")) | {FIRST: first}
