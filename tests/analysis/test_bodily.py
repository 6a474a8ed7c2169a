"""Heart, skin, breath, eyes, oxygen and light against libraries and planted events."""

from __future__ import annotations

import warnings

import mne
import numpy as np
import pytest
from scipy import stats

from braino_registry.analysis import bodily, hrv, lagging, nirs, oximetry, sleep_events
from braino_registry.analysis.errors import SignalError
from tests.analysis import golden_signals as signals

V = 1e-6


def test_heart_rate_variability_is_that_of_neurokit():
    import neurokit2

    beats = signals.r_times()
    found = hrv.variability(beats)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = neurokit2.hrv_time(np.round(beats * 1000).astype(int), sampling_rate=1000)
    assert found["rmssd_ms"] == pytest.approx(float(theirs["HRV_RMSSD"].iloc[0]), abs=1e-6)
    assert found["sdnn_ms"] == pytest.approx(float(theirs["HRV_SDNN"].iloc[0]), abs=1e-6)
    assert found["n_beats"] == beats.size


def test_a_planted_rhythm_of_the_heart_lies_in_its_band():
    def beats(hz: float) -> list[float]:
        times = [0.5]
        while times[-1] < 300:
            times.append(times[-1] + 0.8 + 0.05 * np.sin(2 * np.pi * hz * times[-1]))
        return times

    slow, fast = hrv.spectrum(beats(0.1)), hrv.spectrum(beats(0.3))
    assert slow["lf_hf_ratio"] > 10
    assert fast["lf_hf_ratio"] < 0.1
    assert slow["lf_ms2"] == pytest.approx(50**2 / 2, rel=0.15)


def test_too_few_beats():
    with pytest.raises(SignalError, match="must ascend"):
        hrv.variability([1.0, 0.5, 2.0])
    with pytest.raises(SignalError, match="too short"):
        hrv.spectrum(np.arange(0, 30, 0.8).tolist())


def test_planted_desaturations():
    x = np.full(3600, 96.0)
    x[100:110] = 93.0  # at the limit, for exactly ten seconds
    x[200:209] = 90.0  # too short
    x[300:330] = 92.0
    x[310] = np.nan  # ends one and begins another
    found = oximetry.desaturations(x, 1.0, baseline=96.0)
    assert [(e["onset"], e["duration"]) for e in found["events"]] == [
        (100.0, 10.0), (300.0, 10.0), (311.0, 19.0),
    ]  # fmt: skip
    assert found["per_hour"] == pytest.approx(3 / (3599 / 3600))
    # the same at another rate
    fast = oximetry.desaturations(np.repeat(x, 4), 4.0, baseline=96.0)
    assert fast["n"] == 3
    levels = oximetry.levels(x[None], 1.0, below=(91.0,))
    assert levels["minutes_below"] == {"91": pytest.approx(9 / 60)}
    assert levels["min_percent"] == 90.0
    with pytest.raises(SignalError, match="one channel"):
        oximetry.levels(np.full(10, np.nan), 1.0)


def test_skin_responses_are_those_that_were_planted():
    found = bodily.skin_responses(signals.eda()[None], 100.0)
    planted = (8, 20, 40, 66, 78, 88, 100)
    assert [row["time"] for row in found["rows"]] == pytest.approx(
        [onset + 1.35 for onset in planted], abs=0.2
    )
    rise = np.linspace(5, 6, 3000)  # from the start on: when it began is not to be seen
    assert bodily.skin_responses(rise[None], 100.0)["n_responses"] == 0


@pytest.mark.parametrize("hz", [0.15, 0.25, 0.4])
def test_planted_breathing(hz):
    t = np.arange(6000) / 50
    noise = 0.05 * np.random.default_rng(0).standard_normal(t.size)
    found = bodily.breathing((np.sin(2 * np.pi * hz * t) + noise)[None], 50.0)
    assert found["per_minute"] == pytest.approx(60 * hz, rel=0.02)
    assert found["interval_cv"] < 0.05
    with pytest.raises(SignalError, match="breaths are too few"):
        bodily.breathing(np.linspace(0, 1, 6000)[None], 50.0)


def test_breaths_are_those_that_neurokit_finds():
    import neurokit2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, theirs = neurokit2.rsp_peaks(
            neurokit2.rsp_clean(signals.respiration(), sampling_rate=50), sampling_rate=50
        )
    found = bodily.breathing(signals.respiration()[None], 50.0)
    assert abs(found["n_breaths"] - len(theirs["RSP_Peaks"])) <= 2  # theirs leaves out the ends
    assert found["per_minute"] == pytest.approx(15.0, abs=0.2)


