"""A measurement step by step: what prefills and copies take, within a time and a memory."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeAlias

from preemption.checks import scalar
from preemption.costs.catalogue import Model
from preemption.costs.measure.fits import Timing
from preemption.costs.resume import BLOCK_TOKENS, EFFICIENCY

Way: TypeAlias = Literal["out", "back", "both at once"]
Action: TypeAlias = Callable[[], object]

SECONDS, MEMORY_BYTES = 60.0, 2e9
PREFILL_TOKENS = (1, 4, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
COPY_TOKENS = (16, 64, 256, 1024, 4096)
_LEAST_REPEATS, _MOST_REPEATS = 3, 30
# As parts of the time: when the prefills have to be over, how long a timing is repeated, and what
# a pass of so many tokens may take; where it takes longer, fewer layers are measured.
_PREFILLS_END = 0.65
_TIMING_SHARE = 0.005
_PASS_TOKENS, _PASS_SHARE = 2048, 1 / 16
# The part of the memory that weights may take; the rest is for what a pass computes.
_WEIGHTS_SHARE = 0.5


class Store(Protocol):
    """Slower memory that a cache can be copied to; `name` says which, `note` what is special."""

    name: str
    note: str

    @property
    def ways(self) -> Sequence[Way]:
        """The ways that can be measured."""

    def copier(self, way: Way, pool_bytes: int) -> Callable[[int, int], Action]:
        """Return what gives, for a number of copies and the bytes of each, their action.

        The action makes these copies and waits for the last. Each time it takes other pieces of
        a pool of `pool_bytes`, as in an engine, so that no cache of the processor has them.
        """


class Machine(Protocol):
    """What is measured. Its actions wait until the device is done.

    They raise MemoryError where the device has not enough memory. A weight takes `weight_bytes`.
    """

    name: str
    versions: str
    memory_bytes: float
    weight_bytes: int
    stores: Sequence[Store]

    def product(self) -> tuple[float, Action]:
        """Return the FLOP of a large product of matrices, and what computes it."""

    def within(self, n_bytes: int) -> Action:
        """Return what copies `n_bytes` within the memory of the device."""

    def decoder(self, model: Model, layers: int, mlp: int) -> Callable[[int], object]:
        """Return the prefill of some layers, with an MLP so wide; it takes a count of tokens."""

    def noticed(self) -> Sequence[str]:
        """Say what else the machine was busy with since it is measured."""


@dataclass(frozen=True)
class Prefill:
    """The time of a prefill of `tokens` through the layers that were measured."""

    tokens: int
    timing: Timing


@dataclass(frozen=True)
class Copies:
    """The time of `copies` copies of `copy_bytes` each, one way, or as many each way at once."""

    store: str
    way: Way
    copies: int
    copy_bytes: int
    timing: Timing


@dataclass(frozen=True)
class Step:
    """What was just timed once, and the share of the time that is over."""

    share: float
    text: str


class ClockError(RuntimeError):
    """The clock stands still, or is too coarse for what it times."""


class Run:
    """A measurement of a machine with a model's shape: iterate over it, a step for each repeat.

    Leaving the loop stops it. What is known up to then is in `product_flop_per_s`,
    `memory_bytes_per_s`, `layers`, `prefills` and `copies`; `remarks` say what went wrong. It
    takes `seconds` at most, to within a step, and `memory_bytes` of the device and as many of its
    host. Raises ValueError for a model that is not a plain decoder (`mlp_size`), or if the memory
    does not hold one of its layers.
    """

    def __init__(
        self,
        machine: Machine,
        model: Model,
        *,
        seconds: float = SECONDS,
        memory_bytes: float = MEMORY_BYTES,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.machine, self.model = machine, model
        self.seconds = scalar("seconds", seconds, positive=True)
        self.memory_bytes = scalar("memory_bytes", memory_bytes, positive=True)
        self._mlp = mlp_size(model)
        layer_bytes = machine.weight_bytes * _layer_parameters(model)
        self.layers = min(model.layers, int(_WEIGHTS_SHARE * self.memory_bytes / layer_bytes))
        if not self.layers:
            raise ValueError(
                f"a layer of {model.name} takes {layer_bytes / 1e9:.2g} GB, half of "
                f"{self.memory_bytes / 1e9:.3g} GB may be used: allow more, or take a smaller model"
            )
        self.product_flop_per_s: float | None = None
        self.memory_bytes_per_s: float | None = None
        self.prefills: list[Prefill] = []
        self.copies: list[Copies] = []
        self.remarks: list[str] = []
        self._clock, self._start = clock, clock()

    def __iter__(self) -> Iterator[Step]:
        self._start = self._clock()
        ways = [(store, way) for store in self.machine.stores for way in store.ways]
        stages: list[tuple[str, Callable[[float], Iterator[Step]]]] = [
            ("device", self._time_device),
            ("prefill", self._time_prefills),
            *((f"{s.name}, {way}", partial(self._time_copies, s, way)) for s, way in ways),
        ]
        for index, (name, stage) in enumerate(stages):
            over = self._share()  # what a stage leaves is shared among those to come
            end = _PREFILLS_END if index < 2 else over + (1 - over) / (len(stages) - index)
            try:
                yield from stage(end)
            except MemoryError as error:
                self.remarks.append(f"{name}: out of memory ({error}); what came before counts")
            except (ClockError, OSError) as error:
                self.remarks.append(f"{name}: {error}; what came before counts")

    def _time_device(self, _end: float) -> Iterator[Step]:
        flop, multiply = self.machine.product()
        timing = yield from self._timed("a large product", multiply)
        self.product_flop_per_s = 1e3 * flop / timing.ms
        n_bytes = int(self.memory_bytes / 8)
        timing = yield from self._timed("memory of the device", self.machine.within(n_bytes))
        self.memory_bytes_per_s = 2e3 * n_bytes / timing.ms  # each is read and written
        layer_s = 2 * _layer_parameters(self.model) / (EFFICIENCY * self.product_flop_per_s)
        in_time = int(_PASS_SHARE * self.seconds / (_PASS_TOKENS * layer_s))
        self.layers = max(1, min(self.layers, in_time))

    def _time_prefills(self, end: float) -> Iterator[Step]:
        prefill = self.machine.decoder(self.model, self.layers, self._mlp)
        numbers_per_token = 4 * self._mlp + 8 * self.model.heads * self.model.head_dim
        weights_bytes = self.machine.weight_bytes * self.layers * _layer_parameters(self.model)
        room_bytes = self.memory_bytes - weights_bytes
        for tokens in PREFILL_TOKENS:
            if self.machine.weight_bytes * numbers_per_token * tokens > room_bytes:
                return
            if self.prefills:
                last = self.prefills[-1]
                # Beyond the floor it grows at least as the tokens do; below it, less.
                growth = tokens / last.tokens if last.tokens >= 64 else 1
                if self._is_late(growth * last.timing.ms, end):
                    return
            timing = yield from self._timed(
                f"prefill of {tokens:,} tokens", partial(prefill, tokens)
            )
            self.prefills.append(Prefill(tokens, timing))

    def _time_copies(self, store: Store, way: Way, end: float) -> Iterator[Step]:
        pool_bytes = int(self.memory_bytes / 4)  # one for each way, here and there
        copier = store.copier(way, pool_bytes)
        expected_ms = [0.0, 0.0, 0.0]
        for tokens in COPY_TOKENS:
            cache_bytes = self.model.cache_bytes(tokens)
            if cache_bytes > pool_bytes:
                return
            for kind, copies in enumerate(dict.fromkeys(in_pieces(self.model, tokens))):
                if self._is_late(expected_ms[kind], end):
                    return
                copy_bytes = cache_bytes // copies
                text = f"{store.name}, {way}: {tokens:,} tokens in copies of {copy_bytes:,} B"
                timing = yield from self._timed(text, copier(copies, copy_bytes))
                expected_ms[kind] = 4 * timing.ms  # each count is four times the last
                self.copies.append(Copies(store.name, way, copies, copy_bytes, timing))

    def _is_late(self, expected_ms: float, end: float) -> bool:
        """Whether what takes so long, timed with its warm-up, ends after this part of the time."""
        needed_s = (1 + _LEAST_REPEATS) * 1e-3 * expected_ms
        return self._share() + needed_s / self.seconds > end

    def _share(self) -> float:
        return (self._clock() - self._start) / self.seconds

    def _timed(self, text: str, action: Action) -> Generator[Step, None, Timing]:
        action()  # a first time that does not count
        yield self._step(text)
        times_ms: list[float] = []
        until = self._clock() + _TIMING_SHARE * self.seconds
        while len(times_ms) < _LEAST_REPEATS or (
            len(times_ms) < _MOST_REPEATS and self._clock() < until
        ):
            start = self._clock()
            action()
            times_ms.append(1e3 * (self._clock() - start))
            if times_ms[-1] <= 0:
                raise ClockError(f"the clock stood still during {text}")
            yield self._step(text)
        return Timing.of(times_ms)

    def _step(self, text: str) -> Step:
        return Step(min(1.0, self._share()), text)


def mlp_size(model: Model) -> int:
    """Return how wide an MLP of three matrices gives a decoder the model's size, spread evenly.

    All active parameters are in the layers then, so that a token takes the operations that the
    derived time counts. Raises ValueError for a model whose parameters are not known, or that is
    no plain decoder: with a latent cache, a sliding window, or experts.
    """
    if model.latent_dim or model.window or not model.parameters or model.active_parameters:
        raise ValueError(
            f"{model.name} cannot be measured: it must have plain attention, no experts, and "
            "parameters that are known"
        )
    hidden = model.heads * model.head_dim
    attention = 2 * hidden * (hidden + (model.kv_heads or 0) * model.head_dim)
    return max(1, round((_layer_parameters(model) - attention) / (3 * hidden)))


def in_pieces(model: Model, tokens: int) -> tuple[int, int, int]:
    """Count the copies of a cache: by layer, K and V apart, and block; by block; in one piece."""
    blocks = tokens // BLOCK_TOKENS
    return 2 * model.layers * blocks, blocks, 1


def _layer_parameters(model: Model) -> float:
    return (model.parameters or 0) / model.layers
