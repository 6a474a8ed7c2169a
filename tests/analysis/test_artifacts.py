from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.artifacts import clipping, segments
from braino_registry.analysis.errors import SignalError
from tests import tiny

EEG = list(tiny.EEG)
TIMES = np.arange(15000) / 250.0


def recording() -> np.ndarray:
    return tiny.signal(5)[: len(EEG)]


def test_saturation_is_found_with_its_onset():
    x = recording()
    slow = 150e-6 * np.sin(2 * np.pi * 0.15 * TIMES)
    late = TIMES >= 20.0
    for name, limit in (("C3", 60e-6), ("O2", 45e-6)):
        row = x[EEG.index(name)]
        row[late] = np.clip(row[late] + slow[late], -limit, limit)
    found = clipping(x, EEG, TIMES)
    assert found["channels"] == ["C3", "O2"]
    rows = {row["channel"]: row for row in found["rows"]}
    assert rows["C3"]["upper_uv"] == pytest.approx(60.0, abs=1e-3)
    assert rows["O2"]["lower_uv"] == pytest.approx(-45.0, abs=1e-3)
    at_limit = np.abs(x[EEG.index("C3")]) >= 60e-6 - 1e-12
    assert rows["C3"]["share_percent"] == pytest.approx(100 * at_limit.mean(), rel=0.02)
    assert rows["C3"]["onset"] == pytest.approx(TIMES[at_limit][0], abs=0.1)
    assert rows["C3"]["onset"] >= 20.0
    assert rows["Fz"]["onset"] is None


def test_blinks_beyond_the_limit_before_it_clips_do_not_hide_it():
    x = recording()
    row = x[EEG.index("Fz")]
    row[1000:1075] += 300e-6 * np.hanning(75)
    late = TIMES >= 30.0
    row[late] = np.clip(row[late] + 90e-6 * np.sin(2 * np.pi * 0.4 * TIMES[late]), -50e-6, 50e-6)
    assert clipping(x, EEG, TIMES)["channels"] == ["Fz"]


@pytest.mark.parametrize("step_uv", [0.0, 0.1, 1.0, 2.0])
def test_coarse_resolution_is_no_saturation(step_uv):
    x = recording()
    if step_uv:
        x = np.round(x / (step_uv * 1e-6)) * step_uv * 1e-6
    x[0] = 0.0  # flat
    x[1, 4000:5000] = 0.0  # a gap
    x[2] += 200e-6 * np.sin(2 * np.pi * 0.05 * TIMES)
    assert clipping(x, EEG, TIMES)["channels"] == []


def whole_numbers(seed: int, amplitude_uv: float) -> np.ndarray:
    """Return slow channels in whole µV that end in zeros, as some archives hold them."""
    from scipy.signal import butter, sosfiltfilt

    noise = np.random.default_rng(seed).standard_normal((len(EEG), 9760))
    slow = sosfiltfilt(butter(2, 12, fs=160.0, output="sos"), np.cumsum(noise, axis=1) * 0.05)
    slow = slow - sosfiltfilt(butter(2, 0.5, fs=160.0, output="sos"), slow)
    x = np.round(slow / slow.std(axis=1, keepdims=True) * amplitude_uv)
    x[:, -128:] = 0
    return x * 1e-6


@pytest.mark.parametrize("amplitude_uv", [6.0, 15.0, 50.0])
@pytest.mark.parametrize("seed", range(5))
def test_whole_numbers_and_a_padded_end_are_no_saturation(seed, amplitude_uv):
    times = np.arange(9760) / 160.0
    x = whole_numbers(seed, amplitude_uv)
    assert clipping(x, EEG, times)["channels"] == []
    limit = np.round(1.2 * amplitude_uv) * 1e-6
    x[3] = np.clip(x[3], -limit, limit)
    x[5] = np.minimum(x[5], limit)
    found = clipping(x, EEG, times)
    assert found["channels"] == [EEG[3], EEG[5]]
    rows = {row["channel"]: row for row in found["rows"]}
    assert rows[EEG[3]]["lower_uv"] == pytest.approx(-limit * 1e6)
    assert rows[EEG[5]]["lower_uv"] is None


def test_the_noisiest_stretch_and_the_gap_are_found():
    from scipy.signal import butter, sosfiltfilt

    x = recording()
    rng = np.random.default_rng(2)
    sections = butter(4, [20, 100], "bandpass", fs=250, output="sos")
    x[:, 5000:7500] += 15e-6 * sosfiltfilt(sections, rng.standard_normal((len(EEG), 2500)))
    x[:, 10000:10500] = 0.0
    found = segments(x, 250.0, TIMES)
    assert found["n_windows"] == 12
    assert [(s["onset"], s["duration"]) for s in found["stretches"]] == [(20.0, 10.0), (40.0, 5.0)]
    assert found["stretches"][0]["reasons"][0] == "muscle"
    assert found["stretches"][1]["reasons"] == ["flat"]
    assert found["noisiest"]["onset"] in (20.0, 25.0)
    fine = segments(x, 250.0, TIMES, window_s=1.0)
    assert [s["onset"] for s in fine["stretches"]] == [20.0, 40.0]
    assert [s["duration"] for s in fine["stretches"]] == [10.0, 2.0]
    # RMS of 30–45 Hz by an independent filter
    inner = sosfiltfilt(butter(8, [30, 45], "bandpass", fs=250, output="sos"), x, axis=1)
    rms = np.median(inner[:, 5250:7250].std(axis=1)) * 1e6
    assert found["noisiest"]["muscle_uv"] == pytest.approx(rms, rel=0.25)


def test_a_clean_recording_has_no_stretch():
    found = segments(recording(), 250.0, TIMES)
    assert found["stretches"] == []
    assert found["n_flagged"] == 0


def test_a_movement_is_told_by_its_amplitude():
    x = recording()
    x[:, 6000:6500] += 400e-6 * np.hanning(500)
    assert segments(x, 250.0, TIMES)["stretches"] == [
        {"onset": 20.0, "duration": 10.0, "reasons": ["amplitude"]}
    ]


def test_windows_stay_on_the_grid_of_the_recording():
    x = recording()
    found = segments(x[:, 817:], 250.0, TIMES[817:])
    assert found["windows"][0]["onset"] == 5.0
    assert all(window["onset"] % 5 == 0 for window in found["windows"])


def test_too_little_to_compare_is_refused():
    with pytest.raises(SignalError, match="too few"):
        segments(recording()[:, :5000], 250.0, TIMES[:5000])
    with pytest.raises(SignalError, match="64 Hz"):
        segments(recording(), 64.0, np.arange(15000) / 64)
