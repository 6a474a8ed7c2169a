"""Copying files: by reference where the file system can, else byte by byte; never by a link.

A clone shares its blocks with the original until one of the two is written to, so neither can
change the other.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

_FICLONE = 0x40049409
"""Linux: make a file share the blocks of another one (ioctl_ficlone(2))."""
_UNABLE = {errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL, errno.EXDEV, errno.ENOSYS, errno.EPERM}


def clone(source: Path, target: Path) -> None:
    """Copy the bytes of ``source`` to the new file ``target``; a link is followed.

    Raises
    ------
    FileExistsError
        If ``target`` is there.
    OSError
        If the disk is full or a file cannot be opened.
    """
    with source.open("rb") as reading, target.open("xb") as writing:
        if not _cloned(reading.fileno(), writing.fileno()):
            shutil.copyfileobj(reading, writing, 1 << 20)


def _cloned(source: int, target: int) -> bool:
    if not sys.platform.startswith("linux") or os.fstat(source).st_size == 0:
        return False
    import fcntl

    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError as error:
        if error.errno in _UNABLE:
            return False
        raise
    return True
