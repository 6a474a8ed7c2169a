from __future__ import annotations

import mne
import numpy as np
import pytest

from braino_registry.analysis import epochs as ep
from braino_registry.analysis import erp
from braino_registry.analysis.errors import SignalError
from tests.analysis.golden_signals import p300_trials


def test_p300_of_fixed_trials():
    trials, times = p300_trials()
    data = ep.subtract_baseline(trials[:, None, :] * 1e-6, -50, 250.0, (-0.2, 0.0))
    found = erp.peak(data, times, ["Pz"], channel="Pz", tmin=0.25, tmax=0.5, rule="largest")
    by_hand = (trials - trials[:, times < 0].mean(axis=1, keepdims=True)).mean(axis=0)
    window = (times >= 0.25) & (times <= 0.5)
    assert found["amplitude_uv"] == pytest.approx(by_hand[window].max(), rel=1e-12)
    assert found["latency"] == times[window][np.argmax(by_hand[window])]
    assert found["latency"] == pytest.approx(0.36, abs=0.03)


def wave(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([values]) * 1e-6, np.arange(len(values)) / 100


def test_local_peak_is_not_fooled_by_a_slope_into_the_window():
    data, times = wave([9, 8, 7, 2, 3, 5, 3, 1, 0, 0])
    found = erp.peak(data, times, ["Pz"], channel="Pz", tmin=0.02, tmax=0.08)
    assert (found["amplitude_uv"], found["latency"]) == pytest.approx((5, 0.05))
    assert found["local"]
    largest = erp.peak(data, times, ["Pz"], channel="Pz", tmin=0.02, tmax=0.08, rule="largest")
    assert (largest["amplitude_uv"], largest["local"]) == (pytest.approx(7), False)


def test_without_a_local_peak_the_largest_sample_is_given_and_marked():
    data, times = wave([0, 1, 2, 3, 4, 5])
    found = erp.peak(data, times, ["Pz"], channel="Pz", tmin=0.01, tmax=0.05)
    assert (found["amplitude_uv"], found["local"]) == (pytest.approx(5), False)


def test_negative_peaks_keep_their_sign():
    data, times = wave([0, -1, -6, -2, 0, 3, 0])
    found = erp.peak(data, times, ["Pz"], channel="Pz", tmin=0, tmax=0.06, polarity="negative")
    assert (found["amplitude_uv"], found["latency"]) == pytest.approx((-6, 0.02))


def test_of_equal_peaks_the_earliest():
    data, times = wave([0, 4, 0, 4, 0])
    found = erp.peak(data, times, ["Pz"], channel="Pz", tmin=0, tmax=0.04)
    assert found["latency"] == pytest.approx(0.01)


def test_a_plateau_is_no_local_peak_but_its_edge_is():
    data, times = wave([1, 1, 1, 1])
    assert not erp.peak(data, times, ["Pz"], channel="Pz", tmin=0, tmax=0.03)["local"]


def test_mean_amplitude_of_several_channels():
    data = np.stack([np.full(10, 2e-6), np.full(10, 4e-6), np.full(10, 100e-6)])
    times = np.arange(10) / 100
    names = ["P3", "P4", "Fp1"]
    found = erp.mean_amplitude(data, times, names, channel=["P3", "P4"], tmin=0.02, tmax=0.05)
    assert found["amplitude_uv"] == pytest.approx(3)


def test_unknown_channel_overlooks_case():
    with pytest.raises(SignalError) as error:
        erp.mean_amplitude(
            np.zeros((1, 5)), np.arange(5) / 100, ["Pz"], channel="PZ", tmin=0, tmax=0.02
        )
    assert "Did you mean 'Pz'" in error.value.hint


def test_epochs_equal_those_of_mne():
    rng = np.random.default_rng(0)
    data = rng.standard_normal((3, 5000)) * 1e-6
    samples = [3, 500, 1200, 4990]
    raw = mne.io.RawArray(data, mne.create_info(3, 250.0, "eeg"), verbose="error")
    events = np.array([[s, 0, 1] for s in samples])
    reference = mne.Epochs(
        raw, events, tmin=-0.2, tmax=0.796, baseline=None, preload=True, verbose="error"
    )
    start, stop = -50, 200
    kept = ep.complete(samples, start, stop, 5000)
    assert kept == [500, 1200]
    np.testing.assert_allclose(ep.cut(data, kept, start, stop), reference.get_data())
    np.testing.assert_allclose(ep.epoch_times(start, stop, 250.0), reference.times)


def test_baseline_is_half_open():
    epochs = np.zeros((1, 1, 5))
    epochs[..., 2] = 10.0  # the event's own sample
    out = ep.subtract_baseline(epochs, -2, 100.0, (-0.02, 0.0))
    np.testing.assert_array_equal(out, epochs)
    out = ep.subtract_baseline(epochs, -2, 100.0, (-0.02, 0.01))
    assert out[0, 0, 0] == pytest.approx(-10 / 3)
    with pytest.raises(SignalError, match="not inside the epoch"):
        ep.subtract_baseline(epochs, -2, 100.0, (-0.05, 0.0))


def test_onsets_go_to_the_nearest_sample():
    assert ep.event_samples([0.0, 0.0039, 1.0021], 250.0) == [0, 1, 251]
