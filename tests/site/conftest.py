"""The built site on loopback, and a browser that reaches nothing else."""

import functools
import gzip
import http.server
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Error, expect, sync_playwright

from tests.browser.lab import QUIET, find_browser

ARGUMENTS = [*QUIET, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
RUNNING = (
    "[...document.querySelectorAll('.jp-InputPrompt')].some(each => each.textContent.includes('*'))"
)
KNOWN = (
    "Cannot read properties of undefined (reading 'type')",  # of JupyterLab, without an effect
    "Memory storage fallback enabled",
    "No exact match found for python",
    "is duplicated",
    "404 (File not found)",  # JupyterLite asks which folders have a list of files
)
FIGURES = []


class Site(http.server.ThreadingHTTPServer):
    """Serves the folder under a sub-path, and counts what would go over the wire."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))
        self.folder, self.loaded = Path(folder), {}
        self.url = f"http://127.0.0.1:{self.server_port}/lesson/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # a page that is closed while it loads
            super().handle_error(request, client_address)

    def loaded_bytes(self):
        return sum(len(gzip.compress(path.read_bytes())) for path in self.loaded.values())


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".wasm": "application/wasm",
        ".mjs": "text/javascript",
        ".ipynb": "application/json",
    }

    def translate_path(self, path):
        return super().translate_path(path.removeprefix("/lesson"))

    def log_request(self, code="-", _size="-"):
        path = Path(self.translate_path(self.path))
        if int(code) == 200 and path.is_file():
            self.server.loaded[path] = path

    def log_message(self, *_args):
        pass


@pytest.fixture(scope="session")
def site():
    folder = os.environ.get("SITE")
    if not folder:
        pytest.skip("no static site to open: build it and set SITE to its folder")
    server = Site(folder)
    yield server
    server.shutdown()


@pytest.fixture(scope="package")
def browser(site):
    assert site
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=find_browser(), args=ARGUMENTS)
        except Error as error:
            pytest.skip(f"no Chromium to drive: {str(error).splitlines()[0]}")
        yield started
        started.close()


class OpenNotebook:
    """A notebook of the site, in a page of its own or the one that a link has opened."""

    def __init__(self, context, site, name, *, page=None):
        self.page = page or context.new_page()
        self.page.set_default_timeout(60_000)
        self.errors = []
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self.page.on(
            "console", lambda said: said.type in ("error", "warning") and self._note(said.text)
        )
        self._cells = len(json.loads((site.folder / "files" / name).read_text())["cells"])
        if not page:
            self.page.goto(f"{site.url}notebooks/index.html?path={name}")
        self.wait()

    def _note(self, text):
        if not any(known in text for known in KNOWN):
            self.errors.append(text)

    def wait(self):
        """Return when all cells are there."""
        expect(self.page.locator(".jp-NotebookPanel .jp-Cell")).to_have_count(
            self._cells, timeout=60_000
        )

    def start_all(self):
        """Choose Run All Cells, and return when they have begun."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.page.wait_for_function(f"() => {RUNNING}", polling=50)

    def run_all(self):
        """Run all cells; return when the last one has run."""
        self.start_all()
        self.page.wait_for_function(f"() => !{RUNNING}", polling=100, timeout=240_000)

    def restart(self):
        """Choose Restart Kernel, and say yes."""
        self.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        self.page.locator(".lm-Menu-item", has_text="Restart Kernel").first.click()
        self.page.locator(".jp-Dialog .jp-mod-accept").click()

    def write(self, cell, code):
        """Replace the code of a cell by typing, and run it with Shift+Enter."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)
        self.page.keyboard.press("Shift+Enter")

    def expect_no_error(self):
        """Fail where a cell has written an error or a warning."""
        written = self.page.locator("[data-mime-type$='.error'], [data-mime-type$='.stderr']")
        assert written.all_inner_texts() == []
        assert self.errors == []


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("the static site")
        for figure in FIGURES:
            terminalreporter.write_line(figure)
