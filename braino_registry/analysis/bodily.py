"""Skin conductance, respiration, and slow signals of the eyes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.physio import BLINK_GAP, UV, _one, band_limited
from braino_registry.analysis.spectra import UV2, band_power, welch_psd

Array = NDArray[np.float64]

BREATH_GAP = 1.5
SLOW_BAND = (0.1, 1.0)


def low_passed(row: Array, sfreq: float, edge: float) -> Array:
    """Return a signal low-passed by a second-order Butterworth filter, run both ways."""
    from scipy.signal import butter, sosfiltfilt

    out: Array = sosfiltfilt(butter(2, edge, fs=sfreq, output="sos"), row)
    return out


@operation("eda.responses", version="1.0.0")
def skin_responses(data: Array, sfreq: float, *, least_us: float = 0.05) -> dict[str, Any]:
    """Return the skin-conductance responses and the level of the tonic signal.

    Responses: rises, from a local minimum to the next local maximum of the signal low-passed at
    1.5 Hz, of ``least_us`` or more. Tonic level: the mean of the signal low-passed at 0.05 Hz. Both
    filters are second-order Butterworth, run both ways.

    Parameters
    ----------
    data : array, shape (1, n_times)
        Skin conductance in µS, 20 s or more.
    sfreq : float
        Samples per second.
    least_us : float
        Least rise in µS.

    Returns
    -------
    dict
        ``n_responses``, ``per_minute``, ``tonic_us``, ``rows`` of ``time`` (s, of the maximum) and
        ``rise_us``.
    """
    row = _one(data, sfreq, 20.0, 4.0)
    smooth = low_passed(row, sfreq, 1.5)
    rising = np.diff(smooth) > 0
    turns = np.flatnonzero(np.diff(rising.astype(np.int8))) + 1
    found: list[dict[str, float]] = []
    trough: float | None = None  # a rise from the signal's start on began before it
    for turn in turns:
        if not rising[turn - 1]:
            trough = float(smooth[turn])
        elif trough is not None and smooth[turn] - trough >= least_us:
            found.append({"time": float(turn / sfreq), "rise_us": float(smooth[turn] - trough)})
    return {
        "n_responses": len(found),
        "per_minute": len(found) / (row.size / sfreq / 60),
        "tonic_us": float(low_passed(row, sfreq, 0.05).mean()),
        "rows": found,
    }


@operation("respiration.rate", version="1.0.0")
def breathing(data: Array, sfreq: float) -> dict[str, Any]:
    """Return how fast and how regularly somebody breathes.

    Breaths: maxima of the 0.05–1 Hz band (second-order Butterworth, both ways), 1.5 s apart or
    more, whose prominence is half the band's standard deviation or more. The rate is 60 over the
    mean interval; ``interval_cv`` the standard deviation (``ddof=1``) of intervals over their mean.

    Parameters
    ----------
    data : array, shape (1, n_times)
        A respiration belt or flow, any unit, 20 s or more.
    sfreq : float
        Samples per second.

    Returns
    -------
    dict
        ``per_minute``, ``interval_cv``, ``n_breaths``.
    """
    from scipy.signal import find_peaks

    row = _one(data, sfreq, 20.0, 4.0)
    band = band_limited(row, sfreq, 0.05, 1.0)
    peaks, _ = find_peaks(
        band, distance=max(round(BREATH_GAP * sfreq), 1), prominence=0.5 * band.std()
    )
    if peaks.size < 3:
        raise SignalError(
            f"{peaks.size} breaths are too few for a rate", hint="Pass a longer or better signal."
        )
    intervals = np.diff(peaks) / sfreq
    return {
        "per_minute": float(60 / intervals.mean()),
        "interval_cv": float(intervals.std(ddof=1) / intervals.mean()),
        "n_breaths": int(peaks.size),
    }


@operation("eog.blinks", version="1.0.0")
def blinks(data: Array, sfreq: float, *, threshold_uv: float = 100.0) -> dict[str, Any]:
    """Return how often somebody blinks and for how long, from an upright vertical EOG.

    Blinks: maxima above ``threshold_uv`` of the 0.5–15 Hz band (second-order Butterworth, both
    ways), 0.3 s apart or more. Duration: full width at half the prominence.

    Parameters
    ----------
    data : array, shape (1, n_times)
        The vertical EOG in V, blinks upwards, 5 s or more.
    sfreq : float
        Samples per second.
    threshold_uv : float
        Least height in µV.

    Returns
    -------
    dict
        ``per_minute``, ``n_blinks``, ``mean_duration_s`` (None without blinks).
    """
    from scipy.signal import find_peaks, peak_widths

    row = _one(data, sfreq, 5.0, 40.0)
    band = band_limited(row, sfreq, 0.5, 15.0) * UV
    peaks, _ = find_peaks(band, height=threshold_uv, distance=max(round(BLINK_GAP * sfreq), 1))
    widths = peak_widths(band, peaks, rel_height=0.5)[0] / sfreq
    return {
        "per_minute": float(peaks.size / (row.size / sfreq / 60)),
        "n_blinks": int(peaks.size),
        "mean_duration_s": float(widths.mean()) if peaks.size else None,
    }


@operation("eog.slow_power", version="1.0.0")
def slow_power(data: Array, sfreq: float) -> dict[str, Any]:
    """Return the power of slow eye movements, ``power_uv2``: 0.1 to 1 Hz.

    Trapezoid integral of Welch's density with segments of 10 s (Hann, 50 % overlap): shorter ones
    have no bins at the lower edge.

    Parameters
    ----------
    data : array, shape (1, n_times)
        An EOG in V, 10 s or more.
    sfreq : float
        Samples per second.
    """
    row = _one(data, sfreq, 10.0, 4.0)
    freqs, psd = welch_psd(row[None], sfreq, segment_seconds=10.0)
    return {"power_uv2": float(band_power(freqs, psd, *SLOW_BAND)[0] * UV2)}
