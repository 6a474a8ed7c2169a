"""Power spectra and what is read from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import GUARD_SAMPLES

Array = NDArray[np.float64]

# Hz; neighbouring bands share an edge, so their powers are not meant to be added
BANDS: Mapping[str, tuple[float, float]] = {
    "delta": (1.0, 4.0),
    "theta": (4.0, 8.0),
    "alpha": (8.0, 13.0),
    "beta": (13.0, 30.0),
    "gamma": (30.0, 45.0),
}
LINE_FREQUENCIES = (50.0, 60.0)
UV2 = 1e12
# segments that are transformed together stay in the cache
SEGMENTS = 64


def welch_psd(
    data: Array, sfreq: float, *, segment_seconds: float = 4.0, window: str = "hann"
) -> tuple[Array, Array]:
    """Return frequencies and the power spectral density by Welch's method.

    Segments of ``segment_seconds`` that overlap by half, each with its mean removed, windowed;
    one-sided density, averaged over segments (mean). Of epochs, each is treated so, and the
    densities are averaged over epochs. As :func:`scipy.signal.welch`.

    Parameters
    ----------
    data : array, shape (n_channels, n_times) or (n_epochs, n_channels, n_times)
        Volts.
    sfreq : float
        Samples per second.
    segment_seconds : float
        Length of a segment; bins are ``1 / segment_seconds`` apart.
    window : str
        A window of scipy, ``"hann"`` or ``"hamming"``.

    Returns
    -------
    freqs : array, shape (n_freqs,)
        Hz.
    psd : array, shape (n_channels, n_freqs)
        V²/Hz.

    Raises
    ------
    SignalError
        If the signal is shorter than one segment.
    """
    n = round(segment_seconds * sfreq)
    if n < 2 or n > data.shape[-1]:
        raise SignalError(
            f"segments of {segment_seconds:g} s do not fit the signal of "
            f"{data.shape[-1] / sfreq:.4g} s at {sfreq:g} Hz",
            hint=f"Pass segment_seconds between {2 / sfreq:.3g} and {data.shape[-1] / sfreq:.4g}.",
        )
    taper = _taper(window, n)
    rows = data.reshape(-1, *data.shape[-2:])
    # channel by channel, because all segments of all channels at once would take several times
    # the memory of the recording
    psd = np.stack([_density(rows[:, i], taper) for i in range(rows.shape[1])])
    psd /= sfreq * float((taper**2).sum())
    # the other half of the spectrum; neither 0 Hz nor half the rate stands twice in it
    psd[:, 1 : (n + 1) // 2] *= 2
    return np.asarray(np.fft.rfftfreq(n, 1 / sfreq), dtype=np.float64), psd


def _taper(window: str, n: int) -> Array:
    from scipy.signal import get_window

    try:
        taper: Array = get_window(window, n)
    except ValueError as error:
        raise SignalError(f"there is no window {window!r}", hint="Pass hann or hamming.") from error
    return taper


def _density(rows: Array, taper: Array) -> Array:
    """Return the mean over half-overlapping segments of their squared spectra, not scaled.

    Parameters
    ----------
    rows : array, shape (n_epochs, n_times)
        One channel.
    taper : array, shape (n,)
        The window, as long as a segment.
    """
    from scipy.fft import rfft

    n = taper.size
    step = n - n // 2
    total, count = np.zeros(n // 2 + 1), 0
    for row in rows:
        pieces = np.lib.stride_tricks.sliding_window_view(row, n)[::step]
        count += len(pieces)
        for first in range(0, len(pieces), SEGMENTS):
            part = pieces[first : first + SEGMENTS]
            tapered = part - part.mean(axis=-1, keepdims=True)
            tapered *= taper
            spectrum = rfft(tapered, axis=-1)
            total += np.einsum("sf,sf->f", spectrum.real, spectrum.real)
            total += np.einsum("sf,sf->f", spectrum.imag, spectrum.imag)
    return total / count


def _in_band(freqs: Array, fmin: float, fmax: float) -> NDArray[np.bool_]:
    guard = GUARD_SAMPLES * float(freqs[1] - freqs[0])
    mask: NDArray[np.bool_] = (freqs >= fmin - guard) & (freqs <= fmax + guard)
    if fmax > freqs[-1] + guard or fmin < 0 or mask.sum() < 2:
        raise SignalError(
            f"the band from {fmin:g} to {fmax:g} Hz does not fit the spectrum, whose bins are "
            f"{freqs[1] - freqs[0]:.3g} Hz apart up to {freqs[-1]:g} Hz",
            hint=f"Pass fmin below fmax, both between 0 and {freqs[-1]:g} Hz, two bins or more.",
        )
    return mask


def band_power(freqs: Array, psd: Array, fmin: float, fmax: float) -> Array:
    """Return the power of a band: the trapezoid integral over ``fmin <= f <= fmax``.

    Parameters
    ----------
    freqs : array, shape (n_freqs,)
        Hz.
    psd : array, shape (..., n_freqs)
        Power per Hz.
    fmin, fmax : float
        Hz, both bins included.

    Returns
    -------
    array, shape (...)
        Power, in the unit of ``psd`` times Hz.
    """
    mask = _in_band(freqs, fmin, fmax)
    return np.asarray(np.trapezoid(psd[..., mask], freqs[mask], axis=-1), dtype=np.float64)


@operation("spectra.band_power", version="1.0.0")
def band_powers(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    fmin: float,
    fmax: float,
    relative_to: Sequence[float] = (1.0, 40.0),
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return absolute and relative power of a band, per channel and averaged over channels.

    Power is :func:`band_power` of :func:`welch_psd`. Relative power is the channel's power from
    ``fmin`` to ``fmax`` over its power in ``relative_to``; the average is the mean of the channels'
    ratios, not the ratio of means.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels.
    fmin, fmax : float
        The band in Hz.
    relative_to : (float, float)
        The range in Hz that relative power is a share of.
    segment_seconds, window
        As in :func:`welch_psd`.

    Returns
    -------
    dict
        ``absolute_uv2``, ``relative`` (0 to 1 where the band lies in the range) and
        ``per_channel`` rows of ``channel, absolute_uv2, relative``.
    """
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    return powers_of(freqs, psd, ch_names, fmin=fmin, fmax=fmax, relative_to=relative_to)


