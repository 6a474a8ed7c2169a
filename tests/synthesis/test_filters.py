from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import welch

from braino_registry.synthesis import filters
from braino_registry.synthesis.filters import Sections
from braino_registry.synthesis.streams import Stream


def _spectrum(sos: Sections, sfreq: float) -> tuple[np.ndarray, np.ndarray]:
    x = filters.shaped(Stream("t", 3, b"", "x"), sos, 200_000, sfreq)
    return welch(x, sfreq, nperseg=int(4 * sfreq))


@pytest.mark.parametrize("sfreq", [128.0, 250.0])
@pytest.mark.parametrize("exponent", [0.6, 1.3, 1.75])
def test_background_has_the_exponent_and_the_rms_that_it_says(
    exponent: float, sfreq: float
) -> None:
    f, p = _spectrum(filters.one_over_f(exponent, sfreq), sfreq)
    fit = (f >= 2) & (f <= 40)
    assert -np.polyfit(np.log(f[fit]), np.log(p[fit]), 1)[0] == pytest.approx(exponent, abs=0.16)
    band = (f >= 1) & (f <= 40)
    assert np.sqrt(p[band].sum() * f[1]) == pytest.approx(1, abs=0.07)


def test_resonator_peaks_where_it_says_with_rms_one() -> None:
    f, p = _spectrum(filters.resonator(10.4, 1.4, 250.0), 250.0)
    assert f[np.argmax(p)] == pytest.approx(10.4, abs=0.3)
    assert np.sqrt(p.sum() * f[1]) == pytest.approx(1, abs=0.05)
    width = f[p > p.max() / 2]
    assert 0.5 <= width[-1] - width[0] <= 1.5


def test_band_keeps_what_lies_between_its_edges() -> None:
    f, p = _spectrum(filters.band(20.0, 60.0, 250.0), 250.0)
    assert np.sqrt(p.sum() * f[1]) == pytest.approx(1, abs=0.03)
    inside = p[(f >= 20) & (f <= 60)].sum() / p.sum()
    assert inside > 0.7
    assert p[(f < 5)].max() < p.max() / 50


def test_wander_is_slow_and_has_rms_one() -> None:
    x = filters.wander(Stream("t", 5, b"", "w"), 0.05, 500_000, 250.0)
    assert x.shape == (500_000,)
    assert x.std() == pytest.approx(1, abs=0.15)
    f, p = welch(x, 250.0, nperseg=25_000)
    assert p[f > 1].sum() / p.sum() < 1e-3
    assert np.abs(np.diff(x)).max() < 0.02


def test_slow_gain_is_positive_and_lognormal_about_one() -> None:
    gain = filters.slow_gain(Stream("t", 6, b"", "g"), 0.35, 2.5, 500_000, 250.0)
    assert gain.min() > 0
    assert np.log(gain).std() == pytest.approx(0.35, abs=0.05)
