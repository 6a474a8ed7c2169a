"""Faults that come and go: saturation, muscle, gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.robust import robust_z
from braino_registry.analysis.windows import first_sample

Array = NDArray[np.float64]
UV = 1e6

# clipping: so many equal samples in a row, so many such runs at one level, so much of the signal
RUN_LENGTH = 3
RUN_COUNT = 3
LEAST_SHARE = 2e-4
# and so many times as many samples as at the steps beneath: coarse rounding makes runs at every
# level, but the further out, the fewer
RAIL_FACTOR = 2.0
STEPS_BENEATH = 5
# equal up to this share of the channel's range
EQUAL = 1e-6

MUSCLE_BAND = (30.0, 45.0)
MUSCLE_Z = 5.0
AMPLITUDE_Z = 5.0
FLAT_UV = 0.5
FLAT_PERCENT = 50.0
# natural-log units: windows closer than this are not told apart
LOG_FLOOR = 0.1


@operation("quality.clipping", version="1.0.0")
def clipping(data: Array, ch_names: Sequence[str], times: Array) -> dict[str, Any]:
    """Return the channels whose amplifier was saturated.

    A run is three or more equal samples (to a millionth of the channel's range) above both
    neighbours, or below both; a run at the end of the signal has one neighbour. The upper level is
    the highest at which three upward runs or more lie with nothing above it from the first on, and
    at which there are from then on more than twice as many samples as, on average, at each of the
    five steps of the resolution beneath it; the lower likewise. A channel is clipped if it
    has such a level, and the runs at its levels make 0.02 % of its samples or more; flat channels
    (standard deviation below 0.5 µV) are not.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        The signal in V, unfiltered: a filter rounds the plateaus.
    ch_names : sequence of str
        Channels.
    times : array, shape (n_times,)
        Seconds.

    Returns
    -------
    dict
        ``channels``, ``n_clipped`` and ``rows`` of all channels with ``channel, share_percent,
        n_runs, onset`` (first clipped sample), ``upper_uv, lower_uv``; None where there is none.
    """
    rows = [_clipped(name, x, times) for name, x in zip(ch_names, data, strict=True)]
    channels = [
        row["channel"]
        for row in rows
        if row["n_runs"] >= RUN_COUNT and row["share_percent"] >= 100 * LEAST_SHARE
    ]
    rows.sort(key=lambda row: -row["share_percent"])
    return {"channels": channels, "n_clipped": len(channels), "rows": rows}


def _clipped(name: str, x: Array, times: Array) -> dict[str, Any]:
    tolerance = EQUAL * float(np.ptp(x))
    starts, lengths = _runs(x, tolerance)
    if x.std() * UV < FLAT_UV:
        starts, lengths = starts[:0], lengths[:0]
    upper, top = _level(x, starts, lengths, tolerance, 1)
    lower, bottom = _level(x, starts, lengths, tolerance, -1)
    at_level = top | bottom
    count = int(lengths[at_level].sum())
    return {
        "channel": name,
        "share_percent": 100 * count / x.size,
        "n_runs": int(at_level.sum()),
        "onset": float(times[starts[at_level][0]]) if count else None,
        "upper_uv": upper,
        "lower_uv": lower,
    }


def _runs(x: Array, tolerance: float) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return first samples and lengths of runs of equal samples."""
    same = np.concatenate([[False], np.abs(np.diff(x)) <= tolerance, [False]])
    starts = np.flatnonzero(~same[:-1] & same[1:])
    stops = np.flatnonzero(same[:-1] & ~same[1:])
    lengths = stops - starts + 1
    long = (lengths >= RUN_LENGTH) & (lengths < x.size)
    return starts[long], lengths[long]


def _level(
    x: Array,
    starts: NDArray[np.int_],
    lengths: NDArray[np.int_],
    tolerance: float,
    way: int,
) -> tuple[float | None, NDArray[np.bool_]]:
    """Return the level in µV beyond which a direction does not go, and the plateaus at it."""
    stops = starts + lengths
    before = np.where(starts > 0, x[np.maximum(starts - 1, 0)], -way * np.inf)
    after = np.where(stops < x.size, x[np.minimum(stops, x.size - 1)], -way * np.inf)
    levels = x[starts] if starts.size else np.empty(0)
    plateau = (way * (levels - before) > tolerance) & (way * (levels - after) > tolerance)
    if not plateau.any():
        return None, plateau
    steps = np.round(levels / max(tolerance, 1e-15) / 4).astype(np.int64)
    values, counts = np.unique(steps[plateau], return_counts=True)
    often = values[counts >= RUN_COUNT]
    for value in often[::-way]:
        chosen = plateau & (np.abs(steps - value) <= 1)
        level = float(np.median(levels[chosen]))
        if _is_rail(x[starts[chosen][0] :], level, tolerance, way):
            return level * UV, chosen
    return None, np.zeros_like(plateau)


def _is_rail(piece: Array, level: float, tolerance: float, way: int) -> bool:
    """Tell whether values end at a level, and more suddenly than their resolution explains."""
    distance = way * (level - piece)
    if (distance < -8 * tolerance).any():
        return False
    inner = np.unique(distance[distance > 8 * tolerance])
    apart = np.diff(inner)
    apart = apart[apart > tolerance]
    if not apart.size:
        return True
    beneath = inner[0] + (STEPS_BENEATH - 0.5) * float(apart.min())
    near = int(((distance > 8 * tolerance) & (distance <= beneath)).sum())
    return bool((np.abs(distance) <= 8 * tolerance).sum() > RAIL_FACTOR * near / STEPS_BENEATH)


@operation("quality.segments", version="1.0.0")
def segments(data: Array, sfreq: float, times: Array, *, window_s: float = 5.0) -> dict[str, Any]:
    """Return what each window of a recording is like, and which stand out.

    Windows lie on the grid 0, ``window_s``, 2 ``window_s`` … of the recording; incomplete ones are
    left out. ``muscle_uv``: RMS of the 30–45 Hz band (Hann-windowed, density integrated), median
    over channels. ``peak_to_peak_uv``: median over channels. Their z scores are robust (median,
    1.4826 MAD) over windows that are not flat, of the logarithms. ``flat_percent``: share of
    channels with a standard deviation below 0.5 µV in at least one tenth of the window. Flagged:
    muscle or amplitude with z above 5, flat with 50 % or more. Neighbouring flagged windows make a
    stretch.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        The signal in V.
    sfreq : float
        Samples per second, 70 or more.
    times : array, shape (n_times,)
        Seconds from the recording's start.
    window_s : float
        Length of a window in s.

    Returns
    -------
    dict
        ``n_windows``, ``n_flagged``, ``noisiest`` (most muscle), ``stretches``, ``windows``.

    Raises
    ------
    SignalError
        If fewer than five windows fit, or the rate is too low.
    """
    top = min(MUSCLE_BAND[1], 0.45 * sfreq)
    if top - MUSCLE_BAND[0] < 1:
        raise SignalError(
            f"muscle from {MUSCLE_BAND[0]:g} Hz up is not in a signal at {sfreq:g} Hz",
            hint="Pass a view at 70 Hz or more.",
        )
    first = first_sample(float(times[0]), sfreq)
    length = round(window_s * sfreq)
    begin = -(-first // length) * length - first
    count = (data.shape[1] - begin) // length
    if count < 5:
        raise SignalError(
            f"{max(count, 0)} windows of {window_s:g} s are too few to compare",
            hint="Pass a shorter window_s, or a longer view.",
        )
    muscle, span, flat = np.empty(count), np.empty(count), np.empty(count)
    for k in range(count):
        piece = data[:, begin + k * length : begin + (k + 1) * length]
        muscle[k] = np.median(_band_rms(piece, sfreq, MUSCLE_BAND[0], top)) * UV
        span[k] = np.median(np.ptp(piece, axis=1)) * UV
        flat[k] = 100 * _is_flat(piece).mean()
    lively = flat < FLAT_PERCENT
    muscle_z = _log_z(muscle, lively)
    amplitude_z = _log_z(span, lively)
    onsets = (first + begin + np.arange(count) * length) / sfreq
    windows: list[dict[str, Any]] = []
    for k in range(count):
        reasons = {
            "muscle": bool(lively[k] and muscle_z[k] > MUSCLE_Z),
            "flat": not lively[k],
            "amplitude": bool(lively[k] and amplitude_z[k] > AMPLITUDE_Z),
        }
        windows.append(
            {
                "onset": float(onsets[k]),
                "muscle_uv": float(muscle[k]),
                "muscle_z": float(muscle_z[k]) if lively[k] else None,
                "peak_to_peak_uv": float(span[k]),
                "amplitude_z": float(amplitude_z[k]) if lively[k] else None,
                "flat_percent": float(flat[k]),
                "reasons": [reason for reason, holds in reasons.items() if holds],
            }
        )
    noisiest = max((w for w in windows), key=lambda w: w["muscle_uv"])
    return {
        "n_windows": count,
        "n_flagged": sum(bool(window["reasons"]) for window in windows),
        "noisiest": {key: noisiest[key] for key in ("onset", "muscle_uv", "muscle_z")},
        "stretches": _stretches(windows, window_s),
        "windows": windows,
    }


def _band_rms(piece: Array, sfreq: float, low: float, high: float) -> Array:
    n = piece.shape[1]
    taper = np.hanning(n + 2)[1:-1]
    spectrum = np.fft.rfft((piece - piece.mean(axis=1, keepdims=True)) * taper, axis=1)
    freqs = np.fft.rfftfreq(n, 1 / sfreq)
    mask = (freqs >= low) & (freqs <= high)
    power = 2 * (np.abs(spectrum[:, mask]) ** 2).sum(axis=1) / (n * (taper**2).sum())
    rms: Array = np.sqrt(power)
    return rms


def _is_flat(piece: Array) -> NDArray[np.bool_]:
    """Return the channels that are flat in a tenth of the window or more."""
    n = max(piece.shape[1] // 10, 2)
    parts = piece[:, : piece.shape[1] // n * n].reshape(piece.shape[0], -1, n)
    flat: NDArray[np.bool_] = (parts.std(axis=-1) * UV < FLAT_UV).any(axis=1)
    return flat


def _log_z(values: Array, usable: NDArray[np.bool_]) -> Array:
    logs = np.where(usable, np.log(np.maximum(values, 1e-9)), np.nan)
    return robust_z(logs, floor=LOG_FLOOR)


def _stretches(windows: Sequence[dict[str, Any]], window_s: float) -> list[dict[str, Any]]:
    """Return runs of neighbouring flagged windows that share a reason with the one before."""
    out: list[dict[str, Any]] = []
    open_one: dict[str, Any] | None = None
    for window in windows:
        reasons = window["reasons"]
        if not reasons:
            open_one = None
        elif open_one is not None and set(reasons) & set(open_one["reasons"]):
            open_one["duration"] += window_s
            open_one["reasons"] += [r for r in reasons if r not in open_one["reasons"]]
        else:
            open_one = {
                "onset": window["onset"],
                "duration": float(window_s),
                "reasons": list(reasons),
            }
            out.append(open_one)
    return out
