"""One call from a name to a BIDS root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from braino_registry.datasets.selection import Selection
from braino_registry.datasets.store import Store
from braino_registry.registry import Registry


def fetch(
    dataset: str,
    version: str | None,
    select: Mapping[str, Sequence[str]],
    folders: Sequence[Path],
    cache: Path | None,
) -> Path:
    """Return the BIDS root of a dataset; see `braino_registry.fetch`."""
    name = dataset if version is None else f"{dataset.partition('@')[0]}@{version}"
    entry = Registry.open(folders).dataset(name)
    store, selection = Store(cache), Selection.of(select)
    if store.built(entry, None, selection) is None:
        store.fetch(entry, selection=selection)
    return store.build_or_find(entry, None, selection).bids
