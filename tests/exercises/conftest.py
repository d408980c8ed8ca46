"""What the tests of exercises share: nobody has checked anything before."""

import pytest

from preemption.exercises import display


@pytest.fixture(autouse=True)
def fresh_progress(monkeypatch):
    monkeypatch.setattr(display, "_outcomes", {})
