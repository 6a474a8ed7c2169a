"""Event-related potentials: averages, mean amplitudes, peaks and latencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import inside
from braino_registry.errors import close_matches

Array = NDArray[np.float64]
Polarity = Literal["positive", "negative"]
UV = 1e6


def average(data: Array) -> Array:
    """Return the mean over epochs; an average is returned as it is.

    Parameters
    ----------
    data : array, shape (n_epochs, n_channels, n_times) or (n_channels, n_times)
        Epochs or their average.
    """
    return data.mean(axis=0) if data.ndim == 3 else data


def rows_of(ch_names: Sequence[str], channel: str | Sequence[str]) -> list[int]:
    """Return the rows of one channel or several.

    Raises
    ------
    SignalError
        If there is no such channel, or none is named.
    """
    wanted = [channel] if isinstance(channel, str) else list(channel)
    known = list(ch_names)
    if not wanted:
        raise SignalError("the list of channels is empty", hint="Name one channel or more.")
    for name in wanted:
        if name not in known:
            raise SignalError(f"there is no channel {name!r}", hint=close_matches(name, known))
    return [known.index(name) for name in wanted]


def _waveform(data: Array, ch_names: Sequence[str], channel: str | Sequence[str]) -> Array:
    wave: Array = average(data)[rows_of(ch_names, channel)].mean(axis=0)
    return wave


@operation("erp.mean", version="1.0.0")
def mean_amplitude(
    data: Array,
    times: Array,
    ch_names: Sequence[str],
    *,
    channel: str | Sequence[str],
    tmin: float,
    tmax: float,
) -> dict[str, Any]:
    """Return the mean amplitude of an average in the closed window ``[tmin, tmax]``.

    Parameters
    ----------
    data, times, ch_names
        Epochs or their average in V, seconds from the event, channels.
    channel : str | list of str
        One channel, or several whose mean waveform is measured.
    tmin, tmax : float
        Seconds from the event, both ends included.

    Returns
    -------
    dict
        ``amplitude_uv``.
    """
    wave = _waveform(data, ch_names, channel)
    return {"amplitude_uv": float(wave[inside(times, tmin, tmax)].mean() * UV)}


@operation("erp.peak", version="1.0.0")
def peak(
    data: Array,
    times: Array,
    ch_names: Sequence[str],
    *,
    channel: str | Sequence[str],
    tmin: float,
    tmax: float,
    polarity: Polarity = "positive",
    rule: Literal["local", "largest"] = "local",
) -> dict[str, Any]:
    """Return amplitude and latency of the peak of an average in the window ``[tmin, tmax]``.

    ``local``: the largest local maximum, a sample not smaller than both its neighbours (Luck 2014,
    local peak amplitude); where the window holds none, the largest sample, with ``local`` false.
    ``largest``: the largest sample. Of equals the earliest. ``negative`` turns the waveform over.
    The latency is on the grid of samples.

    Parameters
    ----------
    data, times, ch_names, channel, tmin, tmax
        As in :func:`mean_amplitude`.
    polarity : {"positive", "negative"}
        Which way the peak points.
    rule : {"local", "largest"}
        What counts as a peak.

    Returns
    -------
    dict
        ``amplitude_uv`` (with its sign), ``latency`` in seconds and ``local``.
    """
    wave = _waveform(data, ch_names, channel) * (1.0 if polarity == "positive" else -1.0)
    candidates = np.flatnonzero(inside(times, tmin, tmax))
    inner = candidates[(candidates > 0) & (candidates < wave.size - 1)]
    rises = (wave[inner] >= wave[inner - 1]) & (wave[inner] >= wave[inner + 1])
    # a plateau of equal samples is not a peak
    rises &= (wave[inner] > wave[inner - 1]) | (wave[inner] > wave[inner + 1])
    local = inner[rises]
    pool = local if rule == "local" and local.size else candidates
    best = int(pool[np.argmax(wave[pool])])
    sign = 1.0 if polarity == "positive" else -1.0
    return {
        "amplitude_uv": float(sign * wave[best] * UV),
        "latency": float(times[best]),
        "local": bool(best in local),
    }
