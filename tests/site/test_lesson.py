"""The lesson in the static site: run, answered, dragged, for long and under bad conditions."""

import json
import re
import statistics
import time
from itertools import cycle, islice
from pathlib import Path

import pytest
from playwright.sync_api import Error, expect

from preemption import CostExplorer, LoadExplorer, MachineExplorer, costs, words
from preemption.exercises.tasks import TASKS
from tests.browser.lab import OnPage, find_browser
from tests.site.conftest import ARGUMENTS, FIGURES, RUNNING, OpenNotebook

FIRST = "01_preemption.ipynb"
EXERCISES = "02_try_it_yourself.ipynb"
RELOADED = "03_where_the_choice_flips.ipynb"
NOTEBOOK_FILES = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
NOTEBOOKS = [path.name for path in NOTEBOOK_FILES]
TOKENS, LINK = CostExplorer.tokens.label, CostExplorer.bandwidth_gb_per_s.label
# From the key to the page that shows what came of it, next frame included.
TIMED = """root => {
  window.times = []
  let pressed
  root.addEventListener('keydown', () => pressed ??= performance.now(), true)
  new MutationObserver(() => {
    if (pressed === undefined) return
    const began = pressed
    pressed = undefined
    requestAnimationFrame(() => window.times.push(performance.now() - began))
  }).observe(root.querySelector('[role=status]').closest('.pe').parentNode,
    {subtree: true, childList: true, characterData: true})
}"""


