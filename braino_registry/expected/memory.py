"""Computed values on disk: they save time, and nothing fails where they cannot be kept."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from braino_registry.registry import documents, jsonfile

_LOG = logging.getLogger(__name__)
_told: set[Path] = set()


def recall(file: Path, name: str) -> Mapping[str, Any] | None:
    """Return what is kept in a file, or None if there is nothing that can be used.

    Parameters
    ----------
    file : Path
        Where `keep` wrote it.
    name : str
        Its key; a file that has another one was not written for this.
    """
    try:
        known = jsonfile.value_of(documents.read_bytes(file))
    except FileNotFoundError:
        return None
    except ValueError:
        # A damaged file is written again.
        return None
    except OSError as error:
        _tell(file.parent, error)
        return None
    valid = isinstance(known, dict) and known.get("key") == name and "value" in known
    return known if valid else None


def keep(file: Path, document: Mapping[str, Any]) -> bool:
    """Write a value, whole or not at all; tell whether it was written.

    Where it cannot be, the log says so once per folder, and the value is computed again next
    time: a cache that is read-only or full changes no result.
    """
    try:
        _write(file, document)
    except OSError as error:
        _tell(file.parent, error)
        return False
    return True


def refusal(folder: Path) -> str | None:
    """Return in words why values cannot be kept in a folder, or None if they can.

    Parameters
    ----------
    folder : Path
        It is made if it is not there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(prefix=".writing-", dir=folder):
            pass
    except OSError as error:
        return _words(folder, error)
    return None


def _write(file: Path, document: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(prefix=".writing-", suffix=".json", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(document, stream, allow_nan=False, indent=1)
        os.replace(partial, file)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def _tell(folder: Path, error: OSError) -> None:
    if folder not in _told:
        _told.add(folder)
        _LOG.warning("%s", _words(folder, error))


def _words(folder: Path, error: OSError) -> str:
    return (
        f"computed values are not kept, each is computed again: {error.strerror or error} "
        f"({folder}); free disk space, or set BRAINO_DATA to a folder that can be written"
    )
