"""The recordings that cases name: where they lie below the data root, and their pins."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from braino_registry.datasets.content import hash_many, walk_files
from braino_registry.datasets.names import problem_of_path
from braino_registry.datasets.pins import Pin, Variant


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
        If one leads nowhere, or out of both folders.
    """
    found: dict[str, Path] = {}
    for path in paths:
        found |= _one(path, root, data)
    return Found(tuple(sorted(found.items())))


def _one(path: str, root: Path, data: Path) -> dict[str, Path]:
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts:
        raise MissingDataError(f"the path {path!r} leads out of the data root")
    without_first = PurePosixPath(*parts.parts[1:])
    for base, relative in ((data, parts), (data, without_first), (root, parts)):
        there = base / relative
        if relative.parts and there.exists():
            return dict(_files(there, relative))
    raise MissingDataError(f"there is no file {path!r}")


def _files(there: Path, relative: PurePosixPath) -> list[tuple[str, Path]]:
    if there.is_file():
        names = [(relative.as_posix(), there)]
    else:
        names = [
            ((relative / name).as_posix(), Path(item.path)) for name, item in walk_files(there)
        ]
    for name, _ in names:
        problem = problem_of_path(name)
        if problem is not None:
            raise MissingDataError(f"the path {name!r} {problem}")
    return names


def pins_of(found: Found) -> list[Pin]:
    """Return the pins of files; every file is read."""
    hashes = hash_many([file for _, file in found.files])
    return [
        Pin(name, (Variant({"sha256": sha256}, file.stat().st_size),))
        for (name, file), sha256 in zip(found.files, hashes, strict=True)
    ]
