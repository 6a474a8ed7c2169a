"""Files in an agent's workspace, which the agent may have filled with traps."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_name(file: str, endings: tuple[str, ...]) -> None:
    """Refuse a name that is no plain file name with one of the endings.

    Raises
    ------
    ToolError
        With the endings.
    """
    told = " or ".join(f".{ending}" for ending in endings)
    if not _NAME.fullmatch(file):
        raise ToolError(
            f"{file[:100]!r} is no plain file name",
            f"Pass letters, digits, dots, - and _, for example result.{endings[0]}: no folders.",
        )
    if file.rpartition(".")[2].lower() not in endings:
        raise ToolError(f"{file} does not end in {told}", f"Pass a name that ends in {told}.")


def write(state: ToolState, file: str, make: Callable[[Path], None]) -> None:
    """Write a file into the workspace, whole or not at all.

    It is made outside and put in place by its name: whatever the agent has put there under this
    name, a link to elsewhere say, is replaced and not followed.

    Parameters
    ----------
    state : ToolState
        With the workspace.
    file : str
        Name, checked by :func:`check_name`.
    make : callable
        Writes the file at the path it is given.
    """
    with tempfile.TemporaryDirectory(prefix="braino-export-") as folder:
        made = Path(folder) / file
        make(made)
        partial = f".writing-{secrets.token_hex(8)}"
        try:
            # The agent may have put a link in place of the folder itself.
            folder_handle = os.open(state.workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as error:
            raise _refused(file, error) from error
        try:
            _put(made, folder_handle, partial, file)
        except OSError as error:
            with suppress(OSError):
                os.unlink(partial, dir_fd=folder_handle)
            raise _refused(file, error) from error
        finally:
            os.close(folder_handle)


def _put(made: Path, folder: int, partial: str, file: str) -> None:
    """Copy a file into an open folder, and then give it its name."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with (
        os.fdopen(os.open(partial, flags, 0o666, dir_fd=folder), "wb") as target,
        made.open("rb") as source,
    ):
        shutil.copyfileobj(source, target)
    os.replace(partial, file, src_dir_fd=folder, dst_dir_fd=folder)


def _refused(file: str, error: OSError) -> ToolError:
    problem = f"{file} cannot be written: {error.strerror}"
    return ToolError(problem, "Pass another file name, and leave the workspace as it was.")
