"""Nights of Sleep-EDF to BIDS: the beginning of a real one, and made ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from braino_registry.datasets.conversions import CONVERSIONS
from braino_registry.datasets.conversions.sleep_edf import STAGES
from braino_registry.datasets.invariants import broken_invariants
from braino_registry.errors import EntryError
from tests.datasets.converting import LISTED, convert, document, issues, rows
from tests.shared import shared


def _night() -> dict[str, Path]:
    folder = shared("realdata", "edfio", "TEST_DATA")
    return {
        "sleep-cassette/SC4001E0-PSG.edf": folder / "short_psg.edf",
        "sleep-cassette/SC4001EC-Hypnogram.edf": folder / "SC4001EC-Hypnogram.edf",
    }


def test_the_beginning_of_a_real_night_becomes_bids(tmp_path: Path) -> None:
    doc, sources = document("sleep-edf"), _night()
    bids = convert(doc, sources, tmp_path / "bids")
    folder = bids / "sub-SC400" / "ses-1" / "eeg"
    stem = "sub-SC400_ses-1_task-sleep"
    psg = sources["sleep-cassette/SC4001E0-PSG.edf"]
    assert (folder / f"{stem}_eeg.edf").read_bytes() == psg.read_bytes()
    channels = {str(row["name"]): row for row in rows(folder / f"{stem}_channels.tsv")}
    assert {name: (row["type"], row["sampling_frequency"]) for name, row in channels.items()} == {
        "EEG Fpz-Cz": ("EEG", "100"), "EEG Pz-Oz": ("EEG", "100"), "EOG horizontal": ("EOG", "100"),
        "Resp oro-nasal": ("RESP", "1"), "EMG submental": ("EMG", "1"),
        "Temp rectal": ("TEMP", "1"), "Event marker": ("MISC", "1"),
    }  # fmt: skip
    assert channels["EEG Fpz-Cz"]["reference"] == "Cz"
    # the hypnogram says 30630 s of waking; the file has 300 s
    assert rows(folder / f"{stem}_events.tsv") == [
        {"onset": "0", "duration": "300", "trial_type": "Wake", "original_stage": "Sleep stage W"}
    ]
    (person,) = rows(bids / "participants.tsv")
    assert (person["age"], person["sex"], person["study"]) == ("33", "F", "cassette")
    assert issues(bids) == LISTED
    assert broken_invariants(bids, doc["invariants"], whole=False) == []


def test_slow_channels_of_the_copy_are_read_at_their_own_rate(tmp_path: Path) -> None:
    """A reader that brings all channels to 100 Hz would invent 99 of 100 temperatures."""
    from edfio import read_edf

    from braino_registry.recordings.tree import BidsTree

    sources = _night()
    bids = convert(document("sleep-edf"), sources, tmp_path / "bids")
    recording = BidsTree(bids).open("sub-SC400_ses-1_task-sleep")
    assert recording.channel_sfreqs == (100, 100, 100, 1, 1, 1, 1)
    assert recording.ch_types == ("eeg", "eeg", "eog", "resp", "emg", "temperature", "misc")
    assert recording.notes == ()
    values = recording.read(["Temp rectal"], 0, 300)
    source = read_edf(sources["sleep-cassette/SC4001E0-PSG.edf"]).get_signal("Temp rectal")
    np.testing.assert_allclose(np.ravel(values), source.data)


def _made_night(
    folder: Path, stages: list[tuple[float, float, str]], hours: float
) -> dict[str, Path]:
    from edfio import Edf, EdfAnnotation, EdfSignal

    seconds = round(hours * 3600 / 30) * 30
    rng = np.random.default_rng(2)
    signals = [
        EdfSignal(rng.uniform(-90, 90, seconds * rate), rate, label=label,
                  physical_dimension=unit, physical_range=(-100, 100))
        for label, unit, rate in (("EEG Fpz-Cz", "uV", 100), ("EEG Pz-Oz", "uV", 100),
                                  ("EOG horizontal", "uV", 100), ("Temp rectal", "DegC", 1))
    ]  # fmt: skip
    folder.mkdir(exist_ok=True)
    Edf(signals, data_record_duration=30).write(folder / "SC4992E0-PSG.edf")
    notes = [EdfAnnotation(*row) for row in stages]
    Edf([], annotations=notes).write(folder / "SC4992EH-Hypnogram.edf")
    return {f"sleep-cassette/{path.name}": path for path in sorted(folder.iterdir())}


def test_stages_are_those_of_the_aasm_and_the_rest_stays_apart(tmp_path: Path) -> None:
    names = [*STAGES]
    stages = [(30.0 * i, 30.0, name) for i, name in enumerate(names)] + [(240.0, 600.0, names[0])]
    sources = _made_night(tmp_path / "in", stages, hours=0.1)
    doc = document("sleep-edf")
    bids = convert(doc, sources, tmp_path / "bids")
    table = rows(next(bids.rglob("*_events.tsv")))
    assert [(row["original_stage"], row["trial_type"]) for row in table[:-1]] == [*STAGES.items()]
    assert (table[-1]["onset"], table[-1]["duration"]) == ("240", "120")
    assert {row["trial_type"] for row in table} == {
        "Wake", "N1", "N2", "N3", "REM", "Movement", "Unknown",
    }  # fmt: skip
    assert next(bids.rglob("*_eeg.edf")).name == "sub-SC499_ses-2_task-sleep_eeg.edf"
    assert broken_invariants(bids, doc["invariants"], whole=False) == []


def test_an_annotation_that_is_no_stage_is_refused(tmp_path: Path) -> None:
    sources = _made_night(tmp_path / "in", [(0.0, 30.0, "Lights off")], hours=0.1)
    with pytest.raises(EntryError, match="'Lights off', which is no sleep stage"):
        convert(document("sleep-edf"), sources, tmp_path / "bids")


def test_a_night_needs_both_files() -> None:
    chosen = CONVERSIONS.get("sleep-edf@1.0.0")
    assert chosen.recordings is not None
    with pytest.raises(EntryError, match="SC4001E has no hypnogram"):
        chosen.recordings({}, ["sleep-cassette/SC4001E0-PSG.edf"])
    with pytest.raises(EntryError, match="ST7011J has no polysomnogram"):
        chosen.recordings({}, ["sleep-telemetry/ST7011JP-Hypnogram.edf"])


def test_twenty_hours_convert_in_less_than_a_gigabyte(tmp_path: Path) -> None:
    sources = _made_night(tmp_path / "in", [(0.0, 72000.0, "Sleep stage W")], hours=20)
    code = """
import json, sys
from pathlib import Path
from tests.datasets.converting import convert, document
sources = {name: Path(path) for name, path in json.loads(sys.argv[1]).items()}
convert(document("sleep-edf"), sources, Path(sys.argv[2]))
status = Path("/proc/self/status")
if status.exists():  # ru_maxrss would be the caller's, through fork
    print(int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024)
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20))
"""
    given = json.dumps({name: str(path) for name, path in sources.items()})
    done = subprocess.run(
        [sys.executable, "-c", code, given, str(tmp_path / "bids")],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert int(done.stdout) < 1000
    (written,) = (tmp_path / "bids").rglob("*_eeg.edf")
    assert written.stat().st_size == sources["sleep-cassette/SC4992E0-PSG.edf"].stat().st_size
    (sidecar,) = (tmp_path / "bids").rglob("*_eeg.json")
    assert json.loads(sidecar.read_text(encoding="utf-8"))["RecordingDuration"] == 72000
