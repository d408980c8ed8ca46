"""Numbers as a reader sees them: significant digits, thousands, units."""

from decimal import Decimal


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


def count(n: float, noun: str) -> str:
    """Write a number of things: 1 token, 1,000 tokens."""
    return f"{plain(n)} {noun}{'' if n == 1 else 's'}"
