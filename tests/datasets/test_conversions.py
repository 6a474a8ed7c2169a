"""Conversions of small files made on the spot; the real recordings are in test_real.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from braino_registry.datasets.content import content_digest, tree_records
from braino_registry.datasets.conversions import CONVERSIONS, convert
from braino_registry.datasets.conversions.eegmmi_edf import standard_name
from braino_registry.datasets.entries import recordings_of
from braino_registry.errors import EntryError, UsageError
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny
from tests.datasets.conftest import Tiny

FACTS = {
    "dataset": {},
    "sidecar": {"EEGReference": "n/a", "PowerLineFrequency": "n/a", "SoftwareFilters": "n/a"},
    "tasks": {"rest": {"TaskName": "rest"}},
    "events": {},
    "readme": ["Made for a test."],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Fc5.", "FC5"), ("Fcz.", "FCz"), ("C5..", "C5"), ("Cz..", "Cz"), ("Cpz.", "CPz"),
        ("Fp1.", "Fp1"), ("Fpz.", "Fpz"), ("Af7.", "AF7"), ("Afz.", "AFz"), ("F7..", "F7"),
        ("Ft8.", "FT8"), ("T10.", "T10"), ("Tp7.", "TP7"), ("Po4.", "PO4"), ("Poz.", "POz"),
        ("Oz..", "Oz"), ("Iz..", "Iz"),
    ],
)  # fmt: skip
def test_channel_names_become_those_of_the_10_10_system(name: str, expected: str) -> None:
    assert standard_name(name) == expected
    assert standard_name(expected) == expected


def test_edf_values_names_and_events_arrive_unchanged(tiny_dataset: Tiny) -> None:
    from edfio import read_edf

    bids = tiny_dataset.store.build_or_find(tiny_dataset.entry).bids
    stem = bids / "sub-001" / "eeg" / "sub-001_task-fistmovement_run-1"
    stored = np.fromfile(f"{stem}_eeg.eeg", "<i2").reshape(-1, 4).T
    source = read_edf(tiny_dataset.mirror / "somewhere" / "file-1.bin")
    np.testing.assert_array_equal(stored, [signal.digital for signal in source.signals])
    table = [
        line.split("\t")
        for line in Path(f"{stem}_channels.tsv").read_text(encoding="utf-8").splitlines()
    ]
    assert [row[:3] for row in table[1:]] == [
        [name, "EEG", "µV"] for name in ("FC5", "Cz", "Fp1", "Oz")
    ]
    events = Path(f"{stem}_events.tsv").read_text(encoding="utf-8")
    assert events == "onset\tduration\ttrial_type\n0\t1\tT0\n1.5\t1\tT1\n3\t1\tT2\n"
    header = Path(f"{stem}_eeg.vhdr").read_text(encoding="utf-8")
    assert "Ch2=Cz,,1,µV" in header
    assert "2009" not in header + Path(f"{stem}_eeg.vmrk").read_text(encoding="utf-8")


def test_an_edf_with_other_units_is_refused(tmp_path: Path) -> None:
    from edfio import Edf, EdfSignal

    signal = EdfSignal(
        np.arange(160.0), sampling_frequency=160, label="Cz", physical_dimension="mV"
    )
    Edf([signal]).write(tmp_path / "x.edf")
    doc = tiny.document()
    doc["recordings"] = doc["recordings"][:1]
    (tmp_path / "out").mkdir()
    with pytest.raises(EntryError, match=r"no EEGMMI run: units \['mV'\]"):
        _convert(doc, {"S001/S001R01.edf": tmp_path / "x.edf"}, tmp_path / "out")


def _convert(doc: dict[str, Any], sources: dict[str, Path], out: Path) -> None:
    entry = PublicDataset("dataset", doc["id"], doc["version"], out, doc)
    convert(doc, sources, recordings_of(entry), out)


def _eeglab(folder: Path) -> dict[str, Any]:
    """Write a `.set` with its `.fdt`, and return its values."""
    from scipy.io import savemat

    rng = np.random.default_rng(1)
    data = rng.normal(0, 20, (3, 256)).astype("<f4")
    data.T.tofile(folder / "a.fdt")
    locs = [
        {"labels": name, "X": x, "Y": y, "Z": 0.0}
        for name, x, y in (("Cz", 0.0, 0.1), ("EOG1", 1.0, 0.0), ("Pz", -1.0, 0.0))
    ]
    event = [
        {"type": "square", "position": 2, "latency": 129.00875},
        {"type": "rt", "position": np.array([]), "latency": 65.5},
    ]
    savemat(
        folder / "a.set",
        {
            "EEG": {
                "setname": "x", "nbchan": 3, "trials": 1, "pnts": 256, "srate": 128, "xmin": 0,
                "xmax": 255 / 128, "data": "a.fdt", "chanlocs": locs, "event": event,
                "ref": "common",
                "icawinv": [], "icaweights": [], "icasphere": [], "icachansind": [], "epoch": [],
            }
        },
    )  # fmt: skip
    return {"data": data}


def _eeglab_document() -> dict[str, Any]:
    doc = tiny.document()
    doc["recordings"] = [
        {"bids": {"bids_subject": "01", "bids_task": "rest"}, "files": ["a.set", "a.fdt"]}
    ]
    doc["conversion"] = {
        "use": "eeglab-set@1.0.0",
        "parameters": {
            "channel_types": {"EOG1": "EOG"}, "event_columns": ["position"], "bids": FACTS,
        },
    }  # fmt: skip
    return doc


def test_eeglab_values_and_events_arrive_unchanged(tmp_path: Path) -> None:
    made = _eeglab(tmp_path)
    doc, out = _eeglab_document(), tmp_path / "out"
    out.mkdir()
    _convert(doc, {"a.set": tmp_path / "a.set", "a.fdt": tmp_path / "a.fdt"}, out)
    stem = out / "sub-01" / "eeg" / "sub-01_task-rest"
    stored = np.fromfile(f"{stem}_eeg.eeg", "<f4").reshape(-1, 3).T
    np.testing.assert_array_equal(stored, made["data"])
    events = Path(f"{stem}_events.tsv").read_text(encoding="utf-8").splitlines()
    assert events == [
        "onset\tduration\ttrial_type\tposition",
        "0.503906\t0\trt\tn/a",
        "1.000068\t0\tsquare\t2",
    ]
    channels = Path(f"{stem}_channels.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1] for line in channels] == ["type", "EEG", "EOG", "EEG"]


def test_a_type_for_an_absent_channel_is_an_entry_error(tmp_path: Path) -> None:
    _eeglab(tmp_path)
    doc, out = _eeglab_document(), tmp_path / "out"
    doc["conversion"]["parameters"]["channel_types"] = {"EOG9": "EOG"}
    out.mkdir()
    with pytest.raises(EntryError, match="no channel 'EOG9'"):
        _convert(doc, {"a.set": tmp_path / "a.set", "a.fdt": tmp_path / "a.fdt"}, out)


def test_an_unknown_conversion_names_the_known_ones(tmp_path: Path) -> None:
    doc = tiny.document()
    doc["conversion"]["use"] = "eegmmi-edf@9.0.0"
    with pytest.raises(UsageError, match=r"eegmmi-edf@1\.0\.0"):
        _convert(doc, {}, tmp_path)


def test_conversions_carry_a_strict_schema() -> None:
    for name, item in CONVERSIONS:
        assert name == f"{item.name}@{item.version}"
        assert item.parameters["additionalProperties"] is False


def test_equal_sources_give_equal_bytes_in_another_process(
    tiny_dataset: Tiny, tmp_path: Path
) -> None:
    """Another process, another folder, another time zone and locale, another hash seed."""
    import os

    bids = tiny_dataset.store.build_or_find(tiny_dataset.entry).bids
    code = f"""
import json, sys
from pathlib import Path
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny
from braino_registry.datasets import Store
store = Store(Path({str(tmp_path / "elsewhere")!r}), environ={dict(tiny_dataset.store.environ)!r})
print(store.build_or_find(tiny.opened(Path({str(tiny_dataset.entry.file)!r}))).digest)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"},
    )
    assert done.stdout.strip() == content_digest(tree_records(bids))
