"""Build the static site that runs the lesson in the browser: build.py [FOLDER].

Reads the notebooks, the package and what stands beside this file; writes build/site, or FOLDER.
Parts of Pyodide come from build/parts, where that has them, else from their source. Each is taken
only if its sha256 is the known one.
"""

import gzip
import hashlib
import importlib.util
import json
import marshal
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
import warnings
import zipfile
from email.parser import Parser
from pathlib import Path
from string import Template
from typing import Any, NoReturn

import landing

HERE = Path(__file__).parent
ROOT = HERE.parent
BUILD = ROOT / "build"
PARTS = BUILD / "parts"
PYODIDE = tomllib.loads((HERE / "pyodide.toml").read_text())
LITE = ("jupyter-lite.json", "jupyter_lite_config.json", "overrides.json")
LAB_BYTES = 2_000_000  # of JupyterLab that a first visit loads, compressed; tests/site measures it
MISSING = 3  # the exit status where a part is not to be had, which is no fault of the build
EPOCH = (1980, 1, 1, 0, 0, 0)  # of every file in a wheel written here
# Bytecode spares the browser the compiling, and is of use to the Python alone that it is made for.
COMPILES = f"{sys.version_info[0]}.{sys.version_info[1]}" == PYODIDE["python"]


def normal(name: str) -> str:
    """Return the one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def stop(why: str) -> NoReturn:
    """Say what is not to be had, and exit with a status of its own."""
    print(why, file=sys.stderr)
    raise SystemExit(MISSING)


def fetch(names: dict[str, str]) -> None:
    """Have these parts, names and their sha256, in build/parts; exit where any is not to be had."""
    PARTS.mkdir(parents=True, exist_ok=True)
    missing, refused = [], []
    for name, sha256 in names.items():
        part = PARTS / name
        if not part.exists():
            try:
                with urllib.request.urlopen(PYODIDE["source"] + name, timeout=60) as answer:
                    part.write_bytes(answer.read())
            except OSError as error:
                missing.append(f"{name}: cannot be fetched from {PYODIDE['source']} ({error})")
                continue
        found = hashlib.sha256(part.read_bytes()).hexdigest()
        if found != sha256:
            refused.append(f"{name}: its sha256 is {found} and must be {sha256}; remove {part}")
    if refused:
        raise SystemExit("\n".join(["The site is not built. Refused:", *refused]))
    if missing:
        stop("\n".join(["The site is not built. Missing:", *missing]))


def pip(*arguments: str | Path) -> None:
    """Call pip, quietly; exit where it fails."""
    command = [sys.executable, "-m", "pip", *map(str, arguments), "-q", "--no-deps"]
    if subprocess.run(command).returncode:
        stop("The site is not built: pip cannot have the wheels that it names above.")


def own_wheels(folder: Path) -> list[Path]:
    """Make or fetch the wheels that Pyodide does not have; return where they are."""
    shutil.rmtree(folder, ignore_errors=True)
    requirements = HERE / "browser-requirements.txt"
    pip("download", "--require-hashes", "-r", requirements, "-d", folder)
    pip("wheel", "--no-build-isolation", ROOT, "-w", folder)
    for name in PYODIDE["empty"]:
        info = f"{name}-0.0.0.dist-info"
        with zipfile.ZipFile(folder / f"{name}-0.0.0-py3-none-any.whl", "w") as wheel:
            for file, text in {
                "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.0\n",
                "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                "RECORD": "",
            }.items():
                wheel.writestr(zipfile.ZipInfo(f"{info}/{file}", EPOCH), text)
    kernel = Path(sys.prefix, "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension")
    ours = ("ipykernel", "piplite", "pyodide_kernel")
    kernels = [w for w in (kernel / "static/pypi").glob("*.whl") if w.name.startswith(ours)]
    return sorted(folder.glob("*.whl")) + kernels


def entry(wheel: Path) -> dict[str, Any]:
    """Return what Pyodide's lock is to say of a wheel."""
    with zipfile.ZipFile(wheel) as zipped:
        names = zipped.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        fields = Parser().parsestr(zipped.read(metadata).decode())
    needs = [each for each in fields.get_all("Requires-Dist") or [] if "extra ==" not in each]
    tops = {name.split("/")[0] for name in names}
    return {
        "name": normal(fields["Name"]),
        "version": fields["Version"],
        "file_name": wheel.name,
        "depends": [normal(re.findall(r"[\w.-]+", each)[0]) for each in needs],
        "imports": sorted(top for top in tops if "." not in top),
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def bytecode(name: str, source: bytes) -> bytes:
    """Return what Python keeps of a module, in the form that needs no source beside it."""
    with warnings.catch_warnings(action="ignore"):
        code = compile(source, f"/lib/python{PYODIDE['python']}/site-packages/{name}", "exec")
    unchecked = (1).to_bytes(4, "little")
    found = importlib.util.source_hash(source)
    return importlib.util.MAGIC_NUMBER + unchecked + found + marshal.dumps(code)


def thin(wheel: Path, left_out: list[str], *, compiled: bool) -> None:
    """Write a wheel again without the files that match, and with bytecode in place of sources."""
    with zipfile.ZipFile(wheel) as zipped:
        files = {name: zipped.read(name) for name in zipped.namelist()}
    with zipfile.ZipFile(wheel, "w") as zipped:
        for name, content in files.items():
            if any(re.search(each, name) for each in left_out):
                continue
            if compiled and name.endswith(".py"):
                name, content = f"{name}c", bytecode(name, content)
            zipped.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED, 9)


