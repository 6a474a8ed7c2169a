"""Which files of a registry folder are entries, and what is known of each before it is loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import EntryError
from braino_registry.registry import jsonfile, schemas
from braino_registry.registry.problems import Problem

#: Where entries lie in a folder; a folder that has none of these is one list of entries.
FOLDERS = ("tasks", "generators", "datasets", "releases")
#: Path of the generated index in a folder.
INDEX = "tasks/index.json"
#: Kinds of document that are entries of a registry.
KINDS = ("task", "suite", "recipe", "dataset", "release")
#: Recipes and public datasets share their identifiers.
SPACES = {"recipe": "dataset"}


@dataclass(frozen=True)
class Candidate:
    """A file that says it is an entry.

    Parameters
    ----------
    root : Path
        The folder it belongs to.
    name : str
        Its path within that folder, with forward slashes.
    kind, id, version : str
        What it declares.
    sha256 : str
        Hexadecimal sha256 of its bytes.
    indexed : bool
        Whether the folder's index knows these bytes, so that they need not be checked again.
    """

    root: Path
    name: str
    kind: str
    id: str
    version: str
    sha256: str
    indexed: bool = False

    @property
    def file(self) -> Path:
        """The file itself."""
        return self.root / self.name

    @property
    def key(self) -> str:
        """Name under which it is found: tasks and suites by id, datasets by ``id@version``."""
        space = SPACES.get(self.kind, self.kind)
        return f"{space}:{self.id}@{self.version}" if space == "dataset" else f"{space}:{self.id}"


def entry_files(root: Path) -> list[str]:
    """Return the paths of all entry files below a folder, sorted, with forward slashes."""
    known = [root / folder for folder in FOLDERS if (root / folder).is_dir()]
    found = {
        file.relative_to(root).as_posix()
        for folder in known or [root]
        for file in folder.rglob("*.json")
        if not any(part.startswith(".") for part in file.relative_to(root).parts)
    }
    return sorted(found - {INDEX, "index.json"})


@dataclass(frozen=True)
class Unreadable:
    """A file that does not say which entry it is.

    Parameters
    ----------
    file : Path
        The file.
    errors : tuple of EntryError
        Why not.
    """

    file: Path
    errors: tuple[EntryError, ...]


def scan(root: Path, index: Mapping[str, Any]) -> Iterator[Candidate | Unreadable]:
    """Yield, for every entry file of a folder, what it declares or why that cannot be told.

    Parameters
    ----------
    root : Path
        The folder.
    index : mapping
        What the index knows of files, by path: ``sha256``, ``kind``, ``id``, ``version``.
    """
    for name in entry_files(root):
        yield examine(root, name, index.get(name))


def examine(root: Path, name: str, known: Mapping[str, Any] | None) -> Candidate | Unreadable:
    """Return what one file declares, or why that cannot be told.

    Parameters
    ----------
    root, name : Path, str
        The folder and the path within it.
    known : mapping | None
        What the index knows of the file, if anything.
    """
    file = root / name
    try:
        raw = file.read_bytes()
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror}"
        return Unreadable(file, (EntryError(problem, where=str(file), hint="Check the file."),))
    sha256 = hashlib.sha256(raw).hexdigest()
    if known is not None and known["sha256"] == sha256:
        declared = (known["kind"], known["id"], known["version"])
        return Candidate(root, name, *declared, sha256, indexed=True)
    found = _declared(raw)
    if isinstance(found, tuple):
        return Candidate(root, name, *found, sha256)
    return Unreadable(file, tuple(problem.error(file) for problem in found))


def _declared(raw: bytes) -> tuple[str, str, str] | list[Problem]:
    """Return kind, id and version of a document, or what is wrong with it."""
    doc, problems = jsonfile.parse(raw)
    if problems:
        return problems
    name = schemas.name_of(doc)
    if isinstance(name, Problem):
        return [name]
    kind = name.rpartition("-")[0]
    if kind not in KINDS:
        allowed = tuple(f"{kind}/1" for kind in KINDS)
        return [Problem("$.schema", f"a {kind} is not an entry of a registry", allowed)]
    entry_id, version = doc.get("id"), doc.get("version", "")
    if not isinstance(entry_id, str) or not isinstance(version, str):
        # A key is made of both, so that the schema's own problems have to come first.
        return schemas.check(doc, name) or [Problem("$.id", "an id and a version are texts")]
    return kind, entry_id, version
