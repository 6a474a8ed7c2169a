"""What of a release a run is held to: the tasks of one suite, and in what they differ now.

The versions of check kinds and operations are part of the digests of the tasks that use them, so
that a run of a suite is told of those that bear on it and of no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry import __version__
from braino_registry.errors import UsageError
from braino_registry.registry.catalog import Registry
from braino_registry.registry.listing import digested
from braino_registry.registry.releases import (
    Difference,
    dataset_row,
    list_differences,
    parts,
    schema_rows,
    seal_of,
    suite_row,
    task_differences,
)

Lock = Mapping[str, Any]


def tasks_of(lock: Lock, suite: str) -> tuple[str, ...]:
    """Return the ids of the tasks that a release has of a suite."""
    return tuple(row["id"] for row in lock["tasks"] if row["suite"] == suite)


def suite_of(lock: Lock, asked: str | None, default: str) -> str:
    """Return which suite of a release is meant.

    Parameters
    ----------
    lock : mapping
        A ``release/1`` document.
    asked : str | None
        The suite that was asked for.
    default : str
        Taken where none was asked for and the release has it.

    Raises
    ------
    UsageError
        If the release has no such suite, or several and none is named.
    """
    here = [row["id"] for row in lock["suites"]]
    if asked is None:
        if default in here or len(here) == 1:
            return default if default in here else str(here[0])
        raise UsageError(f"the release {lock['id']} has several suites: {', '.join(here)}",
                         where="--release", hint="Name one with --suite.")  # fmt: skip
    if asked not in here:
        # A name that is like another is none the less one of its own: nothing is guessed.
        raise UsageError(f"the release {lock['id']} has no suite {asked!r}", where="--suite",
                         hint=f"It has: {', '.join(here)}.")  # fmt: skip
    return asked


def differences_in(lock: Lock, registry: Registry, suite: str) -> list[Difference]:
    """Return in what a run of a suite would not be as a release says; empty if in nothing.

    Parameters
    ----------
    lock : mapping
        A ``release/1`` document.
    registry : Registry
        The entries that the run takes.
    suite : str
        Id of a suite that both have.
    """
    rows = [row for row in lock["tasks"] if row["suite"] == suite]
    here = {row["id"]: row for row in registry.listing(suite)}
    used = {ref for row in here.values() for ref in row["datasets"]}
    held = {
        "tasks": rows,
        "suites": [row for row in lock["suites"] if row["id"] == suite],
        "schemas": lock["schemas"],
        "datasets": [r for r in lock["datasets"] if f"{r['id']}@{r['version']}" in used],
    }
    now = {
        "tasks": [_task(row, here[row["id"]], registry) for row in rows if row["id"] in here],
        "suites": [suite_row(registry.suite(suite))],
        "schemas": schema_rows(),
        "datasets": [dataset_row(registry.dataset(ref)) for ref in sorted(used)],
    }
    return [*of_the_lock(lock), *list_differences(held, now), *task_differences(held, now)]


def of_the_lock(lock: Lock) -> list[Difference]:
    """Return what is wrong with the lock itself, or with the package that it meets."""
    found = []
    name = f"release {lock['id']}"
    if lock["seal"] != seal_of(lock):
        found.append(Difference(name, "seal", "the lock was edited after it was made"))
    if lock["status"] == "draft":
        found.append(Difference(name, "status", "is a draft, which may still change"))
    if lock["package"] != __version__:
        problem = f"is {__version__}, the release has {lock['package']}"
        found.append(Difference("package braino-registry", "", problem))
    return found


def _task(locked: Mapping[str, Any], row: Mapping[str, Any], registry: Registry) -> dict[str, Any]:
    """Return what is here of a locked task; its parts are computed only if it has changed."""
    same = row["digests"] == locked["digests"]
    return {
        "id": row["id"],
        "version": row["version"],
        "digests": row["digests"],
        "parts": locked["parts"]
        if same
        else parts(digested(registry.task(row["id"]), registry.groups)),
    }
