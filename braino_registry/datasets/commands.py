"""What ``braino data …`` does, as plain functions from entries to JSON-ready values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.datasets.building import Portion
from braino_registry.datasets.entries import is_synthetic, pins_of, recordings_of
from braino_registry.datasets.marker import look, read_marker, read_through
from braino_registry.datasets.missing import not_built
from braino_registry.datasets.selection import ALL, Selection
from braino_registry.datasets.store import Store
from braino_registry.datasets.values import Realised, SaltLike
from braino_registry.errors import EntryError
from braino_registry.registry.entries import Entry

if TYPE_CHECKING:
    from braino_registry.datasets.fetching import Progress


def listing(entries: Iterable[Entry], store: Store) -> list[dict[str, Any]]:
    """Return one row per dataset, sorted by id: what it is, its size, whether it is present.

    A dataset whose pins are broken has a row that says so; it hides no other.
    """
    ordered = sorted(entries, key=lambda item: (item.id, item.version))
    return [_row(entry, store) for entry in ordered]


def _row(entry: Entry, store: Store) -> dict[str, Any]:
    row = {
        "id": entry.id,
        "version": entry.version,
        "kind": "synthetic" if is_synthetic(entry) else "public",
        "title": entry.title,
        "licence": _licence(entry),
        "access": "open" if is_synthetic(entry) else entry.doc["access"],
        "files": 0,
        "bytes": 0,
        "sizes_unknown": 0,
        "present": False,
        "built": False,
        "problem": None,
    }
    try:
        pins = () if is_synthetic(entry) else pins_of(entry)
        state = store.status(entry)
    except EntryError as error:
        return {**row, "problem": f"{error.where}: {error.problem}"}
    fetched = [pin for pin in pins if pin.archive is None]
    return {
        **row,
        "files": len(fetched),
        "bytes": sum(pin.size or 0 for pin in fetched),
        "sizes_unknown": sum(pin.size is None for pin in fetched),
        "present": state.present,
        "built": state.built,
    }


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
        doc = entry.doc
        document |= {
            "upstream": doc["upstream"],
            "licence_details": doc["licence"],
            "redistribution": doc["redistribution"],
            "citation": doc["citation"],
            "recordings": [row.id for row in recordings_of(entry)],
            "subjects": doc["subjects"],
            "withheld": doc.get("withheld", []),
            "defects": doc["defects"],
            "mirrors": doc["mirrors"],
            "local": doc.get("local"),
            "tried": doc.get("status"),
            "twin": doc.get("twin"),
        }
    return document


def status(entry: Entry, store: Store, salt: SaltLike | None = None) -> dict[str, Any]:
    """Return `Status` as a JSON-ready value."""
    return asdict(store.status(entry, salt))


def plan(
    entry: Entry, store: Store, selection: Selection = ALL, *, build_too: bool = True
) -> dict[str, Any]:
    """Return what a fetch would take, without fetching anything; parameters as for `fetch`."""
    need = asdict(store.need(entry, selection))
    bids = _whole_tree(entry, store, selection) if build_too else None
    if bids is not None:
        need |= {"files": (), "bytes": 0, "sizes_unknown": 0, "disk_needed": 0}
    whole = _fetched_whole(entry, selection)
    return {
        "id": entry.id,
        "version": entry.version,
        "select": selection.document(),
        **need,
        "about": entry.doc.get("about", ""),
        "whole": [path for path in need["files"] if path in whole],
        "here": _holders(entry, store, selection) if bids is None else {},
        "bids": None if bids is None else str(bids),
    }


def _fetched_whole(entry: Entry, selection: Selection) -> frozenset[str]:
    """Return the files that are fetched whole although a part of what they hold is wanted."""
    from braino_registry.datasets.conversions import conversion_of

    if is_synthetic(entry) or not selection or not conversion_of(entry.doc).known_later:
        return frozenset()
    return Portion.of(entry, selection).wanted


def _holders(entry: Entry, store: Store, selection: Selection) -> dict[str, int]:
    """Return how many files are on this machine, by the cache or mirror that holds them."""
    return store.finder.holders(Portion.of(entry, selection).found(store.finder))


def _whole_tree(entry: Entry, store: Store, selection: Selection) -> Path | None:
    """Return the BIDS root if it is built and is what was built: then nothing needs fetching."""
    folder = store.built(entry, None, selection)
    marker = None if folder is None else read_marker(folder)
    if folder is None or marker is None:
        return None
    bids = folder / "bids"
    changed = look(bids, marker) and read_through(bids, marker)
    return None if changed else bids


def fetch(
    entry: Entry,
    store: Store,
    progress: Progress | None = None,
    *,
    selection: Selection = ALL,
    build_too: bool = True,
) -> dict[str, Any]:
    """Fetch what is missing, make the BIDS tree of it, and return what was fetched.

    A tree that is there and whole needs no file: none is fetched or looked for then, and
    ``built_before`` is true. Else ``here`` counts the files that were on this machine before, by
    the cache or folder of ``BRAINO_MIRRORS`` that holds them.

    Parameters
    ----------
    entry : Recipe or PublicDataset
        The dataset.
    store : Store
        The cache.
    progress : callable, optional
        As for `Store.fetch`.
    selection : Selection
        Which part; all of it by default.
    build_too : bool
        False leaves it at the fetched files; ``bids`` is then null.
    """
    built_before = build_too and _whole_tree(entry, store, selection) is not None
    here = {} if built_before else _holders(entry, store, selection)
    fetched = () if built_before else store.fetch(entry, progress, selection=selection)
    files = [asdict(file) for file in fetched]
    realised = store.build_or_find(entry, None, selection) if build_too else None
    return {
        "id": entry.id,
        "version": entry.version,
        "select": selection.document(),
        "fetched": files,
        "here": here,
        "built_before": built_before,
        "bytes": sum(file["bytes"] for file in files),
        "bids": None if realised is None else str(realised.bids),
        "verified": None if realised is None else realised.verified,
    }


def build(
    entry: Entry, store: Store, salt: SaltLike | None = None, selection: Selection = ALL
) -> Realised:
    """Return the dataset, built if it was not."""
    return store.build_or_find(entry, salt, selection)


def path(
    entry: Entry, store: Store, salt: SaltLike | None = None, selection: Selection = ALL
) -> Path:
    """Return the BIDS root of a built dataset.

    Raises
    ------
    HostError
        If it is not built; the hint says how, or what has to be fetched or applied for first.
    """
    folder = store.built(entry, salt, selection)
    if folder is None:
        place = store.location(entry, salt, selection)
        raise not_built(store, Portion.of(entry, selection), place)
    return folder / "bids"


def verify(
    entry: Entry,
    store: Store,
    salt: SaltLike | None = None,
    *,
    deep: bool = False,
    repair: bool = False,
    selection: Selection = ALL,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return `Verification` as a JSON-ready value; with ``repair``, after mending what can be."""
    from braino_registry.datasets.repairing import verify_and_repair

    if deep and repair:
        found = verify_and_repair(store, entry, salt, selection=selection, progress=progress)
    else:
        found = store.verify(entry, salt, deep=deep, selection=selection)
    return {"id": entry.id, "version": entry.version, **asdict(found)}


def check_copy(entry: Entry, folder: Path, others: Iterable[Entry]) -> dict[str, Any]:
    """Return what a copy of a dataset is, as a JSON-ready value; see `looks.check_copy`."""
    from braino_registry.datasets import looks

    return asdict(looks.check_copy(entry, folder, others))


def _licence(entry: Entry) -> str:
    return "" if is_synthetic(entry) else str(entry.doc["licence"]["spdx"])
