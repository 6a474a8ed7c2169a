from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry import datasets
from braino_registry.datasets import Store
from braino_registry.datasets.entries import pins_of
from braino_registry.errors import HostError
from braino_registry.registry.entries import PublicDataset
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


def test_what_is_not_here_has_to_be_fetched_and_not_built(
    tiny_dataset: Tiny, tmp_path: Path
) -> None:
    empty = Store(tmp_path / "empty", environ={})
    for action in (datasets.path, datasets.verify):
        with pytest.raises(HostError, match="is not on this machine") as caught:
            action(tiny_dataset.entry, empty)
        assert caught.value.hint.startswith("Fetch it with: braino data fetch tiny")


@pytest.mark.parametrize(
    "action", [datasets.path, datasets.verify, datasets.build, datasets.fetch, datasets.plan]
)
@pytest.mark.parametrize(
    ("access", "verb", "why"),
    [
        ("agreement", "Apply for it", "an agreement"),
        ("account", "Apply for it", "an account"),
        ("open", "Get it yourself", "no hashes"),
    ],
)
def test_what_nobody_can_fetch_says_where_to_ask_and_how_to_check(
    tiny_dataset: Tiny, tmp_path: Path, action: Any, access: str, verb: str, why: str
) -> None:
    doc = {**tiny_dataset.entry.doc, "pins": None, "mirrors": [], "access": access}
    doc["local"] = {"apply": "https://x.org/", "about": "Sign.", "layout": ["*"], "checks": []}
    agreed = PublicDataset("dataset", "agreed", "1.0.0", tiny_dataset.entry.file, doc)
    store = Store(tmp_path / "empty", environ={})
    with pytest.raises(HostError, match=r"nobody can fetch agreed@1\.0\.0 for you") as caught:
        action(agreed, store)
    assert caught.value.where == f"{verb} at https://x.org/"
    assert caught.value.hint.endswith("braino data verify agreed --path DIR")
    state = datasets.status(agreed, store)
    assert state["command"] == "braino data verify agreed --path DIR"
    assert why in state["reason"]
    assert "https://x.org/" in state["reason"]
    doc["local"] = {**doc["local"], "apply": None}
    with pytest.raises(HostError) as caught:
        action(agreed, store)
    assert caught.value.where == f"{verb} at {doc['upstream']['url']}"


def test_status_fetch_and_verify_are_json(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    assert json.loads(json.dumps(datasets.status(entry, store)))["present"] is True
    assert datasets.fetch(entry, store) == {
        "id": "tiny", "version": "1.0.0", "select": {}, "fetched": [], "bytes": 0,
        "here": {str(tiny_dataset.mirror): 2}, "built_before": False,
        "bids": str(datasets.path(entry, store)), "verified": False,
    }  # fmt: skip
    report = json.loads(json.dumps(datasets.verify(entry, store, deep=True)))
    assert (report["ok"], report["deep"], report["problems"]) == (True, True, [])
