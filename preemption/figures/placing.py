"""Where labels go: near what they name, inside their panel, on no other text and no marker."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from matplotlib.axes import Axes

from preemption.figures.quick import ARROW_PX, LINE, Box, Label, Points, frame_of, text_px

_UP, _DOWN = 0.78, 0.24  # from the baseline, in font sizes
_GAP_PX = 2
# Kept free at the edge of a figure; how far a label may stick out; room above axes, for a title.
_EDGE_PX, _BESIDE_PX, _TITLE_PX = 3, 8, 60
_STEPS = sorted(
    ((24 * right, 8 * up) for right in range(-14, 15) for up in range(-40, 41)),
    key=lambda step: (abs(step[0]) + abs(step[1]), abs(step[0]), -step[1]),  # rather up than down
)
_MIRRORED = {"left": "right", "right": "left"}


def place_labels(labels: Iterable[Label], taken: dict[Axes, list[Box]], width_px: float) -> None:
    """Give each label a spot, the first ones first; those that find none are left out.

    `taken` are boxes that are in the way, by axes, and takes in those of the labels; `width_px`
    is how wide the figure is.
    """
    for label in labels:
        if label.get_text():
            _place(label, taken[label.panel], width_px)


def texts_near(axes: Axes, texts: Iterable[Box]) -> list[Box]:
    """Return those boxes which a label of these axes may meet."""
    left, bottom, right, top = frame_of(axes).box
    room = left, bottom, right + _BESIDE_PX, top + _TITLE_PX
    return [box for box in texts if not _free(room, [box])]


def marker_boxes(artist: Points) -> list[Box]:
    """Return the boxes of these markers and arrows."""
    half = artist.get_markersize() / 2
    inside, beyond = artist.places()
    boxes = [(x - half, y - half, x + half, y + half) for x, y in inside]
    half = ARROW_PX
    return boxes + [(x - half, y - half, x + half, y + half) for x, y, _ in beyond]


def _place(label: Label, taken: list[Box], width_px: float) -> None:
    label.spot = (0, 0, "left", "")
    if not label.has_room():
        return
    x, y = label.wanted()
    left, bottom, right, top = frame_of(label.panel).box
    right = min(right + _BESIDE_PX, width_px - _EDGE_PX)
    if label.is_title:
        left, bottom, top = _EDGE_PX, top, top + _TITLE_PX
    size = label.size_px
    text, wide, lines = _wrapped(label.get_text(), size, right - left, label.bold)
    down, up = _DOWN * size, (_UP + LINE * (lines - 1)) * size
    last, lowest, highest = right - wide, bottom + down, top - up
    for align, shift, rise in _steps(label, down - up):
        anchor = {"left": 0.0, "center": wide / 2, "right": wide}[align]
        start = max(min(x + shift - anchor, last), left)
        base = max(min(y + rise, highest), lowest)
        box = (start, base - down, start + wide, base + up)
        if _free(box, taken):
            label.spot = (start + anchor, base, align, text)  # of several lines the lowest
            taken.append(box)
            return


def _steps(label: Label, below: float) -> Iterator[tuple[str, float, float]]:
    """Yield how to align it, and how far to go right and up; `below` is a line further down."""
    align, (right, up) = label.get_horizontalalignment(), label.shift_px
    yield align, right, up
    own = [(align, right, up), (align, right, below - up)][: 2 if up else 1]
    yield from own[1:]
    mirrored = [(_MIRRORED[align], -right, rise) for _, _, rise in own if align != "center"]
    yield from mirrored
    for aside, rise in _STEPS[1:]:
        for how, x, y in (own + mirrored)[:2]:
            yield how, x + aside, y + rise


def _free(box: Box, taken: list[Box]) -> bool:
    left, bottom, right, top = box
    for x0, y0, x1, y1 in taken:
        if x0 - _GAP_PX < right and left < x1 + _GAP_PX and y0 < top and bottom < y1:
            return False
    return True


@lru_cache(maxsize=4096)
def _wrapped(text: str, size: float, room_px: float, bold: bool) -> tuple[str, float, int]:
    """Return the text in as few lines as fit into `room_px`, how wide it is, and their number."""
    lines: list[str] = []
    for word in text.split(" ") if text_px(text, size, bold=bold) > room_px else [text]:
        longer = " ".join([*lines[-1:], word])
        if lines and text_px(longer, size, bold=bold) <= room_px:
            lines[-1] = longer
        else:
            lines.append(word)
    wide = max(text_px(line, size, bold=bold) for line in lines)
    return "\n".join(lines), wide, len(lines)
