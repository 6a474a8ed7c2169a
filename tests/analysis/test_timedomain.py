"""Moments, Hjorth's parameters, field power and drift against SciPy, neurokit2, MNE."""

from __future__ import annotations

import mne
import numpy as np
import pytest
from scipy import stats

from braino_registry.analysis import assessment, timedomain
from braino_registry.analysis.errors import SignalError
from tests.analysis.golden_signals import CH_NAMES, SFREQ


@pytest.fixture(scope="module")
def volts(filtered_uv) -> np.ndarray:
    return filtered_uv[:, 2500:5000] * 1e-6


def column(found: dict, key: str) -> np.ndarray:
    return np.array(list(found[key].values()))


def test_moments_are_those_of_scipy(volts):
    found = timedomain.moments(volts, CH_NAMES)
    uv = volts * 1e6
    np.testing.assert_allclose(column(found, "variance_uv2"), uv.var(axis=1), rtol=1e-12)
    np.testing.assert_allclose(column(found, "skewness"), stats.skew(uv, axis=1), rtol=1e-9)
    np.testing.assert_allclose(column(found, "kurtosis"), stats.kurtosis(uv, axis=1), rtol=1e-9)
    np.testing.assert_allclose(column(found, "rms_uv"), np.sqrt((uv**2).mean(axis=1)), rtol=1e-12)
    assert list(found["kurtosis"]) == CH_NAMES
    assert found["mean"]["kurtosis"] == pytest.approx(column(found, "kurtosis").mean())
    assert set(found) == {*timedomain.MOMENTS, "mean"}


def test_moments_of_a_known_series():
    row = np.array([0.0, 1.0, 0.0, -1.0, -1.0, 1.0]) * 1e-6
    found = timedomain.moments_of(row)
    assert found["line_length_uv"] == pytest.approx(5.0)
    assert found["zero_crossings"] == 2
    assert found["peak_to_peak_uv"] == pytest.approx(2.0)
    assert found["mean_uv"] == pytest.approx(0.0, abs=1e-12)


def test_hjorth_is_that_of_neurokit(volts):
    import neurokit2

    found = timedomain.hjorth(volts, CH_NAMES)
    for name, row in zip(CH_NAMES, volts * 1e6, strict=True):
        complexity, more = neurokit2.complexity_hjorth(row)
        assert found["complexity"][name] == pytest.approx(complexity, rel=1e-9)
        assert found["mobility"][name] == pytest.approx(more["Mobility"], rel=1e-9)
        assert found["activity_uv2"][name] == pytest.approx(more["Activity"], rel=1e-9)
    assert found["mean"]["mobility"] == pytest.approx(column(found, "mobility").mean())


def test_field_power_does_not_depend_on_the_reference(filtered_uv):
    data = filtered_uv * 1e-6
    times = np.arange(data.shape[1]) / SFREQ
    windows = [(0, 20), (20, 40)]
    plain = timedomain.gfp_peaks(data, SFREQ, times, windows=windows)
    info = mne.create_info(CH_NAMES, SFREQ, "eeg")
    raw = mne.io.RawArray(data, info, verbose="error")
    raw.set_eeg_reference("average", verbose="error")
    average = raw.get_data()
    rms = np.sqrt((average**2).mean(axis=0)) * 1e6
    for (begin, end), peak in zip(windows, plain["peaks"], strict=True):
        inside = (times >= begin) & (times < end)
        assert peak["gfp_uv"] == pytest.approx(rms[inside].max())
        assert peak["time"] == pytest.approx(times[inside][rms[inside].argmax()])
    again = timedomain.gfp_peaks(average, SFREQ, times, windows=windows)
    np.testing.assert_allclose(again["values_uv"], plain["values_uv"], rtol=1e-9)


def test_a_planted_field_is_found_at_its_sample():
    times = np.arange(5000) / SFREQ + 30.0  # a view that begins half a minute in
    data = 1e-7 * np.random.default_rng(0).standard_normal((4, 5000))
    data[:2, 1234] += 50e-6
    found = timedomain.gfp_peaks(data, SFREQ, times, windows=[(30.0, 40.0), (40.0, 50.0)])
    assert found["times"][0] == times[1234]
    assert found["values_uv"][0] == pytest.approx(25.0, rel=0.02)
    assert found["values_uv"][1] < 1
    for window in ((29.0, 35.0), (45.0, 50.1)):
        with pytest.raises(SignalError, match="not inside the signal"):
            timedomain.gfp_peaks(data, SFREQ, times, windows=[window])


