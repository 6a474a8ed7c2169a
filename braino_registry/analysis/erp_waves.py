"""Averages as values of a pipeline: made, subtracted, measured.

A pipeline's steps pass JSON, so an average is an object: ``times`` (seconds from the event),
``uv`` (waveforms in µV by channel) and ``n_epochs``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.erp import UV, Polarity, mean_amplitude, peak
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Array = NDArray[np.float64]
Wave = Mapping[str, Any]


@operation("erp.average", version="1.0.0")
def averaged(data: Array, times: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return the average of epochs.

    Parameters
    ----------
    data : array, shape (n_epochs, n_channels, n_times)
        Epochs in V.
    times : array, shape (n_times,)
        Seconds from the event.
    ch_names : sequence of str
        Channels.

    Returns
    -------
    dict
        ``times``, ``uv`` by channel and ``n_epochs``.

    Raises
    ------
    SignalError
        If the view does not consist of epochs.
    """
    if data.ndim != 3:
        raise SignalError("the view does not consist of epochs", hint="Call recordings.epochs.")
    waves = data.mean(axis=0) * UV
    return {
        "times": times.tolist(),
        "uv": {name: wave.tolist() for name, wave in zip(ch_names, waves, strict=True)},
        "n_epochs": len(data),
    }


def same_frame(one: Wave, other: Wave) -> bool:
    """Tell whether two averages have the same channels and times (to a nanosecond)."""
    first, second = np.asarray(one["times"], float), np.asarray(other["times"], float)
    same = first.shape == second.shape and np.allclose(first, second, rtol=0, atol=1e-9)
    return bool(same and list(one["uv"]) == list(other["uv"]))


@operation("erp.difference", version="1.0.0")
def difference(*, minuend: Wave, subtrahend: Wave) -> dict[str, Any]:
    """Return one average minus another, channel by channel.

    Parameters
    ----------
    minuend, subtrahend : mapping
        Averages as ``erp.average`` gives them, of the same channels and times.

    Returns
    -------
    dict
        An average; ``n_epochs`` is that of the smaller one.

    Raises
    ------
    SignalError
        If channels or times differ.
    """
    if not same_frame(minuend, subtrahend):
        raise SignalError(
            "the averages differ in their channels or times",
            hint="Make both epochs with the same view, tmin and tmax.",
        )
    return {
        "times": list(minuend["times"]),
        "uv": {
            name: (np.asarray(wave, float) - np.asarray(subtrahend["uv"][name], float)).tolist()
            for name, wave in minuend["uv"].items()
        },
        "n_epochs": min(minuend["n_epochs"], subtrahend["n_epochs"]),
    }


@operation("erp.measure", version="1.0.0")
def measure(
    *,
    erp: Wave,
    channel: str | Sequence[str],
    tmin: float,
    tmax: float,
    kind: Literal["mean", "peak"] = "mean",
    polarity: Polarity = "positive",
) -> dict[str, Any]:
    """Return what ``erp.mean`` or ``erp.peak`` return, of an average.

    Parameters
    ----------
    erp : mapping
        An average, as ``erp.average`` or ``erp.difference`` give it.
    channel, tmin, tmax, polarity
        As in :func:`~braino_registry.analysis.erp.peak`.
    kind : {"mean", "peak"}
        Mean amplitude, or peak with latency.
    """
    data = np.array(list(erp["uv"].values()), float) / UV
    times, names = np.asarray(erp["times"], float), list(erp["uv"])
    window: dict[str, Any] = {"channel": channel, "tmin": tmin, "tmax": tmax}
    if kind == "mean":
        return mean_amplitude(data, times, names, **window)
    return peak(data, times, names, **window, polarity=polarity)
