"""A folder of entries for tests, and the changes that the examples describe."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from braino_registry.registry.catalog import Registry
from braino_registry.registry.kinds import Groups

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "tests" / "examples"
SAMPLE = Groups(
    checks="tests.registry.sample.checks",
    layers="tests.registry.sample.layers",
    conversions="tests.registry.sample.conversions",
)

RECIPE: dict[str, Any] = {
    "schema": "recipe/1",
    "id": "two-subject-rest",
    "version": "1.0.0",
    "title": "Two subjects at rest",
    "seed": 7,
    "participants": {"labels": ["01", "02", "03"]},
    "recordings": [{"over": {"bids_task": ["rest"]}}],
    "layers": [
        {"layer": "noisy-channel", "with": {"channel": {"draw": {"choice": ["T8"]}}, "sd_uv": 80}}
    ],
}
PUBLIC: dict[str, Any] = {
    "schema": "dataset/1",
    "id": "open-recordings",
    "version": "1.0.0",
    "title": "Recordings of others",
    "recordings": [
        {"bids": {"bids_subject": "S001", "bids_task": "rest", "bids_run": "1"}, "files": ["a.edf"]}
    ],
    "labels": {"recordings": {"sub-S001_task-rest_run-1": {"state": "open"}}},
    "conversion": {"use": "edf@1.0.0", "parameters": {"line_frequency": 60}},
    "pins": {"file": "open-recordings.pins.tsv", "sha256": "1" * 64, "content": "0" * 64},
}


def example(kind: str, name: str) -> dict[str, Any]:
    """Return a valid example document."""
    loaded: dict[str, Any] = json.loads((EXAMPLES / kind / "valid" / f"{name}.json").read_text())
    return loaded


class Folder:
    """A registry folder that tests write to."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, doc: Any) -> Path:
        """Write a document, or raw text or bytes, below the folder."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = doc if isinstance(doc, str | bytes) else json.dumps(doc)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def registry(self, *more: Path, use_index: bool = True) -> Registry:
        """Return the registry of this folder and others."""
        return Registry([self.root, *more], groups=SAMPLE, use_index=use_index)


def patched(doc: Mapping[str, Any], changes: list[dict[str, Any]]) -> Any:
    """Return a document changed by the operations add, replace and remove of RFC 6902."""
    changed: Any = copy.deepcopy(dict(doc))
    for change in changes:
        *parents, last = change["path"].lstrip("/").split("/")
        holder = changed
        for step in parents:
            holder = holder[int(step)] if isinstance(holder, list) else holder[step]
        if isinstance(holder, list):
            place = len(holder) if last == "-" else int(last)
            if change["op"] == "add":
                holder.insert(place, change["value"])
            elif change["op"] == "replace":
                holder[place] = change["value"]
            else:
                del holder[place]
        elif change["op"] == "remove":
            del holder[last]
        else:
            assert (last in holder) == (change["op"] == "replace"), change
            holder[last] = change["value"]
    return changed
