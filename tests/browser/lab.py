"""A real JupyterLab on loopback, and a real browser that drives it."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

from playwright.sync_api import expect

from preemption import costs, words

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def find_browser():
    """Return the path of Chromium or Chrome, or None for the one Playwright may have."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


PAGES = {"lab": "lab/tree/notebooks/{}?reset", "notebook 7": "notebooks/notebooks/{}"}


class Lab:
    """JupyterLab, and Notebook 7, serving a copy of the lesson, with settings of its own."""

    def __init__(self, folder: Path) -> None:
        lesson = folder / "lesson"
        self.notebooks = lesson / "notebooks"
        for part in ("notebooks", "docs"):
            shutil.copytree(ROOT / part, lesson / part)
        settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        no_news = json.dumps({"fetchNews": "false"})
        (settings / "notification.jupyterlab-settings").write_text(no_news)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._url = f"http://127.0.0.1:{port}"
        self._log = (folder / "log").open("w")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
                *("--IdentityProvider.token=", f"--ServerApp.root_dir={lesson}"),
            ],
            env=os.environ
            | {
                "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
                "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
                "JUPYTER_CONFIG_DIR": str(folder / "config"),
                "JUPYTER_DATA_DIR": str(folder / "data"),
                "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            },
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def wait(self) -> None:
        """Return when the server answers."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            assert self._process.poll() is None, Path(self._log.name).read_text()
            try:
                urllib.request.urlopen(f"{self._url}/api").close()
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        raise TimeoutError(Path(self._log.name).read_text())

    def address(self, name: str, page: str = "lab") -> str:
        """Return where the notebook of this name is opened."""
        return f"{self._url}/{PAGES[page].format(name)}"

    def stop(self) -> None:
        """End the server and its kernels."""
        self._process.terminate()
        self._process.wait(30)
        self._log.close()


def serve(folder):
    """Yield a Lab on `folder`, and stop it in the end."""
    lab = Lab(folder)
    try:
        lab.wait()
        yield lab
    finally:
        lab.stop()


def _count_frames(received, socket):
    socket.on("framereceived", lambda frame: received.append(len(frame)))


_PROMPTS = "[...document.querySelectorAll('.jp-InputPrompt')].map(prompt => prompt.textContent)"


class OpenNotebook:
    """A notebook open in a page; `received` collects the bytes of each message to the page."""

    def __init__(self, browser, lab, name, *, page="lab", received=None):
        self.page = browser.new_page(viewport={"width": 1280, "height": 1000})
        self.page.set_default_timeout(20_000)
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note_bad_path)
        if received is not None:
            self.page.on("websocket", partial(_count_frames, received))
        self.page.goto(lab.address(name, page))
        self._folder = lab.notebooks
        self._cells = self.page.locator(".jp-NotebookPanel .jp-Cell")
        self._wait_for_cells(name)
        self._hide_sidebar()

    def _hide_sidebar(self):
        # It takes room from the notebook; a busy page may not hear the keys at once.
        for _ in range(20):
            if not self.page.locator("#jp-left-stack").is_visible():
                return
            self.page.keyboard.press("Control+b")
            self.page.wait_for_timeout(500)

    def _wait_for_cells(self, name):
        # They come by and by; one that is not there yet would not be seen to run.
        cells = json.loads((self._folder / name).read_text())["cells"]
        expect(self._cells).to_have_count(len(cells), timeout=180_000)

    def change_to(self, name):
        """Close the notebook and its kernel; open another one in the same JupyterLab."""
        self._choose("File", re.compile("^Close and Shut Down Notebook"))
        self.page.get_by_role("button", name="Ok", exact=True).click()
        expect(self._cells).to_have_count(0)
        self._choose("File", "Open from Path…")
        self.page.keyboard.type(f"notebooks/{name}")
        self.page.keyboard.press("Enter")
        self._wait_for_cells(name)
        self._hide_sidebar()

    def _note_bad_path(self, message):
        if "<path>" in message.text:  # of an SVG, such as one with "nan" in it
            self.errors.append(message.text)

    def note_saved_picture(self):
        """Keep how wide the first picture is that the file itself holds, before anything runs."""
        saved = self.page.locator(".jp-OutputArea-output img").first
        saved.scroll_into_view_if_needed()
        expect(saved).to_be_visible()
        self.saved_picture_px = saved.evaluate("image => image.naturalWidth")

    def run_all(self):
        """Run all cells, once the kernel is there; return when the last one has run."""
        kernel = self.page.locator(".jp-NotebookPanel .jp-Toolbar-kernelName")
        kernel.get_by_text("Python 3").first.wait_for()
        self.page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
        self._choose("Run", "Run All Cells")
        self.wait_until_run()

    def restart_and_run_all(self):
        """Restart the kernel and run all cells; return when the last one has run."""
        self._choose("Kernel", "Restart Kernel and Run All Cells…")
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()
        self.wait_until_run()

    def write(self, cell, code):
        """Replace the code of a cell by typing, and run it with Shift+Enter."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)
        self.page.keyboard.press("Shift+Enter")

    def guess(self, question, text, unit):
        """Type a guess and commit to it by keyboard; return where the reply stands."""
        asked = self.page.locator(".jp-OutputArea-output", has_text=question).first
        asked.scroll_into_view_if_needed()
        asked.get_by_label(f"your guess ({unit})").fill(text)
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")
        return asked.get_by_role("status")

    def _choose(self, menu, item):
        self.page.get_by_role("menuitem", name=menu, exact=True).click()
        self.page.get_by_role("menuitem", name=item, exact=True).click()

    def wait_until_run(self):
        """Wait until cells have begun to run and all have ended."""
        running = f"{_PROMPTS}.some(text => text.includes('*'))"
        # Not at every frame, as it would be by default: that takes time from the page.
        self.page.wait_for_function(f"() => {running}", polling=100)
        self.page.wait_for_function(f"() => !{running}", polling=100, timeout=180_000)


class OnPage:
    """An explorer as a reader meets it: boxes by their labels, sliders, status, picture.

    Of the explorers that have a control with this `label` it is the one with this `number`.
    """

    def __init__(self, page, number=0, *, label="link bandwidth (GB/s)"):
        boxes = page.get_by_label(label, exact=True)
        self.root = page.locator(".jp-OutputArea-output", has=boxes).nth(number)
        self.page = page
        self.root.scroll_into_view_if_needed()
        self.status = self.root.get_by_role("status")
        self.picture = self.root.locator("[role=img] .pe-wide")

    def box(self, label):
        return self.root.get_by_label(label, exact=True)

    def slider(self, label):
        box = self.page.get_by_label(label, exact=True)
        row = self.root.locator(".widget-hbox", has=box).last
        return row.get_by_role("slider")

    def values(self):
        """Return what the two boxes hold."""
        tokens = float(self.box("cached tokens").input_value())
        return int(tokens), float(self.box("link bandwidth (GB/s)").input_value())

    def fill(self, label, value):
        """Type a value into a box and press Enter."""
        self.box(label).fill(f"{value}")
        self.box(label).press("Enter")

    def place(self, setting):
        """Return the number at which the slider of an explorer's setting stands."""
        position = self.slider(setting.label).get_attribute("aria-valuenow")
        return setting.places[round(float(position))]

    def reset(self, verdict):
        """Reset the explorer, if it does not say `verdict` already, and wait until it does."""
        # A click in flight could come after what follows: the kernel may hear it in a thread
        # of its own.
        if self.status.inner_text() != verdict:
            self.root.get_by_role("button", name="reset").click()
        expect(self.status).to_have_text(verdict)

    def drag(self, label, to, steps):
        """Drag a slider's handle to a part of its track, in even steps of the mouse."""
        handle = self.slider(label)
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        track = handle.locator("xpath=ancestor::*[contains(@class,'noUi-base')]").bounding_box()
        mouse, y = self.page.mouse, box["y"] + box["height"] / 2
        mouse.move(box["x"] + box["width"] / 2, y)
        mouse.down()
        mouse.move(track["x"] + to * track["width"], y, steps=steps)
        mouse.up()

    def expect(self, tokens, gb_per_s):
        """Wait for boxes, verdict and picture to agree with the package at these settings."""
        recompute = words.digits(costs.recompute_ms(tokens))
        swap = words.digits(costs.swap_ms(tokens, costs.PER_TOKEN_BYTES, gb_per_s * 1e9))
        winner = costs.cheaper(tokens, costs.PER_TOKEN_BYTES, gb_per_s * 1e9)
        verdict = f"recompute {recompute} ms, swap {swap} ms; cheaper here: {winner}"
        expect(self.status).to_contain_text(verdict)
        expect(self.box("cached tokens")).to_have_value(f"{tokens}")
        expect(self.box("link bandwidth (GB/s)")).to_have_value(f"{gb_per_s:.10g}")
        titles = words.count(tokens, "cached token"), f"{words.plain(gb_per_s)} GB/s"
        for title in titles:
            expect(self.picture.get_by_text(f"at {title}", exact=True)).to_be_visible()
