"""Results that others published, as pictures that do not move: each beside the model's."""

from preemption import studies, words
from preemption.figures.published import PublishedBesideModel
from preemption.page.explorer import Still

_NOTES = {"block size": " Published as 1 is what the paper calls comparable; it gives no figure."}


def published_beside_model(name: str) -> Still:
    """Show a published result beside what the model makes of the same setting.

    `name` is one of `studies.PUBLISHED`, for example "watermark". Raises ValueError for another.
    """
    series = studies.beside(name)
    result, said = studies.PUBLISHED[name], " ".join(map(_said, series))
    return Still(
        PublishedBesideModel(result.over, series),
        f"{result.title}, as published and in the model "
        f"(median, and 5% to 95% of {len(studies.SEEDS)} seeds). {said}{_NOTES.get(name, '')}",
    )


def _said(series: studies.Series) -> str:
    """Say all figures of a measure."""
    rows = zip(series.settings, series.published, series.model, strict=True)
    said = (
        f"{setting}: {_published(given)}model {_spread(found)}" for setting, given, found in rows
    )
    return f"{series.measure}. {'; '.join(said)}."


def _published(figure: float | None) -> str:
    return "" if figure is None else f"published {words.digits(figure)}, "


def _spread(found: studies.Spread) -> str:
    low, median, high = (words.digits(value, 3) for value in found)
    return median if low == high else f"{median} ({low} to {high})"
