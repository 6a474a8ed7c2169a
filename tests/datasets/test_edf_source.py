"""EDF files of others: what is read of them, and what is refused before it does harm."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from braino_registry.datasets.edf_source import read_edf_source, unique_names, within
from braino_registry.errors import EntryError
from tests.shared import shared


def write_edf(path: Path, labels: list[str], **more: Any) -> Path:
    """Write ten seconds of noise: 100 Hz, or 1 Hz for labels with ``slow``."""
    from edfio import Edf, EdfSignal

    rng = np.random.default_rng(1)
    given = {"physical_dimension": "uV", "physical_range": (-800, 800)} | more
    signals = [
        EdfSignal(
            rng.uniform(-100, 100, 10 * (rate := 1 if "slow" in label else 100)), rate,
            label=label, **given,
        )
        for label in labels
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    Edf(signals).write(path)
    return path


def test_every_channel_keeps_its_own_rate_unit_and_filters() -> None:
    path = shared("realdata", "edfio", "TEST_DATA", "short_psg.edf")
    edf = read_edf_source(path, "psg.edf")
    assert (edf.sfreq, edf.duration) == (100, 300)
    found = {one.label: (one.sfreq, one.unit, one.is_voltage) for one in edf.channels}
    assert found["EEG Fpz-Cz"] == (100, "uV", True)
    assert found["Resp oro-nasal"] == (1, "", False)
    assert found["Temp rectal"] == (1, "DegC", False)
    rows = {one.label: one.described("EEG") for one in edf.channels}
    assert rows["Resp oro-nasal"].units == "n/a"
    assert rows["Temp rectal"].units == "oC"
    assert rows["EEG Fpz-Cz"].said["low_cutoff"] == "0.5"
    assert rows["EEG Fpz-Cz"].said["high_cutoff"] == "100"
    # rectified, then smoothed: 16 Hz and 0.7 Hz are no pass band
    assert "low_cutoff" not in rows["EMG submental"].said
    assert "Rectification" in rows["EMG submental"].said["description"]


def test_labels_that_occur_more_than_once_are_numbered_as_mne_does(tmp_path: Path) -> None:
    import mne

    labels = ["T8-P8", "-", "FP1-F7", "T8-P8", "-"]
    path = write_edf(tmp_path / "x.edf", labels)
    names = [one.name for one in read_edf_source(path, "x.edf").channels]
    assert names == ["T8-P8-0", "--0", "FP1-F7", "T8-P8-1", "--1"] == unique_names(labels)
    with pytest.warns(RuntimeWarning, match="not unique"):
        assert mne.io.read_raw_edf(path, verbose="warning").ch_names == names


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"/annex/objects/SHA256E-s42399744--0.edf\n", "is a git-annex pointer, not the data"),
        (b"../../.git/annex/objects/x/y.edf", "is a git-annex pointer, not the data"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer, not the data"),
        (b"<!DOCTYPE html><html>", "is a web page, not the data"),
        (b'{"error": "no"}', "is a JSON message, not the data"),
        (b"** CONVERTED FROM an eye tracker", "is no EDF file"),
        (b"", "is no EDF file"),
        (b"0       " + b"x" * 300, "cannot be read as EDF"),
    ],
)
def test_what_is_no_edf_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "x.edf"
    path.write_bytes(content)
    with pytest.raises(EntryError, match=problem) as caught:
        read_edf_source(path, "chb01/x.edf")
    assert caught.value.problem.startswith("chb01/x.edf ")


def test_real_pointers_are_refused() -> None:
    folder = shared("realdata", "bids-meta", "nm000110-chbmit")
    path = folder / "sub-chb01" / "eeg" / "sub-chb01_task-rest_run-3_eeg.edf"
    with pytest.raises(EntryError, match="git-annex pointer"):
        read_edf_source(path, "x.edf")


@pytest.mark.parametrize("change", [-2, -1, 1, 2000])
def test_a_file_that_is_cut_off_or_too_long_is_refused(tmp_path: Path, change: int) -> None:
    path = write_edf(tmp_path / "x.edf", ["Cz", "slow"])
    raw = path.read_bytes()
    path.write_bytes(raw[:change] if change < 0 else raw + b"\0" * change)
    with pytest.raises(EntryError, match="its header states"):
        read_edf_source(path, "x.edf")


@pytest.mark.parametrize("gap", [False, True])
def test_gaps_are_refused(tmp_path: Path, gap: bool) -> None:
    """EDF+D with a gap before the second second; without one it is as good as EDF+C."""
    from edfio import Edf, EdfAnnotation, EdfSignal

    signal = EdfSignal(np.arange(1000.0), 100, label="Cz", physical_dimension="uV")
    path = tmp_path / "x.edf"
    Edf([signal], annotations=[EdfAnnotation(1, None, "a")]).write(path)
    raw = bytearray(path.read_bytes())
    assert raw[192:197] == b"EDF+C"
    raw[192:197] = b"EDF+D"
    assert raw.count(b"+1\x14\x14") == 1
    path.write_bytes(raw.replace(b"+1\x14\x14", b"+9\x14\x14") if gap else raw)
    if not gap:
        assert read_edf_source(path, "x.edf").duration == 10
        return
    with pytest.raises(EntryError, match="discontinuous"):
        read_edf_source(path, "x.edf")


def test_annotations_alone_are_read_only_where_they_are_wanted() -> None:
    path = shared("realdata", "edfio", "TEST_DATA", "SC4001EC-Hypnogram.edf")
    with pytest.raises(EntryError, match="annotations and no signals"):
        read_edf_source(path, "x.edf")
    edf = read_edf_source(path, "x.edf", signals=False)
    assert len(edf.annotations) == 154
    assert edf.annotations[0] == (0.0, 30630.0, "Sleep stage W")


def test_labels_that_readers_spell_differently_are_refused() -> None:
    path = shared("realdata", "rsleep", "data", "subject1.edf")
    with pytest.raises(EntryError, match="which readers spell differently"):
        read_edf_source(path, "x.edf")


def test_annotations_are_cut_to_the_recording() -> None:
    rows = [
        (-5.0, 3.0, "before"), (-2.0, 4.0, "begins before"), (0.0, 0.0, "first instant"),
        (8.0, 5.0, "outlasts it"), (10.0, 0.0, "at the end"), (12.0, 1.0, "after"),
    ]  # fmt: skip
    assert within(rows, 10.0) == [
        (0.0, 2.0, "begins before"), (0.0, 0.0, "first instant"), (8.0, 2.0, "outlasts it"),
    ]  # fmt: skip


def test_whatever_stands_in_a_header_ends_in_a_value_or_a_refusal(tmp_path: Path) -> None:
    import random

    raw = write_edf(tmp_path / "x.edf", ["Cz", "slow", "-", "-"]).read_bytes()
    rng = random.Random(1)
    path = tmp_path / "y.edf"
    ends = Counter[str]()
    for _ in range(600):
        broken = bytearray(raw)
        for _ in range(rng.choice([1, 2, 20])):
            broken[rng.randrange(8, 1280)] = rng.choice([0, 32, 45, 48, 57, 255])
        path.write_bytes(broken[: rng.randrange(len(raw))] if rng.random() < 0.1 else broken)
        try:
            edf = read_edf_source(path, "y.edf")
        except EntryError:
            ends["refused"] += 1
        else:
            assert [channel.described("EEG") for channel in edf.channels]
            ends["read"] += 1
    assert min(ends["refused"], ends["read"]) > 50
