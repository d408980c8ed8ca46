"""Where labels go: near what they name, inside their panel, on no other text and no marker."""

from collections.abc import Iterable

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
    if not label.has_room():
        label.spot = (0, 0, "left", "")
        return
    x, y = label.wanted()
    left, bottom, right, top = frame_of(label.panel).box
    size, bold, (aside, above) = label.size_px, label.bold, label.shift_px
    right = min(right + _BESIDE_PX, width_px - _EDGE_PX)
    if label.is_title:
        left, bottom, top = _EDGE_PX, top, top + _TITLE_PX
    text = _wrapped(label.get_text(), size, right - left, bold)
    lines = text.split("\n")
    wide = max(text_px(line, size, bold=bold) for line in lines)
    down, up = _DOWN * size, (_UP + LINE * (len(lines) - 1)) * size
    align = label.get_horizontalalignment()
    other = {"left": "right", "right": "left", "center": "center"}[align]
    wanted: list[tuple[str, float, float]] = [
        (align, aside, shift) for shift in ((above, down - above - up) if above else (above,))
    ]
    if other != align:
        wanted += [(other, -aside, shift) for _, _, shift in wanted]
    for number, (dx, dy) in enumerate(_STEPS):
        for how, shift, rise in wanted if number == 0 else wanted[:2]:
            start = x + shift + dx - {"left": 0.0, "center": wide / 2, "right": wide}[how]
            start = max(min(start, right - wide), left)
            base = max(min(y + rise + dy, top - up), bottom + down)
            box = (start, base - down, start + wide, base + up)
            if _free(box, taken):
                at = start + {"left": 0.0, "center": wide / 2, "right": wide}[how]
                label.spot = (at, base, how, text)  # of several lines the lowest stands there
                taken.append(box)
                return
    label.spot = (0, 0, "left", "")


def _free(box: Box, taken: list[Box]) -> bool:
    left, bottom, right, top = box
    for x0, y0, x1, y1 in taken:
        if x0 - _GAP_PX < right and left < x1 + _GAP_PX and y0 < top and bottom < y1:
            return False
    return True


def _wrapped(text: str, size: float, room_px: float, bold: bool) -> str:
    """Return the text in as few lines as fit into `room_px`."""
    if text_px(text, size, bold=bold) <= room_px:
        return text
    lines: list[str] = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_px(longer, size, bold=bold) > room_px:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)
