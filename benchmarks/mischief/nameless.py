"""Deeds that take memory and disk where nobody looks: without a name, a size, or an owner."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from braino.agent import Session

from .deeds import Places, deed

_PIECE = b"x" * (16 << 20)
#: How much is tried; what is to hold it holds less.
_MOST = 2 << 30
_WAIT = 2.0  # seconds in which a watcher has to notice it


def _hoard(take: Callable[[], int], most: int = _MOST) -> str:
    """Take more and more, keep it for a while, and say how much it was."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    taken = 0
    try:
        while taken < most:
            taken += take()
    except OSError as error:
        held = f"refused: {error.strerror} after {taken >> 20} MiB"
    else:
        held = f"DONE: {taken >> 20} MiB"
    time.sleep(_WAIT)
    return held


@deed
def memory_in_files_without_names(session: Session, places: Places) -> str:
    """Memory in files without names."""

    def take() -> int:
        return os.write(os.memfd_create("x"), _PIECE)

    return _hoard(take)


@deed
def memory_in_segments(session: Session, places: Places) -> str:
    """Memory in segments (System V) that no process has attached."""
    library = ctypes.CDLL(None, use_errno=True)
    library.shmat.restype = ctypes.c_void_p
    made: list[int] = []

    def take() -> int:
        size = len(_PIECE)
        segment = library.shmget(0, size, 0o1600)
        if segment < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        made.append(segment)
        address = library.shmat(segment, None, 0)
        ctypes.memset(address, 1, size)
        library.shmdt(ctypes.c_void_p(address))
        return size

    said = _hoard(take)
    for segment in made:
        library.shmctl(segment, 0, None)
    return said


@deed
def memory_in_sockets(session: Session, places: Places) -> str:
    """Memory in sockets that nobody reads."""
    kept: list[socket.socket] = []

    def take() -> int:
        near, far = socket.socketpair()
        kept.extend((near, far))
        near.setblocking(False)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        return near.send(_PIECE)

    return _hoard(take)


@deed
def memory_in_names(session: Session, places: Places) -> str:
    """Memory in empty files, which have a name only."""
    folder = Path("/dev/shm", f"abuse-{os.getpid()}")
    folder.mkdir()
    most = 200_000
    try:
        for number in range(most):
            os.close(os.open(folder / str(number), os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        return f"refused: {error.strerror} after {number} files"
    time.sleep(_WAIT)
    return f"DONE: {most} files"


@deed
def disk_beyond_the_end(session: Session, places: Places) -> str:
    """Disk beyond the end of files, where it is no part of their size."""
    library = ctypes.CDLL(None, use_errno=True)
    kept: list[int] = []

    def take() -> int:
        path = session.workspace / f"short-{len(kept)}"
        kept.append(os.open(path, os.O_CREAT | os.O_WRONLY))
        size = 64 << 20
        if library.fallocate(kept[-1], 1, ctypes.c_long(0), ctypes.c_long(size)):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return size

    return _hoard(take)


@deed
def disk_without_names(session: Session, places: Places) -> str:
    """Disk in files that have been unlinked."""

    def take() -> int:
        path = session.workspace / "gone"
        handle = os.open(path, os.O_CREAT | os.O_WRONLY)
        path.unlink()
        return os.write(handle, _PIECE)

    return _hoard(take, 512 << 20)


@deed
def disk_in_attributes(session: Session, places: Places) -> str:
    """Disk in attributes of empty files."""
    made = 0

    def take() -> int:
        nonlocal made
        made += 1
        path = session.workspace / f"empty-{made}"
        path.touch()
        os.setxattr(path, "user.x", b"x" * 3900)
        return 3900

    return _hoard(take, 4 << 20)
