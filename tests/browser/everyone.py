"""What holds for every notebook: a saved picture, axe-core, both themes, narrow, high contrast."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from preemption.page import theme

# The handles of ipywidgets' own sliders have no name (jupyter-widgets/ipywidgets issue 2650);
# the number box beside each is the named way.
KNOWN = ("aria-input-field-name", "noUi-handle")
# JupyterLab's body has no height, so that axe-core takes what overflows it as hidden, and would
# judge no colour at all: see `contrasts`.
RULES = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}
WIDE = {"width": 1280, "height": 1000}


def violations(page):
    """Return what axe-core finds in our outputs, but for the known one."""
    found = Axe().run(page, {"include": [[".jp-OutputArea-output"]]}, RULES).response
    return [
        (violation["id"], node["html"][:200])
        for violation in found["violations"]
        for node in violation["nodes"]
        if not (violation["id"] == KNOWN[0] and KNOWN[1] in node["html"])
    ]


def contrasts(page):
    """Return, for each text in our outputs, its contrast to what lies behind it, and the text."""
    return page.locator(".jp-OutputArea-output .pe *").evaluate_all(
        """parts => {
            const color = text => {
                const read = new axe.commons.color.Color();
                read.parseString(text);
                return read;
            };
            const behind = part => {
                const own = color(getComputedStyle(part).backgroundColor);
                return own.alpha === 1 ? own : behind(part.parentElement);
            };
            const texts = parts.filter(part => [...part.childNodes].some(
                child => child.nodeType === Node.TEXT_NODE && child.data.trim()
            ) && part.tagName.toUpperCase() !== 'STYLE');
            return texts.map(part => {
                const style = getComputedStyle(part);
                const ink = color(part.closest('svg') ? style.fill : style.color);
                return [axe.commons.color.getContrast(behind(part), ink), part.outerHTML];
            });
        }"""
    )


INK = {"JupyterLab Light": theme.INK, "JupyterLab Dark": theme._DARK[theme.INK]}


def theme_of(page):
    return page.locator("body").get_attribute("data-jp-theme-name")


def choose_other_theme(page):
    (other,) = INK.keys() - {theme_of(page)}
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.locator(".lm-Menu-item").get_by_text("Theme", exact=True).click()
    page.locator(".lm-Menu-item").get_by_text(other, exact=True).click()
    expect(page.locator(f"body[data-jp-theme-name='{other}']")).to_be_attached(timeout=20_000)


def eventually(page, check):
    """Check again for ten seconds, if need be: a busy machine lays a page out late."""
    for _ in range(10):
        try:
            return check()
        except AssertionError:
            page.wait_for_timeout(1_000)
    return check()


class ForEveryone:
    """The tests of one notebook, the `notebook` of a folder.

    In a file that comes last by name, so that the last test speaks of all that was done.
    """

    def test_a_saved_picture_was_there_before_anything_ran(self, notebook):
        assert notebook.saved_picture_px > 1000

    def test_axe_finds_nothing(self, notebook):
        def check():
            found = violations(notebook.page)
            assert found == [], found

        eventually(notebook.page, check)

    def test_numbers_stand_right_in_a_table_and_words_left(self, notebook):
        wrong = notebook.page.locator(".jp-OutputArea-output .pe :is(td, th)").evaluate_all(
            """cells => cells.filter(cell => getComputedStyle(cell).textAlign !==
                (cell.classList.contains('pe-number') ? 'right' : 'left')
            ).map(cell => cell.outerHTML)"""
        )
        assert wrong == []

    def test_all_words_stand_out_in_either_theme(self, notebook):
        page = notebook.page
        first = theme_of(page)  # the one in which the notebook before was left
        for last in (False, True):
            ink = f"rgb{tuple(bytes.fromhex(INK[theme_of(page)][1:]))}"
            ours = page.locator(".pe").first

            def check(ours=ours, ink=ink):
                assert ours.evaluate("ours => getComputedStyle(ours).color") == ink
                found = contrasts(page)
                assert len(found) > 50
                faint = [text for contrast, text in found if contrast < 4.5]
                assert faint == [], faint

            eventually(page, check)
            if not last:
                choose_other_theme(page)
        assert theme_of(page) != first

    def test_nothing_overflows_a_window_of_900_pixels(self, notebook):
        notebook.page.set_viewport_size(WIDE | {"width": 900})
        outputs = notebook.page.locator(".jp-OutputArea-output").all()
        assert outputs
        for output in outputs:
            wide, room = output.evaluate("output => [output.scrollWidth, output.clientWidth]")
            assert wide <= room, output.inner_text()[:80]
        notebook.page.set_viewport_size(WIDE)

    @pytest.mark.parametrize("width", [320, 390, 800, 900, 1280])
    def test_both_layers_are_equally_wide_and_their_text_is_large_enough(self, notebook, width):
        notebook.page.set_viewport_size(WIDE | {"width": width})

        def check():
            explorers = notebook.page.locator(".jp-OutputArea-output .pe-explorer").all()
            for explorer in explorers:
                layers, texts, sliders, room = explorer.evaluate(
                    """explorer => {
                        const wide = part => part.getBoundingClientRect().width;
                        const all = what => [...explorer.querySelectorAll(what)];
                        const scale = text => text.ownerSVGElement.getScreenCTM().a;
                        return [
                            all('.pe-picture > svg').filter(wide).map(wide),
                            all('.pe-picture text').filter(wide).map(
                                text => scale(text) * parseFloat(getComputedStyle(text).fontSize)
                            ),
                            all('.noUi-base').map(wide),
                            wide(explorer.parentElement),
                        ];
                    }"""
                )
                still, moving = layers
                assert still == pytest.approx(moving, abs=0.5), (still, moving)
                assert still <= room, (still, room)
                assert width < 390 or min(texts) >= 11, texts
                least = 0.85 * room if width <= 390 else 120
                assert min(sliders, default=least) >= least, (sliders, least)

        eventually(notebook.page, check)
        notebook.page.set_viewport_size(WIDE)

    def test_high_contrast_uses_the_readers_colours(self, notebook):
        page = notebook.page
        page.emulate_media(forced_colors="active")
        parts = [".pe svg text"]
        if page.locator(".pe-explorer").count():  # notebook 02 has none
            parts.append(".pe-explorer [role=img] svg > svg path")
        for part in parts:
            found = page.locator(part).first.evaluate(
                """part => {
                    const probe = document.createElement('i');
                    probe.style.color = 'CanvasText';
                    document.body.append(probe);
                    const style = getComputedStyle(part);
                    return [style.fill, style.stroke, getComputedStyle(probe).color];
                }"""
            )
            assert found[2] in found[:2], part
        page.emulate_media(forced_colors="none")

    def test_nothing_went_wrong_in_the_page(self, notebook):
        assert notebook.errors == []
        shown = notebook.page.locator(".jp-OutputArea-output").all_inner_texts()
        assert [text for text in shown if re.search(r"Traceback|Error:|^Error ", text)] == []
