"""Other conversions of public datasets, on small made files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from braino_registry.datasets.conversions.bids_zip import bids_folder
from braino_registry.datasets.invariants import broken_invariants
from braino_registry.datasets.selection import Selection
from braino_registry.errors import EntryError, UsageError
from braino_registry.registry.roots import builtin
from tests.datasets.converting import LISTED, convert, document, issues, rows

# Bonn


def _segments(folder: Path) -> dict[str, Path]:
    rng = np.random.default_rng(3)
    folder.mkdir()
    sources = {}
    for letter, ending in (
        ("Z", ".txt"),
        ("O", ".txt"),
        ("N", ".TXT"),
        ("F", ".txt"),
        ("S", ".txt"),
    ):
        for number in (1, 100):
            values = rng.integers(-400, 400, 4097)
            path = folder / f"{letter}{number:03}{ending}"
            path.write_text("".join(f"{value}\r\n" for value in values), encoding="ascii")
            sources[f"{letter}/{path.name}"] = path
    return sources


def test_segments_become_bids_value_by_value(tmp_path: Path) -> None:
    doc, sources = document("bonn"), _segments(tmp_path / "in")
    bids = convert(doc, sources, tmp_path / "bids")
    assert len(list(bids.rglob("*_eeg.vhdr"))) == 4
    assert len(list(bids.rglob("*_ieeg.vhdr"))) == 6
    stem = bids / "sub-C" / "ieeg" / "sub-C_task-interictal_run-100_ieeg"
    stored = np.fromfile(f"{stem}.eeg", "<i2")
    values = [int(word) for word in sources["N/N100.TXT"].read_text().split()]
    np.testing.assert_array_equal(stored, values)
    assert rows(bids / "sub-C" / "sub-C_scans.tsv")[1]["source"] == "N/N100.TXT"
    assert issues(bids) == LISTED
    assert broken_invariants(bids, doc["invariants"], whole=False) == []
    people = json.loads((bids / "participants.json").read_text(encoding="utf-8"))
    assert "not a person" in people["participant_id"]["Description"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1\n" * 4096, "has 4096 samples instead of 4097"),
        ("1\n" * 4096 + "x\n", "no column of integers"),
        ("1.5\n" * 4097, "no column of integers"),
        ("<html>", "no column of integers"),
    ],
)
def test_a_segment_that_is_none_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    sources = _segments(tmp_path / "in")
    sources["F/F001.txt"].write_text(text)
    with pytest.raises(EntryError, match=problem) as caught:
        convert(document("bonn"), sources, tmp_path / "bids")
    assert caught.value.problem.startswith("F/F001.txt ")


def test_the_pins_hold_500_members_of_five_archives() -> None:
    from braino_registry.datasets.entries import pins_of, recordings_of
    from braino_registry.registry.entries import PublicDataset

    doc = document("bonn")
    entry = PublicDataset("dataset", "bonn", doc["version"], builtin() / "datasets/bonn.json", doc)
    members = [pin for pin in pins_of(entry) if pin.archive is not None]
    assert Counter(pin.archive for pin in members) == {f"{s}.zip": 100 for s in "ZONFS"}
    assert Counter(one.entities["bids_subject"] for one in recordings_of(entry)) == {
        label: 100 for label in "ABCDE"
    }


# EEGdenoiseNet


def _arrays(folder: Path, doc: dict[str, Any], epochs: int = 5) -> dict[str, Path]:
    rng = np.random.default_rng(4)
    folder.mkdir()
    sources = {}
    for name, said in doc["conversion"]["parameters"]["arrays"].items():
        said["epochs"] = epochs
        sources[name] = folder / Path(name).name
        np.save(sources[name], rng.normal(0, 30, (epochs, 512)))
    return sources


def test_epochs_become_bids_one_after_the_other(tmp_path: Path) -> None:
    doc = document("eegdenoisenet")
    sources = _arrays(tmp_path / "in", doc)
    bids = convert(doc, sources, tmp_path / "bids")
    stored = np.fromfile(bids / "sub-eog" / "eeg" / "sub-eog_task-ocular_eeg.eeg", "<f4")
    values = np.load(sources["data/EOG_all_epochs.npy"]).ravel()
    np.testing.assert_allclose(stored, values, rtol=1e-6)
    table = rows(bids / "sub-eog" / "eeg" / "sub-eog_task-ocular_events.tsv")
    assert [(row["onset"], row["epoch"]) for row in table] == [
        (str(2 * i), str(i)) for i in range(5)
    ]
    assert issues(bids) == LISTED


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (np.zeros((4, 512)), "has the shape"),
        (np.zeros((5, 511)), "has the shape"),
        (np.full((5, 512), np.nan), "not finite"),
        (np.zeros((5, 512), dtype=complex), "no array of real numbers"),
        (np.array([{"a": 1}], dtype=object), "no array of numbers"),
    ],
)
def test_arrays_of_another_kind_are_refused(tmp_path: Path, values: Any, problem: str) -> None:
    doc = document("eegdenoisenet")
    sources = _arrays(tmp_path / "in", doc)
    np.save(sources["data/EMG_all_epochs.npy"], values, allow_pickle=True)
    with pytest.raises(EntryError, match=problem):
        convert(doc, sources, tmp_path / "bids")


# Archives and what is not converted


def _zip(path: Path, *names: str) -> Path:
    import zipfile

    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return path


def test_an_archive_of_a_bids_tree_is_unpacked_from_its_root(tmp_path: Path) -> None:
    path = _zip(
        tmp_path / "a.zip", "BIDS_X/dataset_description.json", "BIDS_X/sub-01/eeg/x.tsv",
        "BIDS_X/derivatives/y/dataset_description.json", "__MACOSX/z",
    )  # fmt: skip
    doc = {"conversion": {"use": "bids-zip@1.0.0", "parameters": {"archive": "a.zip"}}}
    bids = convert(doc, {"a.zip": path}, tmp_path / "bids")
    files = sorted(file.relative_to(bids).as_posix() for file in bids.rglob("*") if file.is_file())
    assert files == [
        "dataset_description.json", "derivatives/y/dataset_description.json", "sub-01/eeg/x.tsv",
    ]  # fmt: skip


ARCHIVED = (
    "X/dataset_description.json", "X/participants.tsv", "X/task-rest_eeg.json",
    "X/sub-01/sub-01_scans.tsv", "X/sub-01/ses-01/eeg/sub-01_ses-01_task-rest_run-00_eeg.edf",
    "X/sub-01/ses-01/eeg/sub-01_ses-01_task-rest_run-00_events.tsv",
    "X/sub-01/ses-02/eeg/sub-01_ses-02_task-rest_run-00_eeg.edf",
    "X/sub-02/ses-01/eeg/sub-02_ses-01_task-rest_run-00_eeg.edf",
    "X/derivatives/d/sub-01/sub-01_x.tsv", "X/derivatives/d/sub-02/sub-02_x.tsv",
    "__MACOSX/sub-01/z",
)  # fmt: skip
COMMON = {"dataset_description.json", "participants.tsv", "task-rest_eeg.json"}
FIRST = {
    "sub-01/ses-01/eeg/sub-01_ses-01_task-rest_run-00_eeg.edf",
    "sub-01/ses-01/eeg/sub-01_ses-01_task-rest_run-00_events.tsv",
}
IN_ARCHIVE: dict[str, Any] = {
    "id": "x",
    "version": "1.0.0",
    "conversion": {"use": "bids-zip@1.0.0", "parameters": {"archive": "a.zip"}},
}


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (
            Selection(bids_subjects=("02",)),
            {"sub-02/ses-01/eeg/sub-02_ses-01_task-rest_run-00_eeg.edf",
             "derivatives/d/sub-02/sub-02_x.tsv"},
        ),
        (
            Selection(bids_subjects=("01",), bids_sessions=("01",), bids_runs=("0",)),
            FIRST | {"sub-01/sub-01_scans.tsv", "derivatives/d/sub-01/sub-01_x.tsv"},
        ),
    ],
)  # fmt: skip
def test_of_an_archive_only_what_was_chosen_is_unpacked(
    tmp_path: Path, selection: Selection, expected: set[str]
) -> None:
    from braino_registry.datasets.conversions import convert as run

    path, out = _zip(tmp_path / "a.zip", *ARCHIVED), tmp_path / "bids"
    out.mkdir()
    run(IN_ARCHIVE, {"a.zip": path}, (), out, selection)
    files = {file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file()}
    assert files == COMMON | expected


def test_what_an_archive_has_not_is_told_with_the_nearest(tmp_path: Path) -> None:
    from braino_registry.datasets.conversions import convert as run

    path, out = _zip(tmp_path / "a.zip", *ARCHIVED), tmp_path / "bids"
    out.mkdir()
    with pytest.raises(UsageError, match=r"x@1\.0\.0 has no bids_subject '1'") as caught:
        run(IN_ARCHIVE, {"a.zip": path}, (), out, Selection(bids_subjects=("1",)))
    assert "01" in caught.value.hint
    assert list(out.iterdir()) == []


def test_an_archive_needs_one_bids_root(tmp_path: Path) -> None:
    flat = _zip(tmp_path / "flat.zip", "dataset_description.json", "x/dataset_description.json")
    assert bids_folder(flat) == ""
    none = _zip(tmp_path / "none.zip", "x/y.json")
    with pytest.raises(EntryError, match="holds 0 BIDS roots"):
        bids_folder(none)
    two = _zip(tmp_path / "two.zip", "a/dataset_description.json", "b/dataset_description.json")
    with pytest.raises(EntryError, match="holds 2 BIDS roots"):
        bids_folder(two)


def test_what_is_not_converted_lies_in_sourcedata(tmp_path: Path) -> None:
    doc = document("cog-bci")
    path = _zip(tmp_path / "sub-01.zip", "x")
    bids = convert(doc, {"sub-01.zip": path}, tmp_path / "bids")
    assert (bids / "sourcedata" / "sub-01.zip").read_bytes() == path.read_bytes()
    assert "nothing is converted" in (bids / "README.md").read_text(encoding="utf-8")
    assert not list(bids.glob("sub-*"))


# Mixtures


def test_epochs_are_mixed_at_the_stated_levels() -> None:
    from braino_registry.datasets.conversions.eegdenoisenet_mixed import mix

    rng = np.random.default_rng(1)
    arrays = {kind: rng.normal(0, 20, (40, 512)) for kind in ("EEG", "EOG", "EMG")}
    arrays["EEG"][7] = 0  # no epoch
    levels = [-7.0, 2.0]
    found = mix(arrays, seed=3, per_class=10, levels_db=levels)
    assert found.shape == (30, 512)
    order = np.random.default_rng(3)
    eeg = order.permutation([i for i in range(40) if i != 7])[:30]
    eog, emg = order.permutation(40)[:10], order.permutation(40)[:10]
    np.testing.assert_allclose(found[:10], arrays["EEG"][eeg[:10]], rtol=1e-6)
    for row, (kind, source) in enumerate(
        [("EOG", i) for i in eog] + [("EMG", i) for i in emg], start=10
    ):
        rest = found[row] - arrays["EEG"][eeg[row]]
        ratio = np.sqrt((arrays["EEG"][eeg[row]] ** 2).mean() / (rest**2).mean())
        assert 10 * np.log10(ratio) == pytest.approx(levels[row % 10 // 5], abs=1e-4)
        assert abs(np.corrcoef(rest, arrays[kind][source])[0, 1]) > 0.9999


def test_mixtures_become_bids(tmp_path: Path) -> None:
    doc = document("eegdenoisenet-mixed")
    parameters = doc["conversion"]["parameters"]
    parameters |= {"per_class": 2, "levels_db": [-7, 2]}
    sources = {}
    for name, said in parameters["arrays"].items():
        said["epochs"] = 8
        sources[name] = tmp_path / Path(name).name
        np.save(sources[name], np.random.default_rng(len(sources)).normal(0, 30, (8, 512)))
    bids = convert(doc, sources, tmp_path / "bids")
    names = sorted(path.name for path in bids.glob("sub-*/eeg/*.vhdr"))
    assert names == [f"sub-{i:03d}_task-rest_eeg.vhdr" for i in range(1, 7)]
    stored = np.fromfile(bids / "sub-001" / "eeg" / "sub-001_task-rest_eeg.eeg", "<f4")
    assert stored.shape == (512,)
    told = "".join(
        path.read_text(encoding="utf-8")
        for path in bids.glob("sub-*/eeg/*")
        if path.suffix in (".tsv", ".json")
    )
    assert "ocular" not in told
    assert "muscle" not in told
    assert issues(bids) == LISTED
