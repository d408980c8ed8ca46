"""Notebook 04, opened and run once for all tests of this folder."""

import pytest


@pytest.fixture(scope="package")
def notebook(run):
    return run("04_choosing_a_victim.ipynb")
