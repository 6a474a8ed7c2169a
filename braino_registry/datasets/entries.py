"""What a dataset entry says, as values: pins, recordings, labels, what is expected.

The strict schema ``dataset/1`` has been applied by the registry; here stand the rules that a
schema cannot say, such as "every file of a recording is pinned".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from braino_registry.datasets.pins import Mirror, Pin, content_digest, mirrors_of, parse
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import BrainoError, EntryError
from braino_registry.registry import documents
from braino_registry.registry.entries import Entry, recording_id


def is_synthetic(entry: Entry) -> bool:
    """Tell whether the entry is a recipe (built) and not a public dataset (fetched)."""
    return str(entry.doc["schema"]).startswith("recipe/")


def is_verbatim(entry: Entry) -> bool:
    """Tell whether the BIDS tree consists of pinned bytes, none of them changed."""
    use = str(entry.doc.get("conversion", {}).get("use", ""))
    return use.partition("@")[0] in ("bids", "bids-zip")


def pins_of(entry: Entry) -> tuple[Pin, ...]:
    """Return the pinned files of a public dataset, read from the table beside its entry.

    Returns
    -------
    tuple of Pin
        Sorted by path; empty where nothing can be pinned and a local copy is checked instead.

    Raises
    ------
    EntryError
        If the table is absent, is not the one that the entry names, or has a fault, which is
        given with its line.
    """
    pins = entry.doc.get("pins")
    if pins is None:
        return ()
    file = entry.file.parent / pins["file"]
    return _pins(file, pins["sha256"], pins["content"], mirrors_of(entry.doc))


@lru_cache(maxsize=8)
def _pins(file: Path, sha256: str, content: str, mirrors: tuple[Mirror, ...]) -> tuple[Pin, ...]:
    try:
        raw = documents.read_bytes(file)
    except OSError as error:
        raise EntryError(
            f"the pins cannot be read: {error.strerror}",
            where=str(file),
            hint="The table lies beside the entry and has the name that `pins.file` gives.",
        ) from error
    found = hashlib.sha256(raw).hexdigest()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise EntryError("the pins are not UTF-8", where=f"{file}: line {line}") from error
    read = parse(text, mirrors, str(file))
    for name, given, computed in (
        ("sha256", sha256, found),
        ("content", content, content_digest(text)),
    ):
        if given != computed:
            raise EntryError(
                f"the entry says {name} {given} of its pins, the file has {computed}",
                where=f"{file} and $.pins.{name}",
                hint="A changed table of pins is a changed dataset: raise the entry's version.",
            )
    return read


def recordings_of(entry: Entry) -> tuple[SourceRecording, ...]:
    """Return the recordings of a public dataset, as the entry or its conversion says."""
    listed = entry.doc.get("recordings")
    if listed is not None:
        return tuple(
            SourceRecording(str(recording_id(row["bids"])), dict(row["bids"]), tuple(row["files"]))
            for row in listed
        )
    if "conversion" not in entry.doc:
        return ()
    from braino_registry.datasets.conversions import derived_recordings

    return derived_recordings(entry.doc, [pin.path for pin in pins_of(entry)])


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


def problems_of(entry: Entry) -> tuple[EntryError, ...]:
    """Return what is wrong with a public dataset entry beyond its schema.

    Returns
    -------
    tuple of EntryError
        One per problem, with the JSON path or the line; empty when the entry can be built.
    """
    try:
        known = {pin.path for pin in pins_of(entry)}
        recordings = recordings_of(entry)
    except BrainoError as error:
        return (EntryError(error.problem, where=error.where, hint=error.hint),)
    found = list(_invalid_invariants(entry.doc))
    ids: set[str] = set()
    for index, row in enumerate(recordings):
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
                        hint="Add it to the pins with its size and hashes.",
                    )
                )
    for name in labels_of(entry.doc)["recordings"]:
        if name not in ids:
            found.append(
                EntryError(
                    f"labels are given for {name!r}, which is no recording of this dataset",
                    where=f"$.labels.recordings.{name}",
                    hint=f"Recordings: {', '.join(sorted(ids))}.",
                )
            )
    return tuple(found)


def _invalid_invariants(doc: Mapping[str, Any]) -> Iterator[EntryError]:
    from braino_registry.datasets.invariants import invalid_rows

    yield from invalid_rows(doc.get("invariants", ()), "$.invariants")
    yield from invalid_rows(doc.get("local", {}).get("checks", ()), "$.local.checks")
