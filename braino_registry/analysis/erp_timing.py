"""When a component begins and is half over, and how precisely it was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.erp import Polarity, average, rows_of
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import inside

Array = NDArray[np.float64]
UV = 1e6
RESAMPLES = 1000
SEED = 20_260_101
LatencyKind = Literal["fractional_area", "fractional_peak_onset"]


def trials_of(data: Array, ch_names: Sequence[str], channel: str | Sequence[str]) -> Array:
    """Return one channel, or the mean of several, of every epoch.

    Parameters
    ----------
    data : array, shape (n_epochs, n_channels, n_times)
        Epochs.
    ch_names : sequence of str
        Channels.
    channel : str | sequence of str
        Which.

    Raises
    ------
    SignalError
        If the data are not epochs, or a channel does not exist.
    """
    if data.ndim != 3:
        raise SignalError("the view does not consist of epochs", hint="Call epochs.make first.")
    out: Array = data[:, rows_of(ch_names, channel)].mean(axis=1)
    return out


@operation("erp.fractional_latency", version="1.0.0")
def fractional_latency(
    data: Array,
    times: Array,
    ch_names: Sequence[str],
    *,
    channel: str | Sequence[str],
    tmin: float,
    tmax: float,
    kind: LatencyKind = "fractional_area",
    percent: float = 50,
    polarity: Polarity = "positive",
) -> dict[str, Any]:
    """Return when an average has reached a share of a component's area, or of its peak.

    ``fractional_area`` (Luck 2014): the time at which the area of the waveform's part of the given
    polarity, accumulated from ``tmin`` by the trapezoid rule, reaches ``percent`` of that from
    ``tmin`` to ``tmax``. ``fractional_peak_onset``: from the largest sample of the window
    backwards, the first time at which the waveform falls to ``percent`` of it. Both are
    interpolated linearly between samples; ``negative`` turns the waveform over.

    Parameters
    ----------
    data, times, ch_names, channel, tmin, tmax
        As in :func:`~braino_registry.analysis.erp.mean_amplitude`.
    kind : {"fractional_area", "fractional_peak_onset"}
        What is measured.
    percent : float
        Above 0, below 100.
    polarity : {"positive", "negative"}
        Which way the component points.

    Returns
    -------
    dict
        ``latency`` in s, ``area_uv_s`` (None for an onset), ``amplitude_uv`` of the peak with its
        sign (None for an area).

    Raises
    ------
    SignalError
        If the waveform has no part of that polarity, or begins above the share.
    """
    trials = trials_of(average(data)[None], ch_names, channel)
    mask = inside(times, tmin, tmax)
    sign = 1.0 if polarity == "positive" else -1.0
    wave, when = sign * trials[0][mask] * UV, times[mask]
    if wave.size < 3:
        raise SignalError("the window holds fewer than three samples", hint="Pass a longer one.")
    if kind == "fractional_area":
        found, area = _area_latency(wave[None], when, percent / 100)
        if not math.isfinite(found[0]):
            raise SignalError(
                f"the waveform is nowhere {polarity} in the window",
                hint="Pass the other polarity, or another window or channel.",
            )
        return {
            "latency": float(found[0]), "area_uv_s": float(sign * area[0]), "amplitude_uv": None
        }  # fmt: skip
    top = int(wave.argmax())
    below = np.flatnonzero(wave[:top] <= wave[top] * percent / 100)
    if wave[top] <= 0 or not below.size:
        raise SignalError(
            f"before its peak the waveform does not fall to {percent:g} % of it in the window",
            hint="Pass an earlier tmin, or the other polarity.",
        )
    at, level = int(below[-1]), wave[top] * percent / 100
    share = float((level - wave[at]) / (wave[at + 1] - wave[at]))
    return {
        "latency": float(when[at] + share * (when[at + 1] - when[at])),
        "area_uv_s": None,
        "amplitude_uv": float(sign * wave[top]),
    }


def _area_latency(waves: Array, times: Array, fraction: float) -> tuple[Array, Array]:
    """Return latencies (NaN without area) and areas of waveforms, shape (n,)."""
    positive = np.maximum(waves, 0.0)
    steps = (positive[:, 1:] + positive[:, :-1]) / 2 * np.diff(times)
    total = np.concatenate([np.zeros((len(waves), 1)), np.cumsum(steps, axis=1)], axis=1)
    area = total[:, -1]
    latencies = np.full(len(waves), np.nan)
    for k in np.flatnonzero(area > 0):
        # the first time at which the share is reached, even where the area stands still
        at = int(np.searchsorted(total[k], fraction * area[k]))
        before, after = total[k, at - 1], total[k, at]
        share = (fraction * area[k] - before) / (after - before)
        latencies[k] = times[at - 1] + share * (times[at] - times[at - 1])
    return latencies, area


@operation("erp.precision", version="1.0.0")
def precision(
    data: Array,
    times: Array,
    ch_names: Sequence[str],
    *,
    channel: str | Sequence[str],
    tmin: float,
    tmax: float,
) -> dict[str, Any]:
    """Return a mean amplitude with its standardized measurement error.

    SME (Luck et al. 2021): standard deviation (n - 1) over epochs of their mean amplitudes, over
    the root of their number. The interval is the amplitude ± t(0.975, n - 1) × SME.

    Parameters
    ----------
    data, times, ch_names
        Epochs in V, seconds from the event, channels.
    channel, tmin, tmax
        As in :func:`~braino_registry.analysis.erp.mean_amplitude`.

    Returns
    -------
    dict
        ``amplitude_uv``, ``sme_uv``, ``ci_low_uv``, ``ci_high_uv``, ``sd_uv``, ``n_epochs``.

    Raises
    ------
    SignalError
        If there are fewer than two epochs.
    """
    from scipy.stats import t

    trials = trials_of(data, ch_names, channel)
    amplitudes = trials[:, inside(times, tmin, tmax)].mean(axis=1) * UV
    n = _enough(amplitudes.size)
    spread = float(amplitudes.std(ddof=1))
    error, mean = spread / math.sqrt(n), float(amplitudes.mean())
    half = float(t.ppf(0.975, n - 1)) * error
    return {
        "amplitude_uv": mean,
        "sme_uv": error,
        "ci_low_uv": mean - half,
        "ci_high_uv": mean + half,
        "sd_uv": spread,
        "n_epochs": n,
    }


@operation("erp.latency_precision", version="1.0.0")
def latency_precision(
    data: Array,
    times: Array,
    ch_names: Sequence[str],
    *,
    channel: str | Sequence[str],
    tmin: float,
    tmax: float,
    polarity: Polarity = "positive",
) -> dict[str, Any]:
    """Return the 50 % fractional-area latency with its bootstrapped measurement error.

    The latency is :func:`fractional_latency` of the average. Its SME (Luck et al. 2021) is the
    standard deviation (n - 1) over 1000 averages of as many epochs drawn with replacement, from a
    fixed seed; the interval is their 2.5th and 97.5th percentile.

    Parameters
    ----------
    data, times, ch_names
        Epochs in V, seconds from the event, channels.
    channel, tmin, tmax, polarity
        As in :func:`~braino_registry.analysis.erp.mean_amplitude`.

    Returns
    -------
    dict
        ``latency``, ``sme_s``, ``ci_low_s``, ``ci_high_s``, ``n_epochs``.
    """
    found = fractional_latency(
        data, times, ch_names, channel=channel, tmin=tmin, tmax=tmax, polarity=polarity
    )
    trials = trials_of(data, ch_names, channel)
    n = _enough(len(trials))
    mask = inside(times, tmin, tmax)
    sign = 1.0 if polarity == "positive" else -1.0
    cut = sign * trials[:, mask] * UV
    rng = np.random.Generator(np.random.PCG64(SEED))
    draws = rng.integers(0, n, (RESAMPLES, n))
    weights = np.stack([np.bincount(draw, minlength=n) for draw in draws]) / n
    # a hundred averages at a time: all at once would take much memory
    latencies = np.concatenate(
        [
            _area_latency(weights[k : k + 100] @ cut, times[mask], 0.5)[0]
            for k in range(0, RESAMPLES, 100)
        ]
    )
    known = latencies[np.isfinite(latencies)]
    low, high = np.quantile(known, [0.025, 0.975])
    return {
        "latency": found["latency"],
        "sme_s": float(known.std(ddof=1)),
        "ci_low_s": float(low),
        "ci_high_s": float(high),
        "n_epochs": n,
    }


def _enough(n: int) -> int:
    if n < 2:
        raise SignalError(
            f"{n} epoch says nothing about precision", hint="Pass a view of two epochs or more."
        )
    return n
