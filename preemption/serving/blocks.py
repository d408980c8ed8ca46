"""The pool of KV cache blocks: the only place that counts them.

A block holds the cache of `block_size` tokens. A request is given blocks as it grows and gives
all of them back at its end or when it is preempted.
"""

from typing import NamedTuple

from preemption.serving.sequence import Seq
from preemption.serving.settings import SchedulerConfig


class Prefix(NamedTuple):
    """Cached blocks with the first tokens of a request, found when it asks for admission."""

    blocks: tuple[int, ...]
    tokens: int
    idle: int
    """How many of the blocks are free: these have to be taken like any others."""
    never_computed: tuple[int, ...] = ()
    """Those of the blocks that were promised and never filled (see `prefix_cache`)."""


class Released(NamedTuple):
    """What a request gave back."""

    held: int
    freed: int
    """Blocks that nobody else holds."""
    indexed: int
    """Of the blocks held, those that can be found again."""


NOTHING = Prefix((), 0, 0)


class BlockPool:
    """Counts blocks; any free one is as good as any other, and none is found again."""

    def __init__(self, config: SchedulerConfig) -> None:
        self.block_size = config.block_size
        self.free = config.usable_blocks
        self.watermark = watermark_blocks(config)
        self.overwritten: list[int] = []  # cached blocks handed out in this iteration, in order

    def blocks_for(self, tokens: int) -> int:
        """Blocks that hold the cache of `tokens` tokens."""
        return -(-tokens // self.block_size)

    def find(self, seq: Seq) -> Prefix:  # noqa: ARG002
        """Return what is cached of a request that waits: here nothing."""
        return NOTHING

    def has_room(self, tokens: int, prefix: Prefix, *, beside_others: bool) -> bool:  # noqa: ARG002
        """Whether a request may be admitted that needs blocks for `tokens` tokens.

        Beside others it must leave the watermark's blocks free.
        """
        headroom = self.watermark if beside_others else 0
        return -(-tokens // self.block_size) + headroom <= self.free

    def admit(self, seq: Seq, prefix: Prefix, tokens: int) -> None:  # noqa: ARG002
        """Give a request what was found of it, and new blocks up to `tokens` tokens."""
        self.grow(seq, tokens)

    def grow(self, seq: Seq, tokens: int) -> bool:
        """Give a request the blocks that it lacks for `tokens` tokens: all of them, or False."""
        need = -(-tokens // self.block_size) - seq.blocks
        if need > self.free:
            return False
        if need > 0:
            self.free -= need
            seq.blocks += need
        return True

    def give_keys(self, seq: Seq, tokens: int) -> None:
        """Let the blocks that a request's first `tokens` tokens fill be found: here nothing."""

    def release(self, seq: Seq) -> Released:
        """Take all blocks of a request back."""
        held = seq.blocks
        self.free += held
        seq.blocks = 0
        return Released(held, held, 0)

    def contents(self) -> object:
        """Return what free blocks hold, in the order in which they are handed out: here nothing."""
        return None


def watermark_blocks(config: SchedulerConfig) -> int:
    """Blocks that an admission must leave free while others run (vLLM 0.33.0)."""
    return int(config.watermark * config.num_gpu_blocks)
