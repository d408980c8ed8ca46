"""The explorer drags in Jupyter Notebook 7 too."""

import nbformat

from preemption import CostExplorer
from tests.browser.lab import OnPage, OpenNotebook


def test_the_explorer_drags(browser, lab):
    notebook = nbformat.read(lab.notebooks / "01_preemption.ipynb", as_version=4)
    needed = ("imports", "ask-flip-1000", "ask-flip-10000", "explorer")
    notebook.cells = [cell for cell in notebook.cells if cell.id in needed]
    nbformat.write(notebook, lab.notebooks / "in_notebook_7.ipynb")
    opened = OpenNotebook(browser, lab, "in_notebook_7.ipynb", page="notebook 7")
    assert opened.page.locator("body[data-notebook='notebooks']").count() == 1
    opened.run_all()
    opened.errors.clear()  # Notebook 7 has one of its own while it opens
    explorer = OnPage(opened.page)
    explorer.expect(1000, 25)
    before = explorer.picture.inner_html()
    explorer.drag("link bandwidth (GB/s)", 0.05, 20)
    gb_per_s = explorer.place(CostExplorer.bandwidth_gb_per_s)
    assert gb_per_s < 1
    explorer.expect(1000, gb_per_s)
    assert explorer.picture.inner_html() != before
    assert opened.errors == []
    opened.page.close()
