"""Release locks: what a number can be compared with for good.

A lock lists every task, dataset, toolset and schema with its digest, and the versions of what
scores. It is a *draft* until it is made *active*; from then on its content is never edited, which
its seal shows. What may still change is its status and, once there is one, its DOI.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from braino_registry import __version__
from braino_registry.registry import roots
from braino_registry.registry.catalog import Registry
from braino_registry.registry.digests import dataset_identity, digest
from braino_registry.registry.entries import PublicDataset, Recipe, Suite
from braino_registry.registry.kinds import check_versions, operation_versions
from braino_registry.registry.listing import digested
from braino_registry.registry.versions import due, parse, version_change

#: What may change of a lock that is in force, and so is under no seal.
UNSEALED = frozenset({"status", "superseded_by", "doi", "date", "seal"})
#: Packages whose version can move the last digits of what is built or measured.
PACKAGES = ("edfio", "mne", "mne-bids", "numpy", "pybids", "pybv", "scipy")
VALIDATOR = "bids-validator-deno"


@dataclass(frozen=True)
class Difference:
    """One thing that is not as a release says.

    Parameters
    ----------
    what : str
        The entry, for example ``"task count-events"``.
    field : str
        Where in it, for example ``"scoring.checks.counts-stimuli.tolerance"``; empty for the
        whole.
    problem : str
        What is different.
    hint : str
        What follows from it, with the version that is due.
    """

    what: str
    field: str
    problem: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.what}, {self.field}" if self.field else self.what
        return f"{place}: {self.problem}{'. ' + self.hint if self.hint else ''}"


def freeze(
    registry: Registry, name: str, *, suites: Sequence[str] = (), salts: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a draft lock of what a registry holds.

    Parameters
    ----------
    registry : Registry
        Without problems: a lock of half a registry would be one of nothing.
    name : str
        Year and number, for example ``"2026.1"``.
    suites : sequence of str
        Which suites; all if empty.
    salts : sequence of str
        Hashes (``sha256:…``) of the salts with which results of this release will be made.

    Returns
    -------
    dict
        A ``release/1`` document with its seal.

    Raises
    ------
    EntryError, UsageError
        If a suite does not exist, or an entry is broken.
    """
    chosen = [registry.suite(each) for each in suites] if suites else list(registry.suites())
    wanted = {suite.id for suite in chosen}
    tasks = [task for task in registry.tasks() if task.suite in wanted]
    used = {ref: entry for task in tasks for ref, entry in task.datasets.items()}
    doc: dict[str, Any] = {
        "schema": "release/1",
        "id": name,
        "status": "draft",
        "doi": None,
        "package": __version__,
        "packages": _installed(PACKAGES),
        "validator": _installed([VALIDATOR]).get(VALIDATOR),
        "salts": sorted(salts),
        "schemas": schema_rows(),
        "check_kinds": dict(sorted(check_versions(registry.groups).items())),
        "operations": dict(sorted(operation_versions(registry.groups).items())),
        "suites": [suite_row(suite) for suite in sorted(chosen, key=lambda one: one.id)],
        "tasks": [
            {
                "id": task.id,
                "version": task.version,
                "suite": task.suite,
                "digests": registry.digests(task),
                "parts": parts(digested(task, registry.groups)),
            }
            for task in tasks
        ],
        "datasets": [dataset_row(entry) for _, entry in sorted(used.items())],
    }
    return {**doc, "seal": seal_of(doc)}


def seal_of(lock: Mapping[str, Any]) -> str:
    """Return the digest of what is frozen in a lock."""
    return digest({key: value for key, value in lock.items() if key not in UNSEALED})


def differences(lock: Mapping[str, Any], registry: Registry) -> list[Difference]:
    """Return in what a registry, or the lock itself, is not as the lock says; empty if in nothing.

    Parameters
    ----------
    lock : mapping
        A ``release/1`` document.
    registry : Registry
        The entries that are there now.
    """
    now = freeze(registry, lock["id"], suites=_present(lock, registry), salts=lock["salts"])
    now["datasets"] = [dataset_row(entry) for entry in registry.datasets()]
    found = [
        *_in_versions(lock, now),
        *list_differences(lock, now),
        *task_differences(lock, now, _broken(registry)),
    ]
    if lock.get("seal") != seal_of(lock):
        first = str(found[0]).rstrip(".") if found else ""
        where = f"; the first difference to what is here: {first}" if first else ""
        found.insert(
            0,
            Difference(
                f"release {lock['id']}", "seal", f"the lock was edited after it was made{where}",
                "Restore the file from version control, or freeze a new release.",
            ),
        )  # fmt: skip
    return found


