"""Oxygen saturation: levels, time below a level, desaturations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import first_sample

Array = NDArray[np.float64]


def _one(data: Array) -> Array:
    row = np.asarray(data, dtype=float)
    if row.ndim == 2 and len(row) == 1:
        row = row[0]
    if row.ndim != 1 or not np.isfinite(row).any():
        raise SignalError("one channel with samples is needed", hint="Pass the SpO2 channel.")
    return row


@operation("oximetry.levels", version="1.0.0")
def levels(data: Array, sfreq: float, *, below: tuple[float, ...] = (90.0, 80.0)) -> dict[str, Any]:
    """Return mean and lowest saturation, and the time below some levels.

    Samples that are not finite are left out. Below: strictly, counted in samples.

    Parameters
    ----------
    data : array, shape (1, n_times) or (n_times,)
        Saturation in percent, at its native rate: a resampled one overshoots.
    sfreq : float
        Samples per second.
    below : sequence of float
        Levels in percent.

    Returns
    -------
    dict
        ``mean_percent``, ``min_percent``, ``valid_min``, and ``minutes_below`` by level.
    """
    row = _one(data)
    known = row[np.isfinite(row)]
    minute = 60 * sfreq
    return {
        "mean_percent": float(known.mean()),
        "min_percent": float(known.min()),
        "valid_min": known.size / minute,
        "minutes_below": {f"{level:g}": int((known < level).sum()) / minute for level in below},
    }


@operation("oximetry.desaturations", version="1.0.0")
def desaturations(
    data: Array, sfreq: float, *, baseline: float, drop: float = 3.0, least_s: float = 10.0
) -> dict[str, Any]:
    """Return the desaturations below a constant baseline, and how many there are per hour.

    A desaturation is a run of samples at or below ``baseline - drop`` that lasts ``least_s`` or
    longer; a sample that is not finite ends it. The index is their number per hour of valid signal.

    Parameters
    ----------
    data : array, shape (1, n_times) or (n_times,)
        Saturation in percent.
    sfreq : float
        Samples per second.
    baseline, drop : float
        Percent.
    least_s : float
        Seconds.

    Returns
    -------
    dict
        ``n``, ``per_hour``, ``events``: rows of ``onset``, ``duration`` (s), ``lowest_percent``.
    """
    row = _one(data)
    with np.errstate(invalid="ignore"):
        low = row <= baseline - drop
    edges = np.flatnonzero(np.diff(np.concatenate([[0], low.astype(np.int8), [0]])))
    least = first_sample(least_s, sfreq)
    events = [
        {
            "onset": float(start / sfreq),
            "duration": float((stop - start) / sfreq),
            "lowest_percent": float(row[start:stop].min()),
        }
        for start, stop in edges.reshape(-1, 2)
        if stop - start >= least
    ]
    hours = float(np.isfinite(row).sum()) / sfreq / 3600
    return {"n": len(events), "per_hour": len(events) / hours, "events": events}
