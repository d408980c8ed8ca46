"""What tests read of an explorer: data of its artists, words on its page."""

import re

import numpy as np

MAX_BYTES = 8_000


def page(explorer):
    return explorer._moving.value


def data(line):
    return np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float)


def corners(boxes):
    """Return x, y, width and height of each box."""
    first, last = boxes._corners[:, 0], boxes._corners[:, 2]
    return np.column_stack([first, last - first])


def label_texts(explorer):
    wide = page(explorer).split('class="pe-wide"')[1]
    return re.findall(r"<text [^>]*>([^<]*)</text>", wide)
