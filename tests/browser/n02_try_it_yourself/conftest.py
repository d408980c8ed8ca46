"""Notebook 02, opened and run once for all tests of this folder."""

import pytest


@pytest.fixture(scope="package")
def notebook(run):
    return run("02_try_it_yourself.ipynb")
