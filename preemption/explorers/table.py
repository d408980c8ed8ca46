"""Tables below a picture: the two ways to resume side by side, or rows of numbers."""

from collections.abc import Mapping, Sequence

from preemption import words
from preemption.page import theme

_COLOURS = {"recompute": theme.RECOMPUTE, "swap": theme.SWAP}


def winner(cost_ms: Mapping[str, float]) -> str:
    """Name the cheaper way; a tie goes to recompute, as in `costs.cheaper`."""
    return "swap" if cost_ms["swap"] < cost_ms["recompute"] else "recompute"


def lead(cost_ms: Mapping[str, float]) -> str:
    """Say by how much the cheaper way is cheaper."""
    low, high = sorted(cost_ms.values())
    if low == high:
        return "on a tie"
    factor = high / low
    if factor >= 1.1:
        return f"by a factor of {words.digits(factor, 3)}"
    percent = 100 * (factor - 1)
    return f"by {words.digits(percent, 2)}%" if percent >= 1 else "by less than 1%"


def cost_table(
    names: Mapping[str, str], how_html: Mapping[str, str], cost_ms: Mapping[str, float]
) -> str:
    """Return a table with a row for "recompute" and for "swap"; the cheaper cost stands out."""
    best = winner(cost_ms)
    rows = "".join(
        f'<tr><th scope="row" style="border-left: 4px solid {theme.css(colour)}">{names[way]}</th>'
        f'<td>{how_html[way]}</td><td class="pe-number{" pe-best" if way == best else ""}">'
        f"{words.digits(cost_ms[way])}</td></tr>"
        for way, colour in _COLOURS.items()
    )
    head = (
        '<tr><th scope="col">option</th><th scope="col">how</th>'
        '<th scope="col" class="pe-number">cost (ms)</th></tr>'
    )
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def number_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column holds names and the others numbers."""
    side = ' class="pe-number"'
    titles = "".join(
        f'<th scope="col"{side if at else ""}>{title}</th>' for at, title in enumerate(head)
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td{side}>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
