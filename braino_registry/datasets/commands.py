"""What ``braino data …`` does, as plain functions from entries to JSON-ready values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from braino_registry.datasets.entries import is_synthetic, pins_of, recordings_of
from braino_registry.datasets.fetching import Progress
from braino_registry.datasets.marker import read_marker
from braino_registry.datasets.store import Store
from braino_registry.datasets.values import Realised, SaltLike
from braino_registry.registry.entries import Entry


def listing(entries: Iterable[Entry], store: Store) -> list[dict[str, Any]]:
    """Return one row per dataset, sorted by id: what it is, its size, whether it is present."""
    rows = []
    for entry in sorted(entries, key=lambda item: (item.id, item.version)):
        state = store.status(entry)
        pins = () if is_synthetic(entry) else pins_of(entry.doc)
        rows.append(
            {
                "id": entry.id,
                "version": entry.version,
                "kind": "synthetic" if is_synthetic(entry) else "public",
                "title": entry.title,
                "licence": _licence(entry),
                "files": len(pins),
                "bytes": sum(pin.size for pin in pins),
                "present": state.present,
                "built": state.built,
            }
        )
    return rows


def info(entry: Entry, store: Store, salt: SaltLike | None = None) -> dict[str, Any]:
    """Return everything a person asks of one dataset before using it."""
    document: dict[str, Any] = {
        **listing([entry], store)[0],
        "about": entry.doc.get("about", ""),
        "status": status(entry, store, salt),
        "path": str(store.location(entry, salt) / "bids"),
        "entry": str(entry.file),
    }
    if not is_synthetic(entry):
        document |= {
            "upstream": entry.doc["upstream"],
            "licence_details": entry.doc["licence"],
            "access": entry.doc["access"],
            "redistribution": entry.doc["redistribution"],
            "citation": entry.doc["citation"],
            "recordings": [row.id for row in recordings_of(entry.doc)],
            "subjects": entry.doc["subjects"],
            "defects": entry.doc["defects"],
            "mirrors": entry.doc["mirrors"],
        }
    return document


def status(entry: Entry, store: Store, salt: SaltLike | None = None) -> dict[str, Any]:
    """Return `Status` as a JSON-ready value."""
    return asdict(store.status(entry, salt))


def fetch(entry: Entry, store: Store, progress: Progress | None = None) -> dict[str, Any]:
    """Fetch what is missing and return what was fetched."""
    files = [asdict(file) for file in store.fetch(entry, progress)]
    return {
        "id": entry.id,
        "version": entry.version,
        "fetched": files,
        "bytes": sum(file["bytes"] for file in files),
    }


def build(entry: Entry, store: Store, salt: SaltLike | None = None) -> Realised:
    """Return the dataset, built if it was not."""
    return store.build_or_find(entry, salt)


def path(entry: Entry, store: Store, salt: SaltLike | None = None) -> Path:
    """Return the BIDS root of a built dataset.

    Raises
    ------
    HostError
        If it is not built; the hint says how.
    """
    folder = store.location(entry, salt)
    if read_marker(folder) is None:
        raise store.not_built(entry, folder)
    return folder / "bids"


def verify(
    entry: Entry, store: Store, salt: SaltLike | None = None, *, deep: bool = False
) -> dict[str, Any]:
    """Return `Verification` as a JSON-ready value."""
    return {
        "id": entry.id,
        "version": entry.version,
        **asdict(store.verify(entry, salt, deep=deep)),
    }


def _licence(entry: Entry) -> str:
    return "" if is_synthetic(entry) else str(entry.doc["licence"]["spdx"])
