"""Notebook 06, opened and run once for all tests of this folder."""

import pytest


@pytest.fixture(scope="package")
def notebook(run):
    return run("06_from_the_field.ipynb")
