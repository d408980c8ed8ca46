"""Numbers as a reader sees and types them: significant digits, thousands, units."""

import re
from decimal import Decimal

LONGEST = 40
# With commas between thousands or without.
_TYPED = re.compile(
    r"[+-]?(\d{1,3}(,\d{3})+(\.\d*)?|\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII
)


def digits(value: float, significant: int = 4) -> str:
    """Write `value` with `significant` digits, commas for thousands and no exponent."""
    return plain(float(f"{value:.{significant}g}"))


def plain(value: float) -> str:
    """Write `value` exactly, with commas for thousands and no exponent: 25, 2.7, 131,072."""
    text = f"{Decimal(repr(float(value))):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def size(n_bytes: float) -> str:
    """Write a number of bytes with four digits, in the largest decimal unit that is not above."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if float(f"{n_bytes / factor:.4g}") >= 1:
            return f"{digits(n_bytes / factor)} {unit}"
    return f"{digits(n_bytes)} B"


def count(n: float, noun: str, plural: str = "") -> str:
    """Write a number of things: 1 token, 1,000 tokens; where an s is not enough, 2 copies."""
    return f"{plain(n)} {noun if n == 1 else plural or noun + 's'}"


def typed(text: str, unit: str) -> float:
    """Read a number as somebody types it, with its unit or without: 5.2, 1,000, 5 GB/s, 100ms.

    Raises ValueError for anything else, and for more than `LONGEST` characters.
    """
    text = text.strip()
    number = re.sub(rf"\s*{re.escape(unit)}$", "", text[: LONGEST + 1], flags=re.IGNORECASE)
    if len(text) <= LONGEST and _TYPED.fullmatch(number):
        return float(number.replace(",", ""))
    if not text:
        raise ValueError(f"The box is empty. Type a number in {unit}.")
    came = repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")
    comma = " Type a point before the decimals." if "," in text else ""
    raise ValueError(f"Type a number in {unit}, not {came}.{comma}")
