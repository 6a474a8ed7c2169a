from __future__ import annotations

import json

import mne
import numpy as np
import pytest

from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.recording import event_name
from braino_registry.recordings.tree import BidsTree
from tests import tiny

ID = "sub-01_task-oddball"


def test_header_and_sidecars(tree):
    recording = tree.open(ID)
    assert recording.ch_names == tiny.CHANNELS
    assert recording.ch_types == ("eeg",) * 16 + ("eog",)
    assert recording.channel_sfreqs == (250.0,) * 17
    assert (recording.sfreq, recording.n_times, recording.duration) == (250.0, 15000, 60.0)
    assert recording.line_freq == 60.0
    assert recording.reference == "linked ears"
    assert recording.entities == {"bids_subject": "01", "bids_task": "oddball"}
    assert recording.sidecars_missing == ()
    assert recording.notes == ()


def test_samples_are_volts_and_pieces_equal_the_whole(tree, dataset):
    recording = tree.open(ID)
    whole = recording.read()
    np.testing.assert_allclose(whole, dataset.data[ID], atol=1e-10)
    assert whole.dtype == np.float64
    piece = recording.read(["Pz", "F7"], 1000, 1250)
    rows = [tiny.CHANNELS.index(name) for name in ("Pz", "F7")]
    np.testing.assert_array_equal(piece, whole[rows, 1000:1250])
    assert recording.read(["Pz"], 15000).shape == (1, 0)


@pytest.mark.parametrize(
    ("channels", "start", "stop"), [(["Pz"], -1, 5), (["Pz"], 0, 15001), (["Pz"], 10, 5)]
)
def test_pieces_outside_are_refused(tree, channels, start, stop):
    with pytest.raises(RecordingError, match="outside the recording") as error:
        tree.open(ID).read(channels, start, stop)
    assert "0 and 15000" in error.value.hint


def test_unknown_channel(tree):
    with pytest.raises(RecordingError, match="'PZ'") as error:
        tree.open(ID).read(["PZ"])
    assert error.value.hint.startswith("Did you mean 'Pz'?")


def test_events_keep_all_columns(tree):
    events = tree.open(ID).events
    assert len(events) == 29
    assert events[0] == {"onset": 1.0, "duration": 0.0, "trial_type": "target", "value": "1"}
    assert [event_name(e) for e in events[:4]] == ["target", "standard", "standard", "target"]
    assert tree.open(ID).events_source == "events.tsv"


def test_events_without_trial_type_and_with_odd_rows(own):
    path = own.root / "sub-01" / "eeg" / f"{ID}_events.tsv"
    path.write_bytes(
        b"\xef\xbb\xbfonset\tduration\tvalue\r\n5.0\t0\t7\r\nn/a\t0\t7\r\n2.0\tn/a\t8\r\n"
    )
    events = BidsTree(own.root).open(ID).events
    assert [(e["onset"], e["duration"], event_name(e)) for e in events] == [
        (2.0, None, "8"),
        (5.0, 0.0, "7"),
    ]


def test_bads_are_those_on_disk_now(own):
    recording = BidsTree(own.root).open(ID)
    assert recording.bads == ()
    tiny.mark_bad(own.root, ID, "T8")
    assert recording.bads == ("T8",)
    tiny.mark_bad(own.root, ID, "F7")
    assert recording.bads == ("F7", "T8")


def test_missing_sidecars_are_reported_and_survived(own):
    folder = own.root / "sub-01" / "eeg"
    for suffix in ("channels.tsv", "events.tsv", "eeg.json"):
        (folder / f"{ID}_{suffix}").unlink()
    recording = BidsTree(own.root).open(ID)
    assert recording.sidecars_missing == ("eeg.json", "channels.tsv", "events.tsv")
    assert recording.ch_names == tiny.CHANNELS
    assert recording.ch_types[-1] == "eog"  # told by its name
    assert (recording.line_freq, recording.reference, recording.bads) == (None, None, ())
    assert (recording.events, recording.events_source) == ([], "none")
    np.testing.assert_allclose(recording.read(), own.data[ID], atol=1e-10)


def test_a_sidecar_that_appears_later_is_seen(own):
    path = own.root / "sub-01" / "eeg" / f"{ID}_channels.tsv"
    text = path.read_text()
    path.unlink()
    recording = BidsTree(own.root).open(ID)
    assert "channels.tsv" in recording.sidecars_missing
    path.write_text(text.replace("T8\tEEG\tµV\tgood", "T8\tEEG\tµV\tbad"))
    assert recording.bads == ("T8",)


