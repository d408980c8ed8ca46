"""The project's own papers agree with each other, and the layout is what they say."""

import ast
import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import preemption

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
README, CONTRIBUTING, CHANGELOG = (
    (ROOT / name).read_text() for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
)
CI = (ROOT / ".ci" / "run").read_text()
# What conda-forge calls a package of PyPI, where the names differ.
CONDA_NAMES = {
    "matplotlib": "matplotlib-base",
    "playwright": "playwright-python",
    "prometheus-client": "prometheus_client",
}


def test_environment_is_in_step_with_pyproject():
    text = (ROOT / "environment.yml").read_text().split("dependencies:")[1]
    listed = re.findall(r"^ +- (\S+(?<!:))$", text, re.MULTILINE)
    wanted = [f"python{PROJECT['requires-python']}", "pip"]
    for requirement in [*PROJECT["dependencies"], *EXTRAS["test"]]:
        name, bound = re.fullmatch(r"([\w-]+)(>=[\w.]+)", requirement).groups()
        wanted.append(CONDA_NAMES.get(name, name) + bound)
    assert sorted(listed) == sorted(wanted)


def test_the_package_does_without_jupyterlab_and_the_tests_have_it():
    assert not any("jupyter" in requirement for requirement in PROJECT["dependencies"])
    assert len(PROJECT["dependencies"]) <= 4
    assert EXTRAS["lab"] == [each for each in EXTRAS["test"] if each.startswith("jupyterlab>")]


def test_the_version_is_the_same_everywhere():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    first, released, *_ = re.findall(r"^## \[(.+?)\]", CHANGELOG, re.MULTILINE)
    assert first == "Unreleased"
    assert cited[1] == released == PROJECT["version"]


def test_the_hooks_run_what_ci_runs_first():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    checks = re.findall(r'^"\$newest/(?!pip)(\w+)" (.+)$', CI, re.MULTILINE)
    assert len(checks) == 3
    assert re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE) == [" ".join(c) for c in checks]


def test_the_workflow_calls_what_ci_runs():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert re.findall(r"run: (.+)", workflow) == [".ci/run"]
    assert f">={re.findall(r'3[.][0-9]+', workflow)[-1]}" == PROJECT["requires-python"]


def test_the_workflow_of_the_site_builds_as_the_readme_does():
    workflow = (ROOT / ".github" / "workflows" / "site.yml").read_text()
    assert re.search("^python3 -m venv build/env.+$", README, re.MULTILINE)[0] in workflow


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (README, "conda"),
        (README, r"\.github/workflows/site\.yml"),
        (CONTRIBUTING, r"\.github/workflows/ci\.yml"),
    ],
)
def test_what_was_not_tried_is_said(text, what):
    assert re.search(rf"{what}[^\n]*\*not tried\*", text)


@pytest.mark.parametrize(
    ("last", "what"), [("pytest", "tests"), ("jupyter lab", "lesson"), ("site/build.py", "site")]
)
def test_readme_has_one_line_for_each_use(last, what):
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    assert len(lines) == 3, "one line to open the lesson, one to run the tests, one for the site"
    assert sum(last in line for line in lines) == 1, what
    assert all(" && " in line and "pip install" in line for line in lines)


def test_the_lesson_is_opened_where_its_links_lead_somewhere():
    opened = [line for line in README.splitlines() if "jupyter lab " in line]
    assert opened
    assert all("jupyter lab --notebook-dir . notebooks/" in line for line in opened)


