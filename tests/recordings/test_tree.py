from __future__ import annotations

import os

import pytest

from braino_registry.recordings.entities import parse_name
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.tree import BidsTree
from tests import tiny
from tests.shared import shared


def test_recordings_subjects_and_participants(tree):
    assert tree.recordings() == ("sub-01_task-oddball", "sub-02_task-oddball")
    assert tree.subjects() == ("01", "02")
    assert tree.description() == {"Name": "tiny", "BIDSVersion": "1.10.0"}
    assert dict(tree.participants().rows[1]) == {
        "participant_id": "sub-02", "age": "21", "group": "B",
    }  # fmt: skip


def test_names_are_taken_apart():
    name = parse_name("sub-01_ses-1_task-x_run-02_eeg.vhdr")
    assert name.recording_id == "sub-01_ses-1_task-x_run-02"
    assert name.prefixed == {
        "bids_subject": "01", "bids_session": "1", "bids_task": "x", "bids_run": "02",
    }  # fmt: skip
    assert (name.suffix, name.extension) == ("eeg", ".vhdr")
    for bad in ("README", "sub-01_eeg", "sub-01_x_eeg.edf", "sub-01_sub-02_eeg.edf"):
        assert parse_name(bad) is None


def test_unknown_recording_names_the_likely_one(tree):
    with pytest.raises(RecordingError) as error:
        tree.open("sub-1_task-oddball")
    assert "Did you mean 'sub-01_task-oddball'" in error.value.hint


@pytest.mark.parametrize("name", ["../sub-01_task-oddball", "/etc/passwd", "sub-01/eeg", ""])
def test_no_name_leads_elsewhere(tree, name):
    with pytest.raises(RecordingError, match="no recording"):
        tree.open(name)


def test_links_out_of_the_dataset_are_not_followed(own, tmp_path):
    outside = tmp_path / "truth"
    outside.mkdir()
    secret = outside / "channels.tsv"
    secret.write_text("name\ttype\tstatus\nT8\tEEG\tbad\n")
    link = own.root / "task-oddball_channels.tsv"
    link.symlink_to(secret)
    folder = own.root / "sub-01" / "eeg"
    (folder / "sub-01_task-oddball_channels.tsv").unlink()
    recording = BidsTree(own.root).open("sub-01_task-oddball")
    assert recording.bads == ()
    assert "channels.tsv" in recording.sidecars_missing

    (folder / "sub-01_task-oddball_eeg.eeg").rename(outside / "data.eeg")
    (folder / "sub-01_task-leak_eeg.edf").symlink_to(secret)
    with pytest.raises(RecordingError, match="missing or lies outside"):
        _ = BidsTree(own.root).open("sub-01_task-leak").sfreq


def test_links_within_the_dataset_are_followed(own):
    folder = own.root / "sub-01" / "eeg"
    store = own.root / ".store"
    store.mkdir()
    for path in list(folder.iterdir()):
        os.replace(path, store / path.name)
        path.symlink_to(store / path.name)
    recording = BidsTree(own.root).open("sub-01_task-oddball")
    assert recording.sidecars_missing == ()
    assert recording.line_freq == 60.0


def test_folder_that_is_not_there(tmp_path):
    with pytest.raises(RecordingError, match="no such dataset"):
        BidsTree(tmp_path / "nowhere")


def test_derivatives_and_source_data_are_not_recordings(own):
    folder = own.root / "derivatives" / "x" / "sub-09" / "eeg"
    folder.mkdir(parents=True)
    (folder / "sub-09_task-x_eeg.vhdr").write_text("x")
    (own.root / "sub-01" / "eeg" / "sub-01_task-oddball_events.edf").write_text("x")
    assert BidsTree(own.root).recordings() == ("sub-01_task-oddball",)


def test_sessions_and_runs(tmp_path):
    root = tmp_path / "bids"
    for session in ("a", "b"):
        folder = root / "sub-01" / f"ses-{session}" / "eeg"
        folder.mkdir(parents=True)
        for run in (1, 2):
            (folder / f"sub-01_ses-{session}_task-x_run-{run}_eeg.edf").write_text("x")
    tree = BidsTree(root)
    assert len(tree.recordings()) == 4
    assert tree.open("sub-01_ses-b_task-x_run-2").entities["bids_session"] == "b"


def test_placeholders_say_that_data_were_not_fetched():
    tree = BidsTree(shared("realdata", "bids-meta", "nm000110-chbmit"))
    with pytest.raises(RecordingError, match="pointer to data that were not fetched"):
        _ = tree.open(tree.recordings()[0]).sfreq
    empty = BidsTree(shared("realdata", "bids-meta", "bids-examples", "eeg_ds000117"))
    recording = empty.open(empty.recordings()[0])
    assert recording.line_freq == 50.0  # inherited from the root
    with pytest.raises(RecordingError, match="is empty"):
        _ = recording.sfreq


def test_layout_answers_entity_queries(tree):
    names = [f.filename for f in tree.layout.get(subject="02", suffix="events", extension=".tsv")]
    assert names == ["sub-02_task-oddball_events.tsv"]
    assert tiny.SFREQ == tree.open("sub-02_task-oddball").sfreq