def resident_mb(browser):
    """Return the memory of the browser's processes that run pages."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pages = [each["id"] for each in found if each["type"] == "renderer"]
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pages) * 4096 / 1e6


@pytest.fixture(scope="module")
def opened(browser, site):
    """Notebook 01 on a first visit, run all; the figures of it are kept."""
    began = time.monotonic()
    notebook = OpenNotebook(browser.new_context(color_scheme="dark"), site, FIRST)
    notebook.start_all()
    notebook.page.locator(".pe-picture svg").first.wait_for(state="attached", timeout=240_000)
    FIGURES.append(f"first picture after {time.monotonic() - began:.1f} s")
    notebook.page.wait_for_function(f"() => !{RUNNING}", polling=100, timeout=240_000)
    FIGURES.append(f"first visit {site.loaded_bytes() / 1e6:.1f} MB, compressed")
    return notebook


class Explorer(OnPage):
    """The explorer of eviction costs, as a reader of the site meets it."""

    def expect(self, tokens, gb_per_s):
        """Wait until boxes and verdict agree with the package at these settings."""
        link = (costs.PER_TOKEN_BYTES, gb_per_s * 1e9)
        both = words.digits(costs.recompute_ms(tokens)), words.digits(costs.swap_ms(tokens, *link))
        winner = costs.cheaper(tokens, *link)
        expect(self.status).to_contain_text(
            f"recompute {both[0]} ms, swap {both[1]} ms; cheaper here: {winner}", timeout=20_000
        )
        assert self.values() == (tokens, gb_per_s)


@pytest.fixture
def explorer(opened):
    found = Explorer(opened.page)
    found.reset(CostExplorer().verdict)
    return found


def test_a_first_visit_is_small(opened, site):
    assert opened
    assert site.loaded_bytes() < 20e6
    said = re.search(r"loads (\d+) MB", (site.folder / "index.html").read_text())
    assert abs(int(said[1]) - site.loaded_bytes() / 1e6) < 1


def test_its_kernel_began_before_jupyterlab_asked(opened):
    (worker,) = opened.page.workers
    assert worker.url.endswith("/static/pyodide/first.js")


def test_a_prediction_is_answered(opened):
    asked = opened.page.locator(".jp-OutputArea-output", has=opened.page.get_by_role("radio")).first
    asked.scroll_into_view_if_needed()
    asked.get_by_role("radio").first.focus()
    opened.page.keyboard.press("Space")
    asked.get_by_role("button").first.press("Enter")
    expect(asked.get_by_role("status")).to_contain_text("right.")


def test_enter_in_a_box_counts(explorer):
    explorer.fill(LINK, "2.7")
    explorer.expect(1000, 2.7)


def test_the_kernel_answers_move_after_move(explorer, browser):
    explorer.slider(TOKENS).focus()
    explorer.root.evaluate(TIMED)
    grown = []
    for round_ in range(4):
        for key in islice(
            cycle(["ArrowRight", "ArrowRight", "PageUp", "ArrowLeft", "PageDown"]), 50
        ):
            shown = explorer.status.inner_text()
            explorer.page.keyboard.press(key)
            expect(explorer.status).not_to_have_text(shown)
            if round_ == 0:
                explorer.expect(*explorer.values())
        explorer.expect(*explorer.values())
        grown.append(resident_mb(browser))
    times = explorer.page.evaluate("window.times")
    assert len(times) >= 150
    p95 = statistics.quantiles(times, n=20)[-1]
    FIGURES.append(f"redraw {statistics.median(times):.0f} ms median, {p95:.0f} ms at p95")
    FIGURES.append(f"memory {grown[0]:.0f} MB after {50} moves, {grown[-1]:.0f} MB after {4 * 50}")
    assert grown[-1] - grown[0] < 300


def test_drags_end_where_the_handle_is(explorer):
    for to in (0.9, 0.1, 0.7, 0.3, 0.5):
        explorer.drag(LINK, to, 10)
        explorer.expect(1000, explorer.place(CostExplorer.bandwidth_gb_per_s))


def test_on_a_phone_all_code_is_in_view(opened):
    before = opened.page.viewport_size
    opened.page.set_viewport_size({"width": 390, "height": 844})
    too_wide = "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).length"
    for shown in (".cm-scroller", ".jp-RenderedText", ".jp-MarkdownOutput"):
        found = opened.page.locator(f".jp-NotebookPanel {shown}")
        assert found.count() > 5
        opened.page.wait_for_function(f"!({too_wide})([...document.querySelectorAll('{shown}')])")
    opened.page.set_viewport_size(before)


def test_it_is_dark_where_the_readers_pages_are(opened):
    expect(opened.page.locator("body")).to_have_attribute("data-jp-theme-light", "false")


def test_notebook_01_is_clean_after_all_that(opened):
    opened.expect_no_error()


def test_a_link_opens_a_second_tab_and_both_answer(opened, explorer, site):
    with opened.page.expect_popup() as popup:
        opened.page.get_by_role("link", name="2. Cost an eviction, then write the rule").click()
    other = OpenNotebook(opened.page.context, site, EXERCISES, page=popup.value)
    other.run_all()
    other.expect_no_error()
    explorer.fill(LINK, "8")
    explorer.expect(1000, 8)
    _right_wrong_endless(other)
    other.page.close()


def test_a_restarted_kernel_has_a_worker_of_its_own(opened):
    (first,) = opened.page.workers
    with first.expect_event("close"):
        opened.restart()
    opened.run_all()
    (second,) = opened.page.workers
    assert "/pyodide-kernel-extension/" in second.url
    Explorer(opened.page).expect(1000, 25)


def _right_wrong_endless(notebook):
    cells = notebook.page.locator(".jp-CodeCell")
    cell = cells.filter(has_text="def recompute_ms(").filter(has_text="check(recompute_ms)")
    for body, said in {
        "def recompute_ms(tokens, ms_per_token=0.1):\n    return 1.0\n": "wrong.",
        "def recompute_ms(tokens, ms_per_token=0.1):\n    while True: pass\n": "was stopped",
        TASKS["recompute_ms"].solution: "right.",
    }.items():
        cell.scroll_into_view_if_needed()
        notebook.write(cell, f"{body}\n\ncheck(recompute_ms)")
        expect(cell.get_by_role("status")).to_contain_text(said, timeout=20_000)


@pytest.mark.parametrize("name", sorted({*NOTEBOOKS} - {FIRST, EXERCISES, RELOADED}))
def test_the_other_notebooks_run(opened, site, name):
    notebook = OpenNotebook(opened.page.context, site, name)
    notebook.run_all()
    notebook.expect_no_error()
    labels = notebook.page.get_by_label(LoadExplorer.pool.label, exact=True)
    if labels.count():
        load = OnPage(notebook.page, label=LoadExplorer.rate.label)
        shown = load.status.inner_text()
        load.fill(LoadExplorer.pool.label, "1500")
        expect(load.status).not_to_have_text(shown)
        expect(load.status).to_contain_text("1,500 blocks")
    notebook.page.close()


def test_a_reload_in_the_middle_of_a_run(opened, site):
    notebook = OpenNotebook(opened.page.context, site, RELOADED)
    notebook.start_all()
    notebook.page.reload()
    notebook.wait()
    notebook.run_all()
    notebook.expect_no_error()
    verdict = OnPage(notebook.page, label=MachineExplorer.tokens.label).status
    expect(verdict).to_have_text(MachineExplorer(linear=True).verdict)
    notebook.page.close()


def _setting(browser, folder):
    (folder / "Default").mkdir()
    (folder / "Default" / "Preferences").write_text(
        json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}})
    )
    return browser.browser_type.launch_persistent_context(
        folder, executable_path=find_browser(), args=ARGUMENTS
    )


def _throwing(browser, _folder):
    context = browser.new_context()
    context.add_init_script(
        """for (const name of ["indexedDB", "localStorage", "sessionStorage"])
          Object.defineProperty(window, name,
            {get() { throw new DOMException("blocked", "SecurityError") }})"""
    )
    return context


@pytest.mark.parametrize("block", [_setting, _throwing])
def test_with_storage_blocked_it_runs_all_the_same(browser, site, tmp_path, block):
    context = block(browser, tmp_path)
    notebook = OpenNotebook(context, site, FIRST)
    with pytest.raises(Error, match="SecurityError"):
        notebook.page.evaluate("localStorage.length")
    notebook.run_all()
    explorer = Explorer(notebook.page)
    explorer.expect(1000, 25)
    explorer.fill(LINK, "8")
    explorer.expect(1000, 8)
    context.close()


def test_a_reset_removes_changed_copies(browser, site):
    context = browser.new_context()
    notebook = OpenNotebook(context, site, FIRST)
    notebook.page.locator(".jp-CodeCell .cm-content").first.click()
    notebook.page.keyboard.insert_text("# mine\n")
    notebook.page.keyboard.press("Control+s")
    stored = "indexedDB.databases().then(all => all.map(each => each.name))"
    notebook.page.wait_for_timeout(1000)
    (name,) = (each for each in notebook.page.evaluate(stored) if "JupyterLite" in each)
    notebook.page.close()
    page = context.new_page()
    page.goto(site.url)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove my copies").click()
    expect(page.get_by_role("status")).to_contain_text("Removed.")
    assert name not in page.evaluate(stored)
    context.close()


@pytest.mark.parametrize(
    ("away", "here"),
    [("tree", ""), ("lab", ""), ("tree?path=docs/field-guide.md", "docs/field-guide.html")],
)
def test_where_jupyterlab_leads_there_is_a_page(browser, site, away, here):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{site.url}{away}")
    page.wait_for_url(f"{site.url}{here}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_what_notebooks_have_links_to_is_there(site):
    text = "".join(path.read_text() for path in NOTEBOOK_FILES)
    papers = re.findall(r"\]\(\.\./(docs/[\w-]+)\.md\)", text)
    assert papers
    for paper in papers:
        assert (site.folder / "files" / f"{paper}.md").exists()
        assert (site.folder / f"{paper}.html").exists()


def test_every_published_notebook_is_the_projects_own(site):
    for path in NOTEBOOK_FILES:
        served = json.loads((site.folder / "files" / path.name).read_text())
        assert served == json.loads(path.read_text())
