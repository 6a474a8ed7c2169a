"""Statistics in pieces are those of the whole signal, by numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal, stats

from braino_registry.analysis import running, windowed
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.running import Array, Span
from braino_registry.analysis.spectra import BANDS
from braino_registry.analysis.transients import find_transients

SFREQ = 200.0


def span_of(data: Array, start: int = 0, stop: int | None = None, sfreq: float = SFREQ) -> Span:
    def read(first: int, last: int) -> Array:
        assert 0 <= first <= last <= data.shape[1]
        return data[:, first:last].copy()

    return Span(read, start, data.shape[1] if stop is None else stop, sfreq, len(data))


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Span, "piece", property(lambda self: 1024))


@pytest.fixture
def noise() -> Array:
    rng = np.random.default_rng(3)
    slow = np.cumsum(rng.standard_normal((3, 9001)), axis=1)
    return np.asarray(1e-6 * (rng.standard_normal((3, 9001)) * 10 + slow + 5), dtype=float)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(("start", "stop"), [(0, 9001), (17, 8000), (500, 600), (0, 1024), (3, 6)])
def test_moments_are_those_of_the_whole(noise: Array, start: int, stop: int) -> None:
    x = noise[:, start:stop]
    found = running.moments(span_of(noise, start, stop))
    expected = {
        "mean": x.mean(axis=1), "low": x.min(axis=1), "high": x.max(axis=1),
        "m2": x.var(axis=1), "square": (x**2).mean(axis=1),
        "m3": stats.moment(x, 3, axis=1), "m4": stats.moment(x, 4, axis=1),
        "var_1": np.diff(x).var(axis=1), "var_2": np.diff(x, n=2).var(axis=1),
        "path": np.abs(np.diff(x)).sum(axis=1),
        "crossings": np.diff((x >= x.mean(axis=1, keepdims=True)).astype(int)).astype(bool).sum(
            axis=1
        ),
        "still": (np.abs(np.diff(x)) < 1e-7).mean(axis=1),
        "at_ends": np.full(3, 2 / x.shape[1]),
    }  # fmt: skip
    for name, values in expected.items():
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-9, atol=1e-25)


def test_moments_of_a_constant() -> None:
    found = running.moments(span_of(np.full((1, 50), 3e-6)))
    assert found.at_ends[0] == 1
    assert found.still[0] == 1
    assert found.m2[0] == pytest.approx(0, abs=1e-30)
    with pytest.raises(SignalError, match="three samples"):
        running.moments(span_of(np.zeros((1, 2))))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("segment", [400, 401, 9001])
def test_welch_is_that_of_scipy(noise: Array, segment: int) -> None:
    freqs, psd = running.welch(span_of(noise), segment)
    expected = signal.welch(noise, SFREQ, nperseg=segment)
    np.testing.assert_allclose(freqs, expected[0])
    np.testing.assert_allclose(psd, expected[1], rtol=1e-9, atol=1e-30)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("n", [400, 4096, 8000])
def test_multitaper_has_the_power_of_white_noise(n: int) -> None:
    data = 1e-5 * np.random.default_rng(5).standard_normal((4, n))
    freqs, psd = running.multitaper(span_of(data))
    total = np.trapezoid(psd, freqs, axis=1).mean()
    assert total == pytest.approx(1e-10, rel=0.12)


@pytest.mark.usefixtures("small_pieces")
def test_correlation_is_that_of_numpy(noise: Array) -> None:
    data = np.vstack([noise, np.zeros(noise.shape[1])])
    found = running.correlation(span_of(data))
    np.testing.assert_allclose(found[:3, :3], np.corrcoef(noise), rtol=1e-9)
    assert np.isnan(found[3]).all()


@pytest.mark.parametrize("batch", [4096, 2**22])
def test_windows_are_those_of_scipy(
    noise: Array, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windowed, "BATCH_BYTES", batch)
    length, step = 1000, 700
    batches = list(windowed.windowed(span_of(noise), length, step, windowed.FEATURES))
    found = {name: np.hstack([b[name] for b in batches]) for name in windowed.FEATURES}
    starts = range(0, noise.shape[1] - length + 1, step)
    assert found["rms_uv"].shape == (3, len(starts))
    for place, start in enumerate(starts):
        x = noise[:, start : start + length]
        freqs, psd = signal.welch(x, SFREQ, nperseg=400)
        powers = {
            name: np.trapezoid(psd[:, (freqs >= a) & (freqs <= b)], dx=0.5) * 1e12
            for name, (a, b) in {**BANDS, "sigma": (11, 16)}.items()
        }
        total = sum(powers[name] for name in BANDS)
        for name, power in powers.items():
            np.testing.assert_allclose(found[f"{name}_power"][:, place], power)
            np.testing.assert_allclose(found[f"{name}_relative"][:, place], power / total)
        np.testing.assert_allclose(found["kurtosis"][:, place], stats.kurtosis(x, axis=1))
        np.testing.assert_allclose(found["std_uv"][:, place], x.std(axis=1) * 1e6)
        path = np.abs(np.diff(x)).sum(axis=1) * 1e6 / 5
        np.testing.assert_allclose(found["line_length_uv_s"][:, place], path)
    shares = sum(found[f"{name}_relative"] for name in BANDS)
    np.testing.assert_allclose(shares, 1)


def test_a_flat_window_and_a_slow_channel_have_no_shape() -> None:
    (found,) = windowed.windowed(span_of(np.zeros((1, 500))), 500, 500, windowed.FEATURES)
    for name in ("kurtosis", "hjorth_mobility", "delta_relative", "theta_alpha_ratio"):
        assert np.isnan(found[name]).all()
    assert found["rms_uv"][0, 0] == 0
    (slow,) = windowed.windowed(
        span_of(np.random.default_rng(1).standard_normal((1, 60)), sfreq=1.0), 30, 30,
        windowed.FEATURES,
    )  # fmt: skip
    assert np.isnan(slow["alpha_power"]).all()
    assert np.isfinite(slow["std_uv"]).all()


@pytest.mark.usefixtures("small_pieces")
def test_transients_are_found_once_wherever_pieces_meet() -> None:
    rng = np.random.default_rng(8)
    data = 2e-6 * rng.standard_normal((1, 20_000))
    places = np.arange(501, 19_500, 511)
    t = np.arange(-20, 21) / SFREQ
    for place in places:
        data[0, place - 20 : place + 21] += 200e-6 * np.exp(-0.5 * (t / 0.015) ** 2)
    (found,) = find_transients(span_of(data), 70e-6)
    assert [int(s) for s in found.sample] == pytest.approx(places.tolist(), abs=1)
    assert found.amplitude.mean() == pytest.approx(195e-6, rel=0.15)
    assert (found.width > 0.02).all()
    assert (found.width < 0.06).all()
