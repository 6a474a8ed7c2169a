from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets.conversions import CONVERSIONS, check_parameters
from braino_registry.datasets.entries import labels_of, pins_of, problems_of, recordings_of
from braino_registry.datasets.pins import Pin
from braino_registry.errors import EntryError
from braino_registry.registry import schemas
from braino_registry.registry.entries import PublicDataset
from braino_registry.registry.roots import builtin
from tests.datasets import tiny
from tests.datasets.conftest import Tiny, Write

ENTRIES = sorted((builtin() / "datasets").glob("*.json"))


@pytest.fixture(params=ENTRIES, ids=lambda file: file.stem)
def entry(request: pytest.FixtureRequest) -> PublicDataset:
    opened = tiny.opened(request.param)
    assert opened.id == request.param.stem
    return opened


def test_entries_follow_schema_and_rules(entry: PublicDataset) -> None:
    assert schemas.check(entry.doc, "dataset-1") == []
    assert problems_of(entry) == ()


def test_entries_use_a_conversion_with_valid_parameters(entry: PublicDataset) -> None:
    conversion = entry.doc.get("conversion")
    if entry.doc["pins"] is None:
        assert conversion is None
        assert entry.doc["local"]["layout"]
    else:
        check_parameters(CONVERSIONS.get(conversion["use"]), conversion["parameters"])


def test_every_pinned_file_has_a_name_and_an_address_over_tls(entry: PublicDataset) -> None:
    pins = pins_of(entry)
    assert (pins == ()) == (entry.doc["pins"] is None)
    assert all(url.startswith("https://") for pin in pins for url in pin.urls)
    if entry.doc["access"] == "open":
        assert [pin.path for pin in pins if not pin.urls and pin.archive is None] == []


def test_labels_are_those_of_recordings(entry: PublicDataset) -> None:
    known = {row.id for row in recordings_of(entry)}
    assert set(labels_of(entry.doc)["recordings"]) <= known
    listed = entry.doc.get("recordings") or ()
    used = {name for row in recordings_of(entry) for name in row.files}
    assert not listed or used == {pin.path for pin in pins_of(entry)}


def test_addresses_come_from_the_cells(tiny_mirror: Path, tmp_path: Path) -> None:
    doc, (first, second) = tiny.document(), tiny.pins(tiny_mirror)
    doc["mirrors"] = [
        {"id": "base", "name": "base", "base": "https://a.org/x/"},
        {"id": "ids", "name": "ids", "base": "https://b.org/download/", "query": "version=1"},
    ]
    first = Pin("S 001/a#b.edf", first.variants)
    versioned = "S001/S001R03.edf?versionId=Q.x"
    cells = {first.path: ["=", "n/a"], second.path: [versioned, "6aef"]}
    found = pins_of(tiny.entry(doc, tmp_path, [first, second], cells))
    assert [pin.urls for pin in found] == [
        ("https://a.org/x/S%20001/a%23b.edf",),
        ("https://a.org/x/S001/S001R03.edf?versionId=Q.x", "https://b.org/download/6aef?version=1"),
    ]


def _unpinned(doc: dict[str, Any]) -> None:
    doc["recordings"][1]["files"].append("S001/S001R03.event")


def _same_name(doc: dict[str, Any]) -> None:
    doc["recordings"][1]["bids"] = doc["recordings"][0]["bids"]


def _foreign_labels(doc: dict[str, Any]) -> None:
    doc["labels"]["recordings"]["sub-009_task-rest"] = {}


def _no_such_invariant(doc: dict[str, Any]) -> None:
    doc["invariants"][0]["kind"] = "vibes"


@pytest.mark.parametrize(
    ("spoil", "where", "part"),
    [
        (_unpinned, "$.recordings[1].files", "not pinned"),
        (_same_name, "$.recordings[1]", "two recordings"),
        (_foreign_labels, "$.labels.recordings.sub-009_task-rest", "no recording"),
        (_no_such_invariant, "$.invariants[0].kind", "vibes"),
    ],
)
def test_contradictions_are_found(
    written: Write, spoil: Callable[[dict[str, Any]], None], where: str, part: str
) -> None:
    doc = tiny.document()
    assert problems_of(written(doc)) == ()
    spoil(doc)
    (problem,) = problems_of(written(doc))
    assert problem.where == where
    assert part in problem.problem


def test_a_changed_table_of_pins_is_not_the_entry_s(tiny_dataset: Tiny) -> None:
    entry = tiny_dataset.entry
    table = entry.file.parent / "tiny.pins.tsv"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("S001R01", "S001R02"), encoding="utf-8")
    with pytest.raises(EntryError, match=r"the entry says sha256 .* of its pins") as caught:
        pins_of(entry)
    assert str(table) in caught.value.where
    table.unlink()
    with pytest.raises(EntryError, match="the pins cannot be read"):
        pins_of(tiny.opened(entry.file))


def test_another_host_leaves_the_dataset_what_it_is(tiny_dataset: Tiny, written: Write) -> None:
    from braino_registry.registry.digests import dataset_identity

    doc = tiny.document()
    doc["mirrors"][0]["base"] = "https://moved.example.org/"
    doc["mirrors"].append({"id": "more", "name": "more", "base": "https://b.org/"})
    moved = written(doc)
    assert moved.doc["pins"]["sha256"] != tiny_dataset.entry.doc["pins"]["sha256"]
    assert dataset_identity(moved) == dataset_identity(tiny_dataset.entry)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda doc: doc["pins"].pop("sha256"),
        lambda doc: doc["pins"].update(content="abc"),
        lambda doc: doc["pins"].update(file="../tiny.pins.tsv"),
        lambda doc: doc.update(pins=None),
        lambda doc: doc["licence"].pop("conflicts"),
        lambda doc: doc["invariants"][0].pop("kind"),
        lambda doc: doc["mirrors"][0].update(base="ftp://x/"),
        lambda doc: doc["mirrors"][0].update(id="path"),
        lambda doc: doc.pop("conversion"),
        lambda doc: doc.update(surprise=1),
        lambda doc: doc["upstream"].update(doi="https://doi.org/10.1/x"),
    ],
)
def test_schema_refuses(spoil: Callable[[dict[str, Any]], Any]) -> None:
    doc = tiny.document()
    assert schemas.check(doc, "dataset-1") == []
    spoil(doc)
    assert schemas.check(doc, "dataset-1") != []


def test_a_dataset_that_nobody_can_fetch_says_where_to_ask() -> None:
    doc = tiny.document()
    for name in ("conversion", "labels", "recordings"):
        del doc[name]
    local = {"apply": "https://x.org/", "about": "Apply.", "layout": ["*.edf"], "checks": []}
    doc |= {"pins": None, "mirrors": [], "invariants": [], "local": local}
    assert schemas.check(doc, "dataset-1") == []


def test_wrong_parameters_are_an_entry_error() -> None:
    doc = tiny.document()
    del doc["conversion"]["parameters"]["bids"]["tasks"]
    with pytest.raises(EntryError, match=r"eegmmi-edf@1\.0\.0.*'tasks'"):
        check_parameters(CONVERSIONS.get(doc["conversion"]["use"]), doc["conversion"]["parameters"])
