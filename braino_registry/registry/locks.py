"""The files of release locks: written once, never edited while in force."""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.registry import jsonfile, releases, roots, schemas
from braino_registry.registry.catalog import Registry
from braino_registry.registry.problems import together
from braino_registry.registry.replacing import replace_text

FOLDER = "releases"
_NAME = re.compile(r"[0-9]{4}\.[1-9][0-9]*")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Written:
    """A lock and the file that holds it."""

    file: Path
    lock: dict[str, Any]


def write(
    registry: Registry,
    name: str,
    *,
    suites: Sequence[str] = (),
    salts: Sequence[str] = (),
    activate: bool = False,
    supersedes: str | None = None,
    out: Path | None = None,
) -> Written:
    """Freeze a registry into a file.

    Parameters
    ----------
    registry : Registry
        What is frozen; all of it has to be right.
    name : str
        Year and number, for example ``"2026.1"``.
    suites : sequence of str
        Which suites; all if empty.
    salts : sequence of str
        Hashes of salts.
    activate : bool
        Put the release in force; a draft otherwise, which may be written again.
    supersedes : str | None
        A release in force that ends to be with this one.
    out : Path | None
        The file; ``releases/NAME.json`` of the built-in entries if None.

    Raises
    ------
    UsageError
        If the name is none, or a lock in force stands in the way.
    EntryError
        If an entry is broken.
    HostError
        If the file cannot be written.
    """
    _check_names(name, salts)
    if registry.problems:
        raise together(list(registry.problems), Path(name))
    file = out if out is not None else roots.builtin() / FOLDER / f"{name}.json"
    _refuse_to_overwrite(file)
    lock = releases.freeze(registry, name, suites=suites, salts=salts)
    old = None
    if activate:
        lock = {**lock, "status": "active", "date": datetime.date.today().isoformat()}
        old = _superseded(registry, supersedes, name)
    elif supersedes is not None:
        raise UsageError("a draft supersedes nothing", where="--supersedes",
                         hint="Add --activate when the release is to be in force.")  # fmt: skip
    _store(file, lock)
    if old is not None:
        _store(old.file, old.lock)
    return Written(file, lock)


def read(registry: Registry, release: str) -> dict[str, Any]:
    """Return a lock by its name in the registry, or from a file.

    Raises
    ------
    UsageError
        If there is neither.
    EntryError
        If the file is no lock.
    """
    if release.endswith(".json") or os.sep in release:
        return _from_file(Path(release))
    return dict(registry.release(release).doc)


def _from_file(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise UsageError("there is no such file", where=str(file),
                         hint="Name a release, or the file of a lock.")  # fmt: skip
    doc = jsonfile.read(file)
    problems = schemas.check(doc, "release-1")
    if problems:
        raise together([problem.error(file) for problem in problems], file)
    lock: dict[str, Any] = doc
    return lock


def _check_names(name: str, salts: Sequence[str]) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a release", where="NAME",
                         hint="Year and number, for example 2026.1.")  # fmt: skip
    for each in salts:
        if not _HASH.fullmatch(each):
            raise UsageError(
                f"{each!r} is no hash of a salt",
                where="--salt-hash",
                hint="sha256: and 64 digits; `braino release hash FILE` prints it.",
            )


def _refuse_to_overwrite(file: Path) -> None:
    if not file.exists():
        return
    status = _from_file(file)["status"]
    if status != "draft":
        raise UsageError(
            f"the release is {status}, and its lock is never edited", where=str(file),
            hint="Freeze the next one under a name of its own.",
        )  # fmt: skip


def _superseded(registry: Registry, former: str | None, name: str) -> Written | None:
    if former is None:
        return None
    entry = registry.release(former)
    if not entry.active:
        raise UsageError(f"the release {former} is not in force", where="--supersedes",
                         hint="Only an active release can be superseded.")  # fmt: skip
    return Written(entry.file, {**entry.doc, "status": "superseded", "superseded_by": name})


def _store(file: Path, lock: Mapping[str, Any]) -> None:
    text = json.dumps(lock, indent=1, ensure_ascii=False) + "\n"
    hint = "Check the permissions of the folder, or name another file with --out."
    replace_text(file, text, what="the lock", hint=hint)
