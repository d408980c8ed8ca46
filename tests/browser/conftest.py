"""A browser and a JupyterLab for the tests of this folder."""

import os

import pytest
from playwright.sync_api import Error, sync_playwright

from tests.browser.lab import QUIET, find_browser, serve


@pytest.fixture(scope="module")
def browser():
    """Chromium, or a skip that says what is missing; in CI a failure instead.

    Not for the whole session: while Playwright runs, its event loop is everybody's.
    """
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


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """A JupyterLab; it is not even started without a browser."""
    assert browser
    yield from serve(tmp_path_factory.mktemp("lab"))
