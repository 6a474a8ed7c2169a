"""What a change of an entry means for results, and which version number it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from braino_registry.errors import EntryError

Change = Literal["none", "patch", "minor", "major"]
_ORDER: tuple[Change, ...] = ("none", "patch", "minor", "major")

_MEANING = {
    "none": "Nothing changed",
    "patch": "Old results stand",
    "minor": "The scoring changed: old transcripts can be scored again",
    "major": "The work changed: agents have to run again",
}


def parse(version: str) -> tuple[int, int, int]:
    """Return a semantic version as ``(major, minor, patch)``.

    Raises
    ------
    ValueError
        If it is none.
    """
    major, minor, patch = (int(part) for part in version.split("."))
    return major, minor, patch


def sort_key(version: str) -> tuple[int, ...]:
    """Return a key that orders versions; what is no version comes first."""
    try:
        return parse(version)
    except ValueError:
        return ()


def version_change(old_digests: Mapping[str, str], new_digests: Mapping[str, str]) -> Change:
    """Return which version number has to rise, from the digests before and after.

    Parameters
    ----------
    old_digests, new_digests : mapping
        ``{"work": ..., "scoring": ...}``.

    Returns
    -------
    str
        ``major`` if the work changed, ``minor`` if only the scoring did, else ``none``: an edit
        of prose may raise the patch number, and need not.
    """
    if old_digests["work"] != new_digests["work"]:
        return "major"
    if old_digests["scoring"] != new_digests["scoring"]:
        return "minor"
    return "none"


def bump(old: str, new: str) -> Change:
    """Return which number rose between two versions.

    Raises
    ------
    ValueError
        If the version went down.
    """
    before, after = parse(old), parse(new)
    if after < before:
        raise ValueError(f"the version went down from {old} to {new}")
    names: tuple[Change, ...] = ("major", "minor", "patch")
    for name, a, b in zip(names, before, after, strict=True):
        if a != b:
            return name
    return "none"


def due(old: str, change: Change) -> str:
    """Return the version that is due after a change."""
    major, minor, patch = parse(old)
    return {
        "none": old,
        "patch": f"{major}.{minor}.{patch + 1}",
        "minor": f"{major}.{minor + 1}.0",
        "major": f"{major + 1}.0.0",
    }[change]


def against_lock(rows: Iterable[Mapping[str, Any]], lock: Mapping[str, Any]) -> list[EntryError]:
    """Return the tasks whose version does not say what changed since a release.

    Parameters
    ----------
    rows : iterable of mapping
        Rows of the listing: ``id``, ``version`` and ``digests``.
    lock : mapping
        A release document.

    Returns
    -------
    list of EntryError
        Empty if every version is right. A task that the release lists and the registry lacks
        is one of them; a new task is none.
    """
    now = {row["id"]: row for row in rows}
    found = []
    for locked in lock["tasks"]:
        row = now.get(locked["id"])
        where = f"release {lock['id']}, task {locked['id']}"
        if row is None:
            found.append(
                EntryError(
                    f"the task {locked['id']!r} is no longer there",
                    where=where,
                    hint="Released tasks stay; mark a retired one in its issues.",
                )
            )
            continue
        error = _misnumbered(locked, row, where)
        if error is not None:
            found.append(error)
    return found


def _misnumbered(
    locked: Mapping[str, Any], row: Mapping[str, Any], where: str
) -> EntryError | None:
    old, new = locked["version"], row["version"]
    change = version_change(locked["digests"], row["digests"])
    hint = f"{_MEANING[change]}. The version that is due is {due(old, change)}."
    if parse(new) < parse(old):
        problem = f"the version of {row['id']!r} went down from {old} to {new}"
        return EntryError(problem, where=where, hint=hint)
    if change != "none" and old == new:
        part = "work" if change == "major" else "scoring"
        problem = f"the {part} of {row['id']!r} changed, and its version is still {old}"
        return EntryError(problem, where=where, hint=hint)
    if _ORDER.index(bump(old, new)) < _ORDER.index(change):
        problem = f"the version of {row['id']!r} rose from {old} to {new}, which is too little"
        return EntryError(problem, where=where, hint=hint)
    return None
