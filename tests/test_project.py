"""The project's own papers agree: environment.yml, pyproject.toml, README.md, the layout."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
README = (ROOT / "README.md").read_text()
# What conda-forge calls a package of PyPI, where the names differ.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "playwright": "playwright-python"}


def test_environment_is_in_step_with_pyproject():
    text = (ROOT / "environment.yml").read_text().split("dependencies:")[1]
    listed = re.findall(r"^ +- (\S+(?<!:))$", text, re.MULTILINE)
    wanted = [f"python{PROJECT['requires-python']}", "pip"]
    for requirement in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]:
        name, bound = re.fullmatch(r"([\w-]+)(>=[\w.]+)", requirement).groups()
        wanted.append(CONDA_NAMES.get(name, name) + bound)
    assert sorted(listed) == sorted(wanted)


def test_readme_says_that_conda_was_not_tried():
    assert re.search(r"conda[^\n]*\*not tried\*", README)


@pytest.mark.parametrize(("last", "what"), [("pytest", "tests"), ("jupyter lab", "lesson")])
def test_readme_has_one_line_for_each_use(last, what):
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    assert len(lines) == 2, "one line to open the lesson, one to run the tests"
    assert sum(last in line for line in lines) == 1, what
    assert all(" && " in line and "pip install" in line for line in lines)


def test_links_inside_the_readme_exist():
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", README) if ":" not in target]
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target


# The house: what each module of the package may import from it.
MAY_IMPORT = {
    "checks": set(),
    "costs": {"checks"},
    "words": set(),
    "theme": set(),
    "hf_config": set(),
    "machines": {"checks", "hf_config"},
    "resume": {"checks", "costs", "machines"},
    "workload": {"checks"},
    "victims": {"workload"},
    "results": {"workload", "costs", "words"},
    "settings": {"checks", "costs"},
    "scheduler": {"workload", "victims", "results", "settings"},
    "fast": {"scheduler", "workload", "victims", "results", "settings"},
    "latency": {"checks", "fast", "results", "scheduler", "settings", "workload"},
    "slots": set(),
    "attention": {"checks"},
    "exercises": {"costs", "slots", "theme"},
    "figures": {
        *("checks", "costs", "latency", "machines", "resume", "slots"),
        *("words", "theme"),
    },
    "controls": {"words"},
    "live": {"controls", "theme"},
    "questions": {"words", "theme"},
    "explorers": {
        *("live", "controls", "figures", "checks", "costs", "machines", "resume"),
        *("attention", "latency", "slots", "words", "theme"),
    },
    "lessons": {
        *("exercises", "questions", "costs", "latency", "machines", "resume"),
        *("settings", "slots", "words"),
    },
}
ONLY_THESE = {
    "ipywidgets": {"live", "controls", "explorers", "questions"},
    "matplotlib": {"live", "figures"},
}


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


MODULES = sorted((ROOT / "preemption").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES[1:], ids=lambda path: path.stem)
def test_imports_run_one_way(path):
    parts = path.relative_to(ROOT / "preemption").with_suffix("").parts
    for name in imports_of(path):
        package, *rest = name.split(".")
        if package == "preemption":
            assert rest[0] in MAY_IMPORT[parts[0]] | {parts[0]}, name
        assert parts[0] in ONLY_THESE.get(package, {parts[0]}), name
        assert not name.startswith("matplotlib.pyplot")


def test_every_module_says_what_it_is_for():
    for path in MODULES:
        docstring = ast.get_docstring(ast.parse(path.read_text()))
        assert docstring, path
        assert docstring.splitlines()[0].endswith("."), path


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_every_notebook_is_tried_in_the_browser_for_everyone(path):
    tests = ROOT / "tests" / "browser" / f"test_notebook_{path.stem[:2]}.py"
    assert f'run("{path.name}")' in tests.read_text()
    assert "class TestForEveryone(ForEveryone)" in tests.read_text()
