"""What all tests share."""

# Building matplotlib's font cache may warn on stderr; here it does so before any notebook runs.
import matplotlib.font_manager  # noqa: F401
