"""The marker beside a built tree: what was built, from what, and which files it has.

It is written last, inside the work folder, so a tree with a marker is a whole tree. It makes a
cached tree trusted by one look at each file (size and time), without reading any.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from braino_registry.datasets.content import (
    NEUTRAL_NS,
    FileRecord,
    hash_many,
    walk_files,
)
from braino_registry.errors import HostError

NAME = "realised.json"


@dataclass(frozen=True)
class Marker:
    """What `NAME` says.

    Parameters
    ----------
    entry : str
        ``id@version``.
    identity : str
        Digest of the entry by which datasets are compared.
    salt : str | None
        Hash of the salt, never the salt.
    digest : str
        Content digest of the tree as it was built.
    files : tuple of FileRecord
        Every file of the tree, sorted by path.
    """

    entry: str
    identity: str
    salt: str | None
    digest: str
    files: tuple[FileRecord, ...]

    @property
    def bytes(self) -> int:
        """Bytes of the tree."""
        return sum(file.size for file in self.files)

    def write(self, folder: Path) -> None:
        """Write the marker into the folder that holds the tree."""
        document = {"schema": "realised/1", **asdict(self)}
        document["files"] = [[file.path, file.size, file.sha256] for file in self.files]
        (folder / NAME).write_text(json.dumps(document) + "\n", encoding="utf-8")


def read_marker(folder: Path) -> Marker | None:
    """Return the marker of a built folder; None when there is none or it is not JSON.

    Raises
    ------
    HostError
        If the folder may not be read.
    """
    try:
        document: Mapping[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return Marker(
            document["entry"],
            document["identity"],
            document["salt"],
            document["digest"],
            tuple(FileRecord(*row) for row in document["files"]),
        )
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
        return None
    except OSError as error:
        raise HostError(
            f"the cache cannot be read: {error.strerror}",
            where=str(folder),
            hint="Have its owner open it to you, or set BRAINO_DATA to a folder of your own.",
        ) from error


def look(tree: Path, marker: Marker) -> list[str]:
    """Return what differs between a tree and its marker by names, sizes and times alone.

    Built files carry one neutral time; a file that was written to since carries another.
    """
    expected = {file.path: file for file in marker.files}
    problems = []
    for name, entry in walk_files(tree):
        record = expected.pop(name, None)
        stat = entry.stat(follow_symlinks=False)
        if record is None:
            problems.append(f"{name}: not part of the dataset")
        elif stat.st_size != record.size:
            problems.append(f"{name}: {stat.st_size} bytes instead of {record.size}")
        elif stat.st_mtime_ns != NEUTRAL_NS:
            problems.append(f"{name}: was written to")
    return problems + [f"{name}: missing" for name in expected]


def read_through(tree: Path, marker: Marker) -> dict[str, str]:
    """Return what differs between a tree and its marker by names and contents: words by path."""
    expected = {file.path: file for file in marker.files}
    found = sorted(walk_files(tree), key=lambda item: item[0])
    problems = {name: "not part of the dataset" for name, _ in found if name not in expected}
    known = [(name, entry) for name, entry in found if name in expected]
    for name in [name for name, entry in known if not entry.is_file()]:
        problems[name] = "no regular file"
        del expected[name]
    known = [(name, entry) for name, entry in known if name in expected]
    hashes = hash_many([Path(entry.path) for _, entry in known])
    for (name, _), digest in zip(known, hashes, strict=True):
        record = expected.pop(name)
        if digest != record.sha256:
            problems[name] = f"sha256 {digest} instead of {record.sha256}"
    return problems | dict.fromkeys(expected, "missing")
