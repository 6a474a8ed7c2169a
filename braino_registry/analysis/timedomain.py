"""What a signal is like sample by sample: moments, Hjorth's parameters, field power, drift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.tables import by_channel, check_varying
from braino_registry.analysis.windows import first_sample, window_to_samples

Array = NDArray[np.float64]
UV = 1e6

# what :func:`moments` measures, in its order
MOMENTS = (
    "variance_uv2", "sd_uv", "rms_uv", "mean_uv", "peak_to_peak_uv", "skewness", "kurtosis",
    "line_length_uv", "zero_crossings",
)  # fmt: skip
HJORTH = ("activity_uv2", "mobility", "complexity")


def _continuous(data: Array, least: int) -> None:
    if data.ndim != 2:
        raise SignalError(
            "a continuous view is needed, not epochs", hint="Pass the view before epoching."
        )
    if data.shape[1] < least:
        raise SignalError(f"{data.shape[1]} samples are too few", hint=f"Pass {least} or more.")


def moments_of(row: Array) -> dict[str, float]:
    """Return what :func:`moments` measures of one channel.

    Parameters
    ----------
    row : array, shape (n_times,)
        V.
    """
    x = row * UV
    mean = float(x.mean())
    centred = x - mean
    variance = float((centred**2).mean())
    # what is left of a constant after its mean is rounding
    varies = variance > (1e-12 * max(abs(mean), 1e-12)) ** 2
    return {
        "variance_uv2": variance,
        "sd_uv": float(np.sqrt(variance)),
        "rms_uv": float(np.sqrt((x**2).mean())),
        "mean_uv": mean,
        "peak_to_peak_uv": float(np.ptp(x)),
        "skewness": float((centred**3).mean() / variance**1.5) if varies else np.nan,
        "kurtosis": float((centred**4).mean() / variance**2 - 3.0) if varies else np.nan,
        "line_length_uv": float(np.abs(np.diff(x)).sum()),
        "zero_crossings": float(zero_crossings(x)),
    }


def zero_crossings(x: Array) -> int:
    """Return how often the sign changes from one sample to the next; a zero counts as positive."""
    return int(np.count_nonzero(np.diff(np.signbit(x))))


@operation("time.moments", version="1.0.0")
def moments(data: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return moments and other measures of the samples of every channel.

    Variance with ``ddof=0``. RMS: the mean is not removed. Skewness: Fisher and Pearson's g1 of
    population moments (biased). Kurtosis: excess (0 for a normal distribution), biased. Line
    length: the sum of absolute differences between neighbouring samples. Zero crossings: changes of
    sign, the mean not removed. Skewness and kurtosis are refused for flat channels.

    Parameters
    ----------
    data, ch_names
        The signal in V and its channels.

    Returns
    -------
    dict
        ``variance_uv2, sd_uv, rms_uv, mean_uv, peak_to_peak_uv, skewness, kurtosis,
        line_length_uv, zero_crossings`` by channel, and ``mean``: their means over channels.
    """
    _continuous(data, 2)
    rows = [moments_of(row) for row in data]
    check_varying(ch_names, np.array([np.isfinite(row["kurtosis"]) for row in rows]))
    return _by_feature(ch_names, rows, MOMENTS)


def _by_feature(
    ch_names: Sequence[str], rows: Sequence[dict[str, float]], features: Sequence[str]
) -> dict[str, Any]:
    columns = {name: [row[name] for row in rows] for name in features}
    return {
        **{name: by_channel(ch_names, column) for name, column in columns.items()},
        "mean": {name: float(np.mean(column)) for name, column in columns.items()},
    }


@operation("time.course", version="1.0.0")
def course(
    data: Array, sfreq: float, ch_names: Sequence[str], *, seconds: float = 1.0
) -> dict[str, Any]:
    """Return how the strength of a signal goes up and down: its RMS in parts of equal length.

    Two stretches of the same stationary recording have the same spectrum and nearly the same RMS,
    yet not the same course.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, samples per second, channels.
    seconds : float
        Length of a part; what is left over at the end belongs to none.

    Returns
    -------
    dict
        ``rms_uv``: for each part, the mean over channels of the RMS, in µV, the mean not removed.

    Raises
    ------
    SignalError
        If a part would be shorter than two samples, or there would be fewer than two parts.
    """
    if not seconds * sfreq >= 2:
        raise SignalError(f"parts of {seconds} s are too short", hint="Pass seconds=1.")
    _continuous(data, 2 * round(seconds * sfreq))
    return {"rms_uv": (rms_course(data, sfreq, seconds) * UV).tolist()}


def rms_course(data: Array, sfreq: float, seconds: float) -> Array:
    """Return the mean over rows of the RMS in parts of so many seconds, shape (n_parts,)."""
    ends = np.floor(np.arange(0, data.shape[1] / sfreq / seconds + 1) * seconds * sfreq + 0.5)
    edges = ends[ends <= data.shape[1]].astype(int)
    squares = np.add.reduceat(np.square(data[:, : edges[-1]]), edges[:-1], axis=1)
    out: Array = np.sqrt(squares / np.diff(edges)).mean(axis=0)
    return out


