"""Peaks that stand out of their background: candidates for spikes, and for much else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.running import Array, Span

BAND = (1.0, 70.0)  # Hz
APART_S = 0.07
#: Seconds around a piece that are filtered with it, so that its edges are those of the signal.
MARGIN_S = 5.0


@dataclass(frozen=True)
class Transients:
    """Peaks of one channel after the band-pass, and what surrounds them.

    Parameters
    ----------
    sample : array of int, shape (n,)
        Where the peaks are, counted from the recording's start.
    amplitude : array, shape (n,)
        Of the peaks in V, with sign.
    width : array, shape (n,)
        Seconds for which the absolute signal stays above half the peak's.
    sharpness : array, shape (n,)
        Largest slope within 70 ms of the peak, in V/s.
    rms, peak_to_peak : float
        Of the whole filtered stretch, in V.
    """

    sample: NDArray[np.intp]
    amplitude: Array
    width: Array
    sharpness: Array
    rms: float
    peak_to_peak: float


def find_transients(span: Span, height: float) -> list[Transients]:
    """Return the peaks of each channel that are at least so high.

    The signal is filtered (Butterworth, 4th order, 1 Hz to the smaller of 70 Hz and 1 Hz below
    half the rate, forward and backward); positive and negative peaks are at least 70 ms apart
    among their own kind, the higher ones first.

    Parameters
    ----------
    span : Span
        The signal.
    height : float
        Least absolute amplitude in V.

    Returns
    -------
    list of Transients
        One per channel.
    """
    parts: list[list[Array]] = [[] for _ in range(span.n_channels)]
    square = np.zeros(span.n_channels)
    low, high = np.full(span.n_channels, np.inf), np.full(span.n_channels, -np.inf)
    margin = round(MARGIN_S * span.sfreq)
    for first in range(span.start, span.stop, span.piece):
        last = min(first + span.piece, span.stop)
        begin, end = max(span.start, first - margin), min(span.stop, last + margin)
        filtered = _band_passed(span.read(begin, end), span.sfreq)
        core = filtered[:, first - begin : last - begin]
        square += np.einsum("ij,ij->i", core, core)
        low, high = np.minimum(low, core.min(axis=1)), np.maximum(high, core.max(axis=1))
        for channel, row in enumerate(filtered):
            found = _peaks(row, span.sfreq, height)
            inside = (found[:, 0] >= first - begin) & (found[:, 0] < last - begin)
            found = found[inside]
            found[:, 0] += begin
            parts[channel].append(found)
    rms = np.sqrt(square / span.n)
    made = []
    for channel, rows in enumerate(parts):
        all_rows = np.concatenate(rows)
        made.append(
            Transients(
                sample=all_rows[:, 0].astype(np.intp),
                amplitude=all_rows[:, 1],
                width=all_rows[:, 2],
                sharpness=all_rows[:, 3],
                rms=float(rms[channel]),
                peak_to_peak=float(high[channel] - low[channel]),
            )
        )
    return made


def _band_passed(data: Array, sfreq: float) -> Array:
    from scipy.signal import butter, sosfiltfilt

    edges = [BAND[0], min(BAND[1], sfreq / 2 - 1)]
    sos = butter(4, edges, btype="bandpass", fs=sfreq, output="sos")
    pad = min(3 * round(sfreq), data.shape[1] - 1)
    return np.asarray(sosfiltfilt(sos, data, axis=1, padlen=pad), dtype=float)


def _peaks(row: Array, sfreq: float, height: float) -> Array:
    """Return position, amplitude, width and sharpness of peaks, sorted by position."""
    from scipy.signal import find_peaks

    apart = max(1, int(APART_S * sfreq))
    up, _ = find_peaks(row, height=height, distance=apart)
    down, _ = find_peaks(-row, height=height, distance=apart)
    places = np.sort(np.concatenate([up, down]))
    slope = np.abs(np.diff(row, prepend=row[:1])) * sfreq
    size = np.abs(row)
    out = np.empty((len(places), 4))
    for index, place in enumerate(places):
        near = slice(max(0, place - apart), place + apart + 1)
        out[index] = (place, row[place], _half_width(size, place) / sfreq, slope[near].max())
    return out


def _half_width(size: Array, place: int) -> int:
    """Return for how many samples in a row the signal stays above half its value at a place."""
    half = size[place] / 2
    reach = 2048
    left = size[max(0, place - reach) : place + 1][::-1] < half
    right = size[place : place + reach + 1] < half
    before = int(np.argmax(left)) if left.any() else len(left)
    after = int(np.argmax(right)) if right.any() else len(right)
    return before + after - 1