def pyodide(out: Path) -> list[str]:
    """Assemble Pyodide with all that the notebooks import; return the names of the packages."""
    fetch(PYODIDE["sha256"])
    lock = json.loads((PARTS / "pyodide-lock.json").read_text())
    known = {normal(name): each for name, each in lock["packages"].items()}
    drop = set(PYODIDE["drop"])
    own = {}
    for wheel in own_wheels(BUILD / "wheels"):
        found = entry(wheel)
        known[found["name"]], own[found["name"]] = found, wheel
    wanted: dict[str, dict[str, Any]] = {}
    todo = PYODIDE["roots"] + PYODIDE["empty"]
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted[name] = known[name]
            needs = {normal(each) for each in known[name]["depends"]} - drop
            wanted[name]["depends"] = sorted(needs)
            todo += needs
    fetch({each["file_name"]: each["sha256"] for name, each in wanted.items() if name not in own})
    out.mkdir(parents=True)
    for name in PYODIDE["sha256"]:
        shutil.copyfile(PARTS / name, out / name)
    for name, each in wanted.items():
        wheel = out / each["file_name"]
        shutil.copyfile(own.get(name, PARTS / wheel.name), wheel)
        left_out = [PYODIDE["leave_out"].get(key, "$^") for key in ("every", name)]
        # Our own package keeps its sources, for whoever wants to read them.
        thin(wheel, left_out, compiled=COMPILES and name != "preemption")
        each["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock["packages"] = dict(sorted(wanted.items()))
    (out / "pyodide-lock.json").write_text(json.dumps(lock, separators=(",", ":")))
    start = Template((HERE / "start.js").read_text())
    (out / "start.js").write_text(start.substitute(packages=json.dumps(sorted(wanted))))
    shutil.copyfile(HERE / "first.js", out / "first.js")
    return sorted(wanted)


def parts_of_a_visit(site: Path) -> list[Path]:
    """Return what a notebook loads besides JupyterLab: Pyodide and its packages."""
    parts = (site / "static" / "pyodide").iterdir()
    return sorted(part for part in parts if part.suffix != ".mjs")


def main(out: Path) -> None:
    """Write the site into the folder `out`, anew."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1700000000")  # so the same site has the same bytes
    source = BUILD / "site-source"
    shutil.rmtree(source, ignore_errors=True)  # with what the builder remembers of the last time
    packages = pyodide(source / "static" / "pyodide")
    for name in LITE:
        shutil.copyfile(HERE / name, source / name)
    shutil.copytree(ROOT / "notebooks", source / "content", ignore=shutil.ignore_patterns(".*"))
    no_links = shutil.ignore_patterns("for-*", "*.png")  # of docs/, to which notebooks have links
    shutil.copytree(ROOT / "docs", source / "content" / "docs", ignore=no_links)
    shutil.rmtree(out, ignore_errors=True)
    lite = [sys.executable, "-m", "jupyter", "lite", "build", "--contents", "content"]
    # The builder minds its settings only where it writes beside them.
    built = subprocess.run(
        [*lite, "--output-dir", "_out"], cwd=source, capture_output=True, text=True
    )
    if built.returncode:
        raise SystemExit(built.stdout + built.stderr)
    shutil.move(source / "_out", out)
    settings = json.loads((out / "jupyter-lite.json").read_text())
    for kernel in settings["jupyter-config-data"]["litePluginSettings"].values():
        kernel["pyodideUrl"] = "./static/pyodide/start.js"  # which the builder would not take
        # So that the kernel fetches none of them; it asks under a spelling of its own.
        kernel["loadPyodideOptions"] = {"packages": [*packages, "pyodide_kernel"]}
    (out / "jupyter-lite.json").write_text(json.dumps(settings))
    page = out / "notebooks" / "index.html"
    page.write_text(
        page.read_text().replace("<head>", f"<head>{(HERE / 'head.html').read_text()}", 1)
    )
    for away in ("tree", "lab"):  # pages that JupyterLab leads to and this site does not have
        (out / away).mkdir()
        shutil.copyfile(HERE / "elsewhere.html", out / away / "index.html")
    shutil.copytree(ROOT / "docs", out / "docs", ignore=no_links)
    for paper in (out / "docs").glob("*.md"):
        paper.with_suffix(".html").write_text(landing.document(paper))
        paper.unlink()
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    parts = parts_of_a_visit(out)
    loaded_bytes = LAB_BYTES + sum(len(gzip.compress(part.read_bytes())) for part in parts)
    addresses = [part.relative_to(out).as_posix() for part in parts]
    (out / "index.html").write_text(landing.page(notebooks, loaded_bytes, addresses))
    shutil.copyfile(out / "notebooks" / "favicon.ico", out / "favicon.ico")
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(f"{out}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(Path(*sys.argv[1:]) if sys.argv[1:] else BUILD / "site")
