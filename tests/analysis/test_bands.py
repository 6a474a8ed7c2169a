"""Features of spectra against MNE, SciPy and planted rhythms."""

from __future__ import annotations

import mne
import numpy as np
import pytest
from scipy import signal

from braino_registry.analysis import bands
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.spectra import welch_psd
from tests.analysis.golden_signals import CH_NAMES, SFREQ

O2 = CH_NAMES.index("O2")


@pytest.fixture(scope="module")
def volts(filtered_uv) -> np.ndarray:
    return filtered_uv * 1e-6


def mne_psd(data: np.ndarray, seconds: float = 4.0) -> tuple[np.ndarray, np.ndarray]:
    n = round(seconds * SFREQ)
    psd, freqs = mne.time_frequency.psd_array_welch(
        data, SFREQ, fmin=0.5, fmax=45.0, n_fft=n, n_overlap=n // 2, window="hann", verbose="error"
    )
    return psd * 1e12, freqs


def power(psd: np.ndarray, freqs: np.ndarray, low: float, high: float) -> np.ndarray:
    mask = (freqs >= low) & (freqs <= high)
    return np.trapezoid(psd[..., mask], freqs[mask], axis=-1)


@pytest.mark.parametrize("seconds", [2.0, 4.0])
def test_powers_are_those_of_mne(volts, seconds):
    found = bands.powers(volts, SFREQ, CH_NAMES, segment_seconds=seconds)
    psd, freqs = mne_psd(volts, seconds)
    alpha = power(psd, freqs, 8, 13)
    np.testing.assert_allclose(list(found["absolute_uv2"]["alpha"].values()), alpha, rtol=1e-9)
    shares = alpha / power(psd, freqs, 0.5, 40)
    np.testing.assert_allclose(list(found["relative"]["alpha"].values()), shares, rtol=1e-9)
    assert found["mean_relative"]["alpha"] == pytest.approx(shares.mean(), rel=1e-9)
    one = bands.relative(volts, SFREQ, CH_NAMES, fmin=8, fmax=13, segment_seconds=seconds)
    assert one["values"] == found["relative"]["alpha"]
    assert one["mean"] == found["mean_relative"]["alpha"]


def test_ratios_are_averaged_and_not_averages(volts):
    found = bands.ratio(volts, SFREQ, CH_NAMES, numerator=(8, 13), denominator=(13, 30))
    psd, freqs = mne_psd(volts)
    above, below = power(psd, freqs, 8, 13), power(psd, freqs, 13, 30)
    assert found["mean"] == pytest.approx((above / below).mean(), rel=1e-9)
    assert found["ratio_of_means"] == pytest.approx(above.mean() / below.mean(), rel=1e-9)
    assert found["mean"] != pytest.approx(found["ratio_of_means"], rel=1e-3)


def test_edges_are_where_the_cumulative_power_of_scipy_is(volts):
    from scipy.integrate import cumulative_trapezoid

    found = bands.edge(volts, SFREQ, CH_NAMES, share=0.95)
    psd, freqs = mne_psd(volts)
    mask = freqs <= 40
    for row, edge in zip(psd[:, mask], found["values"].values(), strict=True):
        summed = cumulative_trapezoid(row, freqs[mask], initial=0)
        assert edge == freqs[mask][np.argmax(summed >= 0.95 * summed[-1])]


@pytest.mark.parametrize("true_hz", [8.4, 9.25, 10.0, 11.3])
def test_a_planted_peak_is_found_on_the_grid(true_hz):
    rng = np.random.default_rng(1)
    t = np.arange(15_000) / SFREQ
    data = 5e-6 * rng.standard_normal((3, t.size)) + 20e-6 * np.sin(2 * np.pi * true_hz * t)
    found = bands.personal_band(data, SFREQ, ["O1", "Oz", "O2"], half_width=2.0)
    assert abs(found["frequency_hz"] - true_hz) <= 0.125
    assert found["band"] == [found["frequency_hz"] - 2, found["frequency_hz"] + 2]
    freqs, psd = welch_psd(data, SFREQ)
    mask = (freqs >= found["band"][0]) & (freqs <= found["band"][1])
    whole = (freqs >= 0.5) & (freqs <= 40)
    share = np.trapezoid(psd[:, mask], freqs[mask]) / np.trapezoid(psd[:, whole], freqs[whole])
    assert found["mean"] == pytest.approx(share.mean())
    assert found["mean"] > 0.5


