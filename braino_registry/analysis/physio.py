"""Heartbeats in an ECG and blinks in a vertical EOG."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Array = NDArray[np.float64]
UV = 1e6

# fastest heart that is counted, and how long a blink holds off the next
REFRACTORY = 0.3
BLINK_GAP = 0.3
# a beat's energy reaches this share of the typical beat's
BEAT_SHARE = 0.3
# R peaks are looked for this far from the largest energy
R_REACH = 0.06


def band_limited(data: Array, sfreq: float, low: float, high: float) -> Array:
    """Return a signal band-passed by a second-order Butterworth filter, run both ways.

    Parameters
    ----------
    data : array, shape (..., n_times)
        The signal.
    sfreq : float
        Samples per second.
    low, high : float
        Edges in Hz; the upper one is at most 0.45 of the rate.
    """
    from scipy.signal import butter, sosfiltfilt

    sections = butter(2, [low, min(high, 0.45 * sfreq)], "bandpass", fs=sfreq, output="sos")
    out: Array = sosfiltfilt(sections, data, axis=-1)
    return out


def _one(data: Array, sfreq: float, least: float, fastest: float) -> Array:
    """Return the only row of a signal that is long and fast enough."""
    if data.ndim != 2 or data.shape[0] != 1:
        raise SignalError(
            "one channel of a continuous view is needed", hint="Pass exactly one channel."
        )
    if data.shape[1] < least * sfreq:
        raise SignalError(
            f"{data.shape[1] / sfreq:.3g} s are too short",
            hint=f"Pass a view of {least:g} s or more.",
        )
    if sfreq < fastest:
        raise SignalError(
            f"{sfreq:g} Hz is too slow a rate", hint=f"Pass a view at {fastest:g} Hz or more."
        )
    row: Array = data[0]
    return row


def r_peaks(ecg: Array, sfreq: float) -> NDArray[np.int_]:
    """Return the samples of the R peaks.

    Energy: the square of the 8–20 Hz band, averaged over 0.12 s. Beats: its maxima, 0.3 s apart or
    more, that reach 0.3 of the typical beat (the 90th percentile of the maxima of 1 s pieces is cut
    to its median, so that one artefact does not hide the beats). R: the largest sample of the
    0.5–40 Hz band within 0.06 s of it, downwards if most beats point down.

    Parameters
    ----------
    ecg : array, shape (n_times,)
        One lead, any unit.
    sfreq : float
        Samples per second, 80 or more.
    """
    from scipy.ndimage import uniform_filter1d
    from scipy.signal import find_peaks

    energy = uniform_filter1d(
        band_limited(ecg, sfreq, 8.0, 20.0) ** 2, max(round(0.12 * sfreq), 1), mode="nearest"
    )
    piece = round(1.5 * sfreq)
    count = energy.size // piece
    typical = float(np.median(energy[: count * piece].reshape(count, piece).max(axis=1)))
    if typical <= 0:
        return np.empty(0, int)
    found, _ = find_peaks(energy, height=BEAT_SHARE * typical, distance=round(REFRACTORY * sfreq))
    shape = band_limited(ecg, sfreq, 0.5, 40.0)
    reach = max(round(R_REACH * sfreq), 1)
    around = np.clip(found[:, None] + np.arange(-reach, reach + 1), 0, ecg.size - 1)
    pieces = shape[around]
    down = np.median(pieces.max(axis=1)) < np.median(-pieces.min(axis=1))
    best = (pieces.argmin(axis=1)) if down else pieces.argmax(axis=1)
    peaks: NDArray[np.int_] = np.unique(around[np.arange(found.size), best])
    return peaks


@operation("physio.heart_rate", version="1.0.0")
def heart_rate(data: Array, sfreq: float) -> dict[str, Any]:
    """Return the heart rate from the R peaks of an ECG.

    RR intervals outside 0.3 to 2 s are left out. The rate of a beat is 60 / RR; ``mean_bpm`` is the
    mean of these, not 60 over the mean interval. ``sdnn_ms``: standard deviation of the intervals
    (n - 1). ``rmssd_ms``: root of the mean square of differences between neighbouring intervals;
    a difference across an interval that was left out does not count.

    Parameters
    ----------
    data : array, shape (1, n_times)
        The ECG, 5 s or more.
    sfreq : float
        Samples per second.

    Returns
    -------
    dict
        ``mean_bpm``, ``min_bpm``, ``max_bpm``, ``n_beats``, ``sdnn_ms``, ``rmssd_ms``.

    Raises
    ------
    SignalError
        If fewer than four beats are found.
    """
    row = _one(data, sfreq, 5.0, 80.0)
    peaks = r_peaks(row, sfreq)
    intervals = np.diff(peaks) / sfreq
    usable = (intervals >= REFRACTORY) & (intervals <= 2.0)
    if usable.sum() < 3:
        raise SignalError(
            f"{peaks.size} heartbeats are too few for a heart rate",
            hint="Pass a view with a longer or better ECG.",
        )
    kept = intervals[usable]
    steps = np.diff(intervals)[usable[1:] & usable[:-1]]
    rates = 60.0 / kept
    return {
        "mean_bpm": float(rates.mean()),
        "min_bpm": float(rates.min()),
        "max_bpm": float(rates.max()),
        "n_beats": int(peaks.size),
        "sdnn_ms": float(1000 * kept.std(ddof=1)),
        "rmssd_ms": float(1000 * np.sqrt((steps**2).mean())) if steps.size else None,
    }


@operation("physio.blink_rate", version="1.0.0")
def blink_rate(data: Array, sfreq: float, *, threshold_uv: float = 100.0) -> dict[str, Any]:
    """Return how often somebody blinked, from a vertical EOG.

    Blinks: maxima above ``threshold_uv`` of the 0.5–15 Hz band, 0.3 s apart or more. The signal is
    turned over if its 99.9th percentile is closer to zero than its 0.1th: some montages record
    blinks downwards.

    Parameters
    ----------
    data : array, shape (1, n_times)
        The vertical EOG in V, 5 s or more.
    sfreq : float
        Samples per second.
    threshold_uv : float
        Least height in µV.

    Returns
    -------
    dict
        ``blinks_per_minute``, ``n_blinks``, ``median_uv`` (height of the blinks, None without any).
    """
    from scipy.signal import find_peaks

    row = _one(data, sfreq, 5.0, 40.0)
    band = band_limited(row, sfreq, 0.5, 15.0) * UV
    low, high = np.quantile(band, [0.001, 0.999])
    if -low > high:
        band = -band
    distance = max(round(BLINK_GAP * sfreq), 1)
    found, _ = find_peaks(band, height=threshold_uv, distance=distance)
    return {
        "blinks_per_minute": float(found.size / (row.size / sfreq / 60)),
        "n_blinks": int(found.size),
        "median_uv": float(np.median(band[found])) if found.size else None,
    }
