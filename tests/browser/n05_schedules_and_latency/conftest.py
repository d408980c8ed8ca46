"""Notebook 05, opened and run once for all tests of this folder."""

import pytest


@pytest.fixture(scope="package")
def notebook(run):
    return run("05_schedules_and_latency.ipynb")
