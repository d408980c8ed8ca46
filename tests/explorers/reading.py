"""What tests read of an explorer: data of its artists, words on its page."""

import base64
import html
import re

import numpy as np

MAX_BYTES = 8_000


def page(explorer):
    return explorer._moving.value


def saved_picture(bundle):
    """Return the PNG of a saved picture, and what stands in its place where it is not seen."""
    shown = re.fullmatch(
        '<img alt="([^"]+)" style="[^"]+" src="data:image/png;base64,([^"]+)">', bundle["text/html"]
    )
    return base64.b64decode(shown[2]), html.unescape(shown[1])


def data(line):
    return np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float)


def corners(boxes):
    """Return x, y, width and height of each box."""
    return np.array(boxes.boxes, dtype=float).reshape(-1, 4)


def label_texts(explorer):
    wide = page(explorer).split('class="pe-wide"')[1]
    texts = re.findall(r"<text [^>]*>(.*?)</text>", wide)
    return [re.sub(r"<[^>]*>", " ", text).strip() for text in texts]


def broken_places(svg):
    """Return the attributes of an SVG that hold what is no number."""
    attributes = re.findall(r'\b(?:d|x|y|width|height|viewBox|transform|points)="([^"]*)"', svg)
    return [place for place in attributes if re.search(r"nan|inf", place, re.IGNORECASE)]


_THINGS = "token|block|iteration|request|preemption|copy|copie|place|chunk|device|layer|slot|piece"


def wrong_numbers(text):
    """Return where one of a thing has a plural, or several have a singular."""
    text = re.sub(r"<[^>]*>", " ", text)
    one = rf"(?<![\d.,])1 (?:[a-z]+ )?(?:{_THINGS})s\b"
    several = rf"(?<![\d.,])(?!1 )\d[\d,.]* (?:cached |free |output )?(?:{_THINGS})\b(?!-)"
    return re.findall(one, text) + re.findall(several, text)
