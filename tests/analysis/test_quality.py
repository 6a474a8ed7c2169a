from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.filters import band_pass
from braino_registry.analysis.quality import bad_channels
from braino_registry.analysis.robust import robust_z
from tests import tiny

EEG = list(tiny.EEG)


def recording(**faults: tuple[str, ...]) -> np.ndarray:
    return tiny.signal(3, tiny.Faults(**faults))[: len(EEG)]


def test_planted_faults_are_told_apart():
    raw = recording(noisy=("T8",), flat=("F7",), drifting=("C3",))
    unfiltered = bad_channels(raw, 250.0, EEG)
    assert unfiltered["drifting_channels"] == ["C3"]
    assert "drift" in unfiltered["reasons"]["C3"]
    clean = bad_channels(band_pass(raw, 250.0, 1.0, None), 250.0, EEG)
    assert clean["channels"] == ["F7", "T8"]
    assert clean["flat_channels"] == ["F7"]
    assert clean["noisy_channels"] == ["T8"]
    assert clean["drifting_channels"] == []
    assert clean["reasons"]["F7"] == ["flat"]
    assert {"deviation", "high_frequency_noise"} <= set(clean["reasons"]["T8"])


def test_good_channels_are_left_alone():
    clean = bad_channels(band_pass(recording(), 250.0, 1.0, None), 250.0, EEG)
    assert clean["channels"] == []
    assert [row["channel"] for row in clean["measures"]] == EEG
    assert max(abs(row["deviation_z"]) for row in clean["measures"]) < 3.5


def test_drift_hides_a_noisy_channel_until_it_is_filtered():
    rng = np.random.default_rng(0)
    t = np.arange(15000) / 250
    raw = recording()
    raw += np.outer(rng.uniform(0.5, 2, len(EEG)), 400e-6 * np.sin(2 * np.pi * 0.03 * t))
    raw[EEG.index("Pz")] += 40e-6 * rng.standard_normal(t.size)
    hidden = bad_channels(raw, 250.0, EEG)
    row = next(row for row in hidden["measures"] if row["channel"] == "Pz")
    assert abs(row["deviation_z"]) < 3
    seen = bad_channels(band_pass(raw, 250.0, 1.0, None), 250.0, EEG)
    assert "deviation" in seen["reasons"]["Pz"]


def test_noise_of_a_noisy_channel_is_not_called_drift():
    rng = np.random.default_rng(1)
    raw = recording()
    raw[3] += 400e-6 * rng.standard_normal(15000)
    found = bad_channels(band_pass(raw, 250.0, 1.0, None), 250.0, EEG)
    assert found["noisy_channels"] == [EEG[3]]
    assert found["drifting_channels"] == []


def test_a_channel_that_is_flat_most_of_the_time_is_flat():
    raw = recording()
    raw[5, 3000:] = raw[5, 3000]
    assert "flat" in bad_channels(raw, 250.0, EEG)["reasons"][EEG[5]]


def test_uncorrelated_channel():
    raw = band_pass(recording(), 250.0, 1.0, None)
    raw[4] = np.roll(raw[4], 4321)
    found = bad_channels(raw, 250.0, EEG)
    assert found["reasons"] == {EEG[4]: ["low_correlation"]}


def test_order_is_that_of_the_recording_and_thresholds_count():
    raw = band_pass(recording(noisy=("O2", "F3")), 250.0, 1.0, None)
    assert bad_channels(raw, 250.0, EEG)["channels"] == ["F3", "O2"]
    lax = bad_channels(raw, 250.0, EEG, z_threshold=1e6, min_correlation=0.0)
    assert lax["channels"] == []


def test_correlation_is_the_median_of_one_second_maxima():
    raw = band_pass(recording(), 250.0, 1.0, None)
    found = bad_channels(raw, 250.0, EEG)["measures"][0]["correlation"]
    best = []
    for k in range(60):
        r = np.abs(np.corrcoef(raw[:, k * 250 : (k + 1) * 250]))
        np.fill_diagonal(r, 0)
        best.append(r[0].max())
    assert found == pytest.approx(np.median(best))


def test_scale_of_the_signal_changes_only_absolute_measures():
    raw = band_pass(recording(noisy=("T8",)), 250.0, 1.0, None)
    one, ten = bad_channels(raw, 250.0, EEG), bad_channels(10 * raw, 250.0, EEG)
    assert one["channels"] == ten["channels"]
    for a, b in zip(one["measures"], ten["measures"], strict=True):
        assert b["sd_uv"] == pytest.approx(10 * a["sd_uv"])
        assert b["deviation_z"] == pytest.approx(a["deviation_z"])


def test_short_signals_are_refused():
    with pytest.raises(SignalError, match="too short"):
        bad_channels(np.zeros((4, 1000)), 250.0, list("abcd"))


def test_robust_z_resists_outliers_and_nan():
    values = np.array([1.0, 2.0, 3.0, 4.0, 100.0, np.nan])
    z = robust_z(values)
    assert z[2] == 0.0
    assert z[4] == pytest.approx(97 / 1.4826)
    assert np.isnan(z[5])
    assert robust_z(np.array([1.0, 1.0, 1.0, 2.0]))[3] == 0.0
    assert robust_z(np.array([1.0, 1.0, 1.0, 2.0]), floor=0.5)[3] == pytest.approx(2.0)
