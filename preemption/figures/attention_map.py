"""Who attends to whom when a prompt is computed in chunks, and what comes out."""

from preemption import words
from preemption.checks import Array
from preemption.figures import quick, style
from preemption.page import theme

_EDGE = 0.5


class AttentionMap:
    """A cell for each pair of tokens that attend; the differences to a prefill in one pass."""

    def __init__(self, tokens: int, largest_difference: float) -> None:
        self._tokens = tokens
        self.figure = style.figure(860, 390)
        self.map = style.panel(
            self.figure,
            (0.075, 0.13, 0.37, 0.78),
            xlabel="attends to token",
            ylabel="token",
        )
        self.differences = style.panel(
            self.figure, (0.555, 0.13, 0.42, 0.78), xlabel="token", ylabel="difference"
        )
        span = (_EDGE, tokens + _EDGE)
        self.map.set(xlim=span, ylim=span[::-1])
        self.map.grid(visible=False)
        top = 1.25 * largest_difference
        self.differences.set(xlim=(0, tokens + 1), ylim=(-0.06 * top, top))
        style.title(self.differences, "output against a prefill in one pass")

        self.cached = quick.Boxes(self.map, theme.DECODE)
        self.computed = quick.Boxes(self.map, theme.PAPER, edge=theme.PREFILL)
        self.wrong = quick.Points(self.differences, theme.PREFILL, "s", size=12, face=theme.PAPER)
        self.right = quick.Points(self.differences, theme.DECODE, "o", size=6)
        self._title = quick.title(self.map)
        self._keys = [
            quick.Label(self.map, "in the same chunk", color=theme.PREFILL_TEXT, ha="right"),
            quick.Label(self.map, "from the cache", color=theme.DECODE, ha="right"),
        ]
        for row, key in enumerate(self._keys):
            key.put(tokens + _EDGE, 0.09 * tokens * (row + 1))
        self._right = quick.Label(
            self.differences, "in chunks, with the cache", color=theme.DECODE, halo=True
        )
        self._right.shift_px = (0, 12)
        self._right.put(1, 0)
        self._wrong = quick.Label(
            self.differences, "each chunk alone (wrong)", color=theme.PREFILL_TEXT
        )
        self._wrong.put(1, 0.9 * top)
        self.moving: list[quick.Artist] = [
            self.cached,
            self.computed,
            self.wrong,
            self.right,
            self._title,
            *self._keys,
            self._right,
            self._wrong,
        ]

    def show(self, chunk_tokens: int, right: Array, wrong: Array) -> None:
        """Show chunks of this size, and each token's difference computed right and wrong."""
        cells: dict[bool, list[tuple[float, float, float, float]]] = {True: [], False: []}
        for query in range(self._tokens):
            for key in range(query + 1):
                same_chunk = key // chunk_tokens == query // chunk_tokens
                cells[same_chunk].append((key + _EDGE, query + _EDGE, 1, 1))
        self.computed.put(cells[True])
        self.cached.put(cells[False])
        numbers = range(1, self._tokens + 1)
        self.right.set_data(numbers, right)
        self.wrong.set_data(numbers, wrong)
        chunks = -(-self._tokens // chunk_tokens)
        self._title.set_text(
            f"{words.count(self._tokens, 'token')} in {words.count(chunks, 'chunk')}"
        )
