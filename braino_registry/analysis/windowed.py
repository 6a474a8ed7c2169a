"""Features of many equal windows of a signal, computed for a batch of windows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.running import Array, Span
from braino_registry.analysis.spectra import BANDS, UV2, band_power

#: Hz; sigma lies across the edge of alpha and beta and is no part of their sum.
SIGMA = (11.0, 16.0)
_TIME = (
    "rms_uv", "std_uv", "kurtosis", "peak_to_peak_uv", "line_length_uv_s", "hjorth_mobility",
    "zero_crossing_rate_hz",
)  # fmt: skip
_BANDS: Mapping[str, tuple[float, float]] = {**BANDS, "sigma": SIGMA}
FEATURES = (
    *_TIME,
    *(f"{band}_power" for band in _BANDS),
    *(f"{band}_relative" for band in _BANDS),
    "theta_alpha_ratio",
    "slow_fast_ratio",
)
UV = 1e6
BATCH_BYTES = 4 * 2**20


def windowed(
    span: Span, length: int, step: int, features: Sequence[str]
) -> Iterator[dict[str, Array]]:
    """Yield features of batches of windows, in the order of time.

    Powers are those of Welch's method (Hann, segments of 2 s or the whole window if shorter, 50 %
    overlap, mean removed, density) integrated over the band by the trapezoid rule with both edges
    included, in µV². Relative powers are shares of the sum of delta, theta, alpha, beta and
    gamma, which share edges and overlap nowhere.

    Parameters
    ----------
    span : Span
        The signal.
    length, step : int
        Samples of a window, and from the start of one to the start of the next.
    features : sequence of str
        Of `FEATURES`.

    Yields
    ------
    dict of str to array, shape (n_channels, n_windows)
        NaN where a feature is not defined: of a flat window, or of a band that the rate cannot
        show.
    """
    count = n_windows(span.n, length, step)
    at_once = max(1, BATCH_BYTES // (8 * max(1, span.n_channels) * max(length, step)))
    spectral = any(name not in _TIME for name in features)
    for first in range(0, count, at_once):
        many = min(at_once, count - first)
        start = span.start + first * step
        data = span.read(start, start + (many - 1) * step + length)
        parts = np.lib.stride_tricks.sliding_window_view(data, length, axis=1)[:, ::step]
        found = _in_time(parts, span.sfreq)
        if spectral:
            found |= _in_frequency(parts, span.sfreq)
        yield {name: found[name] for name in features}


def n_windows(n: int, length: int, step: int) -> int:
    """Return how many whole windows fit into so many samples."""
    return 0 if n < length else 1 + (n - length) // step


def _in_time(parts: Array, sfreq: float) -> dict[str, Array]:
    mean = parts.mean(axis=2, keepdims=True)
    away = parts - mean
    power = away * away
    m2 = power.mean(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        alive = np.where(m2 > 1e-24, m2, np.nan)  # a millionth of a microvolt is no signal
        kurtosis = (power * power).mean(axis=2) / alive**2 - 3
        change = np.diff(parts, axis=2)
        mobility = np.sqrt(change.var(axis=2) / alive)
    above = away >= 0
    crossings = (above[..., 1:] != above[..., :-1]).sum(axis=2)
    seconds = parts.shape[2] / sfreq
    return {
        "rms_uv": np.sqrt(m2 + mean[..., 0] ** 2) * UV,
        "std_uv": np.sqrt(m2) * UV,
        "kurtosis": kurtosis,
        "peak_to_peak_uv": (parts.max(axis=2) - parts.min(axis=2)) * UV,
        "line_length_uv_s": np.abs(change).sum(axis=2) * UV / seconds,
        "hjorth_mobility": mobility,
        "zero_crossing_rate_hz": crossings / seconds,
    }


def _in_frequency(parts: Array, sfreq: float) -> dict[str, Array]:
    from scipy.signal import get_window

    length = parts.shape[2]
    segment = min(int(2 * sfreq), length)
    if segment < 4:
        nothing = np.full(parts.shape[:2], np.nan)
        return {name: nothing for name in FEATURES if name not in _TIME}
    hop = segment - segment // 2
    inner = np.lib.stride_tricks.sliding_window_view(parts, segment, axis=2)[:, :, ::hop]
    window = get_window("hann", segment)
    centred = (inner - inner.mean(axis=3, keepdims=True)) * window
    spectrum = np.fft.rfft(centred, axis=3)
    psd = (spectrum.real**2 + spectrum.imag**2).mean(axis=2) / (sfreq * (window @ window))
    psd[..., 1 : (segment + 1) // 2] *= 2
    freqs = np.asarray(np.fft.rfftfreq(segment, 1 / sfreq), dtype=float)
    powers = {band: band_power_uv2(freqs, psd, *edges) for band, edges in _BANDS.items()}
    return {f"{name}_power": power for name, power in powers.items()} | shares(powers)


def shares(powers: Mapping[str, Array]) -> dict[str, Array]:
    """Return relative powers and ratios from the powers of bands in µV².

    Parameters
    ----------
    powers : mapping of str to array
        Of ``delta, theta, alpha, beta, gamma`` and perhaps ``sigma``.

    Returns
    -------
    dict of str to array
        ``<band>_relative``, ``theta_alpha_ratio``, ``delta_alpha_ratio`` and ``slow_fast_ratio``
        (delta and theta over alpha and beta); NaN where a denominator is zero or not known.
    """
    total = sum((np.nan_to_num(powers[band]) for band in BANDS), np.zeros(()))
    slow, fast = powers["delta"] + powers["theta"], powers["alpha"] + powers["beta"]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = {f"{band}_relative": power / total for band, power in powers.items()}
        found["theta_alpha_ratio"] = powers["theta"] / powers["alpha"]
        found["delta_alpha_ratio"] = powers["delta"] / powers["alpha"]
        found["slow_fast_ratio"] = slow / fast
    return {name: np.where(np.isfinite(values), values, np.nan) for name, values in found.items()}


def band_power_uv2(freqs: Array, psd: Array, fmin: float, fmax: float) -> Array:
    """Return the power of a band in µV², where a band that does not fit is no error.

    Parameters
    ----------
    freqs : array, shape (n_freqs,)
        Hz.
    psd : array, shape (..., n_freqs)
        V²/Hz.
    fmin, fmax : float
        Hz. What lies above the last bin is not there to be counted.

    Returns
    -------
    array, shape (...)
        NaN where fewer than two bins lie in the band.
    """
    try:
        return UV2 * band_power(freqs, psd, fmin, min(fmax, float(freqs[-1])))
    except SignalError:
        return np.full(psd.shape[:-1], np.nan)
