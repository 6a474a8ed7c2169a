"""Opening a file that somebody gives: a regular file of bounded size, read once, or an error.

A pipe would wait for ever, a device never ends, and a sparse file of ten gigabytes costs its
author nothing. So whatever reads a document from outside opens it here.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

#: Most bytes of one entry, sidecar or table; the largest entries that exist have some 100 kB.
LARGEST_ENTRY = 16 * 2**20
#: Most bytes of a report, journal or transcript.
LARGEST_RECORD = 2**30

_PIECE = 2**20
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


class UnfitFileError(OSError):
    """A file that is there and that no document can be read from; ``strerror`` says why."""

    def __init__(self, number: int, reason: str, path: Path) -> None:
        super().__init__(number, reason, str(path))


def read_bytes(path: Path, limit: int = LARGEST_ENTRY) -> bytes:
    """Return what a regular file holds.

    Parameters
    ----------
    path : Path
        The file; a symbolic link to one is followed.
    limit : int
        Most bytes that it may have.

    Raises
    ------
    UnfitFileError
        If it is no regular file, or larger than ``limit``. Nothing is waited for, and no more
        than ``limit`` bytes are ever held.
    OSError
        If it cannot be opened or read.
    """
    handle = open_regular(path)
    try:
        if os.fstat(handle).st_size > limit:
            raise _too_large(limit, path)
        return _read(handle, limit, path)
    finally:
        os.close(handle)


def open_regular(path: Path) -> int:
    """Return the descriptor of a regular file, opened for reading; the caller closes it.

    Raises
    ------
    UnfitFileError
        If it is no regular file. Nothing is waited for.
    OSError
        If it cannot be opened.
    """
    try:
        # Opening a pipe would wait for its writer, and a terminal must not become ours.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except ValueError as error:
        raise UnfitFileError(errno.EINVAL, f"this is no path of a file: {error}", path) from error
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        # This is how opening a socket fails, in words that help nobody.
        raise _not_regular(os.stat(path).st_mode, path) from error
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise _not_regular(mode, path)
    return handle


def read_text(path: Path, limit: int = LARGEST_ENTRY) -> str:
    """Return the text of a regular file in strict UTF-8.

    Raises
    ------
    UnicodeDecodeError
        If it is something else.
    OSError
        As for `read_bytes`.
    """
    return read_bytes(path, limit).decode("utf-8")


def _read(handle: int, limit: int, path: Path) -> bytes:
    """Read to the end; a file may grow meanwhile, and those of /proc state no size."""
    pieces: list[bytes] = []
    length = 0
    while piece := os.read(handle, _PIECE):
        pieces.append(piece)
        length += len(piece)
        if length > limit:
            raise _too_large(limit, path)
    return b"".join(pieces)


def _not_regular(mode: int, path: Path) -> UnfitFileError:
    kind = _KINDS.get(stat.S_IFMT(mode), "something else")
    number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
    return UnfitFileError(number, f"it is {kind}, not a regular file", path)


def _too_large(limit: int, path: Path) -> UnfitFileError:
    size = f"{limit / 2**20:.0f} MiB" if limit >= 2**20 else f"{limit} bytes"
    return UnfitFileError(errno.EFBIG, f"it is larger than {size}", path)
