"""The records of a run while it goes on: many, and of no interest before the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from braino_registry.runner.journal import Key

Record = dict[str, Any]


class Shelf:
    """Records as bytes, a quarter of what they take as dicts with keys of their own.

    Parameters
    ----------
    records : mapping
        Those that are there from the beginning.
    """

    def __init__(self, records: Mapping[Key, Record]) -> None:
        self._records = {key: msgspec.json.encode(record) for key, record in records.items()}

    def __len__(self) -> int:
        return len(self._records)

    def put(self, key: Key, record: Record) -> None:
        """Keep a record in place of a former one of the same trial."""
        self._records[key] = msgspec.json.encode(record)

    def take(self) -> Iterator[Record]:
        """Yield the records, each once; they share their keys, and the shelf is empty then."""
        while self._records:
            yield msgspec.json.decode(self._records.pop(next(iter(self._records))))
