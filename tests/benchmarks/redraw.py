"""Measure how fast a drag is, beside the common way: python -m tests.benchmarks.redraw.

In one run, in a real JupyterLab and browser, the same two panels are drawn by the explorer and
by `interact` with the inline backend (a new figure each time). Needs Chromium. Prints a table in
Markdown; nothing is asserted, since machines are noisy: read the ratios.
"""

import statistics
import tempfile
from pathlib import Path

import nbformat
from playwright.sync_api import Page, sync_playwright

from tests.browser.lab import QUIET, Lab, OpenNotebook, find_browser
from tests.notebooks.write import stable

PRESSES = 30
OURS = """\
from preemption import CostExplorer
CostExplorer()"""
RIVAL = """\
%matplotlib inline
from IPython.display import display
from ipywidgets import IntSlider, interact
from preemption.explorers.cost import CostExplorer
from preemption.figures.cost_curves import CostCurves

@interact(place=IntSlider(max=len(CostExplorer.tokens.places) - 1, value=150))
def draw(place):
    curves = CostCurves()
    curves.fit(1000, 0.1)
    curves.show(CostExplorer.tokens.places[place], 25.0, 0.1)
    display(curves.figure)"""

# Notes when a key is pressed and when, after that, another picture is in the page.
WATCH = """
() => {
  const picture = () => document.querySelector('.jp-OutputArea svg[role=img], .jp-OutputArea img');
  const state = () => { const p = picture(); return p ? (p.src || p.outerHTML) : ''; };
  let last = state(), pressed = 0;
  window.waits = []; window.shown = 0;
  document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    const now = state();
    if (!now || now === last) return;
    last = now;
    requestAnimationFrame(() => {
      window.shown += 1;
      if (pressed) window.waits.push(performance.now() - pressed);
      pressed = 0;
    });
  }).observe(document.body, {subtree: true, childList: true, attributes: true});
}
"""


def notebook(folder: Path, name: str, source: str) -> None:
    """Write a notebook of one cell."""
    new = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(stable(new), folder / name)


def drag(page: Page, steps: int = 30, seconds: float = 1.0) -> None:
    """Drag the slider's handle over most of its track, in even steps."""
    handle = page.get_by_role("slider").first
    box, track = handle.bounding_box(), page.locator(".noUi-base").first.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for step in range(1, steps + 1):
        page.mouse.move(track["x"] + track["width"] * (0.1 + 0.8 * step / steps), y)
        page.wait_for_timeout(1000 * seconds / steps)
    page.mouse.up()


def in_browser() -> dict[str, dict[str, float]]:
    """Return ms from key press to picture, pictures in a drag and bytes, for both ways."""
    figures = {}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=QUIET)
        lab = Lab(Path(folder), {"apputils-extension/notification": {"fetchNews": "false"}})
        try:
            lab.wait()
            for name, source in (("ours", OURS), ("interact", RIVAL)):
                notebook(lab.notebooks, f"{name}.ipynb", source)
                figures[name] = one_way(browser, lab, f"{name}.ipynb")
        finally:
            lab.stop()
    return figures


def one_way(browser, lab: Lab, name: str) -> dict[str, float]:
    received: list[int] = []
    opened = OpenNotebook(browser, lab, name, received=received)
    opened.run_all()
    page = opened.page
    slider = page.get_by_role("slider").first
    slider.wait_for()
    slider.focus()
    page.wait_for_timeout(2000)
    page.evaluate(WATCH)
    received.clear()
    for _ in range(PRESSES):
        slider.press("ArrowRight")
        page.wait_for_timeout(900)
    waits = page.evaluate("window.waits")
    n_bytes = sum(received) / PRESSES
    page.evaluate("window.shown = 0")
    drag(page)
    page.wait_for_timeout(50)
    shown = page.evaluate("window.shown")
    page.close()
    return {"ms": statistics.median(waits), "shown": shown, "bytes": n_bytes}


if __name__ == "__main__":
    for k, v in in_browser().items():
        print(k, v)
