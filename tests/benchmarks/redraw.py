"""Measure how fast a drag is, beside the common way: python -m tests.benchmarks.redraw.

In one run, in a real JupyterLab and browser, the same two panels are drawn by the explorer and
by `interact` with the inline backend, a new figure each time. Needs Chromium. Prints a table in
Markdown and asserts nothing: machines are noisy, so read the ratios.
"""

import json
import os
import platform
import statistics
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.lab import QUIET, Lab, OpenNotebook, find_browser
from tests.notebooks.write import NOTEBOOKS, stable

PRESSES = 30
DRAG_STEPS, DRAG_MS = 30, 1000
OURS = """\
from preemption import CostExplorer
CostExplorer()"""
INTERACT = """\
%matplotlib inline
from IPython.display import display
from ipywidgets import IntSlider, interact
from preemption import CostExplorer
from preemption.figures.eviction_costs import CostCurves

explorer = CostExplorer()

@interact(place=IntSlider(max=len(CostExplorer.tokens.places) - 1, value=150))
def draw(place):
    curves = CostCurves()
    explorer.tokens = CostExplorer.tokens.places[place]
    answer = explorer._ask()
    curves.fit(answer)
    curves.show(answer)
    display(curves.figure)"""

# Counts the pictures that reach the page, and notes how long each took from a key press on.
WATCH = """
() => {
  const picture = '.jp-OutputArea [role=img], .jp-OutputArea img';
  const state = () => {
    const found = document.querySelector(picture);
    return found ? found.src || found.outerHTML : '';
  };
  let last = state(), pressed = 0;
  window.waits = [];
  window.shown = 0;
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

# Runs in a kernel after notebook 01: slider moves as they come from the page.
IN_KERNEL = """
import json, statistics, sys, time
import psutil
slider = explorer._rows["tokens"].slider
def moves(n):
    for number in range(n):
        start = time.process_time()
        slider.set_state({"value": 1 + number % slider.max})
        yield 1000 * (time.process_time() - start)
rss = lambda: psutil.Process().memory_info().rss / 1e6
at_rest = rss()
warm = list(moves(200))
before = rss()
cpu_ms = statistics.median(moves(2000))
grown = rss() - before
explorer.tokens = 5000
pyplot = sys.modules.get("matplotlib.pyplot")
figures = len(pyplot.get_fignums()) if pyplot else 0
print(json.dumps({"cpu_ms": cpu_ms, "rss_mb": at_rest, "grown_mb": grown, "figures": figures,
                  "verdict": explorer.verdict}))
"""


def drag(page: Page) -> None:
    """Drag the first slider's handle over most of its track, in even steps."""
    handle = page.get_by_role("slider").first.bounding_box()
    track = page.locator(".noUi-base").first.bounding_box()
    y = handle["y"] + handle["height"] / 2
    page.mouse.move(handle["x"] + handle["width"] / 2, y)
    page.mouse.down()
    for step in range(1, DRAG_STEPS + 1):
        page.mouse.move(track["x"] + track["width"] * (0.1 + 0.8 * step / DRAG_STEPS), y)
        page.wait_for_timeout(DRAG_MS / DRAG_STEPS)
    page.mouse.up()


def one_way(browser: Browser, lab: Lab, name: str) -> dict[str, float]:
    """Return ms from key press to picture, pictures shown in a drag, and bytes per redraw."""
    received: list[int] = []
    opened = OpenNotebook(browser, lab, name, received=received)
    opened.run_all()
    page = opened.page
    slider = page.get_by_role("slider").first
    slider.focus()
    page.wait_for_timeout(2000)
    page.evaluate(WATCH)
    received.clear()
    for _ in range(PRESSES):
        slider.press("ArrowRight")
        page.wait_for_timeout(1000)
    n_bytes = sum(received) / PRESSES
    waits = page.evaluate("window.waits")
    page.evaluate("window.shown = 0")
    drag(page)
    shown = page.evaluate("window.shown")
    page.close()
    return {"ms": statistics.median(waits), "shown": shown, "bytes": n_bytes}


def in_browser() -> list[dict[str, float]]:
    """Measure both ways in one JupyterLab, ours first."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=QUIET)
        lab = Lab(Path(folder))
        try:
            lab.wait()
            figures = []
            for name, source in (("ours.ipynb", OURS), ("interact.ipynb", INTERACT)):
                new = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
                nbformat.write(stable(new), lab.notebooks / name)
                figures.append(one_way(browser, lab, name))
            return figures
        finally:
            lab.stop()


def in_kernel() -> dict[str, float | str]:
    """Run notebook 01 in a kernel of its own and measure there."""
    notebook = nbformat.read(NOTEBOOKS / "01_preemption.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(IN_KERNEL))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return json.loads(notebook.cells[-1].outputs[0].text)


def main() -> None:
    """Print the table."""
    ours, rival = in_browser()
    kernel = in_kernel()
    machine, python = platform.machine(), platform.python_version()
    print(f"Measured on {machine}, {os.cpu_count()} cores, Python {python}.\n")
    print("| | explorer | `interact` | ratio |\n|---|--:|--:|--:|")
    for label, key, best in (
        ("key press to picture, median, ms", "ms", rival["ms"] / ours["ms"]),
        ("pictures shown in a drag of 30 steps in 1 s", "shown", ours["shown"] / rival["shown"]),
        ("bytes to the page per redraw", "bytes", rival["bytes"] / ours["bytes"]),
    ):
        print(f"| {label} | {ours[key]:,.0f} | {rival[key]:,.0f} | {best:.1f} |")
    print(f"| kernel time per redraw, median, ms | {kernel['cpu_ms']:.1f} | | |")
    print(f"| memory of a kernel with notebook 01 run, MB | {kernel['rss_mb']:.0f} | | |")
    print(f"| its growth over 2,000 redraws, MB | {kernel['grown_mb']:.1f} | | |")
    print(f"| pyplot figures left | {kernel['figures']} | | |")
    print(f"\nVerdict after them, at 5,000 tokens: {kernel['verdict']}\n")


if __name__ == "__main__":
    main()