def test_windows_are_half_open():
    times = np.arange(1000) / SFREQ
    data = np.zeros((2, 1000))
    data[0, 250] = 1e-6  # the sample at 1.0 s belongs to the second window
    found = timedomain.gfp_peaks(data, SFREQ, times, windows=[(0, 1), (1, 2)])
    assert found["values_uv"] == [0.0, pytest.approx(0.5)]
    assert found["times"] == [0.0, 1.0]


def test_drift_is_the_slope_of_scipy_and_the_spread_of_seconds():
    rng = np.random.default_rng(4)
    t = np.arange(15_000) / SFREQ
    data = 5e-6 * rng.standard_normal((2, t.size))
    data[0] += 0.8e-6 * t
    found = timedomain.drift(data, SFREQ, ["drifting", "still"])
    for name, row in zip(("drifting", "still"), data, strict=True):
        slope = stats.linregress(t, row * 1e6).slope
        assert found["slope_uv_per_s"][name] == pytest.approx(slope, rel=1e-9)
    assert found["drift_uv"]["drifting"] == pytest.approx(0.8 * 60 / np.sqrt(12), rel=0.02)
    assert found["drift_uv"]["still"] < 1
    assert found["share"]["drifting"] > 0.8 > 0.1 > found["share"]["still"]
    assert found["median_drift_uv"] == pytest.approx(
        np.mean(list(found["drift_uv"].values()))
    )  # of two


def test_a_partial_last_second_does_not_count():
    data = np.zeros((1, 1000))
    data[0, 750:] = 100e-6
    whole = timedomain.drift(data[:, :750], SFREQ, ["a"])["drift_uv"]["a"]
    assert whole == timedomain.drift(data[:, :999], SFREQ, ["a"])["drift_uv"]["a"] == 0.0
    assert timedomain.drift(data, SFREQ, ["a"])["drift_uv"]["a"] > 40


def test_flat_channels_and_epochs_are_refused(volts):
    flat = volts.copy()
    flat[2] = 7e-6
    for measure in (timedomain.moments, timedomain.hjorth):
        with pytest.raises(SignalError, match=f"flat channels: {CH_NAMES[2]}"):
            measure(flat, CH_NAMES)
        with pytest.raises(SignalError, match="not epochs"):
            measure(volts[None], CH_NAMES)
    with pytest.raises(SignalError, match="two channels or more"):
        timedomain.gfp_peaks(volts[:1], SFREQ, np.arange(2500) / SFREQ, windows=[(0, 1)])


def test_planted_faults_are_assessed():
    rng = np.random.default_rng(5)
    names = ["good", "missing", "flat", "excessive", "drifting", "nothing"]
    data = 10e-6 * rng.standard_normal((6, 5000))
    data[1, :500] = np.nan
    data[2, 1000:4000] = 3e-6
    data[3, ::20] += 400e-6
    data[4] += np.linspace(0, 200e-6, 5000)
    data[5] = np.nan
    found = assessment.assess(data, SFREQ, names)
    assert found["missing"] == ["missing", "nothing"]
    assert found["flat"] == ["flat"]
    assert found["excessive"] == ["excessive"]
    assert found["drifting"] == ["drifting"]
    rows = {row["channel"]: row for row in found["rows"]}
    assert rows["missing"]["missing_percent"] == pytest.approx(10.0)
    assert rows["flat"]["flat_percent"] == pytest.approx(60.0)
    assert rows["excessive"]["excessive_percent"] == pytest.approx(5.0)
    assert rows["drifting"]["slope_uv_per_s"] == pytest.approx(10.0, rel=0.05)
    assert rows["nothing"]["drift_uv"] is None
    assert assessment.assess(data[:1], SFREQ, names[:1])["excessive"] == []


def test_a_course_is_the_rms_of_equal_parts(volts):
    found = np.array(timedomain.course(volts, SFREQ, CH_NAMES)["rms_uv"])
    length = round(SFREQ)
    parts = [volts[:, k : k + length] * 1e6 for k in range(0, volts.shape[1] - length + 1, length)]
    expected = [np.sqrt((part**2).mean(axis=1)).mean() for part in parts]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    shorter = timedomain.course(volts[:, :-3], SFREQ, CH_NAMES)["rms_uv"]
    np.testing.assert_allclose(shorter, found[:-1], rtol=1e-12)


@pytest.mark.parametrize("seconds", [0.0, -1.0, 0.001, 1e6, float("nan")])
def test_parts_that_are_none_have_no_course(volts, seconds):
    with pytest.raises(SignalError):
        timedomain.course(volts, SFREQ, CH_NAMES, seconds=seconds)
