"""Closed-form recursive filters that shape white noise into brain-like signals.

All coefficients come from formulas, none from eigenvalues or transforms, and the filters run
as second-order sections; that keeps a realised signal the same on every machine to far below
the grid on which it is stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.streams import Stream

Array = NDArray[np.float64]
Section = tuple[float, float, float, float, float, float]
Sections = tuple[Section, ...]

WARM_UP = 8.0
"""Seconds that a filter runs before its output is used."""


def _first_order(zero_hz: float, pole_hz: float, sfreq: float) -> tuple[list[float], list[float]]:
    """Return a zero and a pole, each where its frequency lies in the z plane (matched).

    Unlike the bilinear transform this has room for zeros above half the sampling frequency.
    """
    return (
        [1.0, -math.exp(-2 * math.pi * zero_hz / sfreq)],
        [1.0, -math.exp(-2 * math.pi * pole_hz / sfreq)],
    )


def _times(a: list[float], b: list[float]) -> tuple[float, float, float]:
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1]


def power_gain(sos: Sections, sfreq: float, low: float, high: float) -> float:
    """Return the variance that unit white noise has after ``sos`` between two frequencies.

    Parameters
    ----------
    sos : tuple of sections
        The filter, rows ``b0 b1 b2 1 a1 a2``.
    sfreq : float
        Sampling frequency in Hz.
    low, high : float
        Band in Hz.
    """
    steps = 2000
    width = (high - low) / steps
    total = 0.0
    for step in range(steps):
        omega = 2 * math.pi * (low + (step + 0.5) * width) / sfreq
        z = complex(math.cos(omega), -math.sin(omega))
        gain = 1.0
        for b0, b1, b2, _, a1, a2 in sos:
            response = (b0 + z * (b1 + z * b2)) / (1 + z * (a1 + z * a2))
            gain *= response.real**2 + response.imag**2
        total += gain
    return total * width * 2 / sfreq


def scaled(sos: Sections, factor: float) -> Sections:
    """Return the filter with its output multiplied by ``factor``."""
    b0, b1, b2, a0, a1, a2 = sos[0]
    return ((b0 * factor, b1 * factor, b2 * factor, a0, a1, a2), *sos[1:])


@lru_cache(maxsize=64)
def one_over_f(exponent: float, sfreq: float) -> Sections:
    """Return a filter that gives white noise a power spectrum of 1/f**exponent.

    A cascade of pole-zero pairs spaced by 10**(1/1.6), flat below 0.9 Hz; the output has an
    RMS of 1 between 1 and 40 Hz.

    Parameters
    ----------
    exponent : float
        0 (white) to below 2.
    sfreq : float
        Sampling frequency in Hz.
    """
    ratio = 10 ** (1 / 1.6)
    pairs = []
    pole = 0.9
    while pole < 0.45 * sfreq:
        pairs.append(_first_order(pole * ratio ** (exponent / 2), pole, sfreq))
        pole *= ratio
    if len(pairs) % 2:
        pairs.append(([1.0, 0.0], [1.0, 0.0]))
    sections: list[Section] = []
    for (b, a), (d, c) in zip(pairs[::2], pairs[1::2], strict=True):
        sections.append((*_times(b, d), *_times(a, c)))
    sos = tuple(sections)
    return scaled(sos, 1 / math.sqrt(power_gain(sos, sfreq, 1.0, min(40.0, 0.45 * sfreq))))


@lru_cache(maxsize=64)
def resonator(frequency_hz: float, bandwidth_hz: float, sfreq: float) -> Sections:
    """Return two cascaded resonators; unit white noise comes out with an RMS of 1.

    Parameters
    ----------
    frequency_hz, bandwidth_hz : float
        Centre and width of the rhythm in Hz.
    sfreq : float
        Sampling frequency in Hz.
    """
    r = math.exp(-math.pi * bandwidth_hz / sfreq)
    omega = 2 * math.pi * frequency_hz / sfreq
    section = (1 - r, 0.0, r - 1, 1.0, -2 * r * math.cos(omega), r * r)
    reach = 12 * bandwidth_hz
    low, high = max(0.0, frequency_hz - reach), min(sfreq / 2, frequency_hz + reach)
    sos = (section, section)
    return scaled(sos, 1 / math.sqrt(power_gain(sos, sfreq, low, high)))


@lru_cache(maxsize=64)
def slow(cutoff_hz: float, sfreq: float) -> Sections:
    """Return two cascaded leaky integrators: a smooth wander with an RMS of 1.

    Parameters
    ----------
    cutoff_hz : float
        Corner of each integrator in Hz; power falls with the fourth power above it.
    sfreq : float
        Sampling frequency in Hz.
    """
    p = math.exp(-2 * math.pi * cutoff_hz / sfreq)
    # The variance of (1-p)**2 / (1 - p/z)**2 driven by unit white noise, in closed form.
    variance = (1 - p) ** 4 * (1 + p * p) / (1 - p * p) ** 3
    return scaled((((1 - p) ** 2, 0.0, 0.0, 1.0, -2 * p, p * p),), 1 / math.sqrt(variance))


@lru_cache(maxsize=64)
def edge(cutoff_hz: float, sfreq: float, high_pass: bool) -> Sections:
    """Return a second-order Butterworth edge (bilinear), gain 1 in its pass band.

    Parameters
    ----------
    cutoff_hz : float
        Frequency at which power is halved, in Hz.
    sfreq : float
        Sampling frequency in Hz.
    high_pass : bool
        Whether to keep what lies above the edge.
    """
    k = math.tan(math.pi * cutoff_hz / sfreq)
    norm = 1 / (1 + math.sqrt(2) * k + k * k)
    a1, a2 = 2 * (k * k - 1) * norm, (1 - math.sqrt(2) * k + k * k) * norm
    if high_pass:
        return ((norm, -2 * norm, norm, 1.0, a1, a2),)
    return ((k * k * norm, 2 * k * k * norm, k * k * norm, 1.0, a1, a2),)


@lru_cache(maxsize=64)
def steep_low_pass(cutoff_hz: float, sfreq: float) -> Sections:
    """Return a Butterworth low-pass of order 8 (bilinear), as amplifiers have.

    Parameters
    ----------
    cutoff_hz : float
        Frequency at which power is halved, in Hz.
    sfreq : float
        Sampling frequency in Hz.
    """
    k = math.tan(math.pi * cutoff_hz / sfreq)
    sections: list[Section] = []
    for pair in range(4):
        damping = 2 * math.cos(math.pi * (2 * pair + 1) / 16)
        norm = 1 / (1 + damping * k + k * k)
        a1, a2 = 2 * (k * k - 1) * norm, (1 - damping * k + k * k) * norm
        sections.append((k * k * norm, 2 * k * k * norm, k * k * norm, 1.0, a1, a2))
    return tuple(sections)


@lru_cache(maxsize=64)
def band(low_hz: float, high_hz: float, sfreq: float) -> Sections:
    """Return a band-pass of two edges; unit white noise comes out with an RMS of 1.

    An upper edge at or above 0.45 of the sampling frequency is left out.
    """
    sos = edge(low_hz, sfreq, True)
    if high_hz < 0.45 * sfreq:
        sos = sos + edge(high_hz, sfreq, False)
    return scaled(sos, 1 / math.sqrt(power_gain(sos, sfreq, 0.0, sfreq / 2)))


def run(sos: Sections, signal: Array) -> Array:
    """Return the signal after the filter, from rest, along the last axis."""
    from scipy.signal import sosfilt

    return np.asarray(sosfilt(np.array(sos), signal), dtype=np.float64)


def shaped(stream: Stream, sos: Sections, n: int, sfreq: float, warm_up: float = WARM_UP) -> Array:
    """Return filtered Gaussian noise after the filter has settled.

    Parameters
    ----------
    stream : Stream
        Source of the white noise.
    sos : tuple of sections
        The filter.
    n : int
        Number of samples.
    sfreq : float
        Sampling frequency in Hz.
    warm_up : float
        Seconds that are made and thrown away first.

    Returns
    -------
    ndarray, shape (n,)
    """
    skip = round(warm_up * sfreq)
    return run(sos, stream.gaussian(n + skip))[skip:]


def wander(stream: Stream, cutoff_hz: float, n: int, sfreq: float) -> Array:
    """Return a smooth wander with an RMS of 1, made at a low rate and joined by lines.

    Parameters
    ----------
    stream : Stream
        Source of the white noise.
    cutoff_hz : float
        Corner in Hz; the rate is at least two hundred times as high.
    n : int
        Number of samples.
    sfreq : float
        Sampling frequency in Hz.

    Returns
    -------
    ndarray, shape (n,)
    """
    step = max(1, int(sfreq / (200 * cutoff_hz)))
    knots = n // step + 2
    rate = sfreq / step
    coarse = shaped(stream, slow(cutoff_hz, rate), knots, rate, warm_up=2 / cutoff_hz)
    if step == 1:
        return coarse[:n]
    ramp = np.arange(step) / step
    lines = coarse[:-1, None] + (coarse[1:] - coarse[:-1])[:, None] * ramp
    return lines.reshape(-1)[:n]


def slow_gain(stream: Stream, spread: float, tau: float, n: int, sfreq: float) -> Array:
    """Return a slowly changing gain, lognormal about 1.

    Parameters
    ----------
    stream : Stream
        Source of the white noise.
    spread : float
        Standard deviation of the logarithm.
    tau : float
        Time over which the gain changes, in s.
    n : int
        Number of samples.
    sfreq : float
        Sampling frequency in Hz.

    Returns
    -------
    ndarray, shape (n,), positive
    """
    gain = wander(stream, 1 / (2 * math.pi * tau), n, sfreq)
    gain *= spread
    gain -= spread * spread
    return np.asarray(np.exp(gain, out=gain))


def waxing(stream: Stream, sos: Sections, n: int, sfreq: float, params: Mapping[str, Any]) -> Array:
    """Return an oscillation that waxes and wanes.

    Parameters
    ----------
    stream : Stream
        Source of the oscillation; its child ``gain`` is that of the slow changes.
    sos : Sections
        What makes white noise an oscillation.
    n : int
        Number of samples.
    sfreq : float
        Sampling frequency in Hz.
    params : mapping
        Of a rhythm: ``amplitude_uv``, and ``gain_sd`` and ``gain_tau`` where they differ from 0.35
        and 2.5 s; see `slow_gain`.

    Returns
    -------
    ndarray, shape (n,), in µV
    """
    source = shaped(stream, sos, n, sfreq)
    source *= params["amplitude_uv"]
    source *= slow_gain(
        stream.child("gain"), params.get("gain_sd", 0.35), params.get("gain_tau", 2.5), n, sfreq
    )
    return source
