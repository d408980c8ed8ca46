"""The landing page: a picture at once, and what the notebooks say of themselves; and the papers."""

import html
import json
import re
from pathlib import Path
from string import Template

from nbconvert.filters import markdown2html

import preemption

LINK = "notebooks/index.html?path="


def about(notebook: Path) -> tuple[str, str, list[str]]:
    """Return title, minutes and outcomes, as the first text cell of a notebook has them."""
    text = "".join(json.loads(notebook.read_text())["cells"][0]["source"])
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    minutes = re.search(r"^\*(\d+ minutes[^.*]*)", text, re.MULTILINE)
    outcomes = re.search(r"\*\*You will\*\*\s+((?:[-*] .+(?:\n  .+)*\n?)+)", text)
    if not (title and minutes and outcomes):
        raise SystemExit(f"{notebook}: a title, minutes or outcomes are not in its first cell")
    points = re.split(r"^[-*] ", outcomes[1], flags=re.MULTILINE)[1:]
    return title[1], minutes[1], [" ".join(point.split()) for point in points]


def markup(text: str) -> str:
    """Return a line of Markdown as HTML: code and emphasis, and links as their words."""
    text = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", html.escape(text))
    text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
    return re.sub(r"\*+(.+?)\*+", r"<em>\1</em>", text)


def entry(notebook: Path) -> str:
    """Return the entry of one notebook in the list."""
    title, minutes, outcomes = about(notebook)
    points = "".join(f"<li>{markup(outcome)}</li>" for outcome in outcomes)
    return (
        f'<li><a href="{LINK}{notebook.name}">{markup(title)}</a> '
        f'<span class="minutes">{minutes}</span><ul>{points}</ul></li>'
    )


def picture() -> str:
    """Return the explorer of notebook 1 as a picture, on another machine than the notebook's.

    So it answers none of the questions there.
    """
    explorer = preemption.CostExplorer()
    explorer.change(tokens=4_000, bandwidth_gb_per_s=50.0, ms_per_token=0.03)
    return str(explorer.finding().value)


def page(notebooks: list[Path], first_visit_bytes: int, parts: list[str]) -> str:
    """Return the page as HTML; it fetches these parts ahead, by their addresses."""
    template = Template((Path(__file__).parent / "landing.html").read_text())
    return template.substitute(
        megabytes=round(first_visit_bytes / 1e6),
        first=notebooks[0].name,
        picture=picture(),
        prefetched="\n".join(f'<link rel="prefetch" href="{part}">' for part in parts),
        notebooks="\n".join(map(entry, notebooks)),
    )


def document(paper: Path) -> str:
    """Return a paper of docs/ as a page of HTML."""
    text = paper.read_text()
    template = Template((Path(__file__).parent / "document.html").read_text())
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    return template.substitute(title=title[1] if title else paper.stem, body=markdown2html(text))