def hjorth_of(row: Array) -> dict[str, float]:
    """Return what :func:`hjorth` measures of one channel in V."""
    x = row * UV
    first = np.diff(x)
    variances = [float(part.var()) for part in (x, first, np.diff(first))]
    if min(variances[:2]) <= 0:
        return {"activity_uv2": variances[0], "mobility": np.nan, "complexity": np.nan}
    mobility = float(np.sqrt(variances[1] / variances[0]))
    return {
        "activity_uv2": variances[0],
        "mobility": mobility,
        "complexity": float(np.sqrt(variances[2] / variances[1])) / mobility,
    }


@operation("time.hjorth", version="1.0.0")
def hjorth(data: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return Hjorth's parameters of every channel.

    Activity: ``var(x)``. Mobility: ``sqrt(var(dx) / var(x))`` with ``dx`` the differences between
    neighbouring samples, so per sample and not per second. Complexity: the mobility of ``dx`` over
    that of ``x``. All variances with ``ddof=0``. Hjorth (1970).

    Parameters
    ----------
    data, ch_names
        The signal in V and its channels.

    Returns
    -------
    dict
        ``activity_uv2``, ``mobility``, ``complexity`` by channel, and their ``mean``.
    """
    _continuous(data, 4)
    rows = [hjorth_of(row) for row in data]
    check_varying(ch_names, np.array([np.isfinite(row["mobility"]) for row in rows]))
    return _by_feature(ch_names, rows, HJORTH)


def global_field_power(data: Array) -> Array:
    """Return the population standard deviation over channels, shape (n_times,), in V.

    Unlike the root mean square, it does not depend on the reference. Lehmann and Skrandies (1980).
    """
    total = np.zeros(data.shape[1])
    squares = np.zeros(data.shape[1])
    # row by row: all squares at once would be a second recording
    for row in data:
        total += row
    total /= len(data)
    for row in data:
        squares += (row - total) ** 2
    power: Array = np.sqrt(squares / len(data))
    return power


@operation("time.gfp_peaks", version="1.0.0")
def gfp_peaks(
    data: Array, sfreq: float, times: Array, *, windows: Sequence[Sequence[float]]
) -> dict[str, Any]:
    """Return the largest global field power in each of several windows.

    Parameters
    ----------
    data, sfreq, times
        The signal in V, its rate, and seconds of its samples from the recording's start.
    windows : sequence of (float, float)
        Half-open windows in seconds from the recording's start.

    Returns
    -------
    dict
        ``peaks``: rows of ``time`` (s; the first of equals) and ``gfp_uv``; the same as lists in
        ``times`` and ``values_uv``; and ``mean_uv``, the mean of each window.
    """
    _continuous(data, 1)
    if data.shape[0] < 2:
        raise SignalError("field power needs two channels or more", hint="Pass more channels.")
    begin = first_sample(float(times[0]), sfreq)
    found = []
    for window in windows:
        start, stop = window_to_samples(float(window[0]), float(window[1]), sfreq)
        start, stop = start - begin, stop - begin
        if start < 0 or stop > data.shape[1]:
            raise SignalError(
                f"the window from {window[0]:g} to {window[1]:g} s is not inside the signal",
                hint=f"Pass times between {times[0]:g} and {times[-1] + 1 / sfreq:g} s.",
            )
        power = global_field_power(data[:, start:stop]) * UV
        top = int(np.argmax(power))
        found.append((float(times[start + top]), float(power[top]), float(power.mean())))
    if not found:
        raise SignalError("there is no window", hint="Pass windows as pairs of seconds.")
    return {
        "peaks": [{"time": time, "gfp_uv": value} for time, value, _ in found],
        "times": [time for time, _, _ in found],
        "values_uv": [value for _, value, _ in found],
        "mean_uv": [mean for _, _, mean in found],
    }


@operation("time.drift", version="1.0.0")
def drift(data: Array, sfreq: float, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return how far the baseline of every channel wanders.

    Slope: least-squares line through all samples. Drift: the standard deviation (``ddof=0``) of the
    means of complete pieces of one second from the signal's start; share: its square over the
    variance of the samples. A high-pass removes what is measured here.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, three seconds or more, its rate and channels.

    Returns
    -------
    dict
        ``slope_uv_per_s``, ``drift_uv``, ``share`` (0 to about 1; 0 for a flat channel) by channel;
        ``mean_drift_uv`` and ``median_drift_uv`` over channels.
    """
    n = max(first_sample(1.0, sfreq), 1)
    _continuous(data, 3 * n)
    count = data.shape[1] // n
    t = (np.arange(data.shape[1]) - (data.shape[1] - 1) / 2) / sfreq
    slopes, drifts, shares = [], [], []
    for row in data:
        x = row * UV
        slopes.append(float(t @ x / (t @ t)))
        means = x[: count * n].reshape(count, n).mean(axis=1)
        drifts.append(float(means.std()))
        variance = float(x.var())
        shares.append(float(means.var() / variance) if variance > 0 else 0.0)
    return {
        "slope_uv_per_s": by_channel(ch_names, slopes),
        "drift_uv": by_channel(ch_names, drifts),
        "share": by_channel(ch_names, shares),
        "mean_drift_uv": float(np.mean(drifts)),
        "median_drift_uv": float(np.median(drifts)),
    }
