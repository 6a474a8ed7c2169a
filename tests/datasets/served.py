"""What tests of fetching share: a tiny dataset on a faulty server, and what must always hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from braino_registry.datasets import Store
from braino_registry.datasets.content import hash_file
from braino_registry.datasets.lines import Patience
from braino_registry.datasets.pins import Pin
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny
from tests.datasets.conftest import Write
from tests.datasets.faulty import Exchange

#: Waits of nothing, so that no test sleeps; a stalled server is left after a fifth of a second,
#: and not after the time for a connection, which is longer than the server waits.
QUICK = Patience(tries=4, backoff=0, silence_seconds=0.2, connect_seconds=30)
ERROR = json.dumps({"error": "rate limited"}).encode()
PAGE = b"<!DOCTYPE html><html><body>Sign in</body></html>"


def right(x: Exchange) -> None:
    """Serve as it should be."""
    x.part()


def once(fault: Callable[[Exchange], None]) -> Callable[[Exchange], None]:
    """Return a fault of the first request only."""
    return lambda x: fault(x) if x.count == 0 else x.part()


def entry_at(written: Write, *bases: str) -> PublicDataset:
    """Return the tiny dataset with these mirrors."""
    doc = tiny.document()
    doc["mirrors"] = [{"id": f"m{i}", "name": base, "base": base} for i, base in enumerate(bases)]
    return written(doc)


def sources(store: Store) -> list[Path]:
    """Return the files of the content store."""
    return [path for path in (store.root / "sources").rglob("*") if path.is_file()]


def assert_never_bad(store: Store) -> None:
    """Whatever has a real name in the cache holds what its name says; no work is left."""
    for path in sources(store):
        assert hash_file(path)["sha256"] == path.name
    work = store.root / "work"
    assert not work.exists() or list(work.iterdir()) == []


def fetchable(
    tmp_path: Path,
    base: str,
    pins: Sequence[Pin],
    cells: Mapping[str, Sequence[str]] | None = None,
) -> PublicDataset:
    """Return the tiny entry with these pins at one mirror."""
    doc = tiny.document()
    for row in doc["recordings"]:
        row["files"] = [pins[0].path]
    doc["mirrors"] = [{"id": "m", "name": "m", "base": base}]
    return tiny.entry(doc, tmp_path / "e", pins, cells)