def test_links_inside_the_readme_exist():
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", README) if ":" not in target]
    headings = re.findall(r"^#+ (.+)$", README, re.MULTILINE)
    anchors = {"#" + re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
    assert targets
    for target in targets:
        assert target in anchors or (ROOT / target).exists(), target


# The house: what a folder or module of the package may import from it.
MAY_IMPORT = {
    "checks": set(),
    "words": set(),
    "costs": {"checks"},
    "attention": {"checks"},
    "serving": {"checks", "costs"},
    "studies": {"checks", "costs", "serving"},
    "page": {"checks", "words"},
    "figures": {"page.theme", "words", "checks", "costs", "serving", "studies"},
    "explorers": {
        *("page", "figures", "costs", "serving", "studies", "attention", "words", "checks"),
    },
    "exercises": {"words", "costs", "serving", "page.theme", "page.html"},
    "lessons": {"page.questions", "costs", "serving", "studies", "words", "exercises.answers"},
    "__init__": {"costs", "exercises", "explorers"},
}
ONLY_THESE = {
    "ipywidgets": {"page", "explorers"},
    "matplotlib": {"page", "figures"},
}
# What is behind these doors is imported by nobody else.
DOORS = ("costs", "serving", "studies")
# These say what is in each of their rooms.
LISTED = (*DOORS, "exercises", "tasks", "lessons", "explorers", "page")


def imports_of(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_room(name):
    """Whether an imported name is a module behind a door, or something from there."""
    _, door, *rest = [*name.split("."), ""]
    return door in DOORS and (ROOT / "preemption" / door / f"{rest[0]}.py").exists()


MODULES = sorted((ROOT / "preemption").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path):
    folder = path.relative_to(ROOT / "preemption").with_suffix("").parts[0]
    for name in imports_of(path.read_text()):
        package, *rest = name.split(".")
        if package == "preemption":
            allowed = MAY_IMPORT[folder] | {folder}
            assert rest[0] in allowed or ".".join(rest[:2]) in allowed, name
            assert rest[0] == folder or not is_room(name), f"{name}: take it from the door"
        assert folder in ONLY_THESE.get(package, {folder}), name
        assert not name.startswith("matplotlib.pyplot")


def code_of(path):
    if path.suffix == ".py":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")


def test_notebooks_and_tests_use_the_doors():
    paths = [*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "tests").rglob("*.py")]
    rooms = [
        (path.name, name)
        for path in paths
        for name in imports_of(code_of(path))
        if name.startswith("preemption.") and is_room(name)
    ]
    assert rooms == []


@pytest.mark.parametrize("door", ["preemption", *(f"preemption.{door}" for door in DOORS)])
def test_the_model_runs_without_a_page(door):
    page = "{'matplotlib', 'ipywidgets', 'IPython'}"
    command = f"import {door}, sys; print(sorted({page} & sys.modules.keys()))"
    said = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert said.stdout.strip() == "[]", said.stderr


@pytest.mark.parametrize("folder", sorted(p.parent.name for p in MODULES if p.stem == "__init__"))
def test_a_door_says_what_is_inside_and_gives_what_it_names(folder):
    (path,) = (p for p in MODULES if p.stem == "__init__" and p.parent.name == folder)
    name = ".".join(path.parent.relative_to(ROOT).parts)
    door = importlib.import_module(name)
    inside = {
        p.stem for p in path.parent.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()
    } - {"__init__"}
    if folder in LISTED:
        said = set(re.findall(r"^(\w+)  +\w", door.__doc__, re.MULTILINE))
        assert said == {stem for stem in inside if not stem.startswith("_")}
    for each in getattr(door, "__all__", ()):
        assert getattr(door, each) is not None


def test_the_root_is_lazy_and_known_to_type_checkers():
    tree = ast.parse((ROOT / "preemption" / "__init__.py").read_text())
    typed = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("preemption.")
        for alias in node.names
    ]
    assert sorted(typed) == sorted(preemption.__all__)
    assert set(preemption.__all__) <= set(dir(preemption))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        preemption.nothing  # noqa: B018
    assert (ROOT / "preemption" / "py.typed").exists()


def test_every_module_says_what_it_is_for():
    for path in MODULES:
        docstring = ast.get_docstring(ast.parse(path.read_text()))
        assert docstring, path
        assert docstring.splitlines()[0].endswith("."), path


def test_no_import_hides_in_a_function():
    hidden = [
        (path.name, function.name)
        for path in MODULES
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []


FOLDERS = sorted(path.parent for path in MODULES if path.stem == "__init__")


@pytest.mark.parametrize(
    "folder",
    [folder.name for folder in FOLDERS if folder.parent == ROOT / "preemption"],
)
def test_the_tests_mirror_the_folders(folder):
    assert list((ROOT / "tests" / folder).glob("test_*.py"))


# A subject has the same stem wherever it stands.
PLACES = {
    "explorer": "preemption/explorers/{}.py",
    "figure": "preemption/figures/{}.py",
    "lesson": "preemption/lessons/{}.py",
    "browser test": "tests/browser/n*/test_{}.py",
}
# What is no subject of a picture, or lacks one of the places, and why.
EXCEPTIONS = {
    "own_server": "words and a table, no picture; the server is the reader's own",
    "own_machine": "the picture is that of machine_costs, the question stands in the cell",
    "whole_notebook": "what holds for any notebook",
    "timeline": "a still picture; eviction_costs asks about it",
}
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def stems(place):
    head, tail = PLACES[place].rsplit("/", 1)[1].split("{}")
    paths = ROOT.glob(PLACES[place].format("*"))
    return {path.name.removeprefix(head).removesuffix(tail) for path in paths} - {"__init__"}


def subjects():
    explorers = {path.stem for path in (ROOT / "preemption" / "explorers").glob("*.py")}
    found = stems("lesson") | stems("browser test") | (explorers & stems("figure"))
    quizzes = {path.stem.split("_", 1)[1] for path in NOTEBOOKS}
    return sorted(found - {"__init__"} - quizzes - EXCEPTIONS.keys())


@pytest.mark.parametrize("subject", subjects())
def test_a_subject_has_one_stem(subject):
    assert [place for place in PLACES if subject not in stems(place)] == []


def test_a_quiz_closes_each_notebook():
    assert {path.stem.split("_", 1)[1] for path in NOTEBOOKS} <= stems("lesson")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_is_tried_in_the_browser_for_everyone(path):
    folder = ROOT / "tests" / "browser" / f"n{path.stem}"
    assert f'run("{path.name}")' in (folder / "conftest.py").read_text()
    files = sorted(file.name for file in folder.glob("test_*.py"))
    assert files[-1] == "test_whole_notebook.py", "it comes last and judges all that was done"
    assert "class TestForEveryone(ForEveryone)" in (folder / files[-1]).read_text()
    assert len(files) > 1
