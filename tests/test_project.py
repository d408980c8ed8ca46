"""The project's own papers agree: environment.yml, pyproject.toml, README.md, the layout."""

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
    "exercises": {"costs", "serving", "page.theme", "page.html"},
    "lessons": {"page.questions", "costs", "serving", "studies", "words", "exercises"},
    "__init__": {"costs", "exercises", "explorers"},
}
ONLY_THESE = {
    "ipywidgets": {"page", "explorers"},
    "matplotlib": {"page", "figures"},
}
# What is behind these doors is imported by nobody else.
DOORS = ("costs", "serving", "studies")


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


@pytest.mark.parametrize("door", ["preemption", "preemption.costs", "preemption.serving"])
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
    if folder in DOORS:
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


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_every_notebook_is_tried_in_the_browser_for_everyone(path):
    tests = ROOT / "tests" / "browser" / f"test_notebook_{path.stem[:2]}.py"
    assert f'run("{path.name}")' in tests.read_text()
    assert "class TestForEveryone(ForEveryone)" in tests.read_text()
