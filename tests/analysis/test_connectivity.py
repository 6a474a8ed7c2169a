"""Connectivity against numpy, MNE-Connectivity and SciPy, and against planted coupling."""

from __future__ import annotations

import tracemalloc
import warnings

import mne
import numpy as np
import pytest
from scipy import signal

from braino_registry.analysis import connectivity
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.filters import band_pass
from tests.analysis.golden_signals import CH_NAMES, SFREQ

NAMES = CH_NAMES[:6]


@pytest.fixture(scope="module")
def alpha(eeg_uv) -> np.ndarray:
    return band_pass(eeg_uv, SFREQ, 8.0, 13.0)[:6] * 1e-6


def matrix(data: np.ndarray, names: list[str], **given) -> np.ndarray:
    return np.array(connectivity.connectivity(data, SFREQ, names, **given)["matrix"])


def test_pearson_is_that_of_numpy(eeg_uv):
    found = matrix(eeg_uv * 1e-6 + 1e-3, CH_NAMES, method="pearson")
    np.testing.assert_allclose(found, np.corrcoef(eeg_uv), atol=1e-9)


def test_phases_are_those_of_hilbert(alpha):
    z = signal.hilbert(alpha, axis=1)
    phase = np.angle(z)
    plv = matrix(alpha, NAMES, method="plv")
    wpli = matrix(alpha, NAMES, method="wpli")
    pli = matrix(alpha, NAMES, method="pli")
    for i in range(6):
        for j in range(i):
            by_angle = abs(np.exp(1j * (phase[i] - phase[j])).mean())
            imaginary = (z[i] * z[j].conj()).imag
            assert plv[i, j] == pytest.approx(by_angle, abs=1e-12)
            weighted = abs(imaginary.mean()) / abs(imaginary).mean()
            assert wpli[i, j] == wpli[j, i] == pytest.approx(weighted, abs=1e-9)
            assert (
                pli[i, j] == pli[j, i] == pytest.approx(abs(np.sign(imaginary).mean()), abs=1e-12)
            )


