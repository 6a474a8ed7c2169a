"""Which files of a registry folder are entries, and what is known of each before it is loaded."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import EntryError, UsageError
from braino_registry.registry import documents, jsonfile, schemas
from braino_registry.registry.problems import Problem

#: Where entries lie in a folder; a folder that has none of these is one list of entries.
FOLDERS = ("tasks", "generators", "datasets", "releases")
#: Most files of a folder of entries: a whole disk given by mistake is not walked to its end.
MANY = 50_000
#: Path of the generated index in a folder.
INDEX = "tasks/index.json"
#: Kinds of document that are entries of a registry.
KINDS = ("task", "suite", "recipe", "dataset", "release")
#: Recipes and public datasets share their identifiers.
SPACES = {"recipe": "dataset"}

_ID = re.compile(rb'"id"\s*:\s*"([a-z0-9-]{1,80})"')


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
    """Return the paths of all entry files below a folder, sorted, with forward slashes.

    A folder that may not be looked into is listed too, so that reading it tells why.

    Raises
    ------
    UsageError
        If the folder holds so much that it is hardly one of entries.
    """
    known = [root / folder for folder in FOLDERS if (root / folder).is_dir()]
    found = {
        file.relative_to(root).as_posix()
        for folder in known or [root]
        for file in _below(folder, root)
    }
    return sorted(found - {INDEX, "index.json"})


def _below(folder: Path, root: Path) -> Iterator[Path]:
    """Yield what is called ``*.json`` in a folder and in those below it; hidden names are not."""
    shut: list[Path] = []
    seen = 0
    for parent, folders, names in os.walk(
        folder, onerror=lambda error: shut.append(Path(str(error.filename)))
    ):
        folders[:] = [name for name in folders if not name.startswith(".")]
        seen += len(folders) + len(names)
        if seen > MANY:
            raise UsageError(
                f"the registry folder holds more than {MANY} files",
                where=str(root),
                hint="Name the folder that holds tasks/, generators/ or datasets/.",
            )
        for name in (*folders, *names):
            if name.endswith(".json") and not name.startswith("."):
                yield Path(parent, name)
    yield from shut


@dataclass(frozen=True)
class Unreadable:
    """A file that does not say which entry it is.

    Parameters
    ----------
    file : Path
        The file.
    errors : tuple of EntryError
        Why not.
    names : frozenset of str
        What its entry may be called: by the file's name, and by the first ``id`` in it.
    """

    file: Path
    errors: tuple[EntryError, ...]
    names: frozenset[str] = frozenset()


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
        raw = documents.read_bytes(file)
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror}"
        unread = EntryError(problem, where=str(file), hint="Check the file.")
        return Unreadable(file, (unread,), frozenset({file.stem}))
    sha256 = hashlib.sha256(raw).hexdigest()
    if known is not None and known["sha256"] == sha256:
        declared = (known["kind"], known["id"], known["version"])
        return Candidate(root, name, *declared, sha256, indexed=True)
    found = _declared(raw)
    if isinstance(found, tuple):
        return Candidate(root, name, *found, sha256)
    # The first one is that of the entry; instances and checks come later.
    stated = _ID.search(raw)
    told = tuple(problem.error(file) for problem in found)
    return Unreadable(
        file, told, frozenset({file.stem, *((stated[1].decode(),) if stated else ())})
    )


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
