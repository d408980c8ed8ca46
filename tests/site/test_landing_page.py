"""The landing page, for everyone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.site.conftest import Site
from tests.site.test_lesson import NOTEBOOKS

TEXT_PX = """() => Math.min(...[...document.querySelectorAll('main p, main li, svg text')]
  .filter(each => each.getClientRects().length && each.getBoundingClientRect().width)
  .map(each => {
    const to = each.getScreenCTM?.() ?? {a: 1, b: 0}
    return parseFloat(getComputedStyle(each).fontSize) * Math.hypot(to.a, to.b)
  }))"""


@pytest.fixture(params=[(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def page(browser, site, request):
    width, scheme = request.param
    shown = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    shown.goto(site.url)
    yield shown
    shown.close()


def test_it_is_for_everyone(page):
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert page.evaluate(TEXT_PX) >= 11
    expect(page.locator(".pe-picture[role=img]")).to_be_visible()


def test_it_opens_every_notebook(page, site):
    links = page.locator("ol a").evaluate_all("all => all.map(each => each.href)")
    assert links == [f"{site.url}notebooks/index.html?path={name}" for name in NOTEBOOKS]
    expect(page.get_by_role("link", name="Open notebook 1")).to_have_attribute(
        "href", f"notebooks/index.html?path={NOTEBOOKS[0]}"
    )


def test_while_it_is_read_pyodide_is_fetched(browser, site):
    fresh = Site(site.folder)
    page = browser.new_page()
    page.goto(fresh.url)
    wanted = {part for part in (site.folder / "static/pyodide").iterdir() if part.suffix != ".mjs"}
    for _ in range(100):
        if wanted <= set(fresh.loaded):
            break
        page.wait_for_timeout(100)
    page.close()
    fresh.shutdown()
    assert wanted <= set(fresh.loaded)
