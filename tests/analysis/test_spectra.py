from __future__ import annotations

import mne
import numpy as np
import pytest
from scipy.signal import welch

from braino_registry.analysis import spectra
from braino_registry.analysis.errors import SignalError
from tests.analysis.golden_signals import CH_NAMES, SFREQ

O2 = CH_NAMES.index("O2")


def test_golden_absolute_power(golden, eeg_uv):
    case = golden["alpha_absolute_power_O2"]
    freqs, psd = spectra.welch_psd(eeg_uv[[O2]], SFREQ, window="hamming")
    assert spectra.band_power(freqs, psd, 8, 13)[0] == pytest.approx(case["value"], abs=1e-6)


def test_golden_theta_beta_ratio(golden, filtered_uv):
    index = [CH_NAMES.index(name) for name in ("Fp1", "Fp2", "F3", "F4", "Fz")]
    freqs, psd = spectra.welch_psd(filtered_uv[index], SFREQ, window="hamming")
    ratio = spectra.band_ratio(freqs, psd, (4, 8), (13, 30)).mean()
    assert ratio == pytest.approx(golden["theta_beta_ratio_frontal"]["value"], abs=1e-6)


def test_golden_asymmetry_is_unit_free(golden, filtered_uv):
    index = [CH_NAMES.index(name) for name in ("F3", "F4")]
    for scale in (1.0, 1e-6):
        freqs, psd = spectra.welch_psd(filtered_uv[index] * scale, SFREQ, window="hamming")
        left, right = np.log(spectra.band_power(freqs, psd, 8, 13))
        expected = golden["frontal_alpha_asymmetry"]["value"]
        assert right - left == pytest.approx(expected, abs=1e-6)


def test_golden_relative_power_of_a_cut_of_the_filtered_recording(golden, filtered_uv):
    piece = filtered_uv[[O2], 2500:5000] * 1e-6
    found = spectra.band_powers(
        piece, SFREQ, ["O2"], fmin=8, fmax=13, relative_to=(0.5, 40), window="hamming"
    )
    expected = golden["filter_then_crop_alpha"]["value"]
    assert 100 * found["relative"] == pytest.approx(expected, abs=1e-6)


def test_golden_entropy(golden, filtered_uv):
    _, psd = spectra.welch_psd(filtered_uv[[O2]], SFREQ)
    expected = golden["spectral_entropy_O2"]["value"]
    assert spectra.spectral_entropy(psd[0]) == pytest.approx(expected, abs=1e-6)


def test_density_equals_scipy_and_mne(eeg_uv):
    freqs, psd = spectra.welch_psd(eeg_uv, SFREQ)
    other_freqs, other = welch(eeg_uv, SFREQ, window="hann", nperseg=1000, noverlap=500)
    np.testing.assert_allclose(freqs, other_freqs)
    np.testing.assert_allclose(psd, other, rtol=1e-12)
    by_mne, _ = mne.time_frequency.psd_array_welch(
        eeg_uv, SFREQ, n_fft=1000, n_overlap=500, window="hann", fmax=125, verbose="error"
    )
    np.testing.assert_allclose(psd[:, 1:-1], by_mne[:, 1:-1], rtol=1e-9)


def test_power_of_a_sinusoid_is_half_its_squared_amplitude():
    t = np.arange(15000) / 250
    x = 20e-6 * np.sin(2 * np.pi * 10 * t)[None]
    found = spectra.band_powers(x, 250.0, ["Cz"], fmin=8, fmax=12)
    assert found["absolute_uv2"] == pytest.approx(200, rel=1e-3)
    assert found["relative"] == pytest.approx(1.0, abs=1e-3)
    assert found["per_channel"] == [
        {"channel": "Cz", "absolute_uv2": found["absolute_uv2"], "relative": found["relative"]}
    ]


def test_relative_power_is_the_mean_of_ratios():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 15000)) * 1e-6
    x[1] *= 50
    x[1] += 100e-6 * np.sin(2 * np.pi * 10 * np.arange(15000) / 250)
    found = spectra.band_powers(x, 250.0, ["a", "b"], fmin=8, fmax=13)
    single = [row["relative"] for row in found["per_channel"]]
    assert found["relative"] == pytest.approx(np.mean(single))
    assert abs(single[0] - single[1]) > 0.1


def test_epochs_average_the_spectra_of_single_epochs(eeg_uv):
    epochs = eeg_uv[:3, :10000].reshape(3, 10, 1000).transpose(1, 0, 2)
    _, psd = spectra.welch_psd(epochs, SFREQ)
    singles = [spectra.welch_psd(epoch, SFREQ)[1] for epoch in epochs]
    np.testing.assert_allclose(psd, np.mean(singles, axis=0))


def test_peak_on_the_grid_and_between_bins():
    t = np.arange(250 * 60) / 250
    x = np.sin(2 * np.pi * 10.1 * t)[None] * 1e-6
    freqs, psd = spectra.welch_psd(x, 250.0)
    grid = spectra.peak_of(freqs, psd[0], 7, 14, rule="grid")
    assert grid["frequency_hz"] == 10.0
    between = spectra.peak_of(freqs, psd[0], 7, 14)
    assert between["frequency_hz"] == pytest.approx(10.1, abs=0.01)
    assert not between["at_edge"]
    assert between["power_uv2_per_hz"] >= grid["power_uv2_per_hz"]