def test_phase_indices_are_those_of_mne_connectivity_over_epochs():
    """One sample per epoch and one frequency: means over epochs are means over time."""
    from mne_connectivity import spectral_connectivity_epochs

    rng = np.random.default_rng(0)
    n, cycles = 400, 10
    t = np.arange(100) / 100
    phases = rng.uniform(0, 2 * np.pi, n)
    lag = 0.7 + 0.8 * rng.standard_normal(n)
    waves = [
        np.stack([np.cos(2 * np.pi * cycles * t + p) for p in phases + shift])
        for shift in (0.0, lag)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = [
            spectral_connectivity_epochs(
                np.stack(waves, axis=1), method=method, mode="fourier", sfreq=100.0, fmin=10.0,
                fmax=10.0, verbose="error",
            ).get_data("dense")[1, 0, 0]
            for method in ("plv", "pli")
        ]  # fmt: skip
    z = np.exp(1j * np.stack([phases, phases + lag]))
    single = abs((z[0] * z[1].conj()).mean())
    assert theirs[0] == pytest.approx(single, abs=1e-6)
    # the same numbers as a series of phases, without Hilbert's transform
    total = np.zeros((1, 1))
    size = np.zeros((1, 1))
    connectivity._add_lags(z[:1], z[1:], total, size, False, upper=False)
    assert theirs[1] == pytest.approx(abs(total[0, 0]) / size[0, 0], abs=1e-6)
    unit = connectivity._unit(z * 3)
    assert theirs[0] == pytest.approx(abs((unit[:1] @ unit[1:].conj().T)[0, 0]) / n, abs=1e-6)


def test_coherence_is_that_of_scipy(eeg_uv):
    data = eeg_uv[:4] * 1e-6
    found = matrix(data, CH_NAMES[:4], method="coherence", fmin=4, fmax=8)
    for i in range(4):
        for j in range(i):
            freqs, values = signal.coherence(data[i], data[j], SFREQ, nperseg=500, noverlap=250)
            expected = values[(freqs >= 4) & (freqs <= 8)].mean()
            assert found[i, j] == pytest.approx(expected, abs=1e-12)
    assert np.diag(found) == pytest.approx(1.0)


def coupled() -> np.ndarray:
    """Return four channels: a and c follow one rhythm with a lag, b and d have their own."""
    rng = np.random.default_rng(7)
    n = 15_000
    own = band_pass(rng.standard_normal((4, n)), SFREQ, 8.0, 12.0)
    shared = band_pass(rng.standard_normal((1, n + 10)), SFREQ, 8.0, 12.0)[0]
    own[0] = own[0] * 0.3 + shared[10:]
    own[2] = own[2] * 0.3 + shared[:-10]
    return own * 1e-5


@pytest.mark.parametrize("method", ["plv", "wpli", "pli"])
def test_planted_coupling_comes_first(method):
    found = connectivity.connectivity(coupled(), SFREQ, list("abcd"), method=method)
    first, second = sorted(found["pairs"], key=lambda pair: -found["pairs"][pair])[:2]
    assert first == "a-c"
    assert found["pairs"][first] > 2 * found["pairs"][second]


def test_volume_conduction_has_phase_locking_but_no_lag():
    rng = np.random.default_rng(8)
    source = band_pass(rng.standard_normal((1, 15_000)), SFREQ, 8.0, 12.0)[0]
    noise = band_pass(rng.standard_normal((2, 15_000)), SFREQ, 8.0, 12.0)
    data = (source + 0.5 * noise) * 1e-5
    assert matrix(data, ["a", "b"], method="plv")[0, 1] > 0.7
    assert matrix(data, ["a", "b"], method="wpli")[0, 1] < 0.3


def test_summaries(alpha):
    found = connectivity.connectivity(alpha, SFREQ, NAMES, method="plv")
    square = np.array(found["matrix"])
    upper = square[np.triu_indices(6, 1)]
    assert list(found["pairs"])[:2] == ["Fp1-Fp2", "Fp1-F7"]
    assert len(found["pairs"]) == 15
    assert found["mean"] == pytest.approx(upper.mean())
    assert found["degree"]["Fp1"] == pytest.approx(square[0, 1:].sum())
    assert np.diag(square) == pytest.approx(1.0)


def test_ends_are_cut_off_after_the_transform(alpha):
    z = signal.hilbert(alpha[:2], axis=1)[:, 500:-500]
    expected = abs((z[0] / abs(z[0]) * (z[1] / abs(z[1])).conj()).mean())
    found = matrix(alpha[:2], NAMES[:2], method="plv", trim=2.0)
    assert found[0, 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", ["plv", "wpli", "pli"])
def test_groups_of_channels_give_the_same(alpha, method, monkeypatch):
    whole = matrix(alpha, NAMES, method=method)
    monkeypatch.setattr(connectivity, "ANALYTIC_BYTES", 1)
    np.testing.assert_allclose(matrix(alpha, NAMES, method=method), whole, atol=1e-12)


@pytest.mark.parametrize("method", connectivity.METHODS)
def test_memory_is_no_more_than_the_recording_again(method, monkeypatch):
    monkeypatch.setattr(connectivity, "ANALYTIC_BYTES", 1)
    data = np.random.default_rng(0).standard_normal((24, 40_000))
    names = [f"c{k}" for k in range(24)]
    band = {"fmin": 8.0, "fmax": 12.0} if method == "coherence" else {}
    tracemalloc.start()
    try:
        connectivity.connectivity(data, SFREQ, names, method=method, **band)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < data.nbytes


def test_what_is_not_defined_is_refused(alpha):
    same = np.stack([alpha[0], -0.3 * alpha[0], alpha[1]])
    with pytest.raises(SignalError, match="a and b hold the same signal"):
        matrix(same, list("abc"), method="wpli")
    flat = alpha.copy()
    flat[1] = 0
    with pytest.raises(SignalError, match="flat channels: Fp2"):
        matrix(flat, NAMES, method="plv")
    with pytest.raises(SignalError, match="no method 'ppc'"):
        matrix(alpha, NAMES, method="ppc")
    with pytest.raises(SignalError, match="plv takes no fmin"):
        matrix(alpha, NAMES, method="plv", fmin=8, fmax=13)
    with pytest.raises(SignalError, match="coherence takes fmin and fmax"):
        matrix(alpha, NAMES, method="coherence", fmin=8)
    with pytest.raises(SignalError, match="too few"):
        matrix(alpha[:, :1000], NAMES, method="coherence", fmin=8, fmax=13)
    with pytest.raises(SignalError, match="cannot be cut off"):
        matrix(alpha, NAMES, method="plv", trim=30)
    with pytest.raises(SignalError, match="two channels or more"):
        matrix(alpha[:1], NAMES[:1], method="plv")


def test_filtering_as_mne_does_gives_mne_s_phases(eeg_uv):
    """The whole way from a raw signal, against MNE's own objects."""
    info = mne.create_info(CH_NAMES, SFREQ, "eeg")
    raw = mne.io.RawArray(eeg_uv * 1e-6, info, verbose="error")
    raw.filter(8, 13, verbose="error").apply_hilbert(verbose="error")
    z = raw.get_data()[:2]
    expected = abs(np.exp(1j * (np.angle(z[0]) - np.angle(z[1]))).mean())
    data = band_pass(eeg_uv * 1e-6, SFREQ, 8.0, 13.0)[:2]
    assert matrix(data, CH_NAMES[:2], method="plv")[0, 1] == pytest.approx(expected, abs=1e-3)
