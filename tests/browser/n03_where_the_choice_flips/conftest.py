"""Notebook 03, opened and run once for all tests of this folder."""

import pytest


@pytest.fixture(scope="package")
def notebook(run):
    return run("03_where_the_choice_flips.ipynb")
