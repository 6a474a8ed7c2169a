"""One call from a name to a BIDS root."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from braino_registry.datasets.selection import Selection
from braino_registry.datasets.store import Store
from braino_registry.registry import Registry


def fetch(
    dataset: str,
    version: str | None,
    select: Mapping[str, Iterable[str]],
    folders: Iterable[Path | str] | Path | str,
    cache: Path | str | None,
) -> Path:
    """Return the BIDS root of a dataset; see `braino_registry.fetch`."""
    name = dataset if version is None else f"{dataset.partition('@')[0]}@{version}"
    # A string can be gone through as well: its letters are no folders.
    listed = [folders] if isinstance(folders, str | Path) else folders
    entry = Registry.open([Path(folder) for folder in listed]).dataset(name)
    store = Store(None if cache is None else Path(cache))
    selection = Selection.of(select)
    if store.built(entry, None, selection) is None:
        store.fetch(entry, selection=selection)
    return store.build_or_find(entry, None, selection).bids
