"""The queue of free blocks for the fast engine: whose cache is left in them, not block by block.

It is `prefix_cache.CachingPool`'s queue for requests that share nothing. What a request gives back
stands together there, its last block first, and the queue is eaten from the front. So what is left
of it is always its first blocks, and their number says everything: a *segment*. Blocks that hold
nothing that can be found stand before all segments.

Blocks are handed out often and looked up rarely, so nothing is done when they are handed out. Every
method is told how many blocks are free and first drops what was handed out since.
"""

from collections import OrderedDict


class Segments:
    """Free blocks in the order in which they are handed out."""

    __slots__ = ("blank", "left", "size")

    def __init__(self, free: int) -> None:
        self.blank = self.size = free
        self.left: OrderedDict[int, int] = OrderedDict()  # request -> blocks, each 1 or more

    def widened(self, more: int) -> "Segments":
        """Return a copy with so many more blocks that nobody has had yet."""
        wider = Segments(self.size + more)
        wider.blank, wider.left = self.blank + more, self.left.copy()
        return wider

    def drop_handed_out(self, free: int) -> None:
        """Eat from the front until `free` blocks are left."""
        gone = self.size - free
        self.size = free
        if gone <= self.blank:
            self.blank -= gone
            return
        gone -= self.blank
        self.blank = 0
        while gone > 0:
            request, blocks = self.left.popitem(last=False)
            gone -= blocks
            if gone < 0:
                self.left[request] = -gone
                self.left.move_to_end(request, last=False)

    def found(self, request: int, free: int) -> int:
        """Return the blocks that are left of a request's cache."""
        if request not in self.left:
            return 0
        self.drop_handed_out(free)
        return self.left.get(request, 0)

    def take(self, request: int) -> None:
        """Take what was just found of a request out of the queue."""
        self.size -= self.left.pop(request, 0)

    def give_back(self, request: int, *, full: int, rest: int, free: int) -> None:
        """Put a request's `full` blocks behind all others, and the partly filled one in front."""
        self.drop_handed_out(free)
        self.blank += rest
        if full:
            self.left[request] = full
        self.size += full + rest

    def only(self, request: int, *, full: int, free: int) -> None:
        """Note that all free blocks are what is left of a request just evicted."""
        self.left.clear()
        self.size, self.blank = free, max(0, free - full)
        if kept := min(free, full):
            self.left[request] = kept
