"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from braino_registry.errors import HostError


def write_atomic(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Write ``data`` to ``path`` so that the name holds either the old bytes or all new ones.

    Parameters
    ----------
    path : Path
        Where the file is to stand; its folder must exist.
    data : bytes
        What it is to hold.
    sync : bool
        Return only when the disk has it; not needed for what can be made again.

    Raises
    ------
    HostError
        If the disk is full or the folder cannot be written to.
    """
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        raise host_error(error, path) from error


def host_error(error: OSError, path: Path) -> HostError:
    """Say for a person what the operating system refused to do with ``path``."""
    reason = error.strerror or type(error).__name__
    return HostError(
        f"cannot write: {reason}",
        where=str(path),
        hint="Free some space, or choose another folder with --run-dir or -o.",
    )


def make_folder(path: Path) -> None:
    """Make a folder and those above it, where they are missing.

    Raises
    ------
    HostError
        If the disk is full or nothing may be written there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise host_error(error, path) from error
