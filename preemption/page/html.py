"""Markup: the one place that escapes text and puts tags around it.

A plain `str` is text and is escaped wherever it goes in; only `Html` goes in as it is.
"""

import base64
import html
import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from preemption.page import theme

_ROLES = {"role": "status", "aria_live": "polite"}


class Html(str):
    """Text that is markup already."""


def escaped(part: str) -> Html:
    """Return text as markup, and markup as it is."""
    return part if isinstance(part, Html) else Html(html.escape(part))


def join(parts: Sequence[str]) -> Html:
    """Put texts and markup behind one another."""
    return Html("".join(map(escaped, parts)))


def lines(parts: Sequence[str]) -> Html:
    """Put texts and markup below one another."""
    return Html("<br>".join(map(escaped, parts)))


def element(tag: str, *parts: str, **attributes: str) -> Html:
    """Return an element around these texts and markup; `class_` and `aria_label` are attributes.

    An attribute that is empty is left out.
    """
    said = "".join([_attribute(*each) for each in attributes.items()])
    inside = "".join([part if type(part) is Html else html.escape(part) for part in parts])
    return Html(f"<{tag}{said}>{inside}</{tag}>")


@lru_cache(maxsize=256)
def _attribute(name: str, value: str) -> str:
    return f' {name.rstrip("_").replace("_", "-")}="{html.escape(value)}"' if value else ""


def page(*parts: str, styled: bool = False, **attributes: str) -> Html:
    """Wrap what stands in an output; the first of a widget or a cell is to be `styled`."""
    wrapped = element("div", *parts, class_="pe", **attributes)
    return Html(theme.STYLE + wrapped) if styled else wrapped


def status(*parts: str, tag: str = "p", **attributes: str) -> Html:
    """Return what a screen reader reads out as soon as it changes."""
    return element(tag, *parts, **attributes, **_ROLES)


def paragraphs(texts: Sequence[str]) -> Html:
    """Return a paragraph for each text."""
    return join([element("p", text) for text in texts])


def items(texts: Sequence[str]) -> Html:
    """Return a list of these texts."""
    return element("ul", *(element("li", text) for text in texts))


def fold(title: str, *parts: str) -> Html:
    """Return what a reader can open."""
    return element("details", element("summary", title), *parts)


def picture(svg: Html, alternative: str = "") -> Html:
    """Frame a picture, with the text that is read out in its place if it has one."""
    role = "img" if alternative else ""
    return element("div", svg, role=role, aria_label=alternative, class_="pe-picture")


def saved_picture(png: bytes, alternative: str) -> Html:
    """Return a picture of pixels, for a saved page, as wide as one that moves would be."""
    pixels = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    style = "width: 860px; max-width: 100%"
    return Html(f'<img{_attribute("alt", alternative)} style="{style}" src="{pixels}">')


def room(table: str, verdict: str) -> Html:
    """Return what takes the room of a table and a verdict, and of some more words, unseen."""
    more = f"{verdict} {'0 ' * (10 + len(verdict) // 6)}"
    return element("div", table, element("p", element("strong", more)), class_="pe-room")


def formula(text: str) -> Html:
    """Return a formula with its powers raised: 2 × 10^-7 × n^2."""
    return Html(
        re.sub(
            r"\^(-?)(\d+)",
            lambda power: f"<sup>{'&minus;' if power[1] else ''}{power[2]}</sup>",
            escaped(text),
        )
    )


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Collection[int] = (),
    edges: Sequence[str] = (),
    best: int | None = None,
    class_: str = "",
) -> Html:
    """Return a table whose first column names its rows; the columns in `numbers` stand right.

    `edges` are colours of the theme, one at the left of each row. The last cell of row `best`
    stands out.
    """
    sides = ["pe-number" if column in numbers else "" for column in range(len(head))]
    titles = [
        element("th", title, scope="col", class_=side)
        for title, side in zip(head, sides, strict=True)
    ]
    body = []
    for number, (name, *cells) in enumerate(rows):
        edge = f"border-left: 4px solid {theme.css(edges[number])}" if edges else ""
        ends = [*sides[1:-1], f"{sides[-1]} pe-best" if number == best else sides[-1]]
        first = element("th", name, scope="row", style=edge)
        others = [element("td", cell, class_=side) for cell, side in zip(cells, ends, strict=True)]
        body.append(element("tr", first, *others))
    rows_of_table = element("thead", element("tr", *titles)), element("tbody", *body)
    return element("div", element("table", *rows_of_table, class_=class_), class_="pe-scroll")