def test_inheritance_the_nearest_wins_and_json_is_merged(own):
    folder = own.root / "sub-01" / "eeg"
    (own.root / "task-oddball_eeg.json").write_text(
        json.dumps({"PowerLineFrequency": 50, "Manufacturer": "X"})
    )
    (own.root / "task-other_eeg.json").write_text(json.dumps({"Manufacturer": "Y"}))
    (own.root / "task-oddball_events.tsv").write_text("onset\tduration\n1\t0\n")
    recording = BidsTree(own.root).open(ID)
    assert recording.line_freq == 60.0
    assert recording.sidecar["Manufacturer"] == "X"
    assert len(recording.events) == 29
    (folder / f"{ID}_eeg.json").unlink()
    (folder / f"{ID}_events.tsv").unlink()
    assert recording.line_freq == 50.0
    assert len(recording.events) == 1


@pytest.mark.parametrize("stated", ["n/a", None, True, -50, 0])
def test_line_frequency_that_is_none(own, stated):
    path = own.root / "sub-01" / "eeg" / f"{ID}_eeg.json"
    path.write_text(json.dumps({"PowerLineFrequency": stated, "EEGReference": "n/a"}))
    recording = BidsTree(own.root).open(ID)
    assert (recording.line_freq, recording.reference) == (None, None)


def test_broken_sidecar_is_an_error_that_names_it(own):
    (own.root / "sub-01" / "eeg" / f"{ID}_eeg.json").write_text("{")
    with pytest.raises(RecordingError, match="not valid JSON") as error:
        _ = BidsTree(own.root).open(ID).line_freq
    assert error.value.where == f"{ID}_eeg.json"


def test_a_channels_table_that_does_not_fit_is_noted(own):
    path = own.root / "sub-01" / "eeg" / f"{ID}_channels.tsv"
    path.write_text("name\ttype\tunits\nZZ\tEEG\tµV\n")
    recording = BidsTree(own.root).open(ID)
    assert recording.ch_names == tiny.CHANNELS
    assert any("does not match the number of channels" in note for note in recording.notes)


@pytest.mark.parametrize(
    ("frame", "unit", "said"),
    [
        ("Other", "mm", ""),
        ("NIHPD", "mm", ""),
        ("Other", "n/a", ""),
        ("Other", "furlong", "not an accepted BIDS unit"),
    ],
)
def test_places_that_nobody_knows_are_no_note(own, frame, unit, said):
    """An intracranial recording may leave open where its electrodes were."""
    folder = own.root / "sub-01" / "ieeg"
    (own.root / "sub-01" / "eeg").rename(folder)
    for path in list(folder.iterdir()):
        text = path.read_text("latin-1").replace(f"{ID}_eeg", f"{ID}_ieeg")
        path.write_text(text.replace("\tEEG\t", "\tSEEG\t"), "latin-1")
        path.rename(folder / path.name.replace("_eeg", "_ieeg"))
    places = {"iEEGCoordinateSystem": frame, "iEEGCoordinateUnits": unit}
    (folder / "sub-01_coordsystem.json").write_text(json.dumps(places))
    rows = [f"{name}\tn/a\tn/a\tn/a\tn/a" for name in tiny.CHANNELS[:-1]]
    table = "\n".join(["name\tx\ty\tz\tsize", *rows]) + "\n"
    (folder / "sub-01_electrodes.tsv").write_text(table)
    recording = BidsTree(own.root).open(ID)
    assert recording.ch_types[0] == "seeg"
    assert bool(recording.notes) is bool(said)
    assert said in "".join(recording.notes)


def test_a_channels_table_in_another_order_gives_types_by_name(own):
    path = own.root / "sub-01" / "eeg" / f"{ID}_channels.tsv"
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *rows[::-1]]) + "\n")
    recording = BidsTree(own.root).open(ID)
    assert recording.ch_names == tiny.CHANNELS
    assert recording.ch_types == ("eeg",) * 16 + ("eog",)
    np.testing.assert_allclose(recording.read(), own.data[ID], atol=1e-10)
    assert "without its sidecars" in recording.notes[0]
    assert str(own.root) not in " ".join(recording.notes)


def test_no_more_is_read_than_asked_for(own, monkeypatch):
    asked: list[int] = []
    original = mne.io.BaseRaw._read_segment

    def spy(self, start=0, stop=None, *args, **kwargs):
        asked.append((stop or self.n_times) - start)
        return original(self, start, stop, *args, **kwargs)

    monkeypatch.setattr(mne.io.BaseRaw, "_read_segment", spy)
    BidsTree(own.root).open(ID).read(["Pz"], 100, 200)
    assert asked == [100]


def test_markers_of_the_data_file_stand_in_for_missing_events(tmp_path):
    tiny.write_mixed_edf(tmp_path / "bids")
    recording = BidsTree(tmp_path / "bids").open("sub-01_task-sleep")
    assert recording.events == [{"onset": 3.0, "duration": 1.5, "trial_type": "arousal"}]
    assert recording.events_source == "data file"
