"""Cases of CHB-MIT to BIDS, made as the real ones are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from braino_registry.datasets.conversions import CONVERSIONS
from braino_registry.datasets.conversions.chb_mit import channel_type, parse_summary
from braino_registry.errors import EntryError
from tests.datasets.converting import LISTED, convert, document, issues, rows
from tests.datasets.test_edf_source import write_edf

SUMMARY = """Data Sampling Rate: 256 Hz
*************************

Channels in EDF Files:
**********************
Channel 1: FP1-F7

File Name: chb01_03.edf
File Start Time: 13:43:04
File End Time: 14:43:04
Number of Seizures in File: 1
Seizure Start Time: 2 seconds
Seizure End Time: 5 seconds

Channels changed:
Channel 1: F7

File Name: chb01_04.edf
Number of Seizures in File: 2
Seizure 1 Start Time:  1 seconds
Seizure 1 End Time: 3 seconds
Seizure 2 Start Time: 6 seconds
Seizure 2 End Time: 9 seconds

File Name: chb01_05+.edf
Number of Seizures in File: 0
"""


def _case(folder: Path, summary: str = SUMMARY) -> dict[str, Path]:
    montages = {
        "chb01_03": ["FP1-F7", "T8-P8", "-", "ECG", "T8-P8"],
        "chb01_04": ["F7", "C2-CS2", "VNS", "LOC-ROC"],
        "chb01_05+": ["FP1-F7", "T8-P8"],
        "chb01a_06": ["FP1-F7", "T8-P8"],
    }
    sources = {}
    for name, labels in montages.items():
        sources[f"chb01/{name}.edf"] = write_edf(folder / f"{name}.edf", labels)
    path = folder / "chb01-summary.txt"
    path.write_bytes(summary.replace("\n", "\r\n").encode())
    return sources | {"chb01/chb01-summary.txt": path}


def test_a_case_with_changing_montages_becomes_bids(tmp_path: Path) -> None:
    sources = _case(tmp_path / "in")
    bids = convert(document("chbmit"), sources, tmp_path / "bids")
    folder = bids / "sub-chb01" / "eeg"
    names = sorted(path.name for path in folder.glob("*.edf"))
    assert names == [
        "sub-chb01_task-monitoring_acq-a_run-06_eeg.edf",
        "sub-chb01_task-monitoring_acq-plus_run-05_eeg.edf",
        "sub-chb01_task-monitoring_run-03_eeg.edf",
        "sub-chb01_task-monitoring_run-04_eeg.edf",
    ]
    stem = "sub-chb01_task-monitoring"
    for name, source in (("run-03", "chb01_03"), ("acq-plus_run-05", "chb01_05+")):
        copy = folder / f"{stem}_{name}_eeg.edf"
        assert copy.read_bytes() == sources[f"chb01/{source}.edf"].read_bytes()
    channels = [(row["name"], row["type"], row["reference"])
                for row in rows(folder / f"{stem}_run-03_channels.tsv")]  # fmt: skip
    assert channels == [
        ("FP1-F7", "EEG", "F7"), ("T8-P8-0", "EEG", "P8"), ("-", "MISC", None),
        ("ECG", "ECG", None), ("T8-P8-1", "EEG", "P8"),
    ]  # fmt: skip
    types = [row["type"] for row in rows(folder / f"{stem}_run-04_channels.tsv")]
    assert types == ["EEG", "EEG", "MISC", "EOG"]
    events = {
        path.name.split("monitoring_")[1].removesuffix("_events.tsv"): [
            (row["onset"], row["duration"], row["trial_type"]) for row in rows(path)
        ]
        for path in folder.glob("*_events.tsv")
    }
    assert events == {  # nobody says that chb01a_06 was looked at
        "run-03": [("2", "3", "seizure")],
        "run-04": [("1", "2", "seizure"), ("6", "3", "seizure")],
        "acq-plus_run-05": [("0", "10", "background")],
    }
    assert issues(bids) - LISTED <= {("EVENTS_TSV_MISSING", None, "warning")}


def test_the_copy_opens_with_mne_bids(tmp_path: Path) -> None:
    import mne_bids

    bids = convert(document("chbmit"), _case(tmp_path / "in"), tmp_path / "bids")
    where = mne_bids.BIDSPath(
        root=bids, subject="chb01", task="monitoring", run="04", datatype="eeg", suffix="eeg",
        extension=".edf",
    )  # fmt: skip
    raw = mne_bids.read_raw_bids(where, verbose="warning")
    assert Counter(raw.annotations.description) == {"seizure": 2}
    assert raw.get_channel_types() == ["eeg", "eeg", "misc", "eog"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Number of Seizures in File: 2", "Number of Seizures in File: 3", "states 3 seizures"),
        ("Number of Seizures in File: 0\n", "", "states None seizures"),
        ("Seizure End Time: 5 seconds\n", "", "states 1 seizures in chb01_03.edf and times 0"),
        ("Seizure Start Time: 2 seconds\n", "", "does not end after it began"),
        ("End Time: 5 seconds", "End Time: 2 seconds", "does not end after it began"),
        ("Seizure 1 End Time: 3 seconds\n", "", "without an end"),
        ("chb01_04.edf", "chb01_03.edf", "lists chb01_03.edf twice"),
    ],
)
def test_a_summary_that_contradicts_itself_is_refused(old: str, new: str, problem: str) -> None:
    assert old in SUMMARY
    with pytest.raises(EntryError, match=problem):
        parse_summary(SUMMARY.replace(old, new), "chb01-summary.txt")


def test_a_seizure_after_the_end_is_refused(tmp_path: Path) -> None:
    sources = _case(tmp_path / "in", SUMMARY.replace("End Time: 9", "End Time: 11"))
    with pytest.raises(EntryError, match="after its end at 10 s"):
        convert(document("chbmit"), sources, tmp_path / "bids")


def test_a_recording_needs_the_summary_of_its_case() -> None:
    chosen = CONVERSIONS.get("chb-mit@1.0.0")
    assert chosen.recordings is not None
    with pytest.raises(EntryError, match=r"chb03-summary\.txt"):
        chosen.recordings({}, ["chb01/chb01-summary.txt", "chb03/chb03_01.edf"])


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("FP1-F7", "EEG"), ("CZ-PZ", "EEG"), ("FT10-T8", "EEG"), ("C6-CS2", "EEG"), ("O2", "EEG"),
        ("FC1-Ref", "EEG"), ("ECG", "ECG"), ("EKG1-CHIN", "ECG"), ("LOC-ROC", "EOG"),
        ("VNS", "MISC"), ("-", "MISC"), ("", "MISC"), ("LUE-RAE", "MISC"), ("01", "MISC"),
    ],
)  # fmt: skip
def test_types_are_told_from_labels(label: str, kind: str) -> None:
    assert channel_type(label) == kind
    assert channel_type(label, is_voltage=False) == "MISC"


def test_a_channel_without_a_unit_is_no_eeg(tmp_path: Path) -> None:
    sources = _case(tmp_path / "in")
    write_edf(sources["chb01/chb01_03.edf"], ["FP1-F7", "T8-P8"], physical_dimension="")
    bids = convert(document("chbmit"), sources, tmp_path / "bids")
    table = rows(next(bids.rglob("*_run-03_channels.tsv")))
    assert [(row["type"], row["units"]) for row in table] == [("MISC", None), ("MISC", None)]
