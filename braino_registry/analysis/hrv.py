"""Heart-rate variability, from the times of beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.spectra import welch_psd

LF, HF = (0.04, 0.15), (0.15, 0.40)
RATE = 4.0
SEGMENT = 256


def _intervals(beats: Sequence[float], least: int) -> Any:
    times = np.asarray(beats, dtype=float)
    if times.ndim != 1 or times.size < least or not (np.diff(times) > 0).all():
        raise SignalError(
            "the times of beats must ascend, and be enough",
            hint=f"Pass {least} times in seconds or more.",
        )
    return times


@operation("cardiac.variability", version="1.0.0")
def variability(beats: Sequence[float]) -> dict[str, Any]:
    """Return heart rate and its variability in the time domain.

    The rate of a beat is ``60 / RR``: ``mean_bpm`` is the mean of rates and not 60 over the mean
    interval. ``rmssd_ms``: root of the mean square of differences between neighbouring intervals.
    ``sdnn_ms``: standard deviation of intervals (``ddof=1``). ``pnn50_percent``: differences of
    more than 50 ms, of all differences. Task Force (1996). Nothing is cleaned: leave out ectopic
    beats before.

    Parameters
    ----------
    beats : sequence of float
        Times of R peaks in seconds, ascending, three or more.

    Returns
    -------
    dict
        ``mean_bpm``, ``min_bpm``, ``max_bpm``, ``rmssd_ms``, ``sdnn_ms``, ``pnn50_percent``,
        ``n_beats``.
    """
    intervals = np.diff(_intervals(beats, 3))
    rates = 60 / intervals
    # times are seldom given more finely than microseconds: what is beyond is rounding
    steps = np.round(np.diff(intervals) * 1000, 6)
    return {
        "mean_bpm": float(rates.mean()),
        "min_bpm": float(rates.min()),
        "max_bpm": float(rates.max()),
        "rmssd_ms": float(1000 * np.sqrt((np.diff(intervals) ** 2).mean())),
        "sdnn_ms": float(1000 * intervals.std(ddof=1)),
        "pnn50_percent": float(100 * (np.abs(steps) > 50).mean()),
        "n_beats": int(intervals.size + 1),
    }


@operation("cardiac.spectrum", version="1.0.0")
def spectrum(beats: Sequence[float]) -> dict[str, Any]:
    """Return the power of heart-rate variability at low and at high frequency.

    Intervals in ms, each at the time of the beat that ends it, are interpolated linearly to 4 Hz;
    Welch's method (Hann, 256 samples, 50 % overlap, mean removed, density); trapezoid integral over
    ``0.04 <= f < 0.15`` Hz and ``0.15 <= f < 0.4`` Hz.

    Parameters
    ----------
    beats : sequence of float
        Times of R peaks in seconds, ascending, over 65 s or more.

    Returns
    -------
    dict
        ``lf_ms2``, ``hf_ms2``, ``lf_hf_ratio``.
    """
    times = _intervals(beats, 10)
    grid = np.arange(times[1], times[-1], 1 / RATE)
    if grid.size < SEGMENT:
        raise SignalError(
            f"{grid.size / RATE:.3g} s of beats are too short", hint="Pass beats over 65 s or more."
        )
    series = np.interp(grid, times[1:], 1000 * np.diff(times))
    freqs, (psd,) = welch_psd(series[None, :], RATE, segment_seconds=SEGMENT / RATE)
    power = []
    for low, high in (LF, HF):
        mask = (freqs >= low) & (freqs < high)
        power.append(float(np.trapezoid(psd[mask], freqs[mask])))
    if not power[1] > 0:
        raise SignalError("the beats do not vary", hint="Pass beats as they were measured.")
    return {"lf_ms2": power[0], "hf_ms2": power[1], "lf_hf_ratio": power[0] / power[1]}
