"""What a dataset entry says, as values: pins, recordings, labels, what is expected.

The strict schema ``dataset/1`` has been applied by the registry; here stand the rules that a
schema cannot say, such as "every file of a recording is pinned".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from braino_registry.errors import EntryError
from braino_registry.registry.entries import Entry, recording_id


@dataclass(frozen=True)
class Pin:
    """One upstream file: what it must contain, and where its bytes can be had.

    Parameters
    ----------
    path : str
        Logical path within the upstream dataset, relative, with forward slashes.
    size : int
        Length in bytes.
    hashes : Mapping
        Hexadecimal digest by algorithm; always has ``sha256``.
    urls : tuple of str
        Public addresses, the preferred one first.
    """

    path: str
    size: int
    hashes: Mapping[str, str]
    urls: tuple[str, ...]


@dataclass(frozen=True)
class SourceRecording:
    """One recording of a public dataset and the upstream files it is made from.

    Parameters
    ----------
    id : str
        BIDS entities joined, for example ``sub-01_task-rest``.
    entities : Mapping
        ``bids_subject``, ``bids_task`` and so on.
    files : tuple of str
        Logical paths; the first is the one a reader opens, the others are its companions.
    """

    id: str
    entities: Mapping[str, str]
    files: tuple[str, ...]


def is_synthetic(entry: Entry) -> bool:
    """Tell whether the entry is a recipe (built) and not a public dataset (fetched)."""
    return str(entry.doc["schema"]).startswith("recipe/")


def pins_of(doc: Mapping[str, Any]) -> tuple[Pin, ...]:
    """Return the pinned files of a public dataset, each with its address at every mirror.

    A mirror has a ``base`` to which the path is joined, or ``urls`` by path for the files it has.
    """
    from urllib.parse import quote

    pins = []
    for file in doc["files"]:
        path, urls = file["path"], []
        for mirror in doc["mirrors"]:
            if path in mirror.get("urls", {}):
                urls.append(mirror["urls"][path])
            elif "base" in mirror:
                urls.append(mirror["base"] + quote(path))
        pins.append(Pin(path, file["size"], dict(file["hashes"]), tuple(urls)))
    return tuple(pins)


def recordings_of(doc: Mapping[str, Any]) -> tuple[SourceRecording, ...]:
    """Return the recordings of a public dataset in the order of the entry."""
    return tuple(
        SourceRecording(str(recording_id(row["bids"])), dict(row["bids"]), tuple(row["files"]))
        for row in doc["recordings"]
    )


def labels_of(doc: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels that came with the data: ``{"recordings": {id: …}, "dataset": …}``."""
    labels = doc.get("labels", {})
    return {
        "recordings": dict(labels.get("recordings", {})),
        "dataset": dict(labels.get("dataset", {})),
    }


def recorded_digest(doc: Mapping[str, Any]) -> str | None:
    """Return the content digest that the entry records for its unsalted build, if any."""
    digest = doc.get("expects", {}).get("digest")
    return None if digest is None else str(digest)


def problems_of(doc: Mapping[str, Any]) -> tuple[EntryError, ...]:
    """Return what is wrong with a public dataset entry beyond its schema.

    Returns
    -------
    tuple of EntryError
        One per problem, with the JSON path; empty when the entry can be built.
    """
    found: list[EntryError] = []
    known: set[str] = set()
    for index, file in enumerate(doc["files"]):
        where = f"$.files[{index}].path"
        path = PurePosixPath(file["path"])
        if path.is_absolute() or ".." in path.parts or "\\" in file["path"]:
            found.append(
                EntryError(
                    f"the path {file['path']!r} leaves the dataset",
                    where=where,
                    hint="Give a path relative to the upstream dataset, without '..'.",
                )
            )
        if file["path"] in known:
            found.append(
                EntryError(
                    f"{file['path']!r} is pinned twice", where=where, hint="Keep one of the pins."
                )
            )
        known.add(file["path"])
    ids: set[str] = set()
    for index, row in enumerate(recordings_of(doc)):
        where = f"$.recordings[{index}]"
        if row.id in ids:
            found.append(
                EntryError(
                    f"two recordings are called {row.id}",
                    where=where,
                    hint="Tell them apart by bids_session or bids_run.",
                )
            )
        ids.add(row.id)
        for name in row.files:
            if name not in known:
                found.append(
                    EntryError(
                        f"{row.id} needs {name!r}, which is not pinned",
                        where=f"{where}.files",
                        hint="Add it to `files` with its size and hashes.",
                    )
                )
    for name in labels_of(doc)["recordings"]:
        if name not in ids:
            found.append(
                EntryError(
                    f"labels are given for {name!r}, which is no recording of this dataset",
                    where=f"$.labels.recordings.{name}",
                    hint=f"Recordings: {', '.join(sorted(ids))}.",
                )
            )
    return tuple(found)
