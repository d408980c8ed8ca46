"""A pool whose free blocks can be found again: prefix caching as in vLLM 0.33.0.

Each block has an id, a count of the requests that hold it, and, once it is full, a *key* for all
tokens up to its end: equal keys, equal contents. Free blocks keep their keys until they are handed
out again; then they are overwritten. They stand in one queue:

- Blocks are handed out from its front.
- A request gives its blocks back from the last to the first. Full ones go to the end of the queue,
  so the head of its prompt is overwritten last. A partly filled one goes to the front.

A block gets its key when an iteration is decided that will fill it, not when it has been filled.
So a request admitted in the same iteration finds it. Under the priority policy there is a defect
in that, which is repeated here (vLLM's pull requests 43569 and 56525): a request that loses its
turn in the iteration in which it got it leaves keys of blocks that were never computed, and
whoever comes next finds them. `Prefix.never_computed` names them.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator

from preemption.serving.blocks import NOTHING, BlockPool, Prefix, Released
from preemption.serving.sequence import Seq
from preemption.serving.settings import SchedulerConfig

_OWN = 1 << 32  # more blocks than a request can have


class CachingPool(BlockPool):
    """Blocks by id, keys, and the queue of free blocks."""

    def __init__(self, config: SchedulerConfig) -> None:
        super().__init__(config)
        self.queue = OrderedDict.fromkeys(range(1, config.num_gpu_blocks))  # free blocks in order
        self.holders = [0] * config.num_gpu_blocks  # requests that hold each block
        self.keys: list[int | None] = [None] * config.num_gpu_blocks
        self.index: dict[int, list[int]] = {}  # key -> blocks, the first to get it first
        self.groups: dict[Hashable, int] = {}  # requests that share a prefix -> a number below 0
        self.never_computed: set[int] = set()

    def keys_of(self, seq: Seq, first: int, last: int) -> Iterator[int]:
        """Yield the keys of a request's full blocks from the `first` one up to before the `last`.

        Blocks within the common prefix have the keys of the group, the others keys of their own.
        """
        common = min(seq.request.prefix_tokens // self.block_size, last)
        if first < common:
            group = self.groups.setdefault(seq.request.prefix_group, -1 - len(self.groups))
            yield from range(group * _OWN + first, group * _OWN + common)
            first = common
        yield from range(seq.order * _OWN + first, seq.order * _OWN + last)

    def find(self, seq: Seq) -> Prefix:
        """Look the blocks of a waiting request up, from its first to the first that is missing.

        The last known token is always computed again, since a next one has to come of it. A cache
        in swap space is not looked up.
        """
        if seq.computed:
            return NOTHING
        blocks, get = [], self.index.get
        for key in self.keys_of(seq, 0, (seq.tokens - 1) // self.block_size):
            same = get(key)
            if same is None:
                break
            blocks.append(same[0])
        if not blocks:
            return NOTHING
        never = self.never_computed
        return Prefix(
            tuple(blocks),
            len(blocks) * self.block_size,
            [self.holders[block] for block in blocks].count(0),
            tuple([block for block in blocks if block in never]) if never else (),
        )

    def has_room(self, tokens: int, prefix: Prefix, *, beside_others: bool) -> bool:
        """Whether a request may be admitted that needs blocks for `tokens` tokens.

        Of what was found of it only blocks that others hold are had for nothing.
        """
        shared = len(prefix.blocks) - prefix.idle
        tokens -= shared * self.block_size
        return super().has_room(tokens, prefix, beside_others=beside_others)

    def admit(self, seq: Seq, prefix: Prefix, tokens: int) -> None:
        """Give a request what was found of it, and new blocks up to `tokens` tokens."""
        for block in prefix.blocks:
            if self.holders[block] == 0:
                del self.queue[block]
                self.free -= 1
            self.holders[block] += 1
        seq.table.extend(prefix.blocks)
        seq.blocks = seq.keyed = len(prefix.blocks)
        self.grow(seq, tokens)

    def grow(self, seq: Seq, tokens: int) -> bool:
        """Give a request the blocks that it lacks for `tokens` tokens: all of them, or False.

        Blocks that these tokens fill get their keys at once, if all the tokens are known.
        """
        if tokens < seq.blocks * self.block_size:
            return True
        need = -(-tokens // self.block_size) - seq.blocks
        if need > self.free:
            return False
        for _ in range(need):
            seq.table.append(self.hand_out())
        seq.blocks += need
        self.give_keys(seq, min(tokens, seq.tokens - seq.under_way))
        return True

    def give_keys(self, seq: Seq, tokens: int) -> None:
        """Let the blocks that a request's first `tokens` tokens fill be found."""
        full = tokens // self.block_size
        new_keys = self.keys_of(seq, seq.keyed, full)
        for block, key in zip(seq.table[seq.keyed : full], new_keys, strict=True):
            self.keys[block] = key
            self.index.setdefault(key, []).append(block)
        seq.keyed = max(full, seq.keyed)

    def hand_out(self) -> int:
        """Take the block at the front of the queue. What it holds can no longer be found."""
        block, _ = self.queue.popitem(last=False)
        self.free -= 1
        self.holders[block] = 1
        key = self.keys[block]
        if key is not None:
            self.keys[block] = None
            same = self.index[key]
            same.remove(block)
            if not same:
                del self.index[key]
            self.never_computed.discard(block)
            self.overwritten.append(block)
        return block

    def release(self, seq: Seq) -> Released:
        """Take all blocks of a request back, the last one first."""
        # Blocks with a key beyond what is computed: the iteration that was to fill them will not.
        self.never_computed.update(seq.table[seq.computed // self.block_size : seq.keyed])
        before = self.free
        without_key = []
        for block in reversed(seq.table):
            self.holders[block] -= 1
            if self.holders[block] == 0:
                self.queue[block] = None
                self.free += 1
                if self.keys[block] is None:
                    without_key.append(block)
        for block in reversed(without_key):
            self.queue.move_to_end(block, last=False)
        released = Released(seq.blocks, self.free - before, seq.keyed)
        seq.table.clear()
        seq.blocks = seq.keyed = 0
        return released

    def owner_of(self, block: int) -> int | tuple[Hashable] | None:
        """Return whose tokens can be found in a block: an order of arrival, or a group in a tuple.

        None: nobody's.
        """
        key = self.keys[block]
        if key is None:
            return None
        owner = key // _OWN
        if owner >= 0:
            return owner
        return (next(group for group, number in self.groups.items() if number == owner),)

    def contents(self) -> tuple[int | None, ...]:
        """Return the keys of the free blocks, in the order in which they are handed out."""
        return tuple(self.keys[block] for block in self.queue)
