"""Which of the files that an agent names are really there, in its workspace."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath


def sort_artifacts(
    workspace: Path, names: Sequence[str]
) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """Sort the files that an agent names into those that count and those that do not.

    Parameters
    ----------
    workspace : Path
        The agent's folder.
    names : sequence of str
        Paths as the agent gave them.

    Returns
    -------
    good : tuple of str
        Regular files inside the workspace, relative to it, each once. No part of their path is
        a link, so that they cannot stand for a file elsewhere.
    refused : list of dict
        ``name`` and ``why`` of the others.
    """
    good: dict[str, None] = {}
    refused = []
    for name in names:
        why = _problem(workspace, name)
        if why:
            refused.append({"name": name, "why": why})
        else:
            good[PurePosixPath(name).as_posix()] = None
    return tuple(good), refused


def _problem(workspace: Path, name: str) -> str:
    """Return why a path does not count, empty if it does."""
    path = PurePosixPath(name)
    if not name or "\0" in name or path.is_absolute() or ".." in path.parts or not path.parts:
        return "not a path inside the workspace"
    here = workspace
    mode = 0
    for part in path.parts:
        here = here / part
        try:
            mode = os.lstat(here).st_mode
        except OSError as error:
            return error.strerror or "cannot be read"
        if stat.S_ISLNK(mode):
            return "a link"
    return "" if stat.S_ISREG(mode) else "not a regular file"
