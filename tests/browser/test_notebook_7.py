"""The explorer drags in Jupyter Notebook 7 too."""

import pytest

from tests.browser.lab import OnPage, OpenNotebook, serve


@pytest.fixture(scope="module")
def notebook_7(browser, tmp_path_factory):
    assert browser
    yield from serve(tmp_path_factory.mktemp("notebook-7"), app="notebook")


def test_the_explorer_drags(browser, notebook_7):
    opened = OpenNotebook(browser, notebook_7, "01_preemption.ipynb")
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
