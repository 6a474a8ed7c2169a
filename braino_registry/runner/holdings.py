"""What a process tree holds where neither its memory nor its folder shows it.

A file without a name takes memory or disk until it is closed; so does what lies unread in a socket,
and each empty file in a file system in memory. Control groups of version 2 count all of it; where
there are none, this does.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from braino_registry.runner.tiers import Tier

#: So many sockets any program may have; what they hold is not counted.
FREE_SOCKETS = 64
_WMEM = Path("/proc/sys/net/core/wmem_max")
_BLOCK = 512
_SHARE = 10  # looking takes at most one part in so many of the time


@dataclass(frozen=True)
class Rooms:
    """File systems in memory that belong to a process tree alone.

    Parameters
    ----------
    names : tuple of str
        Where they are, as the tree sees them.
    mark : str
        A folder by which a process is known to see them.
    known : Path
        The same folder on the host.
    """

    names: tuple[str, ...]
    mark: str
    known: Path


@dataclass(frozen=True)
class Held:
    """What a tree holds.

    Parameters
    ----------
    memory_bytes : int
        Of its processes' own, in files without names that lie in memory, and at most in sockets.
    disk_bytes : int
        In files without names on the watched disk.
    files : int
        In file systems in memory that are its own.
    """

    memory_bytes: int = 0
    disk_bytes: int = 0
    files: int = 0


@dataclass
class Holdings:
    """Looks at what a tree holds, as often as is cheap.

    Parameters
    ----------
    tier : Tier
        What it may use.
    disk_bytes : int
        What it may leave on the disk.
    folder : Path
        A folder on that disk.
    rooms : Rooms | None
        Where it has file systems in memory of its own.
    """

    tier: Tier
    disk_bytes: int
    folder: Path
    rooms: Rooms | None = None
    _next: float = field(default=0.0, init=False)

    def look(self, pids: Iterable[int]) -> str | None:
        """Return which limit is passed, if it is time to look.

        Parameters
        ----------
        pids : iterable of int
            The tree.
        """
        began = time.monotonic()
        if began < self._next or not sys.platform.startswith("linux"):
            return None
        held = self.held(pids)
        now = time.monotonic()
        self._next = now + _SHARE * (now - began)
        most = self.tier.memory_bytes
        if most is not None and held.memory_bytes > most:
            return (
                f"held up to {held.memory_bytes} bytes of memory, part of it in files without "
                f"names or in sockets, more than the tier's {most}"
            )
        if held.disk_bytes > self.disk_bytes:
            return f"held more than the {self.disk_bytes} bytes that it may leave on the disk"
        if held.files > self.tier.files:
            return f"made more files in memory than the {self.tier.files} that it may"
        return None

    def held(self, pids: Iterable[int]) -> Held:
        """Return what the processes hold now, each thing once."""
        disk = _device(self.folder)
        memory = on_disk = files = sockets = 0
        seen: set[tuple[int, int]] = set()
        for pid in pids:
            memory += _private(pid)
            files = files or self._files(pid)
            for info in _opened(pid):
                key = info.st_dev, info.st_ino
                if key in seen:
                    continue
                seen.add(key)
                if stat.S_ISSOCK(info.st_mode):
                    sockets += 1
                elif stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                    size = info.st_blocks * _BLOCK
                    on_disk += size if info.st_dev == disk else 0
                    memory += size if info.st_dev != disk else 0
        memory += max(0, sockets - FREE_SOCKETS) * socket_bytes()
        return Held(memory, on_disk, files)

    def _files(self, pid: int) -> int:
        """Return how many files a process has in its own file systems in memory."""
        if self.rooms is None:
            return 0
        root = f"/proc/{pid}/root"
        with suppress(OSError):
            # Before its namespaces are complete a process still sees those of the host.
            if os.path.samefile(f"{root}{self.rooms.mark}", self.rooms.known):
                found = [os.statvfs(f"{root}{name}") for name in self.rooms.names]
                return sum(each.f_files - each.f_ffree for each in found)
        return 0


@cache
def socket_bytes() -> int:
    """Return what one socket may hold unread at most: Linux counts twice what it was given."""
    try:
        return 2 * int(_WMEM.read_text())
    except (OSError, ValueError):
        return 2 * 212_992  # Linux's default


def _device(folder: Path) -> int:
    try:
        return folder.stat().st_dev
    except OSError:
        return -1  # the agent has removed it


def _private(pid: int) -> int:
    """Return the resident memory of a process that is no part of any file, in bytes."""
    with suppress(OSError):
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _opened(pid: int) -> Iterable[os.stat_result]:
    """Yield what a process has open; nothing once it is gone, or is another user's."""
    folder = f"/proc/{pid}/fd"
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                yield os.stat(f"{folder}/{name}")
