"""Converting some files of a public dataset, for tests of its conversion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from braino_registry.datasets.conversions import CONVERSIONS
from braino_registry.datasets.conversions import convert as run
from braino_registry.recordings.tsv import read_tsv
from braino_registry.registry.roots import builtin

#: What the validator says of every conversion: numbers and versions that nobody knows.
LISTED = {
    ("JSON_KEY_RECOMMENDED", "HEDVersion", "warning"),
    ("SIDECAR_KEY_RECOMMENDED", "HeadCircumference", "warning"),
}


def document(name: str) -> dict[str, Any]:
    """Return an entry that ships with the package."""
    text = (builtin() / "datasets" / f"{name}.json").read_text(encoding="utf-8")
    doc: dict[str, Any] = json.loads(text)
    return doc


def convert(doc: dict[str, Any], sources: Mapping[str, Path], out: Path) -> Path:
    """Run the conversion of an entry on some of its files, and return the BIDS root."""
    chosen = CONVERSIONS.get(doc["conversion"]["use"])
    assert chosen.recordings is not None
    out.mkdir()
    run(doc, sources, chosen.recordings(doc, sorted(sources)), out)
    return out


def issues(bids: Path) -> set[tuple[str, str | None, str]]:
    """Return what the BIDS validator finds."""
    from braino_registry.synthesis import validation

    return {(one.code, one.sub_code, one.severity) for one in validation.issues(bids)}


def rows(path: Path) -> list[dict[str, str | None]]:
    """Return the rows of a table."""
    return [dict(row) for row in read_tsv(path).rows]
