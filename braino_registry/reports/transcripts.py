"""Transcripts as they are shown and handed on: as much as can be read of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from braino_registry.registry import documents


def events(path: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the events of a transcript up to where it is damaged.

    What scores read a transcript strictly, see `session.transcript`; what shows it has to show a
    trial whose worker was killed as well.

    Parameters
    ----------
    path : Path | None
        Its file; nothing is yielded if there is none, or if it cannot be read.
    """
    if path is None:
        return
    try:
        lines = documents.read_bytes(path, documents.LARGEST_RECORD).split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return  # a worker that was killed may have left half a line
        if isinstance(event, dict):
            yield event
