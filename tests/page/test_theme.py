"""Colours: enough contrast on light and dark pages, and never colour alone."""

import pytest

from preemption import CostExplorer
from preemption.page import theme

TEXTS = [theme.INK, theme.MUTED, theme.RECOMPUTE_TEXT, theme.SWAP_TEXT, theme.GUESS, theme.DECODE]
LINES = [theme.RECOMPUTE, theme.SWAP, theme.RIGHT]
# The page behind an output in JupyterLab's light and dark themes, VS Code and Colab.
LIGHT_PAGES, DARK_PAGES = ["#ffffff"], ["#111111", "#1e1e1e", "#383838"]


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_as_wcag_has_it():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("colours", "least"), [(TEXTS, 4.5), (LINES, 3.0)])
def test_contrast_on_every_page(colours, least):
    for colour in colours:
        assert all(contrast(colour, page) >= least for page in LIGHT_PAGES), colour
        assert all(contrast(theme._DARK[colour], page) >= least for page in DARK_PAGES), colour


@pytest.mark.parametrize("fill", theme.SEQUENCES)
def test_ink_on_the_fill_of_a_sequence(fill):
    assert contrast(theme.INK, fill) >= 4.5
    assert contrast(theme._DARK[theme.INK], theme._DARK[fill]) >= 4.5


def test_the_curves_differ_in_grey_too():
    """A dashed line with squares against a solid one with discs, each with its name on it."""
    curves = CostExplorer().picture
    for recompute, swap in (
        (curves.recompute_by_link, curves.swap_by_link),
        (curves.recompute_by_tokens, curves.swap_by_tokens),
    ):
        assert "dasharray" not in "".join(recompute.styles)
        assert "dasharray" in "".join(swap.styles)
    assert curves.recompute_points[0].get_marker() != curves.swap_points[0].get_marker()
    names = {label.get_text() for label in (curves._on_recompute, curves._on_swap)}
    assert names == {"recompute", "swap, out and back"}


def test_every_colour_has_a_dark_one_and_a_name():
    assert set(theme._DARK) == set(theme._NAMES)
    assert len(set(theme._NAMES.values())) == len(theme._NAMES)
