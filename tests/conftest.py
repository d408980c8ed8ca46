"""What all tests share: a warm font cache, no deadlines, the score of the proof by mutation."""

# Building matplotlib's font cache may warn on stderr; here it does so before any notebook runs.
import matplotlib.font_manager  # noqa: F401
from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

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
