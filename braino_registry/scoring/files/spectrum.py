"""Whether a signal was filtered as it was asked for, told from its spectrum.

A spectrum alone does not tell what was taken away; but a filter leaves a step at its corner that no
EEG has. Power well beyond a corner is compared with power just inside it. The spectrum of EEG falls
by up to some 25 dB from an alpha peak to twice or three times its frequency, and rises towards
0 Hz; filters in use take 40 dB and more. The limits below lie between.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# How far below the edge of the pass band, in dB, the power must be …
_FAR_ABOVE = 32.0  # … from two to three times the upper corner
_NEAR_ABOVE = 20.0  # … from 1.35 times the upper corner, where the rate holds no more
_FAR_BELOW = 15.0  # … below half of a lower corner of 3 Hz or more
_NEAR_BELOW = 0.0  # … below a fifth of a lower one; unfiltered EEG rises there by 10 dB and more
# How far the upper edge of the pass band may lie below the middle of its levels.
_HELD = 30.0


def passband_problem(data: Array, sfreq: float, l_freq: float | None, h_freq: float | None) -> str:
    """Return why signals have not the pass band that they should have; empty if they have.

    Parameters
    ----------
    data : ndarray, shape (n_channels, n_times)
        Signals.
    sfreq : float
        Samples per second.
    l_freq, h_freq : float | None
        The corners in Hz; None where there is none.
    """
    nyquist = sfreq / 2
    seconds = data.shape[1] / sfreq
    slowest = (l_freq or 1.0) * (0.05 if (l_freq or 0) < 3 else 0.1)
    freqs, power = _levels(data, sfreq, min(seconds, max(4.0, 1.0 / slowest)))
    top = min(h_freq or nyquist, 0.95 * nyquist)
    low = l_freq or 0.0
    if h_freq is not None:
        problem = _above(freqs, power, low, h_freq, nyquist)
        if problem:
            return problem
    if l_freq is not None:
        return _below(freqs, power, l_freq, top)
    return ""


def _above(freqs: Array, power: Array, low: float, h_freq: float, nyquist: float) -> str:
    edge = _level(freqs, power, max(low, 0.6 * h_freq), 0.95 * h_freq)
    inside = (freqs >= low) & (freqs <= 0.95 * h_freq)
    last = _level(freqs, power, 0.8 * h_freq, 0.95 * h_freq)
    if edge is None or last is None or not inside.any():
        return "the recording is too short to tell its pass band"
    if last < float(np.median(power[inside])) - _HELD:
        return f"little is left below {h_freq:g} Hz, where the pass band should reach to"
    if 2.2 * h_freq < 0.95 * nyquist:
        start, stop, least = 2 * h_freq, min(3 * h_freq, 0.95 * nyquist), _FAR_ABOVE
    else:
        start, stop, least = 1.35 * h_freq, 0.95 * nyquist, _NEAR_ABOVE
    beyond = _level(freqs, power, start, stop) if stop - start >= 1.0 else None
    if beyond is None or edge - beyond >= least:
        return ""  # a rate that holds nothing beyond the corner needs no filter
    return (
        f"{edge - beyond:.0f} dB less power at {start:.3g}-{stop:.3g} Hz than below {h_freq:g} Hz, "
        f"where a filter takes {least:.0f} dB or more"
    )


def _below(freqs: Array, power: Array, l_freq: float, top: float) -> str:
    edge = _level(freqs, power, 1.1 * l_freq, max(1.4 * l_freq, min(2 * l_freq, top)))
    near = l_freq < 3
    start, stop = (0.05 * l_freq, 0.2 * l_freq) if near else (0.1 * l_freq, 0.5 * l_freq)
    under = _level(freqs, power, start, stop)
    least = _NEAR_BELOW if near else _FAR_BELOW
    if edge is None or under is None:
        return "the recording is too short to tell its pass band"
    if edge - under >= least:
        return ""
    return (
        f"{under - edge:+.0f} dB power at {start:.2g}-{stop:.2g} Hz against that above "
        f"{l_freq:g} Hz, where a filter leaves {-least:.0f} dB or less"
    )


def _levels(data: Array, sfreq: float, segment_seconds: float) -> tuple[Array, Array]:
    """Return frequencies and the mean level over channels in dB, up to a constant.

    Hann windows that overlap by half, their means removed, averaged as Welch does.
    """
    n_times = data.shape[1]
    size = min(n_times, max(8, round(segment_seconds * sfreq)))
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    power = np.zeros((data.shape[0], size // 2 + 1))
    for start in range(0, n_times - size + 1, max(1, size // 2)):
        piece = data[:, start : start + size]
        spectrum = np.fft.rfft((piece - piece.mean(axis=1, keepdims=True)) * window)
        power += spectrum.real**2 + spectrum.imag**2
    decibels = 10 * np.log10(np.maximum(power, 1e-30))
    freqs = np.asarray(np.fft.rfftfreq(size, 1 / sfreq), dtype=np.float64)
    return freqs, np.asarray(decibels.mean(axis=0), dtype=np.float64)


def _level(freqs: Array, power: Array, start: float, stop: float) -> float | None:
    """Return the median level between two frequencies, both included; None if there is no bin."""
    inside = (freqs >= start - 1e-9) & (freqs <= stop + 1e-9)
    return float(np.median(power[inside])) if inside.any() else None
