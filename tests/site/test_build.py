"""What the build refuses: parts that are missing, and parts that are not what they should be."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def build(tmp_path):
    """Build in a copy of what the build reads, without network; return what it says."""
    for name in ("site", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name)

    def run(status):
        away = {f"{name}_proxy": "http://127.0.0.1:9" for name in ("http", "https")}
        done = subprocess.run(
            [sys.executable, tmp_path / "site" / "build.py"],
            env=os.environ | away | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == status
        assert not (tmp_path / "build" / "site").exists()
        return done.stderr

    return run


def test_without_network_it_names_what_is_missing(build):
    said = build(3)
    assert "Traceback" not in said
    assert "pyodide.asm.wasm: cannot be fetched from https://" in said
    assert "python_stdlib.zip: cannot be fetched" in said


def test_another_sha256_is_refused(build, tmp_path):
    parts = tmp_path / "build" / "parts"
    parts.mkdir(parents=True)
    (parts / "pyodide.asm.wasm").write_bytes(b"something else")
    said = build(1)
    assert "pyodide.asm.wasm: its sha256 is " in said
    assert "must be" in said


def test_the_page_and_the_kernel_have_the_same_widgets():
    pins = [
        re.findall(r"^ipywidgets==\S+", (ROOT / "site" / name).read_text(), re.MULTILINE)
        for name in ("requirements.txt", "browser-requirements.txt")
    ]
    assert len(pins[0]) == 1
    assert pins[0] == pins[1]
