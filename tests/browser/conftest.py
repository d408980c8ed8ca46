"""A browser and a JupyterLab for the tests of this folder."""

import os

import pytest
from playwright.sync_api import Error, sync_playwright

from tests.browser.lab import QUIET, OpenNotebook, find_browser, serve


# Not for the whole session: while Playwright runs, its event loop is everybody's.
@pytest.fixture(scope="package")
def browser():
    """Chromium, or a skip that says what is missing; in CI a failure instead."""
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=find_browser(), args=QUIET)
        except Error as error:
            message = f"no Chromium to drive: {str(error).splitlines()[0]}"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        yield started
        started.close()


@pytest.fixture(scope="package")
def lab(browser, tmp_path_factory):
    """A JupyterLab; it is not even started without a browser."""
    assert browser
    yield from serve(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="package")
def run(browser, lab):
    """Open a notebook and run all of it, in one page, where the one before is closed."""
    pages = []

    def opened(name):
        if pages:
            pages[0].change_to(name)
        else:
            pages.append(OpenNotebook(browser, lab, name))
        pages[0].note_saved_picture()
        pages[0].run_all()
        return pages[0]

    return opened
