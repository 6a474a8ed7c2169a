"""The entries of public datasets: what they pin, and that they say what is not known."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from braino_registry.datasets.conversions import CONVERSIONS, check_parameters
from braino_registry.datasets.entries import labels_of, pins_of, problems_of, recordings_of
from braino_registry.datasets.pins import Pin
from braino_registry.registry.catalog import Registry
from braino_registry.registry.entries import Entry, PublicDataset
from braino_registry.registry.roots import builtin

FOLDER = builtin() / "datasets"


@cache
def _all() -> dict[str, Entry]:
    found = Registry.open().datasets()
    return {entry.id: entry for entry in found if isinstance(entry, PublicDataset)}


NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


@cache
def _pins(name: str) -> tuple[Pin, ...]:
    return pins_of(_all()[name])


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_can_be_used(name: str) -> None:
    entry = _all()[name]
    assert problems_of(entry) == ()
    conversion = entry.doc.get("conversion")
    if conversion is not None:
        check_parameters(CONVERSIONS.get(conversion["use"]), conversion["parameters"])


@pytest.mark.parametrize("name", NAMES)
def test_every_pin_can_be_checked_and_had(name: str) -> None:
    for pin in _pins(name):
        assert pin.variants
        assert pin.urls or pin.archive is not None, pin.path


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_says_what_it_does_not_know(name: str) -> None:
    doc = _all()[name].doc
    assert doc["subjects"]["about"]
    if "pins" not in doc or doc["pins"] is None:
        assert doc["local"]["layout"]
        assert doc["local"]["checks"]
    if doc["licence"]["spdx"] == "NOASSERTION":
        assert doc["redistribution"] != "permitted"
    if "digest" not in doc["expects"]:
        assert doc["status"]["verified_on_real_bytes"] is False
        assert "not yet run on the real bytes" in doc["status"]["about"].lower()


def test_what_was_asked_for_is_there() -> None:
    pinned = {
        "erp-core-p3", "erp-core", "ds004504", "sleep-edf", "sleep-edf-nemar", "chbmit",
        "chbmit-nemar", "chbmit-szcore", "bonn", "eegdenoisenet", "medmcqa", "physionet2018",
        "physionet2018-nemar", "cog-bci", "faced", "hinss2021", "eegmat", "siena-szcore",
        "eeg-matchingpennies", "eegmmi", "eeglab-tutorial",
    }  # fmt: skip
    local = {"isruc", "mass", "shhs", "seed", "deap", "hmc", "shin2018", "mpd-df"}
    assert pinned | local <= set(NAMES)
    assert {name for name in pinned if not _pins(name)} == set()
    assert {name for name in local if _pins(name)} == set()


@pytest.mark.parametrize(
    ("name", "files", "recordings", "subjects"),
    [
        ("erp-core-p3", 287, 40, 40), ("erp-core", 1258, 200, 40), ("ds004504", 357, 88, 88),
        ("sleep-edf", 396, 197, 100), ("sleep-edf-nemar", 989, 197, 100), ("chbmit", 53, 29, 3),
        ("chbmit-nemar", 2367, 686, 24), ("bonn", 505, 500, 5), ("faced", 741, 123, 123),
        ("physionet2018-nemar", 9924, 1983, 1983), ("hinss2021", 244, 30, 15),
    ],
)  # fmt: skip
def test_recordings_are_told_from_the_pins(
    name: str, files: int, recordings: int, subjects: int
) -> None:
    found = recordings_of(_all()[name])
    assert len(_pins(name)) == files
    assert len({one.id for one in found}) == len(found) == recordings
    assert len({one.entities["bids_subject"] for one in found}) == subjects
    assert set(labels_of(_all()[name].doc)["recordings"]) <= {one.id for one in found}


def test_two_places_of_one_dataset_are_variants_of_its_files() -> None:
    pins = {pin.path: pin for pin in _pins("erp-core-p3")}
    assert all(any("osf.io" in url for url in pin.urls) for pin in pins.values())
    assert all(len(pin.urls) == 2 for pin in pins.values())
    signal = pins["sub-001/eeg/sub-001_task-P3_eeg.fdt"]
    assert signal.sizes == {63_123_456} == {33 * 478_208 * 4}
    assert [set(variant.hashes) for variant in signal.variants] == [{"sha256"}, {"md5"}]
    header = pins["sub-001/eeg/sub-001_task-P3_eeg.set"]
    assert header.sizes == {1_172_569, 3_957_432}
    equal = [
        pin for pin in pins.values()
        if pin.path.endswith(("_task-P3_channels.tsv", "_task-P3_eeg.json", "_task-P3_events.tsv"))
    ]  # fmt: skip
    assert len(equal) == 120
    assert all(len(pin.variants) == 1 for pin in equal)
    assert all(set(pin.variants[0].hashes) == {"sha256", "md5"} for pin in equal)


def test_openneuro_files_have_addresses_that_never_change() -> None:
    assert all("?versionId=" in pin.urls[0] for pin in _pins("ds004504"))


def test_one_person_under_two_labels_is_known() -> None:
    for name in ("chbmit", "chbmit-nemar"):
        assert _all()[name].doc["subjects"]["groups"] == [["chb01", "chb21"]]
    for name in ("bonn", "eegdenoisenet"):
        assert _all()[name].doc["subjects"]["identifiable"] is False


def test_labels_that_were_kept_back_are_named() -> None:
    kept = {name for name in NAMES if _all()[name].doc.get("withheld")}
    assert kept == {"medmcqa", "physionet2018", "physionet2018-nemar"}


def test_licences_that_contradict_each_other_are_shown() -> None:
    shown = {name for name in NAMES if _all()[name].doc["licence"]["conflicts"]}
    assert {"erp-core-p3", "erp-core", "sleep-edf", "sleep-edf-nemar", "bonn", "medmcqa",
            "shin2018"} <= shown  # fmt: skip


def test_twins_exist() -> None:
    recipes = {path.stem for path in (builtin() / "generators").glob("*.json")}
    named = {doc["twin"] for name in NAMES if (doc := _all()[name].doc).get("twin")}
    assert named == {"erp-core-p3-twin", "ds004504-twin", "chbmit-twin", "sleep-edf-twin"}
    assert named <= recipes


def test_no_address_stands_twice_for_different_contents() -> None:
    for name in NAMES:
        by_url: dict[str, set[str]] = {}
        for pin in _pins(name):
            for url in pin.urls:
                by_url.setdefault(url, set()).add(repr(pin.variants))
        assert [url for url, contents in by_url.items() if len(contents) > 1] == [], name


def test_the_entries_stay_small_enough_to_ship() -> None:
    sizes = Counter({path.name: path.stat().st_size for path in FOLDER.iterdir()})
    assert sum(sizes.values()) < 12_000_000
    assert {path.suffix for path in Path(FOLDER).iterdir()} == {".json", ".tsv"}
