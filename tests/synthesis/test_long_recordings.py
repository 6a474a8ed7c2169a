"""Recordings that are made and stored in pieces: EDF, native rates, nothing told of the truth."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest
from numpy.typing import NDArray

from braino_registry.errors import EntryError
from braino_registry.recordings.readers import open_reader
from braino_registry.synthesis import build, reel
from braino_registry.synthesis.build import thread
from braino_registry.synthesis.edf import EdfWriter
from braino_registry.synthesis.leads import LEADS
from braino_registry.synthesis.planning import plan
from braino_registry.synthesis.reel import Strip, add_at
from braino_registry.synthesis.validation import issues
from tests.synthesis.long import nights, scalp
from tests.synthesis.small import digest_in_process, layer, recipe, this_python

Array = NDArray[np.float64]


def joined(doc: dict[str, Any], number: int = 0) -> tuple[dict[str, Array], dict[str, Any]]:
    planned = plan(doc)
    made, truth = thread(planned, planned.recordings[number])
    parts = list(made.pieces())
    names = [channel.name for channel in made.channels]
    return {
        name: np.concatenate([part[row] for part in parts]) for row, name in enumerate(names)
    }, truth


def test_a_file_holds_every_channel_at_its_own_rate(tmp_path: Path) -> None:
    channels = (
        Strip("C4-M1", "EEG", "µV", "", 100),
        Strip("chin", "EMG", "µV", "", 1),
        Strip("warmth", "TEMP", "oC", "", 1, 0.001),
    )
    rng = np.random.default_rng(0)
    parts = [
        [rng.normal(0, 50, seconds * 100), rng.normal(0, 9, seconds), rng.normal(20, 1, seconds)]
        for seconds in (30, 7)
    ]
    with EdfWriter(tmp_path / "x.edf", channels) as file:
        for part in parts:
            file.write(part)
    import edfio

    found = edfio.read_edf(tmp_path / "x.edf")
    assert found.num_data_records == 37
    for row, (signal, channel) in enumerate(zip(found.signals, channels, strict=True)):
        assert signal.sampling_frequency == channel.sfreq
        made = np.concatenate([part[row] for part in parts])
        assert np.abs(signal.data - made).max() < channel.step * 0.75
    assert [signal.physical_dimension for signal in found.signals] == ["uV", "uV", "degC"]


def test_a_night_is_valid_bids_at_native_rates(tmp_path: Path) -> None:
    doc = nights()
    made = build(doc, b"", tmp_path / "out")
    tree = tmp_path / "out" / "bids"
    assert issues(tree) == frozenset()
    (file,) = tree.rglob("*.edf")
    truth = made.truth["recordings"]["sub-01_task-sleep"]
    found = open_reader(tree, file, None)
    assert list(found.ch_names) == truth["ch_names"]
    assert list(found.sfreqs) == [100, 100, 100, 1, 1, 1, 1]
    rows, _ = joined(doc)
    kept = found.read([0], 100, 90_000)[0] * 1e6
    assert np.abs(kept - rows["EEG Fpz-Cz"][100:90_000]).max() < 0.06
    raw = mne.io.read_raw_edf(file, include=["EEG Fpz-Cz"], verbose="error")
    assert np.allclose(raw.get_data(start=100, stop=90_000)[0] * 1e6, kept, atol=1e-6)


def test_nothing_in_the_tree_tells_what_is_planted(tmp_path: Path) -> None:
    for number, doc in enumerate((nights(), scalp(count=2, duration=1200))):
        build(doc, b"", tmp_path / str(number))
        texts = [
            path.read_text("utf-8")
            for path in (tmp_path / str(number) / "bids").rglob("*")
            if path.suffix in {".tsv", ".json", ""} and path.is_file()
        ]
        words = re.findall(r"[a-z0-9]+", " ".join(texts).lower())
        assert not {"seizure", "seizures", "n1", "n2", "n3", "rem", "ictal", "spindle"} & {*words}
        truth = json.loads((tmp_path / str(number) / "truth.json").read_text("utf-8"))
        (recording,) = truth["recordings"].values()
        assert recording.get("hypnogram") or recording.get("seizures")


def test_a_validator_finds_nothing_in_a_scalp_recording(tmp_path: Path) -> None:
    build(scalp(count=0, duration=120), b"", tmp_path / "out")
    assert issues(tmp_path / "out" / "bids") == frozenset()


@pytest.mark.parametrize(
    "doc", [scalp(count=0, duration=330), pytest.param(nights(), marks=pytest.mark.slow)]
)
def test_the_same_bytes_in_another_process(doc: dict[str, Any], tmp_path: Path) -> None:
    here = build(doc, b"salt of sixteen b", tmp_path / "here").digest
    assert digest_in_process(doc, tmp_path / "there", this_python(), "7") == here


def test_where_pieces_meet_nothing_jumps() -> None:
    rows, _ = joined(scalp(count=1, duration=900))
    for samples in rows.values():
        steps = np.abs(np.diff(samples))
        seams = np.arange(reel.PIECE * 256, len(samples), reel.PIECE * 256) - 1
        assert steps[seams].max() < np.quantile(steps, 0.9999)


@pytest.mark.parametrize("make", [nights, scalp])
def test_a_salt_changes_everything(make: Any) -> None:
    doc = make()
    a, b = (thread(plan(doc, salt), plan(doc, salt).recordings[0])[1] for salt in (b"", b"s" * 16))
    key = "hypnogram" if make is nights else "seizures"
    assert a[key] != b[key]


def test_one_end_of_a_wave_is_cut_off() -> None:
    out = np.zeros(10)
    add_at(out, np.ones(4), -2)
    add_at(out, np.ones(4), 8)
    add_at(out, np.ones(4), 30)
    add_at(out, np.ones(4), -9)
    assert out.tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 1, 1]


def _changed(doc: dict[str, Any], **more: Any) -> dict[str, Any]:
    doc["recordings"][0] |= more
    return doc


@pytest.mark.parametrize(
    ("doc", "where", "text"),
    [
        (_changed(nights(), duration=27015.5), "duration", "27015.5 s"),
        (_changed(nights(), sfreq=99.5), "sfreq", "99.5"),
        (_changed(nights(), duration=3600), "with", "no night"),
        (
            _changed(nights(), montage="standard-19", line_frequency=40),
            "layers[0].layer",
            "made whole",
        ),
        (_changed(nights(), montage="double-banana-18"), "with", "between Fp1 and F7"),
        (_changed(scalp(), layers=[layer("sensor_noise", rms_uv=1)]), "layer", "in pieces"),
        (_changed(scalp(), montage="double-banana-24"), "montage", "double-banana-24"),
        (scalp(count=9, duration=1800), "with.count", "9 seizures"),
        (_changed(scalp(), layers=scalp()["recordings"][0]["layers"][1:]), "with", "background"),
        (_changed(nights(), layers=nights()["recordings"][0]["layers"][1:]), "with", "stages"),
    ],
)
def test_impossible_long_recordings_are_refused(doc: Any, where: str, text: str) -> None:
    with pytest.raises(EntryError) as refused:
        plan(doc)
    assert where in refused.value.where
    assert text in str(refused.value)


def test_a_day_and_night_takes_no_memory() -> None:
    """Four hours of 23 channels are 680 MB as floats; made whole, they would be refused."""
    doc = recipe([layer("sensor_noise", rms_uv=1)], sfreq=256, duration=86_400)
    with pytest.raises(EntryError, match="memory"):
        plan(doc)
    assert plan(scalp(duration=86_400)).recordings[0].n_times == 86_400 * 256


@pytest.mark.parametrize("name", sorted(LEADS))
def test_a_montage_names_each_channel_once(name: str) -> None:
    names = [lead.name for lead in LEADS[name]]
    assert len({*names}) == len(names)
    assert all(len(each) <= 16 for each in names)
