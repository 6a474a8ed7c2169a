from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.ica import correlation, decompose, rank_of, slope, thin


def mixture(seed: int = 0, n: int = 8000) -> tuple[np.ndarray, np.ndarray]:
    """Return sources (super- and sub-Gaussian, one Gaussian) and 12 channels of them, in V."""
    rng = np.random.default_rng(seed)
    sources = np.vstack(
        [
            rng.laplace(size=(4, n)),
            rng.uniform(-1, 1, (3, n)),
            rng.standard_normal((1, n)),
        ]
    )
    return sources, 1e-5 * rng.standard_normal((12, 8)) @ sources


@pytest.mark.parametrize("seed", range(3))
def test_planted_sources_are_recovered(seed):
    sources, data = mixture(seed)
    found = decompose(data, 8)
    assert found.converged
    recovered = found.unmixing @ data
    r = np.abs(np.corrcoef(recovered, sources)[:8, 8:])
    assert r.max(axis=0).min() > 0.99
    assert sorted(r.argmax(axis=0)) == list(range(8))


def test_mixing_and_unmixing_belong_together():
    _, data = mixture()
    found = decompose(data, 8)
    centred = data - data.mean(axis=1, keepdims=True)
    assert found.mixing @ (found.unmixing @ centred) == pytest.approx(centred, abs=1e-12)
    assert np.diff(found.variance_percent).max() <= 0
    assert found.variance_percent.sum() == pytest.approx(100)
    assert (found.mixing[np.abs(found.mixing).argmax(axis=0), range(8)] > 0).all()
    assert (found.unmixing @ centred).std(axis=1) == pytest.approx(np.ones(8))


def test_nothing_is_random_and_units_do_not_matter():
    _, data = mixture()
    one, again = decompose(data, 8), decompose(data.copy(), 8)
    assert np.array_equal(one.unmixing, again.unmixing)
    scaled = decompose(data * 1e6, 8)
    assert scaled.mixing == pytest.approx(one.mixing * 1e6, rel=1e-6, abs=1e-9)


def test_mne_finds_the_same_components():
    from mne.preprocessing import infomax

    _, data = mixture(4, 3000)
    found = decompose(data, 8)
    x = data - data.mean(axis=1, keepdims=True)
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    white = (u[:, :8] / s[:8]).T @ x * np.sqrt(x.shape[1])
    other = infomax(white.T, extended=True, rng=0, verbose="error") @ white
    r = np.abs(np.corrcoef(found.unmixing @ x, other)[:8, 8:])
    assert r.max(axis=1).min() > 0.98


def test_components_that_cannot_be_found_are_refused():
    _, data = mixture()
    assert rank_of(data) == 8
    with pytest.raises(SignalError, match="8 independent directions, not 9"):
        decompose(data, 9)
    with pytest.raises(SignalError, match="too few for 8"):
        decompose(data[:, :200], 8)
    with pytest.raises(SignalError, match="0 independent"):
        decompose(np.zeros((4, 1000)), 1)


def test_thinning_keeps_what_is_short():
    assert thin(np.zeros((2, 9000))).shape == (2, 9000)
    assert thin(np.zeros((2, 45000))).shape == (2, 9000)


def test_slopes_tell_muscle_from_brain():
    rng = np.random.default_rng(0)
    freqs = np.fft.rfftfreq(15000, 1 / 250)
    white = np.fft.rfft(rng.standard_normal(15000))
    brain = np.fft.irfft(white / np.maximum(freqs, 1) ** 0.75, 15000)
    muscle = rng.standard_normal(15000)
    found = slope(np.stack([brain, muscle]), 250.0)
    assert found == pytest.approx([-1.5, 0.0], abs=0.15)
    with pytest.raises(SignalError, match="too low"):
        slope(np.zeros((1, 1000)), 18.0)


def test_correlation_equals_numpy():
    x = np.random.default_rng(0).standard_normal((3, 500))
    y = x[1] + x[2]
    assert correlation(x, y) == pytest.approx(np.abs(np.corrcoef(x, y)[:3, 3]))
    assert correlation(np.zeros((1, 500)), y).tolist() == [0.0]
