from __future__ import annotations

import json

import pytest

from braino_registry import datasets
from braino_registry.datasets.entries import pins_of
from braino_registry.errors import HostError
from tests.datasets import tiny
from tests.datasets.conftest import Tiny, Write


def test_listing_has_one_row_per_dataset(tiny_dataset: Tiny, written: Write) -> None:
    entry, _, store = tiny_dataset
    other = tiny.document() | {"id": "another"}
    rows = datasets.listing([entry, written(other)], store)
    assert [row["id"] for row in rows] == ["another", "tiny"]
    assert rows[1] == {
        "id": "tiny", "version": "1.0.0", "kind": "public", "title": entry.doc["title"],
        "licence": "ODC-By-1.0", "access": "open", "files": 2,
        "bytes": sum(pin.size or 0 for pin in pins_of(entry)), "sizes_unknown": 0,
        "present": True, "built": False, "problem": None,
    }  # fmt: skip
    datasets.build(entry, store)
    assert datasets.listing([entry], store)[0]["built"]


def test_info_says_what_a_person_asks(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    info = json.loads(json.dumps(datasets.info(entry, store)))
    assert info["recordings"] == ["sub-001_task-eyesopen", "sub-001_task-fistmovement_run-1"]
    assert info["licence_details"]["conflicts"]
    assert info["citation"][0]["doi"]
    assert info["path"] == str(datasets.build(entry, store).bids)


def test_path_is_the_root_once_built(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    with pytest.raises(HostError, match="braino data build tiny"):
        datasets.path(entry, store)
    realised = datasets.build(entry, store)
    assert datasets.path(entry, store) == realised.bids


def test_status_fetch_and_verify_are_json(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    assert json.loads(json.dumps(datasets.status(entry, store)))["present"] is True
    assert datasets.fetch(entry, store) == {
        "id": "tiny", "version": "1.0.0", "select": {}, "fetched": [], "bytes": 0,
        "bids": str(datasets.path(entry, store)), "verified": False,
    }  # fmt: skip
    report = json.loads(json.dumps(datasets.verify(entry, store, deep=True)))
    assert (report["ok"], report["deep"], report["problems"]) == (True, True, [])
