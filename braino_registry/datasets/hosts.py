"""Errors of the machine (disk, permissions) put into words for the person who can mend them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from braino_registry.errors import HostError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}


def host_error(error: OSError, doing: str, where: Path) -> HostError:
    """Return the error to raise for an operating-system error while ``doing`` something.

    Parameters
    ----------
    error : OSError
        What the system said.
    doing : str
        What was attempted, for example ``"building eegmmi@1.0.0"``.
    where : Path
        The folder that is concerned.
    """
    # numpy reports a short write ("5120 requested and 1500 written") without an error number.
    if error.errno in _FULL or (error.errno is None and "written" in str(error)):
        problem = f"no room left while {doing}"
        hint = "Free some space, or set BRAINO_DATA to a folder on a larger disk, and try again."
    elif error.errno in _DENIED:
        problem = f"not allowed to write while {doing}"
        hint = "Set BRAINO_DATA to a folder you may write to, or have this one built by its owner."
    else:
        problem = f"{error.strerror or error} while {doing}"
        hint = "Check the folder, or set BRAINO_DATA to another one, and try again."
    return HostError(problem, where=str(where), hint=hint)


@contextmanager
def host_errors(doing: str, where: Path) -> Iterator[None]:
    """Turn operating-system errors of the block into `HostError`; nothing else is touched."""
    try:
        yield
    except OSError as error:
        raise host_error(error, doing, where) from error
