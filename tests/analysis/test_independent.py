"""Analyses against libraries that compute the same in their own way."""

from __future__ import annotations

import mne
import numpy as np
import pytest
from scipy import signal, stats

from braino_registry.analysis import aperiodic, artifacts, events, hum, physio, quality, robust
from tests import tiny
from tests.analysis import golden_signals
from tests.tools import body

EEG = list(tiny.EEG)


@pytest.fixture(scope="module")
def recording() -> np.ndarray:
    return tiny.signal(5)[: len(EEG)]


def power_law(exponent: float, seed: int, n: int = 60_000, sfreq: float = 250.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    freqs = np.fft.rfftfreq(n, 1 / sfreq)
    shape = np.where(freqs > 0, np.maximum(freqs, 0.1) ** (-exponent / 2), 0)
    spectrum = shape * (rng.standard_normal(freqs.size) + 1j * rng.standard_normal(freqs.size))
    return 1e-3 * np.fft.irfft(spectrum, n)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_the_aperiodic_exponent_is_theil_and_sen_s_slope(exponent):
    x = power_law(exponent, 3) + 1e-6 * np.sin(2 * np.pi * 10 * np.arange(60_000) / 250)
    found = aperiodic.aperiodic(x[None], 250.0, ["Pz"], fmin=2.0, fmax=40.0)
    psd, freqs = mne.time_frequency.psd_array_welch(
        x * 1e6, 250.0, fmin=2.0, fmax=40.0, n_fft=1000, n_overlap=500, window="hann",
        verbose="error",
    )  # fmt: skip
    keep = (freqs < 7) | (freqs > 14)
    slope = stats.theilslopes(np.log10(psd[keep]), np.log10(freqs[keep]))
    assert found["exponent"] == pytest.approx(-slope.slope, abs=0.05)
    assert found["exponent"] == pytest.approx(exponent, abs=0.1)


def test_coherence_is_that_of_matplotlib():
    from matplotlib import mlab

    common, rng = power_law(1.0, 1), np.random.default_rng(2)
    pair = np.stack([common + 1e-6 * rng.standard_normal(60_000) for _ in range(2)])
    found = aperiodic.coherence(pair, 250.0, fmin=8.0, fmax=13.0)
    values, freqs = mlab.cohere(
        pair[0], pair[1], NFFT=500, Fs=250, noverlap=250, detrend="mean",
        window=signal.get_window("hann", 500),
    )  # fmt: skip
    band = (freqs >= 8) & (freqs <= 13)
    assert found["coherence"] == pytest.approx(values[band].mean(), rel=1e-6)


def test_heartbeats_are_those_that_mne_finds():
    ecg = golden_signals.ecg()
    info = mne.create_info(["ECG"], 250.0, "ecg")
    raw = mne.io.RawArray(ecg[None] * 1e-3, info, verbose="error")
    theirs = mne.preprocessing.find_ecg_events(raw, ch_name="ECG", verbose="error")[0][:, 0]
    ours = physio.r_peaks(ecg, 250.0)
    # theirs are beats, and all but a few
    assert np.abs(theirs[:, None] - ours[None]).min(axis=1).max() <= 2
    assert 0.98 * len(ours) < len(theirs) <= len(ours)


def test_blinks_are_those_that_mne_finds():
    veog = body.signal()["all"][body.CHANNELS.index("VEOG")]
    info = mne.create_info(["VEOG"], body.SFREQ, "eog")
    raw = mne.io.RawArray(veog[None], info, verbose="error")
    theirs = mne.preprocessing.find_eog_events(raw, ch_name="VEOG", thresh=1e-4, verbose="error")
    assert physio.blink_rate(veog[None], body.SFREQ)["n_blinks"] == len(theirs)


def test_edges_are_those_that_mne_finds():
    rng = np.random.default_rng(0)
    line = np.zeros(20_000)
    for onset in np.cumsum(rng.integers(100, 400, 60)):
        line[onset : onset + 40] = 1
    info = mne.create_info(["STI"], 500.0, "stim")
    raw = mne.io.RawArray(line[None], info, verbose="error")
    theirs = mne.find_events(raw, initial_event=True, verbose="error")[:, 0] / 500.0
    found = events.edges(line[None] + 0.01 * rng.standard_normal((1, 20_000)), raw.times)
    np.testing.assert_allclose(found["onsets"], theirs, atol=1e-9)


def test_hum_is_the_amplitude_of_the_line(recording):
    """The RMS of a sinusoid is its amplitude over the root of two; the fit of it says the same."""
    t = np.arange(recording.shape[1]) / 250.0
    x = recording.copy()
    x[3] += 20e-6 * np.sin(2 * np.pi * 50 * t)
    rows = {row["channel"]: row for row in hum.hum_by_channel(x, 250.0, EEG)["rows"]}
    design = np.stack([np.sin(2 * np.pi * 50 * t), np.cos(2 * np.pi * 50 * t)], axis=1)
    fitted = np.linalg.lstsq(design, x[3], rcond=None)[0]
    assert rows[EEG[3]]["hum_uv"] == pytest.approx(
        1e6 * np.linalg.norm(fitted) / np.sqrt(2), rel=0.05
    )


def test_muscle_is_the_power_that_welch_finds(recording):
    times = np.arange(recording.shape[1]) / 250.0
    found = artifacts.segments(recording, 250.0, times, window_s=5.0)
    for k, window in enumerate(found["windows"]):
        piece = recording[:, k * 1250 : (k + 1) * 1250]
        freqs, psd = signal.periodogram(piece, 250.0, window="hann", detrend="constant")
        band = (freqs >= 30) & (freqs <= 45)
        rms = np.sqrt(psd[:, band].sum(axis=1) * freqs[1])
        assert window["muscle_uv"] == pytest.approx(1e6 * np.median(rms), rel=0.02)
        assert window["peak_to_peak_uv"] == pytest.approx(1e6 * np.median(np.ptp(piece, axis=1)))


def test_robust_z_scales_as_scipy_does():
    x = np.random.default_rng(4).standard_t(2, 200)
    scale = stats.median_abs_deviation(x, scale="normal")
    # 1.4826 is the usual rounding of the factor
    np.testing.assert_allclose(robust.robust_z(x), (x - np.median(x)) / scale, rtol=1e-4)


def test_correlations_of_channels_are_numpy_s(recording):
    measured = quality.measure(recording, 250.0)
    best = []
    for k in range(recording.shape[1] // 250):
        r = np.abs(np.corrcoef(recording[:, k * 250 : (k + 1) * 250]))
        np.fill_diagonal(r, 0)
        best.append(r.max(axis=1))
    np.testing.assert_allclose(measured.correlation, np.median(best, axis=0), atol=1e-9)
    np.testing.assert_allclose(measured.sd_uv, stats.tstd(recording, axis=1, ddof=0) * 1e6)