def powers_of(
    freqs: Array,
    psd: Array,
    ch_names: Sequence[str],
    *,
    fmin: float,
    fmax: float,
    relative_to: Sequence[float],
) -> dict[str, Any]:
    """Return what :func:`band_powers` returns, from a spectrum in V²/Hz."""
    absolute = band_power(freqs, psd, fmin, fmax)
    total = band_power(freqs, psd, float(relative_to[0]), float(relative_to[1]))
    silent = [name for name, power in zip(ch_names, total, strict=True) if power <= 0]
    if silent:
        raise SignalError(
            f"no power between {relative_to[0]:g} and {relative_to[1]:g} Hz in {', '.join(silent)}",
            hint="Leave out flat channels.",
        )
    relative = absolute / total
    return {
        "absolute_uv2": float(absolute.mean() * UV2),
        "relative": float(relative.mean()),
        "per_channel": [
            {"channel": name, "absolute_uv2": float(power * UV2), "relative": float(share)}
            for name, power, share in zip(ch_names, absolute, relative, strict=True)
        ],
    }


def band_ratio(
    freqs: Array, psd: Array, numerator: tuple[float, float], denominator: tuple[float, float]
) -> Array:
    """Return the ratio of two band powers, per channel (theta to beta, say)."""
    return band_power(freqs, psd, *numerator) / band_power(freqs, psd, *denominator)


def peak_of(
    freqs: Array,
    psd: Array,
    fmin: float,
    fmax: float,
    *,
    rule: Literal["parabolic", "grid"] = "parabolic",
) -> dict[str, Any]:
    """Return the largest peak of one spectrum between two frequencies.

    ``grid``: the frequency of the largest bin (the first of equals). ``parabolic``: the vertex of
    the parabola through the logarithms of that bin and its two neighbours. It is at most half a
    bin away from that bin: where the largest is the first or the last of the range, it can lie
    outside by as much.

    Parameters
    ----------
    freqs, psd : array, shape (n_freqs,)
        Hz and V²/Hz.
    fmin, fmax : float
        Range of the search in Hz, both bins included.
    rule : {"parabolic", "grid"}
        How the frequency is read.

    Returns
    -------
    dict
        ``frequency_hz``, ``power_uv2_per_hz`` and ``at_edge``: the largest bin is not a local
        maximum, so the range holds no peak.
    """
    bins = np.flatnonzero(_in_band(freqs, fmin, fmax))
    top = int(bins[np.argmax(psd[bins])])
    inner = 0 < top < len(freqs) - 1
    is_peak = inner and psd[top] >= psd[top - 1] and psd[top] >= psd[top + 1]
    frequency, power = float(freqs[top]), float(psd[top])
    if rule == "parabolic" and is_peak and min(psd[top - 1], psd[top + 1]) > 0:
        left, middle, right = np.log(psd[top - 1 : top + 2])
        curvature = left - 2 * middle + right
        if curvature < 0:
            shift = float(0.5 * (left - right) / curvature)
            frequency += shift * float(freqs[1] - freqs[0])
            power = float(np.exp(middle - 0.25 * (left - right) * shift))
    return {
        "frequency_hz": frequency,
        "power_uv2_per_hz": power * UV2,
        "at_edge": not is_peak,
    }