def test_no_peak_is_no_personal_band():
    rng = np.random.default_rng(2)
    data = np.cumsum(rng.standard_normal((2, 60_000)), axis=1) * 1e-6  # falls without a rhythm
    with pytest.raises(SignalError, match="no spectral peak between 4 and 5 Hz"):
        bands.personal_band(data, SFREQ, ["a", "b"], fmin=4, fmax=5)


def test_planted_bands_dominate_in_their_order():
    rng = np.random.default_rng(3)
    t = np.arange(15_000) / SFREQ
    data = 1e-7 * rng.standard_normal((2, t.size))
    for amplitude, hz in ((9e-6, 20.0), (6e-6, 6.0), (3e-6, 10.0)):
        data += amplitude * np.sin(2 * np.pi * hz * t)
    found = bands.dominant(data, SFREQ)
    assert found["names"][:3] == ["beta", "theta", "alpha"]
    assert (found["first"], found["second"]) == ("beta", "theta")
    assert found["margin"] == pytest.approx(1 - 36 / 81, abs=0.01)
    assert found["values"]["beta"] == pytest.approx(40.5, rel=0.02)  # half the squared amplitude


def test_equal_bands_keep_the_order_given():
    freqs = np.arange(0, 50, 0.25)
    flat = np.ones_like(freqs) * 1e-12
    same = {"b": (1.0, 4.0), "a": (11.0, 14.0)}
    assert bands.dominant_of(freqs, flat, same)["names"] == ["b", "a"]
    swapped = dict(reversed(same.items()))
    assert bands.dominant_of(freqs, flat, swapped)["names"] == ["a", "b"]


def test_a_notch_lowers_its_own_line_alone(eeg_uv):
    row = eeg_uv[[O2]] * 1e-6
    matched = bands.notch_attenuation(row, SFREQ, ["O2"], notch_hz=50)["mean_db"]
    missed = bands.notch_attenuation(row, SFREQ, ["O2"], notch_hz=60, line_hz=50)["mean_db"]
    assert matched > 20
    assert abs(missed) < 1
    b, a = signal.iirnotch(50, 30, fs=SFREQ)
    levels = []
    for x in (row, signal.filtfilt(b, a, row)):
        freqs, psd = signal.welch(x[0], SFREQ, window="hann", nperseg=1000, noverlap=500)
        mask = (freqs >= 49.5) & (freqs <= 50.5)
        levels.append(np.trapezoid(psd[mask], freqs[mask]))
    assert matched == pytest.approx(10 * np.log10(levels[0] / levels[1]), abs=1e-9)


def test_refusals_name_what_is_wrong(volts):
    flat = volts.copy()
    flat[3] = 0
    with pytest.raises(SignalError, match=f"flat channels: {CH_NAMES[3]}"):
        bands.relative(flat, SFREQ, CH_NAMES, fmin=8, fmax=13)
    with pytest.raises(SignalError, match="numerator is no band"):
        bands.ratio(volts, SFREQ, CH_NAMES, numerator=(13, 8), denominator=(1, 2))
    with pytest.raises(SignalError, match="cannot dominate"):
        bands.dominant(volts, SFREQ, bands={"alpha": (8, 13)})
    with pytest.raises(SignalError, match="no share"):
        bands.edge(volts, SFREQ, CH_NAMES, share=1.0)
    with pytest.raises(SignalError, match="cannot be notched"):
        bands.notch_attenuation(volts, SFREQ, CH_NAMES, notch_hz=125)
    with pytest.raises(SignalError, match="there is no band"):
        bands.powers(volts, SFREQ, CH_NAMES, bands={})
