"""A notebook made into a page (nbconvert): each picture keeps what is said in its place."""

import html
import re

import nbformat
from nbconvert import HTMLExporter

from tests.notebooks.test_hygiene import NOTEBOOKS


def test_exported_pictures_keep_their_alternatives():
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    saved = re.findall('<img alt="([^"]+)"', "".join(map(shown, notebook.cells)))
    page, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    images = re.findall(r"<img [^>]*>", page)
    exported = [re.search('alt="([^"]+)"', image)[1] for image in images]
    assert len(saved) > 3
    assert list(map(html.unescape, exported)) == list(map(html.unescape, saved))


def shown(cell):
    return "".join(
        output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])
    )
