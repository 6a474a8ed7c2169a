"""The recordings that cases name: where they lie below the data root, and their pins."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from braino_registry.datasets.content import hash_many, walk_files
from braino_registry.datasets.names import problem_of_path
from braino_registry.datasets.pins import Pin, Variant

_MOST_SHOWN = 80  # characters of a path in a message


class MissingDataError(ValueError):
    """A path of a case that leads to no file."""


@dataclass(frozen=True)
class Found:
    """What the paths of a case lead to.

    Parameters
    ----------
    files : tuple of (str, Path)
        Path below the data root with forward slashes, and the file; sorted.
    """

    files: tuple[tuple[str, Path], ...]

    @property
    def key(self) -> str:
        """A short name that equal sets of files share."""
        text = "\n".join(name for name, _ in self.files)
        return hashlib.sha256(text.encode()).hexdigest()[:10]


def find(paths: Sequence[str], root: Path, data: Path) -> Found:
    """Return the files that paths of a case lead to.

    Parameters
    ----------
    paths : sequence of str
        As the case has them: below the data root, or below the folder that holds it.
    root, data : Path
        The released tree and the data root.

    Raises
    ------
    MissingDataError
        If one leads nowhere, out of both folders (also by a link), or to what is no file.
    """
    found: dict[str, Path] = {}
    for path in paths:
        found |= _one(path, root, data)
    return Found(tuple(sorted(found.items())))


def _one(path: str, root: Path, data: Path) -> dict[str, Path]:
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts:
        raise MissingDataError(f"the path {_short(path)} leads out of the data root")
    # Before anything is looked up: what no system can hold, the system refuses in its own words.
    problem = problem_of_path(parts.as_posix()) if parts.parts else None
    if problem is not None:
        raise MissingDataError(f"the path {_short(path)} {problem}")
    without_first = PurePosixPath(*parts.parts[1:])
    try:
        for base, relative in ((data, parts), (data, without_first), (root, parts)):
            there = base / relative
            if relative.parts and os.path.lexists(there):
                inside = [each.resolve() for each in ((data,) if base is data else (root, data))]
                return dict(_files(there, relative, inside))
    except (OSError, RuntimeError) as error:  # a link to itself is the latter before Python 3.13
        loop = getattr(error, "errno", errno.ELOOP) == errno.ELOOP
        reason = "it leads to itself" if loop else getattr(error, "strerror", error)
        raise MissingDataError(f"the path {_short(path)} cannot be read: {reason}") from error
    raise MissingDataError(f"there is no file {_short(path)}")


def _short(path: str) -> str:
    return repr(path if len(path) <= _MOST_SHOWN else path[: _MOST_SHOWN - 1] + "…")


def _files(there: Path, relative: PurePosixPath, inside: Sequence[Path]) -> list[tuple[str, Path]]:
    """Return what lies at a place: one file, or all files of a folder."""
    _check_inside(there, relative.as_posix(), inside)
    if not there.is_dir():
        names = [(relative.as_posix(), there)]
    else:
        names = [
            ((relative / name).as_posix(), Path(item.path)) for name, item in walk_files(there)
        ]
    for name, file in names:
        problem = problem_of_path(name)
        if problem is not None:
            raise MissingDataError(f"the path {_short(name)} {problem}")
        _check_inside(file, name, inside)
        if not file.is_file():
            raise MissingDataError(f"{_short(name)} is not a regular file")
    return names


def _check_inside(file: Path, name: str, inside: Sequence[Path]) -> None:
    """Refuse what a link takes out of the folders in which data may lie."""
    led_to = file.resolve()
    if led_to.is_symlink():
        led_to.stat()  # since Python 3.13 only this tells of a link to itself
    if not any(led_to.is_relative_to(folder) for folder in inside):
        raise MissingDataError(f"the path {_short(name)} leads out of the data root by a link")


def pins_of(found: Found) -> list[Pin]:
    """Return the pins of files; every file is read.

    Raises
    ------
    MissingDataError
        If one cannot be read.
    """
    try:
        return _pins(found)
    except OSError as error:
        place = _short(str(error.filename or ""))
        raise MissingDataError(f"{place} cannot be read: {error.strerror}") from error


def _pins(found: Found) -> list[Pin]:
    hashes = hash_many([file for _, file in found.files])
    return [
        Pin(name, (Variant({"sha256": sha256}, file.stat().st_size),))
        for (name, file), sha256 in zip(found.files, hashes, strict=True)
    ]
