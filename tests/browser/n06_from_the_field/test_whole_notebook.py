"""Notebook 06 as a whole, after all that was done in it."""

from tests.browser.everyone import ForEveryone


class TestForEveryone(ForEveryone):
    pass
