from __future__ import annotations

import json

import numpy as np
import pytest

from braino_registry.analysis import spectra
from braino_registry.analysis.errors import SignalError
from braino_registry.errors import UsageError
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.operations import operations, versions
from tests import tiny
from tests.shared import shared

ID = "sub-01_task-oddball"


def test_a_pipeline_from_file_to_number(dataset):
    ops = operations(dataset.root)
    raw = ops["recordings.open"](recording=ID)
    clean = ops["recordings.filter"](view=raw, l_freq=0.5, h_freq=30.0)
    epochs = ops["recordings.epochs"](
        view=clean["view"], event="target", tmin=-0.2, tmax=0.8, baseline=[-0.2, 0.0]
    )
    found = ops["erp.peak"](view=epochs, channel="Pz", tmin=0.2, tmax=0.6)
    # planted: 12 µV at 0.4 s; ten trials leave some noise, the rest of the back's alpha
    assert found["latency"] == pytest.approx(tiny.P3_LATENCY, abs=0.05)
    assert found["amplitude_uv"] == pytest.approx(tiny.P3_UV, abs=5)
    assert epochs["n_epochs"] == 10
    json.dumps([raw, clean, epochs, found])  # steps pass nothing but JSON


def test_analyses_take_a_view_and_channels(dataset):
    ops = operations(dataset.root)
    found = ops["spectra.band_power"](view=ID, channels=["O1", "Oz", "O2"], fmin=8, fmax=13)
    index = [tiny.CHANNELS.index(name) for name in ("O1", "Oz", "O2")]
    expected = spectra.band_powers(
        dataset.data[ID][index], 250.0, ["O1", "Oz", "O2"], fmin=8, fmax=13
    )
    assert found["relative"] == pytest.approx(expected["relative"], rel=1e-5)
    assert ops["spectra.line_noise"](view=ID)["frequency_hz"] == tiny.LINE_HZ
    peak = ops["spectra.peak"](view=ID, channels=["Oz"], fmin=7, fmax=14)
    assert peak["frequency_hz"] == pytest.approx(tiny.ALPHA_HZ, abs=0.05)


def test_eeg_channels_are_the_default(dataset):
    rows = operations(dataset.root)["spectra.band_power"](view=ID, fmin=8, fmax=13)["per_channel"]
    assert [row["channel"] for row in rows] == list(tiny.EEG)


def test_statistics_take_no_view(dataset):
    ops = operations(dataset.root)
    assert ops["stats.correct"](p_values=[0.01, 0.04], method="holm")["n_significant"] == 2


def test_steps_equal_views(dataset):
    ops = operations(dataset.root)
    view = ops["recordings.crop"](view=ID, tmin=1.0, tmax=3.0)
    view = ops["recordings.reference"](view=view)
    view = ops["recordings.notch"](view=view, freqs=[50.0])
    view = ops["recordings.pick"](view=view, channels=["Pz"])
    view = ops["recordings.resample"](view=view, sfreq=125.0)
    assert (view["duration"], view["sfreq"], view["ch_names"]) == (2.0, 125.0, ["Pz"])
    events = ops["recordings.events"](view=ID)
    assert events["counts"] == {"target": 10, "standard": 19}


def test_the_dataset_may_be_named_when_it_is_opened(dataset):
    ops = operations()
    with pytest.raises(UsageError, match="no dataset is open"):
        ops["recordings.filter"](view=ID, l_freq=1.0)
    opened = ops["recordings.open"](recording=ID, tree=str(dataset.root))
    assert opened["n_channels"] == 17


def test_each_call_has_views_of_its_own(dataset):
    one, two = operations(dataset.root), operations(dataset.root)
    view = one["recordings.filter"](view=ID, l_freq=1.0)
    with pytest.raises(RecordingError, match="view-1"):
        two["spectra.line_noise"](view=view)


def test_wrong_parameters_are_named(dataset):
    with pytest.raises(SignalError, match="no parameter 'fmni'") as error:
        operations(dataset.root)["spectra.band_power"](view=ID, fmni=8, fmax=13)
    assert "fmin" in error.value.hint


def test_every_operation_has_a_version(dataset):
    assert set(versions()) == set(operations(dataset.root))
    assert versions()["recordings.filter"].count(".") == 2


def test_occipital_alpha_of_real_recordings(tmp_path):
    folder = tmp_path / "sub-001" / "eeg"
    folder.mkdir(parents=True)
    ops = None
    relative = {}
    for run in ("1", "2"):
        source = shared("realdata", "eegmmi-pyprep", "test_data", f"S001R0{run}.edf")
        (folder / f"sub-001_task-rest_run-{run}_eeg.edf").write_bytes(source.read_bytes())
    ops = operations(tmp_path)
    for run in ("1", "2"):
        relative[run] = ops["spectra.band_power"](
            view=f"sub-001_task-rest_run-{run}", channels=["O1..", "Oz..", "O2.."], fmin=8, fmax=13
        )["relative"]
    assert relative["1"] == pytest.approx(0.146, abs=0.001)
    assert relative["2"] == pytest.approx(0.652, abs=0.001)


def test_p3_of_a_real_recording(tmp_path):
    folder = tmp_path / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    source = shared("realdata", "eeglab", "eeglab_data.set")
    (folder / "sub-01_task-x_eeg.set").write_bytes(source.read_bytes())
    data = source.with_name("eeglab_data.fdt").read_bytes()
    (folder / "eeglab_data.fdt").write_bytes(data)
    ops = operations(tmp_path)
    assert ops["recordings.events"](view="sub-01_task-x")["counts"] == {"square": 80, "rt": 74}
    epochs = ops["recordings.epochs"](
        view="sub-01_task-x", event="square", tmin=-0.2, tmax=0.8, baseline=[-0.2, 0.0]
    )
    found = ops["erp.peak"](view=epochs, channel="Pz", tmin=0.2, tmax=0.7)
    assert found["latency"] == pytest.approx(0.430, abs=0.008)
    assert found["amplitude_uv"] == pytest.approx(31.2, abs=0.2)


def test_the_tiny_dataset_of_mne_bids():
    ops = operations(shared("realdata", "mne-bids-tiny", "tiny_bids"))
    opened = ops["recordings.open"](recording="sub-01_ses-eeg_task-rest")
    assert opened["bads"] == ["PO10"]
    assert (opened["sfreq"], opened["duration"], opened["line_freq"]) == (5000.0, 2.0, 60.0)
    assert opened["ch_types"] == {"eeg": 64, "ecg": 1, "eog": 2, "gsr": 1, "temperature": 1}
    assert np.isfinite(ops["spectra.band_power"](
        view=opened, fmin=8, fmax=13, segment_seconds=2.0
    )["relative"])  # fmt: skip
