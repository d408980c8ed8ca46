"""The pool of KV cache blocks: the only place that counts them.

A block holds the cache of `block_size` tokens. A request is given blocks as it grows and gives
all of them back at its end or when it is preempted.
"""

from preemption.serving.sequence import Seq
from preemption.serving.settings import SchedulerConfig


class BlockPool:
    """Counts blocks; any free one is as good as any other."""

    def __init__(self, config: SchedulerConfig) -> None:
        self.block_size = config.block_size
        self.free = config.usable_blocks
        self.watermark = watermark_blocks(config)

    def blocks_for(self, tokens: int) -> int:
        """Blocks that hold the cache of `tokens` tokens."""
        return -(-tokens // self.block_size)

    def has_room(self, tokens: int, *, beside_others: bool) -> bool:
        """Whether a request may be admitted that needs blocks for `tokens` tokens.

        Beside others it must leave the watermark's blocks free.
        """
        headroom = self.watermark if beside_others else 0
        return self.blocks_for(tokens) + headroom <= self.free

    def grow(self, seq: Seq, tokens: int) -> bool:
        """Give a request the blocks that it lacks for `tokens` tokens: all of them, or False."""
        need = -(-tokens // self.block_size) - seq.blocks
        if need > self.free:
            return False
        if need > 0:
            self.free -= need
            seq.blocks += need
        return True

    def release(self, seq: Seq) -> None:
        """Take all blocks of a request back."""
        self.free += seq.blocks
        seq.blocks = 0


def watermark_blocks(config: SchedulerConfig) -> int:
    """Blocks that an admission must leave free while others run (vLLM 0.33.0)."""
    return int(config.watermark * config.num_gpu_blocks)
