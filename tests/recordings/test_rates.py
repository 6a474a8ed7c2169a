"""Files whose channels were recorded at different rates."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.readers import guess_type
from braino_registry.recordings.tree import BidsTree
from braino_registry.recordings.view_store import ViewStore
from tests import tiny
from tests.shared import shared

ID = "sub-01_task-sleep"


@pytest.fixture
def mixed(tmp_path):
    data = tiny.write_mixed_edf(tmp_path / "bids")
    return BidsTree(tmp_path / "bids"), data


def test_native_rates_and_units(mixed):
    tree, data = mixed
    recording = tree.open(ID)
    assert recording.channel_sfreqs == (100.0, 100.0, 1.0)
    assert recording.ch_types == ("eeg", "eog", "misc")
    assert recording.sfreq == 100.0
    assert recording.duration == 40.0
    fast = recording.read()
    assert fast.shape == (2, 4000)
    np.testing.assert_allclose(fast[0] * 1e6, data["EEG Fpz-Cz"], atol=0.01)
    np.testing.assert_allclose(fast[1] * 1e3, data["EOG horizontal"], atol=1e-4)


def test_slow_channels_are_not_upsampled(mixed):
    tree, data = mixed
    spo2 = tree.open(ID).read(["SpO2"])[0]
    assert spo2.size == 40
    np.testing.assert_allclose(spo2, data["SpO2"], atol=0.002)
    piece = tree.open(ID).read(["SpO2"], 7, 12)[0]
    np.testing.assert_array_equal(piece, spo2[7:12])


def test_rates_cannot_be_mixed(mixed):
    tree, _ = mixed
    with pytest.raises(RecordingError, match="different rates"):
        tree.open(ID).read(["EEG Fpz-Cz", "SpO2"])


def test_view_of_a_slow_channel(mixed):
    tree, data = mixed
    store = ViewStore(tree)
    view = store.get(ID)
    assert view.ch_names == ("EEG Fpz-Cz", "EOG horizontal")
    with pytest.raises(RecordingError, match="recorded at 1 Hz") as error:
        view.data(["SpO2"])
    assert "preprocess.pick" in error.value.hint
    slow = store.derive(view, "pick", {"channels": ["SpO2"]})
    assert slow.sfreq == 1.0
    np.testing.assert_allclose(slow.data()[0], data["SpO2"], atol=0.002)
    cut = store.derive(slow, "window", {"tmin": 10.0, "tmax": 20.0})
    assert cut.data().shape == (1, 10)
    with pytest.raises(RecordingError, match="different rates"):
        store.derive(view, "pick", {"channels": ["SpO2", "EEG Fpz-Cz"]})


@pytest.mark.parametrize(
    ("name", "kind"),
    [("EEG C3-A2", "eeg"), ("VEOG", "eog"), ("EOG L", "eog"), ("EKG", "ecg"), ("ECG II", "ecg"),
     ("EMG chin", "emg"), ("Status", "stim"), ("Cz", "eeg")],
)  # fmt: skip
def test_types_told_by_labels(name, kind):
    assert guess_type(name) == kind
    if kind == "eeg" and name == "Cz":
        assert guess_type(name, voltage=False) == "misc"


def test_polysomnography_with_odd_labels(tmp_path):
    folder = tmp_path / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    shutil.copy(
        shared("realdata", "rsleep", "data", "subject1.edf"),
        folder / "sub-01_task-sleep_eeg.edf",
    )
    recording = BidsTree(tmp_path).open(ID)
    assert len(recording.ch_names) == 89
    assert recording.ch_names[1] == "1 Impédance"
    assert sorted(set(recording.channel_sfreqs)) == [1, 3, 5, 20, 25, 75, 100, 200]
    assert recording.read(["C3"]).shape == (1, 24000)
    assert recording.duration == 120.0


def test_file_of_annotations_only(tmp_path):
    folder = tmp_path / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    shutil.copy(
        shared("realdata", "edfio", "TEST_DATA", "SC4001EC-Hypnogram.edf"),
        folder / "sub-01_task-sleep_eeg.edf",
    )
    with pytest.raises(RecordingError, match=r"no signal|cannot be read"):
        _ = BidsTree(tmp_path).open(ID).sfreq
