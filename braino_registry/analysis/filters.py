"""Filters and resampling of whole recordings, by MNE's functions for arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError

Signal = NDArray[np.float64]

# MNE's own defaults, written out so that a change of theirs does not change a score
_DESIGN: Mapping[str, str] = {
    "method": "fir", "phase": "zero", "fir_window": "hamming", "fir_design": "firwin",
}  # fmt: skip
# a filter with Hamming's window is this many times as long as the inverse of its transition band
LENGTH_FACTOR = 3.3
# over the transition band of half a hertz that a 1 Hz wide notch edge has
NOTCH_SECONDS = 6.6
MAX_LENGTH = 2**40
MAX_NOTCHES = 100
MIN_RATE, MAX_RATIO = 1.0, 4.0
MAX_CHANNEL_BYTES = 64 * 2**20


def check_band(sfreq: float, l_freq: float | None, h_freq: float | None) -> None:
    """Refuse a pass band that the sampling rate does not allow.

    Raises
    ------
    SignalError
        With the allowed range.
    """
    nyquist = sfreq / 2
    if l_freq is None and h_freq is None:
        raise SignalError(
            "a filter needs l_freq (high-pass), h_freq (low-pass) or both",
            hint=f"Pass at least one, between 0 and {nyquist:g} Hz.",
        )
    for name, value in (("l_freq", l_freq), ("h_freq", h_freq)):
        if value is not None and not 0 < value < nyquist:
            raise SignalError(
                f"{name}={value:g} Hz is outside the range of a signal at {sfreq:g} Hz",
                hint=f"Pass {name} above 0 and below {nyquist:g} Hz (half the sampling rate).",
            )
    if l_freq is not None and h_freq is not None and l_freq >= h_freq:
        raise SignalError(
            f"l_freq={l_freq:g} Hz is not below h_freq={h_freq:g} Hz, which would be a band-stop",
            hint="Pass l_freq below h_freq, or use preprocess.notch to remove a line.",
        )


def check_length(length: int, n_times: int, sfreq: float) -> None:
    """Refuse a filter that is longer than the signal.

    Raises
    ------
    SignalError
        With both lengths.
    """
    if length > n_times:
        lowest = LENGTH_FACTOR * sfreq / max(n_times, 1)
        raise SignalError(
            f"the filter is {length / sfreq:.3g} s long, the signal {n_times / sfreq:.3g} s",
            hint=f"Pass l_freq of {_up(lowest):g} Hz or more, h_freq at least so much below "
            f"{sfreq / 2:g} Hz, or use a longer recording.",
        )


def _up(value: float) -> float:
    """Return a number rounded up to three digits."""
    digits = 2 - math.floor(math.log10(value))
    return math.ceil(value * 10.0**digits) / 10.0**digits


def check_rate(native: float, sfreq: float, new_sfreq: float, n_times: int) -> None:
    """Refuse a sampling rate that makes more samples than the signal holds information.

    Parameters
    ----------
    native : float
        Rate of the recording in Hz.
    sfreq, new_sfreq : float
        Rate of the signal now and then, in Hz.
    n_times : int
        Samples of the signal now.

    Raises
    ------
    SignalError
        If the new rate is below 1 Hz, more than four times the recording's, or would make the
        signal larger, to more than 64 MB per channel; with the range.
    """
    # rounding must not refuse a signal of exactly that size
    largest = max(sfreq, MAX_CHANNEL_BYTES / 8 / n_times * sfreq)
    top = min(MAX_RATIO * native, largest)
    if not MIN_RATE <= new_sfreq <= top:
        raise SignalError(
            f"{new_sfreq:g} Hz is no useful rate for a recording at {native:g} Hz",
            hint=f"Pass sfreq between {MIN_RATE:g} and {top:g} Hz.",
        )
    if round(n_times * new_sfreq / sfreq) < 1:
        raise SignalError(
            f"no sample would be left at {new_sfreq:g} Hz", hint="Pass a higher rate."
        )


def band_pass(
    data: Signal, sfreq: float, l_freq: float | None = None, h_freq: float | None = None
) -> Signal:
    """Return the zero-phase filtered signal.

    MNE's default design: a linear-phase FIR filter (firwin, Hamming window) applied once with its
    delay compensated, edges padded by reflection. Transition bands are
    ``min(max(l_freq / 4, 2), l_freq)`` below ``l_freq`` and
    ``min(max(h_freq / 4, 2), nyquist - h_freq)`` above ``h_freq``; the length is 3.3 divided by the
    narrower one. See :func:`mne.filter.filter_data`.

    Parameters
    ----------
    data : array, shape (..., n_times)
        The whole recording: cut after filtering, not before.
    sfreq : float
        Samples per second.
    l_freq, h_freq : float | None
        Edges of the pass band in Hz; None leaves that side open.

    Raises
    ------
    SignalError
        If an edge is outside the range, or the filter longer than the signal.
    """
    from mne.filter import filter_data

    check_length(filter_length(sfreq, l_freq, h_freq), data.shape[-1], sfreq)
    filtered: Signal = filter_data(
        data, sfreq, l_freq, h_freq, pad="reflect_limited", copy=True, verbose="error", **_DESIGN
    )
    return filtered


def filter_length(sfreq: float, l_freq: float | None, h_freq: float | None) -> int:
    """Return the number of coefficients of :func:`band_pass`, without designing the filter.

    A length beyond every signal is given as 2**40: its filter could not be held in memory.

    Raises
    ------
    SignalError
        If an edge is outside the range.
    """
    check_band(sfreq, l_freq, h_freq)
    widths = []
    if l_freq is not None:
        widths.append(min(max(l_freq / 4, 2.0), l_freq))
    if h_freq is not None:
        widths.append(min(max(h_freq / 4, 2.0), sfreq / 2 - h_freq))
    width = min(widths)
    # the seconds first, as MNE computes it, so that both round alike
    if width <= LENGTH_FACTOR * sfreq / MAX_LENGTH:
        return MAX_LENGTH
    length = max(math.ceil(LENGTH_FACTOR / width * sfreq), 1)
    return length + (length - 1) % 2


def check_notch(sfreq: float, freqs: Sequence[float], n_times: int) -> None:
    """Refuse frequencies that cannot be notched, and signals too short for it.

    Raises
    ------
    SignalError
        With the allowed range.
    """
    top = sfreq / 2
    if not 1 <= len(freqs) <= MAX_NOTCHES:
        raise SignalError(
            f"{len(freqs)} frequencies to notch", hint=f"Pass between 1 and {MAX_NOTCHES}."
        )
    for freq in freqs:
        # half a stop band and a transition must fit between the frequency and the Nyquist rate
        if not 2 <= freq <= top - freq / 400 - 1:
            raise SignalError(
                f"{freq:g} Hz cannot be notched in a signal at {sfreq:g} Hz",
                hint=f"Pass a frequency of at least 2 Hz and more than 1 Hz below {top:g} Hz.",
            )
    check_length(round(NOTCH_SECONDS * sfreq), n_times, sfreq)


def notch(data: Signal, sfreq: float, freqs: Sequence[float]) -> Signal:
    """Return the signal with narrow bands removed.

    MNE's default design: zero-phase FIR, stop bands ``f / 200`` wide with 1 Hz transitions.
    See :func:`mne.filter.notch_filter`.

    Parameters
    ----------
    data : array, shape (..., n_times)
        The whole recording.
    sfreq : float
        Samples per second.
    freqs : sequence of float
        Centres in Hz.

    Raises
    ------
    SignalError
        If a centre is outside the range, or the filter longer than the signal.
    """
    from mne.filter import notch_filter

    check_notch(sfreq, freqs, data.shape[-1])
    filtered: Signal = notch_filter(
        data, sfreq, np.asarray(freqs), method="fir", phase="zero", verbose="error"
    )
    return filtered


def resample(data: Signal, sfreq: float, new_sfreq: float) -> Signal:
    """Return the signal at another rate, by Fourier resampling with reflected edges.

    See :func:`mne.filter.resample` (its defaults, those of ``Raw.resample``). Sharp steps ring;
    peaks may move by less than one new sample.

    Parameters
    ----------
    data : array, shape (..., n_times)
        The whole recording.
    sfreq, new_sfreq : float
        Samples per second before and after.

    Returns
    -------
    array, shape (..., round(n_times * new_sfreq / sfreq))
    """
    from mne.filter import resample as mne_resample

    out: Signal = mne_resample(data, up=new_sfreq, down=sfreq, verbose="error")
    return out
