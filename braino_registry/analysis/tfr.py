"""Power in time and frequency: how a band changes against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import inside

Array = NDArray[np.float64]
REACH = 2.0  # standard deviations of a wavelet that must lie inside the epoch
LENGTH = 5.0  # standard deviations on either side of a wavelet's middle
STEP_HZ = 1.0
CHUNK_BYTES = 16 * 2**20  # of complex power at a time


def frequencies(fmin: float, fmax: float) -> Array:
    """Return ``fmin``, ``fmin + 1`` … Hz up to ``fmax``.

    Raises
    ------
    SignalError
        If they are no band.
    """
    if not 1.0 <= fmin <= fmax:
        raise SignalError(
            f"{fmin:g} to {fmax:g} Hz is no band", hint="Pass 1 <= fmin <= fmax in Hz."
        )
    count = int((fmax - fmin) / STEP_HZ + 1e-9) + 1
    return np.asarray(fmin + STEP_HZ * np.arange(count), dtype=np.float64)


def morlet_power(row: Array, sfreq: float, freq: float, cycles: float) -> Array:
    """Return the power of epochs at one frequency.

    The complex Morlet wavelet of ``cycles / (2 π freq)`` s standard deviation (Tallon-Baudry et al.
    1997), with unit energy, and its mean removed; samples outside the epoch count as zero.

    Parameters
    ----------
    row : array, shape (n_epochs, n_times)
        One channel.
    sfreq, freq, cycles : float
        Samples per second, Hz, cycles.

    Returns
    -------
    array, shape (n_epochs, n_times)
        Squared unit of ``row``.
    """
    from scipy.signal import fftconvolve

    sd = cycles / (2 * np.pi * freq)
    half = int(LENGTH * sd * sfreq)
    t = np.arange(-half, half + 1) / sfreq
    envelope = np.exp(-(t**2) / (2 * sd**2))
    wavelet = (np.exp(2j * np.pi * freq * t) - np.exp(-(cycles**2) / 2)) * envelope
    wavelet /= np.linalg.norm(wavelet)
    full = fftconvolve(row, wavelet[None], axes=-1)
    power: Array = np.abs(full[:, half : half + row.shape[1]]) ** 2
    return power


def _mean_power(rows: Array, sfreq: float, freq: float, cycles: float) -> Array:
    """Return the mean over epochs of :func:`morlet_power`, a few epochs at a time."""
    step = max(1, CHUNK_BYTES // (16 * rows.shape[1]))
    total = np.zeros(rows.shape[1])
    for first in range(0, len(rows), step):
        total += morlet_power(rows[first : first + step], sfreq, freq, cycles).sum(axis=0)
    mean: Array = total / len(rows)
    return mean


@operation("tfr.power", version="1.0.0")
def power_change(
    data: Array,
    sfreq: float,
    times: Array,
    ch_names: Sequence[str],
    *,
    fmin: float,
    fmax: float,
    tmin: float,
    tmax: float,
    baseline: Sequence[float],
    cycles: float = 5,
) -> dict[str, Any]:
    """Return how the power of a band in a window differs from that in a baseline.

    Morlet wavelets of ``cycles`` cycles at ``fmin``, ``fmin + 1`` … Hz; power of every epoch, its
    mean over frequencies, epochs and the samples of the window (both ends included), divided by the
    same of the baseline, per channel. ``change_db``: 10 log10 of the ratio; ``change_percent``: 100
    (ratio - 1). Over channels: the ratio of the mean powers. Evoked power is part of it.

    Parameters
    ----------
    data, sfreq, times, ch_names
        Epochs in V, rate, seconds from the event, channels.
    fmin, fmax : float
        The band in Hz.
    tmin, tmax : float
        The window in s from the event.
    baseline : (float, float)
        The baseline in s from the event.
    cycles : float
        Of the wavelets.

    Returns
    -------
    dict
        ``change_db``, ``change_percent``, ``per_channel``, ``n_epochs``.

    Raises
    ------
    SignalError
        If an interval comes closer to the epoch's edge than two standard deviations of the slowest
        wavelet, or the band exceeds the rate.
    """
    if data.ndim != 3:
        raise SignalError("the view does not consist of epochs", hint="Call epochs.make first.")
    freqs = frequencies(fmin, min(fmax, sfreq))
    if freqs[-1] > 0.45 * sfreq:
        raise SignalError(
            f"{freqs[-1]:g} Hz is too fast for a signal at {sfreq:g} Hz",
            hint=f"Pass fmax up to {0.45 * sfreq:g} Hz.",
        )
    _check_reach(times, (tmin, tmax), (float(baseline[0]), float(baseline[1])), fmin, cycles)
    window, base = inside(times, tmin, tmax), inside(times, float(baseline[0]), float(baseline[1]))
    active, quiet = np.zeros(data.shape[1]), np.zeros(data.shape[1])
    for i in range(data.shape[1]):
        for freq in freqs:
            power = _mean_power(data[:, i], sfreq, float(freq), cycles)
            active[i] += power[window].mean() / freqs.size
            quiet[i] += power[base].mean() / freqs.size
    silent = [name for name, level in zip(ch_names, quiet, strict=True) if level <= 0]
    if silent or not (active > 0).all():
        raise SignalError(
            f"no power in {', '.join(silent) or 'the window'}", hint="Leave out flat channels."
        )
    return {
        **_change(float(active.mean() / quiet.mean())),
        "per_channel": [
            {"channel": name, **_change(float(a / q))}
            for name, a, q in zip(ch_names, active, quiet, strict=True)
        ],
        "n_epochs": int(data.shape[0]),
    }


def _change(ratio: float) -> dict[str, float]:
    return {"change_db": 10 * float(np.log10(ratio)), "change_percent": 100 * (ratio - 1)}


def _check_reach(
    times: Array,
    window: tuple[float, float],
    baseline: tuple[float, float],
    fmin: float,
    cycles: float,
) -> None:
    need = REACH * cycles / (2 * np.pi * fmin)
    first, last = float(times[0]), float(times[-1])
    begin, end = min(window[0], baseline[0]), max(window[1], baseline[1])
    slack = 0.5 * float(times[1] - times[0]) if times.size > 1 else 0.0
    if begin < first + need - slack or end > last - need + slack:
        raise SignalError(
            f"a wavelet of {cycles:g} cycles at {fmin:g} Hz reaches {need:.3g} s to either side, "
            f"beyond the epoch from {first:g} to {last:g} s",
            hint=f"Make epochs from {begin - need:.3g} to {end + need:.3g} s or longer, or pass "
            "fewer cycles or later and shorter intervals.",
        )
