"""What an eviction costs one request on a line of time: recomputed, and swapped.

Once to scale, and once with the times left open.
"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from preemption import words
from preemption.figures import quick, style
from preemption.figures.picture import Picture
from preemption.page import theme

_EVICTED_MS, _RESUMED_MS, _END_MS = 30.0, 90.0, 230.0
_BAR = 0.34


class OpenCosts(Picture[None]):
    """The two costs with their times left open, as long as one another; not to scale.

    `size` is what the cache is called, as "131.1 MB".
    """

    def __init__(self, tokens: int, size: str) -> None:
        super().__init__(860, 190)
        axes = _two_rows(self.figure, (0.125, 0.02, 0.855, 0.96))
        axes.set(xlim=(0, 70), xticks=[])
        axes.spines["bottom"].set_visible(False)
        _bar(axes, 1, 0, 60, theme.RECOMPUTE)
        _bar(axes, 0, 0, 29.5, theme.SWAP)
        _bar(axes, 0, 30.5, 60, theme.SWAP)
        again = f"prefill {words.count(tokens, 'token')} again"
        _say(axes, 1, 0, again, theme.RECOMPUTE_TEXT)
        _say(axes, 0, 0, f"copy {size} out", theme.SWAP_TEXT)
        _say(axes, 0, 30.5, f"copy {size} back", theme.SWAP_TEXT)
        for row in (0, 1):
            quick.Label(axes, "? ms", ha="center").put(65, row + 0.3 * _BAR)


class Timeline(Picture[None]):
    """One request evicted and resumed both ways, to scale; the pause itself is an example.

    `copy_ms` is one copy, out or back. Raises ValueError for more tokens than can be recomputed
    before the time line ends.
    """

    def __init__(self, tokens: int, *, recompute_ms: float, copy_ms: float) -> None:
        super().__init__(860, 240)
        axes = _two_rows(self.figure, (0.125, 0.22, 0.855, 0.75), xlabel="time (ms)")
        axes.set(xlim=(0, _END_MS), xticks=range(0, int(_END_MS), 50))

        room_ms = _END_MS - _RESUMED_MS
        if recompute_ms >= room_ms:
            most = words.digits(tokens * room_ms / recompute_ms)
            raise ValueError(f"tokens must be below {most}, to end on the time line, not {tokens}")
        for row, freed, resumed in (
            (0, _EVICTED_MS + copy_ms, _RESUMED_MS + copy_ms),
            (1, _EVICTED_MS, _RESUMED_MS + recompute_ms),
        ):
            _bar(axes, row, 0, _EVICTED_MS, theme.RULE, "decode")
            _bar(axes, row, resumed, _END_MS, theme.RULE, "decode")
            _pause(axes, row, freed, _RESUMED_MS)
        _bar(axes, 1, _RESUMED_MS, _RESUMED_MS + recompute_ms, theme.RECOMPUTE)
        _bar(axes, 0, _EVICTED_MS, _EVICTED_MS + copy_ms, theme.SWAP)
        _bar(axes, 0, _RESUMED_MS, _RESUMED_MS + copy_ms, theme.SWAP)

        copied = f"{words.digits(copy_ms)} ms"
        above = f"prefill {words.count(tokens, 'token')} again: {words.digits(recompute_ms)} ms"
        _say(axes, 1, _RESUMED_MS, above, theme.RECOMPUTE_TEXT)
        _say(axes, 0, _EVICTED_MS, f"copy out: {copied}", theme.SWAP_TEXT)
        _say(axes, 0, _RESUMED_MS, f"copy back: {copied}", theme.SWAP_TEXT)


def _two_rows(figure: Figure, box: tuple[float, float, float, float], xlabel: str = "") -> Axes:
    axes = style.panel(figure, box, xlabel=xlabel)
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(-0.35, 1.75)
    axes.set_yticks([_BAR / 2, 1 + _BAR / 2], ["swap", "recompute"], color=theme.INK)
    axes.tick_params(axis="y", length=0)
    return axes


def _bar(axes: Axes, row: int, start: float, end: float, colour: str, text: str = "") -> None:
    axes.add_patch(Rectangle((start, row), end - start, _BAR, color=colour, linewidth=0))
    _inside(axes, row, start, end, text, theme.INK)


def _pause(axes: Axes, row: int, start: float, end: float) -> None:
    axes.plot([start, end], [row + _BAR / 2] * 2, color=theme.MUTED, linestyle=":", linewidth=1.5)
    _inside(axes, row, start, end, "paused", theme.MUTED)


def _inside(axes: Axes, row: int, start: float, end: float, text: str, colour: str) -> None:
    label = quick.Label(axes, text, color=colour, ha="center", halo=colour == theme.MUTED)
    label.span = start, end
    label.put((start + end) / 2, row + 0.3 * _BAR)


def _say(axes: Axes, row: int, x: float, text: str, colour: str) -> None:
    quick.Label(axes, text, color=colour, halo=True).put(x, row + _BAR + 0.07)