@pytest.mark.parametrize("peak_hz", [7.9, 13.1])
def test_a_peak_between_bins_is_at_most_half_a_bin_outside_the_range(peak_hz):
    freqs = np.arange(0, 50, 0.25)
    psd = np.exp(-((freqs - peak_hz) ** 2))
    found = spectra.peak_of(freqs, psd, 8, 13)
    assert found["frequency_hz"] == pytest.approx(peak_hz)
    assert not found["at_edge"]
    assert spectra.peak_of(freqs, psd, 8.25, 12.75)["at_edge"]


def test_a_falling_spectrum_has_no_peak():
    freqs = np.arange(0, 50, 0.25)
    psd = 1 / np.maximum(freqs, 0.25)
    found = spectra.peak_of(freqs, psd, 8, 13)
    assert found["at_edge"]
    assert found["frequency_hz"] == 8.0


def test_equal_bins_give_the_first():
    freqs = np.arange(0, 20, 1.0)
    psd = np.ones_like(freqs)
    psd[[9, 11]] = 5.0
    assert spectra.peak_of(freqs, psd, 8, 13, rule="grid")["frequency_hz"] == 9.0


@pytest.mark.parametrize("line", [50.0, 60.0])
def test_line_noise_tells_50_from_60(eeg_uv, line):
    rng = np.random.default_rng(1)
    t = np.arange(15000) / 250
    x = rng.standard_normal((4, 15000)) + 0.5 * np.sin(2 * np.pi * line * t)
    found = spectra.line_noise(x, 250.0)
    assert found["frequency_hz"] == line
    assert found[f"ratio_{line:.0f}hz"] > 20
    assert found[f"ratio_{110 - line:.0f}hz"] < 2


def test_no_line_noise_and_rates_that_cannot_show_it():
    rng = np.random.default_rng(2)
    assert spectra.line_noise(rng.standard_normal((8, 15000)), 250.0)["frequency_hz"] is None
    slow = spectra.line_noise(rng.standard_normal((8, 6000)), 100.0)
    assert slow == {"frequency_hz": None, "ratio_50hz": None, "ratio_60hz": None}


def test_edge_and_order_of_bands(filtered_uv):
    freqs, psd = spectra.welch_psd(filtered_uv, SFREQ, window="hamming")
    mask = (freqs >= 0.5) & (freqs <= 40)
    edge = spectra.spectral_edge(freqs, psd[O2], 0.5, 40)
    total = np.trapezoid(psd[O2][mask], freqs[mask])
    below = [np.trapezoid(psd[O2][mask & (freqs <= f)], freqs[mask & (freqs <= f)]) / total
             for f in (edge - 0.25, edge)]  # fmt: skip
    assert below[0] < 0.95 <= below[1]
    assert spectra.dominant_bands(freqs, psd[O2])[0] == "alpha"


def test_ties_of_bands_keep_their_order():
    freqs = np.arange(0, 50, 1.0)
    flat = {"second": (10.0, 20.0), "first": (20.0, 30.0)}
    assert spectra.dominant_bands(freqs, np.ones_like(freqs), flat) == ["second", "first"]


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"fmin": 8, "fmax": 200}, "does not fit the spectrum"),
        ({"fmin": 13, "fmax": 8}, "does not fit the spectrum"),
        ({"fmin": 8, "fmax": 13, "segment_seconds": 61.0}, "do not fit the signal"),
    ],
)
def test_what_cannot_be_measured_is_refused(eeg_uv, kwargs, message):
    with pytest.raises(SignalError, match=message) as error:
        spectra.band_powers(eeg_uv * 1e-6, SFREQ, CH_NAMES, **kwargs)
    assert "Pass" in error.value.hint


def test_flat_channels_have_no_relative_power():
    with pytest.raises(SignalError, match=r"no power .* in dead"):
        spectra.band_powers(np.zeros((1, 5000)), 250.0, ["dead"], fmin=8, fmax=13)


@pytest.mark.parametrize(
    ("shape", "sfreq", "seconds"),
    [
        ((3, 1001), 101.0, 1.0),
        ((2, 9000), 100.0, 1.0),
        ((4, 3, 500), 128.0, 2.0),
        ((1, 250), 250.0, 1.0),
    ],
)
@pytest.mark.parametrize("window", ["hann", "hamming"])
def test_density_of_odd_segments_of_many_and_of_epochs_is_that_of_scipy(
    shape, sfreq, seconds, window
):
    data = np.random.default_rng(0).standard_normal(shape) + 3.0
    freqs, psd = spectra.welch_psd(data, sfreq, segment_seconds=seconds, window=window)
    n = round(seconds * sfreq)
    other, theirs = welch(data, sfreq, window=window, nperseg=n, noverlap=n // 2)
    np.testing.assert_allclose(freqs, other)
    mean = theirs.mean(axis=0) if data.ndim == 3 else theirs
    np.testing.assert_allclose(psd, mean, rtol=1e-10, atol=1e-18)


def test_another_window_is_refused():
    with pytest.raises(spectra.SignalError, match="no window 'hat'"):
        spectra.welch_psd(np.zeros((1, 2000)), SFREQ, window="hat")
