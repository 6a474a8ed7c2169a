"""Statistics and spectra of signals that are read in pieces, so that length costs no memory.

Every function takes ``read``, which returns samples ``[start, stop)`` of some channels in V, and
reads pieces of a bounded size. Results are those of the whole signal at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError

Array = NDArray[np.float64]
Read = Callable[[int, int], Array]

PIECE_BYTES = 8 * 2**20
#: Seconds of a segment of `multitaper`; with 4 for time times half bandwidth, ±0.4 Hz are one.
TAPERED_SECONDS = 10.0
HALF_BANDWIDTH = 4.0
N_TAPERS = 7


@dataclass(frozen=True)
class Span:
    """A stretch of some channels.

    Parameters
    ----------
    read : callable
        ``read(start, stop)`` returns samples, shape (n_channels, stop - start), in V.
    start, stop : int
        First sample and the one after the last.
    sfreq : float
        Samples per second.
    n_channels : int
        How many channels ``read`` returns.
    """

    read: Read
    start: int
    stop: int
    sfreq: float
    n_channels: int

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.stop - self.start

    @property
    def piece(self) -> int:
        """Samples that are read at a time."""
        return max(1024, PIECE_BYTES // (8 * max(1, self.n_channels)))

    def pieces(self, before: int = 0) -> Iterator[Array]:
        """Yield the stretch piece by piece, each with up to ``before`` samples of the one before.

        Only samples within the stretch are read.
        """
        for first in range(self.start, self.stop, self.piece):
            last = min(first + self.piece, self.stop)
            yield self.read(max(self.start, first - before), last)


@dataclass(frozen=True)
class Moments:
    """What a pass over a signal tells, one value per channel, in V where it has a unit.

    Parameters
    ----------
    n : int
        Samples.
    mean, low, high : array, shape (n_channels,)
        Mean, smallest and largest sample.
    m2, m3, m4 : array, shape (n_channels,)
        Central moments: means of the second, third and fourth power of the deviation.
    square : array, shape (n_channels,)
        Mean of the squared sample, mean not removed.
    var_1, var_2 : array, shape (n_channels,)
        Variance of the differences between neighbouring samples, and of theirs.
    path : array, shape (n_channels,)
        Sum of the absolute differences.
    crossings : array, shape (n_channels,)
        How often the signal without its mean changes sign; zeros count with what follows.
    still : array, shape (n_channels,)
        Share of the differences below 0.1 µV in absolute value.
    at_ends : array, shape (n_channels,)
        Share of the samples that equal the largest or the smallest.
    """

    n: int
    mean: Array
    low: Array
    high: Array
    m2: Array
    m3: Array
    m4: Array
    square: Array
    var_1: Array
    var_2: Array
    path: Array
    crossings: Array
    still: Array
    at_ends: Array


def moments(span: Span) -> Moments:
    """Return `Moments` of a stretch in two passes.

    Raises
    ------
    SignalError
        If there are fewer than three samples.
    """
    if span.n < 3:
        raise SignalError("fewer than three samples", hint="Pass a longer window.")
    total = np.zeros(span.n_channels)
    low, high = np.full(span.n_channels, np.inf), np.full(span.n_channels, -np.inf)
    for data in span.pieces():
        total += data.sum(axis=1)
        low, high = np.minimum(low, data.min(axis=1)), np.maximum(high, data.max(axis=1))
    mean = total / span.n
    sums = {name: np.zeros(span.n_channels) for name in _SUMS}
    for index, data in enumerate(span.pieces(before=2)):
        _add(sums, data, 0 if index == 0 else 2, mean, low, high)
    n, n1, n2 = span.n, span.n - 1, span.n - 2
    return Moments(
        n=n,
        mean=mean,
        low=low,
        high=high,
        m2=sums["m2"] / n,
        m3=sums["m3"] / n,
        m4=sums["m4"] / n,
        square=sums["square"] / n,
        var_1=np.maximum(0.0, sums["d1_square"] / n1 - (sums["d1"] / n1) ** 2),
        var_2=np.maximum(0.0, sums["d2_square"] / n2 - (sums["d2"] / n2) ** 2),
        path=sums["path"],
        crossings=sums["crossings"],
        still=sums["still"] / n1,
        at_ends=sums["at_ends"] / n,
    )


STILL_V = 1e-7
_SUMS = (
    "m2", "m3", "m4", "square", "d1", "d1_square", "d2", "d2_square", "path", "crossings",
    "still", "at_ends",
)  # fmt: skip


def _add(
    sums: dict[str, Array], data: Array, old: int, mean: Array, low: Array, high: Array
) -> None:
    """Add a piece, of which the first ``old`` samples belong to the piece before."""
    new = data[:, old:]
    away = new - mean[:, None]
    power = away * away
    sums["m2"] += power.sum(axis=1)
    sums["m3"] += np.einsum("ij,ij->i", power, away)
    sums["m4"] += np.einsum("ij,ij->i", power, power)
    sums["square"] += np.einsum("ij,ij->i", new, new)
    sums["at_ends"] += ((new == low[:, None]) | (new == high[:, None])).sum(axis=1)
    first = np.diff(data, axis=1)
    second = np.diff(first, axis=1)
    first = first[:, max(0, old - 1) :]
    sums["d1"] += first.sum(axis=1)
    sums["d1_square"] += np.einsum("ij,ij->i", first, first)
    sums["d2"] += second.sum(axis=1)
    sums["d2_square"] += np.einsum("ij,ij->i", second, second)
    size = np.abs(first)
    sums["path"] += size.sum(axis=1)
    sums["still"] += (size < STILL_V).sum(axis=1)
    above = data[:, max(0, old - 1) :] >= mean[:, None]
    sums["crossings"] += (above[:, 1:] != above[:, :-1]).sum(axis=1)


def welch(span: Span, segment: int) -> tuple[Array, Array]:
    """Return frequencies and power spectral density by Welch's method.

    Segments of ``segment`` samples that overlap by half, each with its mean removed and a Hann
    window, one-sided density, averaged; as :func:`scipy.signal.welch` of the whole stretch.

    Parameters
    ----------
    span : Span
        The signal.
    segment : int
        Samples of a segment, at most those of the stretch.

    Returns
    -------
    freqs : array, shape (n_freqs,)
        Hz.
    psd : array, shape (n_channels, n_freqs)
        V²/Hz.
    """
    from scipy.signal import get_window

    window = get_window("hann", segment)
    return _averaged(span, segment, segment - segment // 2, window[None, :])


def multitaper(span: Span) -> tuple[Array, Array]:
    """Return frequencies and power spectral density by Thomson's method.

    Segments of 10 s, or one of all samples if there are fewer, one after the other, each with its
    mean removed; seven tapers (DPSS, time times half bandwidth 4) of unit energy, whose densities
    are averaged with equal weights. White noise of variance s² has the density 2 s² / sfreq.

    Parameters
    ----------
    span : Span
        The signal.

    Returns
    -------
    freqs, psd
        As `welch`.
    """
    from scipy.signal.windows import dpss

    segment = min(round(TAPERED_SECONDS * span.sfreq), span.n)
    tapers = np.asarray(dpss(segment, HALF_BANDWIDTH, N_TAPERS), dtype=float)
    return _averaged(span, segment, segment, tapers)


def _averaged(span: Span, segment: int, step: int, tapers: Array) -> tuple[Array, Array]:
    n_segments = 1 + (span.n - segment) // step
    if segment < 2 or n_segments < 1:
        raise SignalError("the window is shorter than one segment", hint="Pass a longer window.")
    power = np.zeros((span.n_channels, segment // 2 + 1))
    at_once = max(1, span.piece // (3 * step * len(tapers)))
    for first in range(0, n_segments, at_once):
        count = min(at_once, n_segments - first)
        start = span.start + first * step
        data = span.read(start, start + (count - 1) * step + segment)
        parts = np.lib.stride_tricks.sliding_window_view(data, segment, axis=1)[:, ::step]
        centred = parts - parts.mean(axis=2, keepdims=True)
        for taper in tapers:
            spectrum = np.fft.rfft(centred * taper, axis=2)
            power += (spectrum.real**2 + spectrum.imag**2).sum(axis=1) / (taper @ taper)
    power /= n_segments * len(tapers) * span.sfreq
    power[:, 1 : (segment + 1) // 2] *= 2  # all but zero and, of an even length, the last
    return np.asarray(np.fft.rfftfreq(segment, 1 / span.sfreq), dtype=float), power


def correlation(span: Span) -> Array:
    """Return Pearson's correlation of every two channels.

    Returns
    -------
    array, shape (n_channels, n_channels)
        From -1 to 1; NaN where a channel is constant.
    """
    total = np.zeros(span.n_channels)
    for data in span.pieces():
        total += data.sum(axis=1)
    mean = (total / span.n)[:, None]
    products = np.zeros((span.n_channels, span.n_channels))
    for data in span.pieces():
        away = data - mean
        products += away @ away.T
    size = np.sqrt(np.diag(products) / span.n)
    size[size < 1e-12] = np.nan  # a millionth of a microvolt is no signal
    found = products / span.n / np.outer(size, size)
    return np.asarray(np.clip(found, -1.0, 1.0))