@operation("spectra.peak", version="1.0.0")
def spectral_peak(
    data: Array,
    sfreq: float,
    *,
    fmin: float,
    fmax: float,
    rule: Literal["parabolic", "grid"] = "parabolic",
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return :func:`peak_of` of the spectrum averaged over channels."""
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    return peak_of(freqs, psd.mean(axis=0), fmin, fmax, rule=rule)


def line_ratios(freqs: Array, psd: Array, *, threshold: float = 3.0) -> dict[str, Any]:
    """Return how much the mains stand out at 50 and 60 Hz.

    The ratio is the largest density within 0.5 Hz of the frequency over the median density from 2
    to 6 Hz on either side of it. Without a line it is between 1 and 2.

    Parameters
    ----------
    freqs, psd : array, shape (n_freqs,)
        Hz and power per Hz, averaged over channels.
    threshold : float
        Smallest ratio that counts as line noise.

    Returns
    -------
    dict
        ``frequency_hz`` (50, 60 or None if neither stands out), ``ratio_50hz`` and ``ratio_60hz``
        (None where the spectrum ends below).
    """
    ratios: dict[float, float | None] = {}
    for line in LINE_FREQUENCIES:
        distance = np.abs(freqs - line)
        near, around = distance <= 0.5, (distance >= 2) & (distance <= 6)
        measurable = freqs[-1] >= line + 1 and near.any() and around.sum() >= 5
        floor = float(np.median(psd[around])) if measurable else 0.0
        ratios[line] = float(psd[near].max() / floor) if floor > 0 else None
    known = {line: ratio for line, ratio in ratios.items() if ratio is not None}
    best = max(known, key=lambda line: known[line], default=None)
    found = best if best is not None and known[best] >= threshold else None
    return {"frequency_hz": found, "ratio_50hz": ratios[50.0], "ratio_60hz": ratios[60.0]}


@operation("spectra.line_noise", version="1.0.0")
def line_noise(
    data: Array, sfreq: float, *, threshold: float = 3.0, segment_seconds: float = 4.0
) -> dict[str, Any]:
    """Return :func:`line_ratios` of the spectrum (Hann window) averaged over channels."""
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds)
    return line_ratios(freqs, psd.mean(axis=0), threshold=threshold)


def spectral_edge(freqs: Array, psd: Array, fmin: float, fmax: float, share: float = 0.95) -> float:
    """Return the smallest bin at which the cumulative trapezoid power reaches a share.

    Parameters
    ----------
    freqs, psd : array, shape (n_freqs,)
        Hz and power per Hz.
    fmin, fmax : float
        Range in Hz that the share refers to.
    share : float
        Between 0 and 1.
    """
    mask = _in_band(freqs, fmin, fmax)
    f, p = freqs[mask], psd[mask]
    steps = np.diff(f) * (p[1:] + p[:-1]) / 2
    cumulative = np.concatenate([[0.0], np.cumsum(steps)])
    return float(f[np.searchsorted(cumulative, share * cumulative[-1] * (1 - 1e-12))])


def spectral_entropy(psd: Array) -> float:
    """Return the Shannon entropy of all bins, normalised to 0 (one bin) … 1 (flat)."""
    share = psd / psd.sum()
    share = share[share > 0]
    return float(-(share * np.log2(share)).sum() / np.log2(psd.size))


def dominant_bands(
    freqs: Array, psd: Array, bands: Mapping[str, tuple[float, float]] = BANDS
) -> list[str]:
    """Return band names by descending power; equal powers keep the order given."""
    powers = {name: float(band_power(freqs, psd, *edges)) for name, edges in bands.items()}
    return sorted(powers, key=lambda name: -powers[name])
