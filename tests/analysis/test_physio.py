from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.physio import blink_rate, heart_rate, r_peaks
from tests.analysis import golden_signals


@pytest.fixture(scope="module")
def ecg() -> np.ndarray:
    found = golden_signals.ecg()
    assert found.sum() == pytest.approx(5050.108993673215, rel=1e-12)
    return found


def test_every_beat_is_found_on_its_sample(ecg):
    truth = np.round(golden_signals.r_times() * 250).astype(int)
    assert np.array_equal(r_peaks(ecg, 250.0), truth)
    assert np.array_equal(r_peaks(-ecg, 250.0), truth)


def test_heart_rate_meets_the_golden_value(ecg, golden):
    found = heart_rate(ecg[None] * 1e-3, 250.0)
    entry = golden["hr_mean_min_max"]
    assert [found["mean_bpm"], found["min_bpm"], found["max_bpm"]] == pytest.approx(
        entry["value"], abs=entry["tol_abs"]
    )
    assert found["n_beats"] == 353
    assert found["rmssd_ms"] == pytest.approx(golden["hrv_RMSSD"]["value"], abs=1e-3)
    intervals = np.diff(golden_signals.r_times()) * 1000
    assert found["sdnn_ms"] == pytest.approx(intervals.std(ddof=1), abs=1e-3)


@pytest.mark.parametrize(("noise_mv", "hum_mv"), [(0.08, 0.0), (0.0, 0.3), (0.05, 0.2)])
def test_noise_hum_and_a_pop_do_not_hide_beats(ecg, noise_mv, hum_mv):
    rng = np.random.default_rng(0)
    t = np.arange(15000) / 250
    x = ecg[:15000] + noise_mv * rng.standard_normal(t.size) + hum_mv * np.sin(2 * np.pi * 50 * t)
    x += 0.5 * np.sin(2 * np.pi * 0.2 * t)
    x[7000:7010] += 8.0
    truth = golden_signals.r_times()
    expected = (60 / np.diff(truth[truth < 60])).mean()
    assert heart_rate(x[None], 250.0)["mean_bpm"] == pytest.approx(expected, abs=1.0)


def test_a_heartbeat_at_half_the_rate(ecg):
    found = heart_rate(ecg[None, ::2], 125.0)
    assert found["n_beats"] == 353
    assert found["mean_bpm"] == pytest.approx(70.895, abs=0.1)


@pytest.mark.parametrize(
    ("data", "sfreq", "problem"),
    [
        (np.zeros((1, 2500)), 250.0, "too few"),
        (np.zeros((2, 2500)), 250.0, "one channel"),
        (np.zeros((1, 500)), 250.0, "too short"),
        (np.zeros((1, 2500)), 50.0, "too slow"),
        (np.zeros((3, 1, 500)), 250.0, "one channel"),
    ],
)
def test_what_cannot_hold_a_heartbeat_is_refused(data, sfreq, problem):
    with pytest.raises(SignalError, match=problem) as error:
        heart_rate(data, sfreq)
    assert error.value.hint


def test_blinks_are_counted():
    eog = golden_signals.eog()
    assert eog.sum() == pytest.approx(127062.49526146144, rel=1e-12)
    found = blink_rate(eog[None] * 1e-6, 250.0)
    assert (found["n_blinks"], found["blinks_per_minute"]) == (14, 14.0)
    assert 120 < found["median_uv"] < 220
    assert blink_rate(-eog[None] * 1e-6, 250.0) == found
    assert blink_rate(eog[None] * 1e-6, 250.0, threshold_uv=500.0)["median_uv"] is None
