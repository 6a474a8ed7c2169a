"""Cutting epochs around events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.windows import window_to_samples

Array = NDArray[np.float64]


def event_samples(onsets: Sequence[float], sfreq: float) -> list[int]:
    """Return the sample nearest to each onset (seconds from the first sample)."""
    return [round(onset * sfreq) for onset in onsets]


def complete(samples: Sequence[int], start: int, stop: int, n_times: int) -> list[int]:
    """Return the events whose whole epoch ``[sample + start, sample + stop)`` was recorded."""
    return [s for s in samples if s + start >= 0 and s + stop <= n_times]


def cut(data: Array, samples: Sequence[int], start: int, stop: int) -> Array:
    """Return epochs of a signal.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        The signal.
    samples : sequence of int
        Samples of the events; each epoch must lie in the signal, see :func:`complete`.
    start, stop : int
        First sample of an epoch, and the one after its last, relative to the event.

    Returns
    -------
    array, shape (n_epochs, n_channels, stop - start)
    """
    index = np.asarray(samples, int)[:, None] + np.arange(start, stop)[None, :]
    return data[:, index].transpose(1, 0, 2).copy()


def epoch_times(start: int, stop: int, sfreq: float) -> Array:
    """Return the times of an epoch's samples, in seconds from the event."""
    times: Array = np.arange(start, stop) / sfreq
    return times


def subtract_baseline(epochs: Array, start: int, sfreq: float, baseline: Sequence[float]) -> Array:
    """Return epochs without the mean of their baseline, per epoch and channel.

    Parameters
    ----------
    epochs : array, shape (..., n_times)
        The epochs.
    start : int
        First sample relative to the event.
    sfreq : float
        Samples per second.
    baseline : (float, float)
        Half-open interval ``[b0, b1)`` in seconds: ``(-0.2, 0)`` leaves the event's sample out.

    Raises
    ------
    SignalError
        If the baseline is not inside the epoch.
    """
    first, last = window_to_samples(float(baseline[0]), float(baseline[1]), sfreq)
    n = epochs.shape[-1]
    if first < start or last > start + n:
        raise SignalError(
            f"the baseline from {baseline[0]:g} to {baseline[1]:g} s is not inside the epoch",
            hint=f"Pass times between {start / sfreq:g} and {(start + n) / sfreq:g} s.",
        )
    mean = epochs[..., first - start : last - start].mean(axis=-1, keepdims=True)
    out: Array = epochs - mean
    return out


def peak_to_peak(epochs: Array) -> Array:
    """Return the range of each epoch and channel, in the unit of the signal."""
    span: Array = np.ptp(epochs, axis=-1)
    return span
