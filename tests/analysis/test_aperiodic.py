from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.aperiodic import aperiodic, aperiodic_of, coherence
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.hum import hum_by_channel
from tests.analysis import golden_signals

SFREQ = 250.0


def power_law(exponent: float, seed: int = 0, seconds: int = 120) -> np.ndarray:
    """Return noise whose power falls with f to the exponent, 10 µV, in V."""
    rng = np.random.default_rng(seed)
    n = int(seconds * SFREQ)
    freqs = np.fft.rfftfreq(n, 1 / SFREQ)
    spectrum = np.fft.rfft(rng.standard_normal(n)) / np.maximum(freqs, 0.1) ** (exponent / 2)
    x = np.fft.irfft(spectrum, n)
    return 10e-6 * x / x.std()


@pytest.mark.parametrize("exponent", [0.8, 1.3, 1.9])
def test_planted_exponents_are_found_beside_rhythms(exponent):
    t = np.arange(30000) / SFREQ
    x = power_law(exponent) + 12e-6 * np.sin(2 * np.pi * 10.2 * t)
    x += 1.5e-6 * np.sin(2 * np.pi * 21.0 * t) + 1e-6 * np.sin(2 * np.pi * 33.0 * t)
    found = aperiodic(x[None], SFREQ, ["Oz"])
    assert found["exponent"] == pytest.approx(exponent, abs=0.06)
    assert found["per_channel"][0]["exponent"] == found["exponent"]
    plain = aperiodic(power_law(exponent)[None], SFREQ, ["Oz"])
    assert found["exponent"] == pytest.approx(plain["exponent"], abs=0.04)


def test_an_exact_power_law_is_met_exactly():
    freqs = np.arange(0, 125.25, 0.25)
    psd = 3e-12 / np.maximum(freqs, 0.25) ** 1.4
    found = aperiodic_of(freqs, np.stack([psd, 10 * psd]), ["a", "b"], 2, 40, [(7, 14)])
    first, second = found["per_channel"]
    assert [first["exponent"], second["exponent"]] == pytest.approx([1.4, 1.4], abs=1e-9)
    assert first["offset"] == pytest.approx(np.log10(3.0), abs=1e-9)
    assert second["offset"] - first["offset"] == pytest.approx(1.0, abs=1e-9)
    assert first["r_squared"] == pytest.approx(1.0, abs=1e-9)
    assert found["offset"] == pytest.approx(np.log10(3.0) + 0.5, abs=1e-9)


def test_ranges_and_channels_without_a_fit_are_refused():
    x = power_law(1.0)[None]
    with pytest.raises(SignalError, match="too few"):
        aperiodic(x, SFREQ, ["Oz"], fmin=8, fmax=12)
    with pytest.raises(SignalError, match="no power in Oz"):
        aperiodic(np.zeros_like(x), SFREQ, ["Oz"])
    with pytest.raises(SignalError, match="does not fit"):
        aperiodic(x, SFREQ, ["Oz"], fmax=200.0)


def test_coherence_meets_the_golden_value(eeg_uv, golden):
    index = [golden_signals.CH_NAMES.index(name) for name in ("F3", "F4")]
    found = coherence(eeg_uv[index], SFREQ, fmin=4, fmax=8)
    entry = golden["coherence_theta_F3F4"]
    assert found["coherence"] == pytest.approx(entry["value"], abs=entry["tol_abs"])
    assert found["n_segments"] == 59


def test_coherence_of_one_segment_or_one_channel_is_refused(eeg_uv):
    with pytest.raises(SignalError, match="too few"):
        coherence(eeg_uv[:2, :2000], SFREQ, fmin=4, fmax=8)
    with pytest.raises(SignalError, match="two channels"):
        coherence(eeg_uv[:3], SFREQ, fmin=4, fmax=8)
    with pytest.raises(SignalError, match="flat"):
        coherence(eeg_uv[:2] * [[1], [0]], SFREQ, fmin=4, fmax=8)


def test_the_channel_with_more_hum_is_named():
    t = np.arange(30000) / SFREQ
    names = [f"E{k}" for k in range(12)]
    line = np.sin(2 * np.pi * 50.0 * t)
    x = np.stack([power_law(1.0, k) + 2e-6 * line for k in range(12)])
    even = hum_by_channel(x, SFREQ, names)
    assert (even["frequency_hz"], even["channels"]) == (50.0, [])
    x[4] += 8e-6 * line
    found = hum_by_channel(x, SFREQ, names)
    assert found["channels"] == ["E4"]
    assert found["rows"][0]["channel"] == "E4"
    assert found["rows"][0]["hum_uv"] == pytest.approx(10 / np.sqrt(2), rel=0.02)
    assert found["median_uv"] == pytest.approx(2 / np.sqrt(2), rel=0.1)


def test_without_hum_no_channel_is_named():
    x = np.stack([power_law(1.0, k) for k in range(5)])
    found = hum_by_channel(x, SFREQ, list("abcde"))
    assert found == {"frequency_hz": None, "channels": [], "median_uv": None, "rows": []}
