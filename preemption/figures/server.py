"""Where caches lie: a GPU with its memory, a link, and the host with its own; does not move."""

from typing import Any

from matplotlib.patches import FancyArrowPatch, Rectangle

from preemption.figures import style
from preemption.figures.picture import Picture
from preemption.page import theme


class Server(Picture[None]):
    """The GPU and its memory on the left, the host on the right, the link between them."""

    def __init__(self) -> None:
        super().__init__(860, 190)
        self._axes = axes = style.panel(self.figure, (0.02, 0.04, 0.96, 0.92), xlabel="")
        axes.grid(visible=False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.set(xticks=[], yticks=[], xlim=(0, 100), ylim=(0, 100))
        self._box(0, 0, 60, 100, "GPU", theme.PAPER)
        self._box(1, 10, 27, 62, "computes", theme.SEQUENCES[5])
        self._box(33, 10, 25, 62, "memory:\nKV\ncaches", theme.SEQUENCES[1])
        self._box(76, 0, 24, 100, "host", theme.PAPER)
        self._box(77, 10, 22, 62, "host\nmemory", theme.SEQUENCES[0])
        for ends in ((28, 33), (58, 77)):
            axes.add_patch(
                FancyArrowPatch(
                    *((x, 41) for x in ends),
                    arrowstyle="<->",
                    mutation_scale=14,
                    color=theme.INK,
                    shrinkA=0,
                    shrinkB=0,
                )
            )
        self._say(68, 50, "link")

    def _box(self, x: float, y: float, wide: float, high: float, name: str, fill: str) -> None:
        patch = Rectangle((x, y), wide, high, facecolor=fill, edgecolor=theme.INK, linewidth=1)
        self._axes.add_patch(patch)
        self._say(x + wide / 2, 82 if high == 100 else y + high / 2, name)

    def _say(self, x: float, y: float, text: str) -> None:
        font: dict[str, Any] = {"size": style.LABEL_PX, "family": theme.FONT, "color": theme.INK}
        self._axes.text(x, y, text, ha="center", va="center", **font)
