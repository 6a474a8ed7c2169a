"""A fresh copy of a dataset for one trial.

Real copies, never links: an agent that writes into a hard or symbolic link would write into the
cache. Times are neutral and, unless the copy is writable, files and folders are read-only.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from braino_registry.datasets.clones import clone
from braino_registry.datasets.content import NEUTRAL_NS, is_lock_file
from braino_registry.datasets.hosts import host_errors
from braino_registry.errors import UsageError
from braino_registry.registry.entries import ENTITIES

#: From this size on it pays to ask the file system for a copy that takes no space until one of
#: the two is written to.
_CLONED_BYTES = 1 << 20


class HasTree(Protocol):
    """Anything with a BIDS root."""

    @property
    def bids(self) -> Path:
        """The BIDS root."""


def fresh_copy(
    realised: HasTree,
    dest: Path,
    *,
    writable: bool = False,
    only: Mapping[str, str] | None = None,
) -> None:
    """Copy the BIDS tree of a dataset.

    Parameters
    ----------
    realised : Realised
        The dataset.
    dest : Path
        A folder that does not exist yet or is empty; becomes the BIDS root.
    writable : bool
        Whether the owner may change the copy (files 0644, folders 0755) or nobody may (0444, 0555).
    only : mapping of str to str | None
        Entities of the one recording that is copied, with all that is not another one's, for
        example ``{"bids_subject": "02"}``; None or empty for everything.

    Raises
    ------
    UsageError
        If ``dest`` holds anything.
    HostError
        If the disk is full or ``dest`` cannot be written.
    """
    with host_errors("copying a dataset for a trial", dest):
        dest.mkdir(parents=True, exist_ok=True)
        if any(dest.iterdir()):
            raise UsageError(
                "the folder for a fresh copy is not empty", where=str(dest), hint="Give a new one."
            )
        file_mode, folder_mode = (0o644, 0o755) if writable else (0o444, 0o555)
        keys = {ENTITIES[name]: label for name, label in (only or {}).items()}
        _copy_folder(str(realised.bids), str(dest), file_mode, folder_mode, keys)


def discard_copy(dest: Path) -> None:
    """Remove a copy, a read-only one too; does nothing when there is none."""
    if not dest.is_dir():
        return
    with host_errors("removing a dataset's copy", dest):
        for folder, folders, _ in os.walk(dest):
            os.chmod(folder, 0o755)
            for name in folders:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    os.chmod(path, 0o755)
        shutil.rmtree(dest)


def _copy_folder(
    source: str, target: str, file_mode: int, folder_mode: int, only: Mapping[str, str]
) -> None:
    with os.scandir(source) as entries:
        for entry in entries:
            if _of_another(entry.name, only):
                continue
            path = os.path.join(target, entry.name)
            if entry.is_dir():
                os.mkdir(path)
                _copy_folder(entry.path, path, file_mode, folder_mode, only)
                continue
            if is_lock_file(entry.name):
                continue
            if entry.stat().st_size >= _CLONED_BYTES:
                clone(Path(entry.path), Path(path))
            else:
                shutil.copyfile(entry.path, path)
            os.chmod(path, file_mode)
            os.utime(path, ns=(NEUTRAL_NS, NEUTRAL_NS))
    os.utime(target, ns=(NEUTRAL_NS, NEUTRAL_NS))
    os.chmod(target, folder_mode)


def _of_another(name: str, only: Mapping[str, str]) -> bool:
    """Tell whether the name of a file or folder has an entity with another label."""
    parts = (part.partition("-") for part in name.partition(".")[0].split("_")) if only else ()
    return any(dash and key in only and label != only[key] for key, dash, label in parts)
