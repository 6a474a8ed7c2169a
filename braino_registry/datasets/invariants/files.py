"""What the files of a copy are, for datasets whose bytes cannot be pinned."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from braino_registry.datasets.invariants import fields, invariant
from braino_registry.datasets.invariants.reading import Sidecars
from braino_registry.datasets.looking import LOOKED_AT, stranger, unlike
from braino_registry.datasets.patterns import matches

_PATHS = {"type": "string", "minLength": 1, "description": "Pattern of paths; ** spans folders."}


@invariant("file_count", {"files": _PATHS, "equals": fields.COUNT})
def file_count(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Count the files whose path fits a pattern; a total."""
    if not sidecars.whole:
        return []
    found = len(_files(sidecars.root, row["files"]))
    if found == row["equals"]:
        return []
    return [f"{found} files {row['files']!r} instead of {row['equals']}"]


@invariant("file_kind", {"files": _PATHS})
def file_kind(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Check that files begin as their extension tells, and are no page, pointer or empty file."""
    problems = []
    for path in _files(sidecars.root, row["files"]):
        name = path.relative_to(sidecars.root).as_posix()
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
        came = stranger(head, name)
        problem = f"it is {came}" if came else unlike(head, name)
        if problem or not head:
            problems.append(f"{name}: {problem or 'it is empty'}")
    return problems


@invariant("files_paired", {"files": _PATHS, "ends": fields.CELL, "with": fields.CELL})
def files_paired(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Check that each file that ends in ``ends`` has one that ends in ``with`` instead."""
    problems = []
    for path in _files(sidecars.root, row["files"]):
        if path.name.endswith(row["ends"]):
            partner = path.with_name(path.name.removesuffix(row["ends"]) + row["with"])
            if not partner.is_file():
                problems.append(f"{path.name} is there without {partner.name}")
    return problems


def _files(root: Path, pattern: str) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and matches(path.relative_to(root).as_posix(), pattern):
                found.append(path)
    return found
