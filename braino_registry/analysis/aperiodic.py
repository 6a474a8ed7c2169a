"""The part of a spectrum that is no rhythm, and how alike two channels are in a band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.robust import MAD_TO_SD
from braino_registry.analysis.spectra import UV2, _in_band, welch_psd

Array = NDArray[np.float64]
Bands = Sequence[Sequence[float]]
ALPHA: Bands = ((7.0, 14.0),)
# Tukey's bisquare: 95 % efficient for normal residuals
BISQUARE = 4.685
ROUNDS = 50


def aperiodic_of(
    freqs: Array, psd: Array, ch_names: Sequence[str], fmin: float, fmax: float, exclude: Bands
) -> dict[str, Any]:
    """Return what :func:`aperiodic` returns, from a spectrum in V²/Hz."""
    mask = _in_band(freqs, fmin, fmax) & (freqs > 0)
    for low, high in exclude:
        mask &= ~((freqs >= low) & (freqs <= high))
    if mask.sum() < 10:
        raise SignalError(
            f"{mask.sum()} bins are too few for a fit", hint="Pass a wider range, or exclude less."
        )
    silent = [name for name, row in zip(ch_names, psd, strict=True) if not (row[mask] > 0).all()]
    if silent:
        raise SignalError(f"no power in {', '.join(silent)}", hint="Leave out flat channels.")
    x = np.log10(freqs[mask])
    rows = [
        {"channel": name, **_fit(x, np.log10(row[mask] * UV2))}
        for name, row in zip(ch_names, psd, strict=True)
    ]
    mean = {
        key: float(np.mean([row[key] for row in rows]))
        for key in ("exponent", "offset", "r_squared")
    }
    return {**mean, "per_channel": rows}


def _fit(x: Array, y: Array) -> dict[str, float]:
    """Fit a line by iteratively reweighted least squares with Tukey's bisquare."""
    design = np.stack([np.ones_like(x), x], axis=1)
    # bins are denser at high frequencies; each decade counts the same
    density = np.gradient(x)
    weights = density
    line = np.zeros(2)
    for _ in range(ROUNDS):
        root = np.sqrt(weights)[:, None]
        new = np.linalg.lstsq(design * root, y * root[:, 0], rcond=None)[0]
        done = np.abs(new - line).max() < 1e-10
        line = new
        residuals = y - design @ line
        scale = MAD_TO_SD * float(np.median(np.abs(residuals - np.median(residuals))))
        if done or scale < 1e-12:
            break
        u = residuals / (BISQUARE * scale)
        weights = density * np.where(np.abs(u) < 1, (1 - u**2) ** 2, 0.0)
    residuals = y - design @ line
    centred = y - np.average(y, weights=density)
    explained = 1 - float((density * residuals**2).sum() / (density * centred**2).sum())
    return {"exponent": float(-line[1]), "offset": float(line[0]), "r_squared": explained}


@operation("spectra.aperiodic", version="1.0.0")
def aperiodic(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    fmin: float = 2.0,
    fmax: float = 40.0,
    exclude: Bands = ALPHA,
    segment_seconds: float = 4.0,
) -> dict[str, Any]:
    """Return the exponent and offset of the aperiodic part of a spectrum.

    The line ``log10 density = offset - exponent · log10 f`` (density in µV²/Hz, f in Hz) through
    the bins of Welch's method (4 s, Hann) with ``fmin <= f <= fmax`` outside the excluded bands
    (edges excluded, too), per channel; fitted by iteratively reweighted least squares with Tukey's
    bisquare (4.685 × 1.4826 MAD), each bin weighted by its width in log f. The average is the mean
    of the channels' values.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels.
    fmin, fmax : float
        Range of the fit in Hz.
    exclude : sequence of (float, float)
        Bands in Hz that hold rhythms.
    segment_seconds : float
        As in :func:`braino_registry.analysis.spectra.welch_psd`.

    Returns
    -------
    dict
        ``exponent`` (positive: falling), ``offset``, ``r_squared`` and ``per_channel``.
    """
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds)
    return aperiodic_of(freqs, psd, ch_names, fmin, fmax, exclude)


@operation("spectra.coherence", version="1.0.0")
def coherence(
    data: Array, sfreq: float, *, fmin: float, fmax: float, segment_seconds: float = 2.0
) -> dict[str, Any]:
    """Return the magnitude-squared coherence of two channels in a band.

    ``|Sxy|² / (Sxx Syy)`` from Welch's method (2 s, Hann, 50 % overlap, mean removed), averaged
    over the bins with ``fmin <= f <= fmax``. :func:`scipy.signal.coherence`.

    Parameters
    ----------
    data : array, shape (2, n_times)
        The two channels.
    sfreq : float
        Samples per second.
    fmin, fmax : float
        The band in Hz.
    segment_seconds : float
        Length of a segment.

    Returns
    -------
    dict
        ``coherence`` (0 to 1), ``peak_hz`` (bin of the largest; None unless it is a local maximum
        of all bins: the edge of a band is no peak) and ``n_segments``.

    Raises
    ------
    SignalError
        If there are not two channels, or fewer than ten segments.
    """
    from scipy.signal import coherence as of_two

    n = round(segment_seconds * sfreq)
    if data.ndim != 2 or data.shape[0] != 2:
        raise SignalError("coherence is of two channels of a continuous view", hint="Pass two.")
    count = (data.shape[1] - n // 2) // (n - n // 2) if n > 1 else 0
    if count < 10:
        raise SignalError(
            f"{max(count, 0)} segments are too few: coherence of few segments is always high",
            hint="Pass a view of 11 s or more.",
        )
    if not (np.ptp(data, axis=1) > 0).all():
        raise SignalError("one of the channels is flat", hint="Pass other channels.")
    freqs, values = of_two(data[0], data[1], sfreq, nperseg=n, noverlap=n // 2)
    bins = np.flatnonzero(_in_band(freqs, fmin, fmax))
    top = int(bins[np.argmax(values[bins])])
    around = values[max(top - 1, 0) : top + 2]
    return {
        "coherence": float(values[bins].mean()),
        "peak_hz": float(freqs[top]) if values[top] >= around.max() else None,
        "n_segments": int(count),
    }