def test_blinks_and_slow_eye_movements():
    found = bodily.blinks(signals.eog()[None] * V, 250.0)
    assert found["n_blinks"] == 14
    assert found["mean_duration_s"] == pytest.approx(0.186, abs=0.02)
    none = bodily.blinks(1e-6 * np.random.default_rng(0).standard_normal((1, 5000)), 250.0)
    assert (none["n_blinks"], none["mean_duration_s"]) == (0, None)
    t = np.arange(15_000) / 250
    wave = 30e-6 * np.sin(2 * np.pi * 0.3 * t)
    assert bodily.slow_power(wave[None], 250.0)["power_uv2"] == pytest.approx(450, rel=0.02)


def test_light_becomes_haemoglobin_as_in_mne():
    data = signals.fnirs()
    info = mne.create_info(["S1_D1 760", "S1_D1 850"], 10.0, "fnirs_cw_amplitude")
    for channel, wavelength in zip(info["chs"], (760.0, 850.0), strict=True):
        channel["loc"][:] = 0
        channel["loc"][3:6], channel["loc"][6:9] = (0, 0, 0), (0.03, 0, 0)
        channel["loc"][9] = wavelength
    raw = mne.io.RawArray(data, info, verbose="error")
    density = mne.preprocessing.nirs.optical_density(raw, verbose="error")
    ours = nirs.optical_density(data, data.mean(axis=1))
    np.testing.assert_allclose(ours, density.get_data(), atol=1e-12)
    theirs = mne.preprocessing.nirs.beer_lambert_law(density, ppf=6.0).get_data() * 1e6
    found = nirs.haemoglobin(data, [760, 850], distance_m=0.03, path_factor=6.0)
    np.testing.assert_allclose(found, theirs, rtol=1e-3, atol=1e-4)
    with pytest.raises(SignalError, match="no absorption is known for"):
        nirs.haemoglobin(data, [760, 840], distance_m=0.03, path_factor=6.0)
    with pytest.raises(SignalError, match="not above 0"):
        nirs.optical_density(-data, data.mean(axis=1))


@pytest.mark.parametrize("lag", [-9, 0, 7])
def test_a_planted_lag_is_found(lag):
    rng = np.random.default_rng(1)
    z = np.convolve(rng.standard_normal(400), np.ones(5), mode="valid")
    x, y = z[50:350], z[50 - lag : 350 - lag] + 0.3 * rng.standard_normal(300)
    found = lagging.lagged_correlation(x, y)
    assert found["lag_samples"] == lag
    left, right = (x[: 300 - lag], y[lag:]) if lag >= 0 else (x[-lag:], y[: 300 + lag])
    assert found["r"] == pytest.approx(stats.pearsonr(left, right).statistic)
    assert len(found["rows"]) == 41
    with pytest.raises(SignalError, match="no lag"):
        lagging.lagged_correlation(x, y, max_lag=-1)


def test_lines_are_those_of_scipy():
    x, y = signals.lagged()
    found, theirs = lagging.regression(x, y), stats.linregress(x, y)
    assert found["slope"] == pytest.approx(theirs.slope)
    assert found["intercept"] == pytest.approx(theirs.intercept)
    assert found["r_squared"] == pytest.approx(theirs.rvalue**2)


def test_spindles_and_slow_waves_are_named_in_seconds_and_microvolts():
    data = signals.sleep_eeg() * V
    found = sleep_events.spindles(data, 100.0)
    for onset, event in zip(signals.SPINDLES, found, strict=True):
        assert event["onset"] == pytest.approx(onset, abs=0.5)
        assert 20 < event["amplitude_uv"] < 150
    waves = sleep_events.slow_waves(data, 100.0)
    for onset, event in zip(signals.SLOW_WAVES, waves, strict=True):
        assert event["onset"] == pytest.approx(onset, abs=0.3)
        assert 150 < event["amplitude_uv"] < 350
    assert sleep_events.spindles(data * 1e-3, 100.0) == []


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "yasa", None)
    with pytest.raises(SignalError, match="yasa is not installed") as error:
        sleep_events.spindles(np.zeros(3000), 100.0)
    assert "sleep" in error.value.hint
