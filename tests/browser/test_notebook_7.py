"""The explorer drags in Jupyter Notebook 7 too."""

import shutil

from tests.browser.lab import OnPage, OpenNotebook


def test_the_explorer_drags(browser, lab):
    shutil.copy(lab.notebooks / "01_preemption.ipynb", lab.notebooks / "in_notebook_7.ipynb")
    opened = OpenNotebook(browser, lab, "in_notebook_7.ipynb", page="notebook 7")
    assert opened.page.locator("body[data-notebook='notebooks']").count() == 1
    opened.run_all()
    opened.errors.clear()  # Notebook 7 has one of its own while it opens
    explorer = OnPage(opened.page)
    explorer.expect(1000, 25)
    before = explorer.picture.inner_html()
    explorer.drag("link bandwidth (GB/s)", 0.05, 20)
    gb_per_s = explorer.place("link bandwidth (GB/s)")
    assert gb_per_s < 1
    explorer.expect(1000, gb_per_s)
    assert explorer.picture.inner_html() != before
    assert opened.errors == []
    opened.page.close()
