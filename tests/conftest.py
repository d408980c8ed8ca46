"""What all tests share: a font cache, no deadlines, groups for parallel runs, mutation scores."""

# Building matplotlib's font cache may warn on stderr; here it does so before any notebook runs.
import matplotlib.font_manager  # noqa: F401
import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from preemption.costs import DEVICES, LINKS, PROFILES

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


class ByFile(LoadScopeScheduling):
    """Keeps the tests of a file on one worker, and all that share the browser."""

    def _split_scope(self, nodeid):
        return "tests/browser" if nodeid.startswith("tests/browser/") else nodeid.split("::")[0]


def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log)


@pytest.fixture
def published_only():
    """Take what a test adds out of the catalogues again."""
    yield
    for catalogue in (DEVICES, LINKS, PROFILES):
        for name in [name for name, entry in catalogue.items() if entry.own]:
            del catalogue[name]


COLUMNS = ("mutants", "killed", "equivalent", "survived", "styles accepted")


def pytest_terminal_summary(terminalreporter):
    reports = [
        report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])
    ]
    scores = sorted(
        score for report in reports for key, score in report.user_properties if key == "score"
    )
    if scores:
        terminalreporter.section("proof by mutation")
        terminalreporter.write_line(f"{'function':<20}" + "".join(f"{c:>17}" for c in COLUMNS))
    for name, *counts in scores:
        terminalreporter.write_line(f"{name:<20}" + "".join(f"{count:>17}" for count in counts))
