"""The generated index of the entries: what a listing says, by the bytes of the files.

It is a cache with a proof: a row is used only while the task's file, its suite's, its datasets'
and all schemas have the bytes from which the row was made. Anything else is loaded as if there
were no index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from braino_registry import __version__
from braino_registry.registry import documents, jsonfile, roots
from braino_registry.registry.files import INDEX, KINDS

#: Raised when the form of the index or the meaning of a row changes.
FORM = 1


@dataclass(frozen=True)
class Index:
    """What is known of the files of one folder.

    Parameters
    ----------
    files : mapping
        Path to ``sha256``, ``kind``, ``id``, ``version``.
    tasks : mapping
        Path of a task's file to ``needs``, the keys of what it refers to, and ``row``.
    """

    files: Mapping[str, Any] = field(default_factory=dict)
    tasks: Mapping[str, Any] = field(default_factory=dict)


def read(root: Path) -> Index:
    """Return the index of a folder; empty if there is none that holds for this version."""
    try:
        doc = jsonfile.value_of(documents.read_bytes(root / INDEX))
    except (OSError, ValueError):
        # An index only saves time: without a good one everything is loaded and checked.
        return Index()
    if not isinstance(doc, dict) or doc.get("made_by") != made_by():
        return Index()
    files, tasks = doc.get("files", {}), doc.get("tasks", {})
    good = _has(files, ("sha256", "kind", "id", "version")) and _has(tasks, ("needs", "row"))
    return Index(files, tasks) if good else Index()


def _has(part: Any, properties: tuple[str, ...]) -> bool:
    """Tell whether a part of an index is an object of objects with these properties."""
    return isinstance(part, dict) and all(
        isinstance(item, dict) and all(name in item for name in properties)
        for item in part.values()
    )


def made_by() -> dict[str, Any]:
    """Return what decides whether an entry is right, apart from the entry itself."""
    folder = roots.builtin() / "schemas"
    schemas = {
        file.stem: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.glob("*.json"))
        if file.stem.rpartition("-")[0] in KINDS
    }
    return {"form": FORM, "package": __version__, "schemas": schemas}
