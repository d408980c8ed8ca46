"""The disk as a store for caches: a file that is written through, and read from the disk."""

import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from preemption.costs.measure.run import Action, Way

# Memory that looks like a disk.
MEMORY_KINDS = {"tmpfs", "ramfs"}


class Disk:
    """Files in a folder: `out` writes them through to the disk, `back` reads them again.

    The system's own copy of a file in memory is dropped before it is read, where the system
    lets a program ask for that (Linux); elsewhere only `out` is measured.
    """

    def __init__(self, folder: Path) -> None:
        self.name, self.note = "disk", "written through, read without the system's copy in memory"
        self.ways: tuple[Way, ...] = ("out", "back") if hasattr(os, "posix_fadvise") else ("out",)
        self._folder = folder

    def copier(self, way: Way, pool_bytes: int) -> Callable[[int, int], Action]:  # noqa: ARG002
        """Return what gives the action that writes, or reads, so many pieces of so many bytes.

        `pool_bytes` is not needed: a disk has no cache that this file would stay in.
        """
        return partial(self._action, way)

    def _action(self, way: Way, copies: int, copy_bytes: int) -> Action:
        file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115
        piece, into = os.urandom(copy_bytes), bytearray(copy_bytes)

        def out() -> None:
            file.seek(0)
            for _ in range(copies):
                file.write(piece)
            os.fsync(file.fileno())

        def back() -> None:
            file.seek(0)
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            for _ in range(copies):
                file.readinto(into)

        if way == "out":
            return out
        out()
        return back
