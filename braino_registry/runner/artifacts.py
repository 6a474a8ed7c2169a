"""Taking over the files an agent hands in, without trusting a single name among them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

#: Caps on what one trial may hand in.
MAX_FILES = 200
MAX_FILE_BYTES = 100 * 1024**2
MAX_TOTAL_BYTES = 300 * 1024**2
MAX_DEPTH = 32
_PIECE = 1024**2
#: Errors of writing a copy that its name is to blame for, not the disk.
_BY_NAME = {
    errno.ENAMETOOLONG,
    errno.EINVAL,
    errno.EILSEQ,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
}


@dataclass
class Collected:
    """What was taken over.

    Parameters
    ----------
    names : list of str
        Relative paths that now stand in the trial's ``artifacts`` folder.
    refused : list of str
        What was not taken, each with the reason.
    """

    names: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class Refusal(Exception):
    """A file that is not taken over; the text says why."""


def collect(names: Iterable[str], workspace: Path, into: Path) -> Collected:
    """Copy the named files from an agent's workspace.

    Only regular files with one link are taken. No link is followed, neither at the end of a path
    nor on the way; named pipes are never opened for waiting; sparse files count with the size
    that they show.

    Parameters
    ----------
    names : iterable of str
        Paths relative to the workspace, as the agent gave them.
    workspace : Path
        Where the agent could write.
    into : Path
        Folder of the copies, made if anything is taken.
    """
    collected = Collected()
    left = MAX_TOTAL_BYTES
    try:
        root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        # The agent may have removed or replaced its own workspace; then it hands in nothing.
        missing = f"the workspace cannot be opened: {error.strerror}"
        return Collected(refused=[f"{name}: {missing}" for name in names])
    try:
        for number, name in enumerate(dict.fromkeys(names)):
            try:
                if number >= MAX_FILES:
                    raise Refusal(f"more than {MAX_FILES} files")
                left -= _take(root, name, into, left)
            except Refusal as reason:
                collected.refused.append(f"{name[:200]}: {reason}")
            else:
                collected.names.append(PurePosixPath(name).as_posix())
    finally:
        os.close(root)
    return collected


def _take(root: int, name: str, into: Path, left: int) -> int:
    parts = _parts(name)
    handle = _open_beneath(root, parts)
    try:
        info = os.fstat(handle)
        _refuse(info, left)
        target = into.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "wb") as copy:
            return _copy(handle, copy, info.st_size)
    except OSError as error:
        if error.errno not in _BY_NAME:
            raise
        raise Refusal(f"cannot be copied: {error.strerror}") from error
    finally:
        os.close(handle)


def _refuse(info: os.stat_result, left: int) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise Refusal("not a regular file")
    if info.st_nlink != 1:
        raise Refusal("a hard link")
    if info.st_size > MAX_FILE_BYTES:
        raise Refusal(f"larger than {MAX_FILE_BYTES} bytes")
    if info.st_size > left:
        raise Refusal(f"all files together are larger than {MAX_TOTAL_BYTES} bytes")


def _copy(handle: int, copy: BinaryIO, size: int) -> int:
    """Copy at most ``size`` bytes: a file that still grows is cut where it ended when looked at.

    What holds nothing but zeros takes no space in the copy either, as in a sparse file.
    """
    done = 0
    while done < size and (piece := os.read(handle, min(_PIECE, size - done))):
        if piece.count(0) == len(piece):
            copy.seek(len(piece), os.SEEK_CUR)
        else:
            copy.write(piece)
        done += len(piece)
    copy.truncate(done)
    return done


def _parts(name: str) -> tuple[str, ...]:
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise Refusal("not a path inside the workspace")
    if len(path.parts) > MAX_DEPTH:
        raise Refusal(f"more than {MAX_DEPTH} folders deep")
    return path.parts


def _open_beneath(root: int, parts: tuple[str, ...]) -> int:
    """Open a file step by step, so that no component can be a link out of the workspace."""
    folder = os.dup(root)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise Refusal(error.strerror or "cannot be opened") from error
    finally:
        os.close(folder)
