from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets.conversions import CONVERSIONS, check_parameters
from braino_registry.datasets.entries import (
    labels_of,
    pins_of,
    problems_of,
    recordings_of,
)
from braino_registry.errors import EntryError
from braino_registry.registry import schemas
from braino_registry.registry.roots import builtin
from tests.datasets import tiny

ENTRIES = sorted((builtin() / "datasets").glob("*.json"))


@pytest.fixture(params=ENTRIES, ids=lambda file: file.stem)
def doc(request: pytest.FixtureRequest) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    assert loaded["id"] == request.param.stem
    return loaded


def test_entries_follow_schema_and_rules(doc: dict[str, Any]) -> None:
    assert schemas.check(doc, "dataset-1") == []
    assert problems_of(doc) == ()


def test_entries_use_a_conversion_with_valid_parameters(doc: dict[str, Any]) -> None:
    check_parameters(CONVERSIONS.get(doc["conversion"]["use"]), doc["conversion"]["parameters"])


def test_every_recording_has_its_task_described_and_labels(doc: dict[str, Any]) -> None:
    rows = recordings_of(doc)
    described = doc["conversion"]["parameters"]["bids"]["tasks"]
    assert {row.entities["bids_task"] for row in rows} == set(described)
    assert {row.id for row in rows} == set(labels_of(doc)["recordings"])


def test_every_file_can_be_fetched_and_is_used(doc: dict[str, Any]) -> None:
    pins = pins_of(doc)
    assert all(url.startswith("https://") for pin in pins for url in pin.urls)
    assert all(pin.urls for pin in pins)
    used = {name for row in recordings_of(doc) for name in row.files}
    assert used == {pin.path for pin in pins}


def test_addresses_come_from_the_base_or_from_the_list(tiny_mirror: Path) -> None:
    doc = tiny.document(tiny_mirror)
    doc["files"][0]["path"] = "S 001/a#b.edf"
    doc["mirrors"] = [
        {"name": "base", "base": "https://a.org/x/"},
        {"name": "list", "urls": {"S001/S001R03.edf": "https://b.org/download?id=3"}},
    ]
    first, second = pins_of(doc)
    assert first.urls == ("https://a.org/x/S%20001/a%23b.edf",)
    assert second.urls == ("https://a.org/x/S001/S001R03.edf", "https://b.org/download?id=3")


def _twice(doc: dict[str, Any]) -> None:
    doc["files"].append(doc["files"][0])


def _outside(doc: dict[str, Any]) -> None:
    doc["files"][0]["path"] = doc["recordings"][0]["files"][0] = "S001/../../x.edf"


def _unpinned(doc: dict[str, Any]) -> None:
    doc["recordings"][1]["files"].append("S001/S001R03.event")


def _same_name(doc: dict[str, Any]) -> None:
    doc["recordings"][1]["bids"] = doc["recordings"][0]["bids"]


def _foreign_labels(doc: dict[str, Any]) -> None:
    doc["labels"]["recordings"]["sub-009_task-rest"] = {}


@pytest.mark.parametrize(
    ("spoil", "where", "part"),
    [
        (_twice, "$.files[2].path", "pinned twice"),
        (_outside, "$.files[0].path", "leaves the dataset"),
        (_unpinned, "$.recordings[1].files", "not pinned"),
        (_same_name, "$.recordings[1]", "two recordings"),
        (_foreign_labels, "$.labels.recordings.sub-009_task-rest", "no recording"),
    ],
)
def test_contradictions_are_found(
    tiny_mirror: Path, spoil: Callable[[dict[str, Any]], None], where: str, part: str
) -> None:
    doc = tiny.document(tiny_mirror)
    assert problems_of(doc) == ()
    spoil(doc)
    (problem,) = problems_of(doc)
    assert problem.where == where
    assert part in problem.problem


@pytest.mark.parametrize(
    "spoil",
    [
        lambda doc: doc["files"][0]["hashes"].pop("sha256"),
        lambda doc: doc["files"][0]["hashes"].update(sha256="abc"),
        lambda doc: doc["files"][0].update(path="/etc/passwd"),
        lambda doc: doc["files"][0].pop("size"),
        lambda doc: doc["licence"].pop("conflicts"),
        lambda doc: doc["invariants"][0].update(kind="vibes"),
        lambda doc: doc["invariants"][5].pop("trial_type"),
        lambda doc: doc["mirrors"][0].update(base="ftp://x/"),
        lambda doc: doc.update(surprise=1),
        lambda doc: doc["upstream"].update(doi="https://doi.org/10.1/x"),
    ],
)
def test_schema_refuses(tiny_mirror: Path, spoil: Callable[[dict[str, Any]], Any]) -> None:
    doc = tiny.document(tiny_mirror)
    assert schemas.check(doc, "dataset-1") == []
    spoil(doc)
    assert schemas.check(doc, "dataset-1") != []


def test_wrong_parameters_are_an_entry_error(tiny_mirror: Path) -> None:
    doc = tiny.document(tiny_mirror)
    del doc["conversion"]["parameters"]["bids"]["tasks"]
    with pytest.raises(EntryError, match=r"eegmmi-edf@1\.0\.0.*'tasks'"):
        check_parameters(CONVERSIONS.get(doc["conversion"]["use"]), doc["conversion"]["parameters"])
