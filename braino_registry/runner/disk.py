"""Watching how much an agent leaves on the disk, so that it ends its own trial and no other."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from braino_registry.runner.tiers import Tier

#: A folder whose path is longer can hardly be looked into.
_LONGEST_PATH = 2000
_FOLDERS = 2**20  # bytes of the folders themselves, which nobody has counted
_BLOCK = 512  # bytes, whatever the file system's own blocks are
_SHARE = 10  # looking takes at most one part in so many of the time


class Disk:
    """Watches a folder; looks anew as often as is cheap, and when the disk fills quickly.

    An agent may use an eighth of what is free when it begins, whatever its tier says: trials go
    on beside it, and between two looks it can pass its limit.

    Parameters
    ----------
    folder : Path
        The trial's folder, with all that the agent may write to.
    tier : Tier
        What it may use.
    data_bytes : int
        How much of what is in the folder is the data.

    Attributes
    ----------
    bytes : int
        What it may leave beside the data.
    """

    def __init__(self, folder: Path, tier: Tier, data_bytes: int = 0) -> None:
        self._folder = folder
        self._files = tier.files
        self._free, self._block = self.free_bytes(), self._block_bytes()
        self.bytes = min(tier.disk_bytes, max(0, self._free - 2 * data_bytes) // 8)
        self._allowed = self.bytes + data_bytes + _FOLDERS
        self._next = 0.0

    def look(self) -> str | None:
        """Return which limit is passed, if it is time to look."""
        filling = self._free - self.free_bytes() > self.bytes // 8
        return self.measure() if filling or time.monotonic() >= self._next else None

    def measure(self) -> str | None:
        """Return which limit is passed."""
        began = time.monotonic()
        self._free = self.free_bytes()
        used = files = 0
        reason = None
        for path, size in _walk(str(self._folder), self._block):
            used += size
            files += 1
            if len(path) > _LONGEST_PATH:
                reason = "nested its folders too deep"
            elif files > self._files:
                reason = f"made more files than the {self._files} that it may"
            elif used > self._allowed:
                reason = f"wrote more than the {self.bytes} bytes that it may leave on the disk"
            if reason is not None:
                break
        now = time.monotonic()
        self._next = now + max(0.2, _SHARE * (now - began))
        return reason

    def given_back(self, free: int) -> str | None:
        """Return which limit was passed, if what was ``free`` has grown with the agent's end.

        A file without a name takes space until whoever has it open is gone.
        """
        if self.free_bytes() - free <= self.bytes:
            return None
        return f"held more than the {self.bytes} bytes that it may leave on the disk"

    def free_bytes(self) -> int:
        """Return how much is free where the folder lies."""
        try:
            found = os.statvfs(self._folder)
        except OSError:
            return 0  # the agent has removed it, and leaves nothing there
        return found.f_bavail * found.f_frsize

    def _block_bytes(self) -> int:
        """Return by how much a file's size may be rounded up where the folder lies."""
        try:
            return max(4096, os.statvfs(self._folder).f_bsize)
        except OSError:
            return 4096


def _walk(folder: str, block: int) -> Iterator[tuple[str, int]]:
    """Yield path and bytes of whatever can be seen below a folder; no link is followed.

    A sparse file takes less than it shows, and what was put behind the end of a file more. Blocks
    are rounded up, in the copied data too: so much is forgiven, for each file.
    """
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    info = entry.stat(follow_symlinks=False)
                    taken = info.st_blocks * _BLOCK
                    yield entry.path, min(taken, max(info.st_size, taken - block))
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue  # removed meanwhile, or shut by the agent itself
