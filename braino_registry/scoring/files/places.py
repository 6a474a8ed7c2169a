"""Where an agent's file lies: a regular file of its own, in its folder, with no link on the way."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath


def regular(folder: Path, relative: str) -> tuple[str, os.stat_result | None]:
    """Return the status of a regular file reached without any link, or why there is none.

    Parameters
    ----------
    folder : Path
        The artifacts folder.
    relative : str
        Path of the file below it.
    """
    parts = PurePosixPath(relative).parts
    if not parts or PurePosixPath(relative).is_absolute() or ".." in parts or "\x00" in relative:
        return "leads out of the artifacts folder", None
    path = folder
    for index, part in enumerate(parts):
        path = path / part
        try:
            status = path.lstat()
        except (OSError, ValueError):
            return "does not exist", None
        if stat.S_ISLNK(status.st_mode):
            return "is reached through a link", None
        if index < len(parts) - 1 and not stat.S_ISDIR(status.st_mode):
            return "does not exist", None
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file", None
    if status.st_nlink > 1:
        return "is a hard link", None
    return "", status