def parts(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return a short digest of each part of what the digests of a task are taken of.

    With them a lock can say which check's which property changed, without holding the values.
    """
    return {
        f"{name}.{path}": digest(value).removeprefix("sha256:")[:12]
        for name, doc in documents.items()
        for path, value in _leaves(doc)
    }


def _leaves(doc: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in doc.items():
        if key == "checks":
            for item in value:
                yield from ((f"{key}.{item['id']}.{each}", item[each]) for each in item)
        elif key == "instances":
            yield from ((f"{key}.{item['id']}", item) for item in value)
        elif isinstance(value, Mapping) and value:
            yield from ((f"{key}.{each}", value[each]) for each in value)
        else:
            yield key, value


def suite_row(suite: Suite) -> dict[str, Any]:
    """Return what a lock holds of a suite."""
    toolsets = suite.doc["toolsets"]
    return {
        "id": suite.id,
        "version": suite.version,
        "rule": suite.doc["rule"],
        "toolsets": {name: digest(sorted(tools)) for name, tools in sorted(toolsets.items())},
        "digest": digest({k: v for k, v in suite.doc.items() if k not in ("title", "about")}),
    }


def dataset_row(entry: Recipe | PublicDataset) -> dict[str, Any]:
    """Return what a lock holds of a dataset."""
    return {
        "id": entry.id,
        "version": entry.version,
        "kind": "synthetic" if isinstance(entry, Recipe) else "public",
        "digest": dataset_identity(entry),
    }


def schema_rows() -> list[dict[str, str]]:
    """Return what a lock holds of the schemas: the digest of each file."""
    folder = roots.builtin() / "schemas"
    return [
        {"id": file.stem, "digest": f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"}
        for file in sorted(folder.glob("*.json"))
    ]


def _installed(names: Sequence[str]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            # The validator is needed to test datasets and not to run tasks.
            continue
    return found


def _present(lock: Mapping[str, Any], registry: Registry) -> list[str]:
    here = {suite.id for suite in registry.suites()}
    return [suite["id"] for suite in lock["suites"] if suite["id"] in here]


def _in_versions(lock: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Difference]:
    if lock["package"] != now["package"]:
        yield Difference(
            "package braino-registry", "", f"is {now['package']}, the release has {lock['package']}"
        )
    for name in ("check_kinds", "operations"):
        for each, version in lock[name].items():
            if now[name].get(each) != version:
                here = now[name].get(each, "not there")
                yield Difference(f"{name[:-1].replace('_', ' ')} {each}", "version",
                                 f"is {here}, the release has {version}")  # fmt: skip


def list_differences(lock: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield in what schemas, suites and datasets differ between two locks."""
    for name in ("schemas", "suites", "datasets"):
        here = {(row["id"], row.get("version")): row for row in now[name]}
        for row in lock[name]:
            what = f"{name[:-1]} {row['id']}{'@' + row['version'] if 'version' in row else ''}"
            found = here.get((row["id"], row.get("version")))
            if found is None:
                yield Difference(what, "", "is not there in this version")
            elif found["digest"] != row["digest"]:
                changed = sorted(k for k in row if k != "digest" and found.get(k) != row[k])
                yield Difference(
                    what, ", ".join(changed), "has another content under the same version",
                    f"The version that is due is {due(row['version'], 'major')}."
                    if "version" in row else "",
                )  # fmt: skip


def _broken(registry: Registry) -> dict[str, str]:
    """Return what is wrong with entries that are there and cannot be used, by their file's name."""
    found: dict[str, str] = {}
    for error in registry.problems:
        file, _, _ = str(error.where).partition(": $")
        found.setdefault(Path(file).stem, f"{error.problem} ({error.where})")
    return found


def task_differences(
    lock: Mapping[str, Any],
    now: Mapping[str, Any],
    broken: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Difference]:
    """Yield in which parts the tasks of a lock differ from those of another.

    Parameters
    ----------
    lock, now : mapping
        Two ``release/1`` documents.
    broken : mapping of str to str
        Tasks that are missing in `now` because their entries are wrong, with what is.
    """
    here = {row["id"]: row for row in now["tasks"]}
    for row in lock["tasks"]:
        found = here.get(row["id"])
        what = f"task {row['id']}"
        if found is None and row["id"] in broken:
            yield Difference(what, "", f"cannot be read: {broken[row['id']]}")
            continue
        if found is None:
            yield Difference(what, "", "is no longer there", "Released tasks stay.")
            continue
        change = version_change(row["digests"], found["digests"])
        if change == "none":
            if parse(found["version"]) < parse(row["version"]):
                problem = f"went down from {row['version']} to {found['version']}"
                yield Difference(what, "version", problem, "Versions only rise.")
            continue
        fields = _changed(row["parts"], found["parts"])
        wanted = due(row["version"], change)
        if parse(found["version"]) >= parse(wanted):
            problem = f"is version {found['version']}, the release has {row['version']}"
            yield Difference(what, ", ".join(fields), problem)
        else:
            problem = f"changed, and its version is {found['version']}"
            yield Difference(what, ", ".join(fields), problem,
                             f"The version that is due is {wanted} ({change}).")  # fmt: skip


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    names = [*before, *(name for name in after if name not in before)]
    return [name for name in names if before.get(name) != after.get(name)]
