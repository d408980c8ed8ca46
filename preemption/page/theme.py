"""Colours by name, for light and dark pages, as matplotlib and as style sheets want them.

Hues are Okabe and Ito's, told apart by readers who do not see every colour. Text in such a
hue is darker (on a dark page lighter), so that its contrast reaches 4.5.
"""

INK = "#1b1d21"
MUTED = "#5a606b"
RULE = "#e2e5ea"
PAPER = "#ffffff"
RECOMPUTE = "#d55e00"
RECOMPUTE_TEXT = "#a84a00"
SWAP = "#0072b2"
SWAP_TEXT = "#00639c"
GUESS = "#7b4a8c"
RIGHT = "#00875f"
PREFILL = RECOMPUTE  # recomputing is prefill again
PREFILL_TEXT = RECOMPUTE_TEXT
DECODE = "#00707f"
SEQUENCES = (  # ink stands on them
    *("#f6c9a8", "#a9d1ee", "#a6dcc4", "#e3bcd6", "#ece29a", "#c9cdd6", "#f2b3b5", "#c3d98f"),
)
FONT = "DejaVu Sans"

_DARK = {
    INK: "#e8eaed",
    MUTED: "#a9afb9",
    RULE: "#33383f",
    PAPER: "#111111",
    RECOMPUTE: "#e97a2b",
    RECOMPUTE_TEXT: "#f29a5c",
    SWAP: "#56b4e9",
    SWAP_TEXT: "#7cc4ee",
    GUESS: "#cc99dd",
    RIGHT: "#2fc493",
    DECODE: "#45c4d4",
    **dict(
        zip(
            SEQUENCES,
            (
                *("#7a3f14", "#1d5078", "#14624a", "#6a3a5c"),
                *("#5e5710", "#4a4f59", "#7d2c33", "#47601c"),
            ),
            strict=True,
        )
    ),
}
_NAMES = {
    INK: "ink",
    MUTED: "muted",
    RULE: "rule",
    PAPER: "paper",
    RECOMPUTE: "recompute",
    RECOMPUTE_TEXT: "recompute-text",
    SWAP: "swap",
    SWAP_TEXT: "swap-text",
    GUESS: "guess",
    RIGHT: "right",
    DECODE: "decode",
    **{colour: f"sequence-{number}" for number, colour in enumerate(SEQUENCES)},
}


def css(colour: str) -> str:
    """Return the style-sheet variable of a colour of this module."""
    return f"var(--pe-{_NAMES[colour]})"


def with_variables(svg: str) -> str:
    """Replace this module's colours in an SVG by style-sheet variables."""
    for colour in _NAMES:
        svg = svg.replace(colour, css(colour))
    return svg


_classes: dict[str, str] = {}


def class_of(css: str) -> str:
    """Return a short name for a style."""
    return _classes.setdefault(css, f"pe-{len(_classes)}")


def css_of(class_: str) -> str:
    """Return the style that has this name."""
    return next(css for css, name in _classes.items() if name == class_)


def _declare(colours: dict[str, str]) -> str:
    return "".join(f"--pe-{_NAMES[light]}:{colour};" for light, colour in colours.items())


_ON_DARK = (
    '[data-jp-theme-light="false"] .pe',
    ".vscode-dark .pe",
    ".vscode-high-contrast .pe",
    "html[theme=dark] .pe",
)

_IN_HIGH_CONTRAST = (
    dict.fromkeys(_NAMES, "CanvasText")
    | dict.fromkeys((PAPER, *SEQUENCES), "Canvas")
    | {RULE: "GrayText"}
)
_COLOURS = (
    f".pe{{{_declare({colour: colour for colour in _NAMES})}}}"
    f"{','.join(_ON_DARK)}{{{_declare(_DARK)}}}"
    # Windows high contrast: the reader's own colours; line styles tell the curves apart.
    f"@media (forced-colors: active){{{','.join(('.pe', *_ON_DARK))}"
    f"{{{_declare(_IN_HIGH_CONTRAST)}}}}}"
)

# The arrow of a list is a picture of one colour, which a dark page would hide.
_ARROWS = "".join(
    f"{page}{{background-image: url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' "
    f"viewBox='0 0 18 18'%3E%3Cpath fill='%23{_DARK[INK][1:]}' d='M4 7l5 5 5-5z'/%3E%3C/svg%3E\")}}"
    for page in (
        '[data-jp-theme-light="false"] .pe-explorer select',
        ".vscode-dark .pe-explorer select",
        "html[theme=dark] .pe-explorer select",
    )
)

# Goes before anything of class "pe", the class of all that this package shows in a page.
STYLE = f"""<style>{_COLOURS}
.pe {{color: {css(INK)}; font-size: 14px; line-height: 1.45}}
.pe p {{margin: 6px 0}}
.pe p[role="status"], .pe .pe-best {{font-weight: bold}}
.pe-picture {{container-type: inline-size}}
.pe-picture > svg {{display: block; width: 100%; height: auto}}
.pe-picture > .pe-narrow {{display: none; max-width: 440px}}
@container (max-width: 700px) {{
.pe-picture > .pe-narrow {{display: block}}
.pe-picture > .pe-wide {{display: none}}
}}
.pe .pe-room {{visibility: hidden}}
.pe .pe-scroll {{overflow-x: auto; width: 0; min-width: 100%}}  /* never widens a layer */
.pe svg text {{font-family: system-ui, "{FONT}", sans-serif !important}}
.pe .pe-note {{display: block; border-left: 4px solid {css(RECOMPUTE)}; padding: 1px 10px}}
.pe .pe-right {{border-color: {css(RIGHT)}}}
.pe .pe-open {{border-color: {css(MUTED)}}}
.pe summary {{cursor: pointer; padding: 2px 0}}
.pe details > div {{padding: 0 0 4px 16px}}
/* Twice .pe: JupyterLab sets the tables of outputs to the right. */
.pe table {{border-collapse: collapse; margin: 4px 0; width: auto}}
.pe.pe th, .pe.pe td {{border-bottom: 1px solid {css(RULE)}; padding: 4px 14px; text-align: left}}
.pe.pe .pe-dense th, .pe.pe .pe-dense td {{padding: 4px 7px}}
.pe thead th {{color: {css(MUTED)}; font-size: 13px}}
.pe tbody th {{font-weight: normal}}
.pe.pe .pe-number {{text-align: right}}
.pe .pe-sources {{color: {css(MUTED)}; font-size: 12px; line-height: 1.35; margin: 2px 0 6px}}
.pe.pe .pe-sources td, .pe.pe .pe-sources th {{padding: 2px 10px 2px 0; vertical-align: top}}
.pe .pe-sources th {{white-space: nowrap}}
.pe .pe-sources th + td {{min-width: 130px}}
{_ARROWS}
@media (max-width: 700px) {{
.pe.pe th, .pe.pe td {{padding: 4px 8px 4px 4px}}
}}
</style>"""
