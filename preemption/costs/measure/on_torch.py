"""A machine as PyTorch drives it: a CPU, an NVIDIA or AMD GPU (CUDA), or Apple's (MPS).

The only module that imports PyTorch and psutil; nothing imports it before something is measured.
"""

import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import psutil
import torch
from torch.nn import functional

from preemption.costs.catalogue import Model
from preemption.costs.measure.disk import MEMORY_KINDS, Disk
from preemption.costs.measure.run import Action, Store, Way

KINDS = ("cpu", "cuda", "mps")
_PRODUCT_SIZES = {"cpu": 2048, "cuda": 8192, "mps": 4096}
# In the order of preference: the next is taken if it is that much faster.
_TYPES = {
    "cpu": (torch.bfloat16, torch.float32),
    "cuda": (torch.bfloat16, torch.float16),
    "mps": (torch.float16, torch.float32),
}
_FASTER = 1.2
_BUSY_SHARE = 0.05  # of the processors, from which on others are noticed


class TorchMachine:
    """The device of this machine that PyTorch drives, with the stores that it can copy to.

    `kind` is "cpu", "cuda" or "mps", by default the fastest there is; `disk` a folder on a disk,
    or None to leave the disk out. Raises ValueError for a kind that is not there.
    """

    def __init__(self, kind: str | None = None, disk: Path | None = None) -> None:
        there = [each for each in KINDS if _is_there(each)]
        if kind is not None and kind not in there:
            raise ValueError(f"device must be one of {', '.join(there)} here, not {kind!r}")
        self._kind = kind or there[-1]
        self._type = self._fastest_type()
        self.weight_bytes = self._type.itemsize
        self.name, self.memory_bytes = self._describe()
        self.versions = (
            f"PyTorch {torch.__version__}, {str(self._type).removeprefix('torch.')}, "
            f"Python {platform.python_version()}, {platform.system()}"
        )
        self.stores: list[Store] = [HostMemory(self._kind, pinned=False)]
        if self._kind == "cuda":
            self.stores.insert(0, HostMemory(self._kind, pinned=True))
        self._remarks = []
        if disk is not None:
            if _kind_of_files(disk) in MEMORY_KINDS:
                self._remarks.append(f"{disk} is in memory, so no disk was measured")
            else:
                self.stores.append(Disk(disk))
        self._since, self._all_s, self._own_s = time.perf_counter(), _busy_s(), _own_s()

    def product(self) -> tuple[float, Action]:
        """Return the FLOP of a large product of matrices, and what computes it."""
        return self._product(_PRODUCT_SIZES[self._kind], self._type)

    def within(self, n_bytes: int) -> Action:
        """Return what copies `n_bytes` within the memory of the device."""
        with _out_of_memory():
            source = torch.ones(n_bytes, dtype=torch.uint8, device=self._kind)
            target = torch.ones_like(source)
        return self._waited(lambda: target.copy_(source))

    def decoder(self, model: Model, layers: int, mlp: int) -> Callable[[int], object]:
        """Return the prefill of some layers with random weights; it takes a count of tokens."""
        hidden = model.heads * model.head_dim
        kv = (model.kv_heads or 0) * model.head_dim
        with _out_of_memory():
            weights = [
                [
                    self._random(*shape)
                    for shape in (
                        (hidden + 2 * kv, hidden),
                        (hidden, hidden),
                        (2 * mlp, hidden),
                        (hidden, mlp),
                    )
                ]
                for _ in range(layers)
            ]

        def prefill(tokens: int) -> None:
            with torch.inference_mode(), _out_of_memory():
                x = self._random(tokens, hidden)
                turn = self._turn(tokens, model.head_dim)
                for qkv, back, gate_and_up, down in weights:
                    parts = functional.linear(_norm(x), qkv).split([hidden, kv, kv], dim=1)
                    q, k, v = (
                        part.view(1, tokens, -1, model.head_dim).transpose(1, 2) for part in parts
                    )
                    seen = functional.scaled_dot_product_attention(
                        _rotated(q, turn), _rotated(k, turn), v, is_causal=True, enable_gqa=True
                    )
                    x = x + functional.linear(seen.transpose(1, 2).flatten(2)[0], back)
                    gate, up = functional.linear(_norm(x), gate_and_up).chunk(2, dim=1)
                    x = x + functional.linear(functional.silu(gate) * up, down)
                _wait(self._kind)

        return prefill

    def noticed(self) -> Sequence[str]:
        """Say what else the machine was busy with since it is measured."""
        remarks, processors = list(self._remarks), psutil.cpu_count() or 1
        elapsed_s = time.perf_counter() - self._since
        others = (_busy_s() - self._all_s - (_own_s() - self._own_s)) / elapsed_s
        if others > _BUSY_SHARE * processors:
            remarks.append(f"others kept {others:.1f} of {processors} processors busy meanwhile")
        if self._kind == "cuda":
            free, total = torch.cuda.mem_get_info()
            used = total - free - torch.cuda.memory_reserved()
            if used > _BUSY_SHARE * total:
                remarks.append(f"{used / 1e9:.1f} GB of the device's memory were taken by others")
        return remarks

    def _waited(self, start: Action) -> Action:
        """Return what starts something on the device, and waits until it is done."""

        def action() -> None:
            with _out_of_memory():
                start()
                _wait(self._kind)

        return action

    def _random(self, rows: int, columns: int) -> Any:
        """Return random numbers whose products stay small; the same rows again and again."""
        some = torch.empty(min(rows, 64), columns, device=self._kind, dtype=self._type)
        some.uniform_(-1, 1).div_(columns**0.5)
        return some.repeat(-(-rows // 64), 1)[:rows].contiguous()

    def _turn(self, tokens: int, head_dim: int) -> tuple[Any, Any]:
        """Return the cosines and sines of the rotary embedding."""
        rates = 10_000 ** (-torch.arange(0, head_dim, 2, device=self._kind) / head_dim)
        angles = torch.outer(torch.arange(tokens, device=self._kind), rates).repeat(1, 2)
        return angles.cos().to(self._type), angles.sin().to(self._type)

    def _product(self, size: int, type_: Any) -> tuple[float, Action]:
        with _out_of_memory():
            a = torch.ones(size, size, device=self._kind, dtype=type_)
        return 2 * size**3, self._waited(lambda: a @ a)

    def _fastest_type(self) -> Any:
        """Return the type to compute in: a wider one where it is clearly faster (some CPUs)."""
        best, best_s = None, 0.0
        for each in _TYPES[self._kind]:
            _, multiply = self._product(1024, each)
            multiply()
            start = time.perf_counter()
            multiply()
            seconds = time.perf_counter() - start
            if best is None or seconds * _FASTER < best_s:
                best, best_s = each, seconds
        return best

    def _describe(self) -> tuple[str, float]:
        """Return the name of the device, and its memory in bytes."""
        if self._kind == "cuda":
            gpu = torch.cuda.get_device_properties(0)
            return gpu.name, float(gpu.total_memory)
        memory = float(psutil.virtual_memory().total)
        if self._kind == "mps":
            return f"{_processor()}, its GPU", memory
        threads = torch.get_num_threads()
        return f"{_processor()}, {threads} thread{'s' if threads > 1 else ''}", memory


class HostMemory:
    """The memory of the host as a store; on a CPU its own memory, so a copy within it.

    With `pinned` the pages are locked, so that a GPU fetches them itself.
    """

    def __init__(self, kind: str, *, pinned: bool) -> None:
        self._kind, self._pinned = kind, pinned
        self.name, self.note = "host memory", ""
        if kind == "cpu":
            self.name, self.note = "memory", "copies within the memory of the CPU itself"
        if kind == "cuda":
            self.name += ", pinned" if pinned else ", not pinned"
        # Apple's driver queues the work of all threads in one line.
        self.ways: tuple[Way, ...] = (
            ("out", "back") if kind == "mps" else ("out", "back", "both at once")
        )
        self._threads = ThreadPoolExecutor(2)

    def copier(self, way: Way, pool_bytes: int) -> Callable[[int, int], Action]:
        """Return what gives the action that makes so many copies of so many bytes."""
        ways: list[Way] = ["out", "back"] if way == "both at once" else [way]
        with _out_of_memory():
            movers = [self._mover(each, pool_bytes) for each in ways]

        def action(copies: int, copy_bytes: int) -> Action:
            moves = [mover(copies, copy_bytes) for mover in movers]
            if len(moves) == 1:
                return moves[0]
            return lambda: [each.result() for each in [self._threads.submit(m) for m in moves]]

        return action

    def _mover(self, way: Way, pool_bytes: int) -> Callable[[int, int], Action]:
        on_device = torch.ones(pool_bytes, dtype=torch.uint8, device=self._kind)
        on_host = torch.ones(pool_bytes, dtype=torch.uint8, pin_memory=self._pinned)
        source, target = (on_device, on_host) if way == "out" else (on_host, on_device)
        stream = torch.cuda.Stream() if self._kind == "cuda" else None

        def mover(copies: int, copy_bytes: int) -> Action:
            whole = pool_bytes // copy_bytes * copy_bytes
            halves = (half[:whole].split(copy_bytes) for half in (target, source))
            after = cycle(zip(*halves, strict=True))

            def move() -> None:
                with torch.cuda.stream(stream):
                    for into, piece in islice(after, copies):
                        into.copy_(piece, non_blocking=self._pinned)
                if stream:
                    stream.synchronize()
                else:
                    _wait(self._kind)

            return move

        return mover


def _is_there(kind: str) -> bool:
    if kind == "cuda":
        return bool(torch.cuda.is_available())
    return kind == "cpu" or bool(torch.backends.mps.is_available())


def _wait(kind: str) -> None:
    if kind == "cuda":
        torch.cuda.synchronize()
    elif kind == "mps":
        torch.mps.synchronize()


def _norm(x: Any) -> Any:
    return functional.rms_norm(x, (x.shape[-1],))


def _rotated(x: Any, turn: tuple[Any, Any]) -> Any:
    left, right = x.chunk(2, dim=-1)
    return x * turn[0] + torch.cat((-right, left), dim=-1) * turn[1]


@contextmanager
def _out_of_memory() -> Iterator[None]:
    """Raise MemoryError for the several errors that PyTorch has for it."""
    try:
        yield
    except RuntimeError as error:
        if "memory" not in str(error).lower():
            raise
        raise MemoryError(str(error).strip().splitlines()[0]) from None


def _busy_s() -> float:
    """Return the time that all processors together were busy, in s."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0) - getattr(times, "guest", 0))


def _own_s() -> float:
    """Return the time that processors were busy with this program, in s."""
    return float(sum(os.times()[:4]))


def _kind_of_files(folder: Path) -> str:
    """Return the file system's kind, as "ext4", of the mount that holds a folder."""
    mounts = [
        part
        for part in psutil.disk_partitions(all=True)
        if folder.resolve().is_relative_to(part.mountpoint)
    ]
    return str(max(mounts, key=lambda part: len(part.mountpoint)).fstype) if mounts else ""


def _processor() -> str:
    """Return the processor's name, as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
