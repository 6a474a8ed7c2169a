"""How channels go together: correlation, phase locking, phase lag, coherence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.tables import by_channel, check_varying
from braino_registry.analysis.windows import GUARD_SAMPLES, first_sample

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Method = Literal["pearson", "plv", "wpli", "pli", "coherence"]

METHODS: tuple[Method, ...] = ("pearson", "plv", "wpli", "pli", "coherence")
# what analytic signals may take: beyond that they are made anew for each two groups of channels
ANALYTIC_BYTES = 128 * 2**20
# samples that are looked at together, so that products of channels stay in the cache
PIECE = 4096
SEGMENT_SECONDS = 2.0
ROUNDING = 1e-12
# coherence of few segments is always high
LEAST_SEGMENTS = 5


def pearson(data: Array) -> Array:
    """Return Pearson's r of all pairs of channels, shape (n_channels, n_channels).

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        Any unit; channels that vary.
    """
    mean = data.mean(axis=1, keepdims=True)
    products = np.zeros((len(data), len(data)))
    for first in range(0, data.shape[1], PIECE):
        centred = data[:, first : first + PIECE] - mean
        products += centred @ centred.T
    norms = np.sqrt(np.diag(products))
    r: Array = np.clip(products / np.outer(norms, norms), -1.0, 1.0)
    return r


def analytic(data: Array, trim: int = 0) -> Complex:
    """Return the analytic signal by Hilbert's transform, as :func:`scipy.signal.hilbert`.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        A signal of a narrow band.
    trim : int
        Samples that are cut off at both ends afterwards, where the transform sees the edge.
    """
    from scipy.fft import ifft, rfft

    n = data.shape[1]
    out = np.empty((len(data), n - 2 * trim), complex)
    for position, row in enumerate(data):
        half = rfft(row)
        # negative frequencies away, positive ones twice; neither 0 Hz nor half the rate is either
        half[1 : (n + 1) // 2] *= 2
        whole = np.zeros(n, complex)
        whole[: half.size] = half
        out[position] = ifft(whole, overwrite_x=True)[trim : n - trim]
    return out


def _blocks(data: Array, trim: int) -> Iterator[tuple[slice, slice, Complex, Complex]]:
    """Yield analytic signals of two groups of channels at a time, each two groups once."""
    n = len(data)
    if 16 * data.size <= ANALYTIC_BYTES:
        whole = analytic(data, trim)
        yield slice(0, n), slice(0, n), whole, whole
        return
    # two groups of an eighth of the channels take half of what the recording takes
    size = max(n // 8, 1)
    groups = [slice(first, min(first + size, n)) for first in range(0, n, size)]
    for number, rows in enumerate(groups):
        left = analytic(data[rows], trim)
        for columns in groups[number:]:
            yield rows, columns, left, left if columns == rows else analytic(data[columns], trim)


def phase_locking(data: Array, trim: int = 0) -> Array:
    """Return the phase-locking value of all pairs of channels.

    ``|mean_t exp(i (phi_1 - phi_2))|`` over time, with the phases of the analytic signals. Lachaux
    et al. (1999), over time instead of over trials.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        A signal of a narrow band.
    trim : int
        Samples cut off at both ends after Hilbert's transform.

    Returns
    -------
    array, shape (n_channels, n_channels)
        0 to 1; ones on the diagonal.
    """
    out = np.ones((len(data), len(data)))
    for rows, columns, left, right in _blocks(data, trim):
        total = np.zeros((len(left), len(right)), complex)
        for first in range(0, left.shape[1], PIECE):
            a = _unit(left[:, first : first + PIECE])
            b = a if right is left else _unit(right[:, first : first + PIECE])
            total += a @ b.conj().T
        value = np.minimum(np.abs(total) / left.shape[1], 1.0)
        out[rows, columns] = value
        out[columns, rows] = value.T
    np.fill_diagonal(out, 1.0)
    return out


def _unit(z: Complex) -> Complex:
    size = np.abs(z)
    size[size == 0] = 1.0
    return np.asarray(z / size)


def phase_lag(data: Array, trim: int = 0, *, weighted: bool = True) -> Array:
    """Return the (weighted) phase-lag index of all pairs of channels.

    With ``S = z_1 conj(z_2)`` of the analytic signals, over time: weighted
    ``|mean Im S| / mean |Im S|`` (Vinck et al. 2011), else ``|mean sign(Im S)|`` (Stam et al.
    2007). Signals that differ by a factor alone have no imaginary part: weighted, NaN.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        A signal of a narrow band.
    trim : int
        Samples cut off at both ends after Hilbert's transform.
    weighted : bool
        Whether each sample counts by the size of its imaginary part.

    Returns
    -------
    array, shape (n_channels, n_channels)
        0 to 1; zeros on the diagonal.
    """
    out = np.zeros((len(data), len(data)))
    for rows, columns, left, right in _blocks(data, trim):
        signed = np.zeros((len(left), len(right)))
        size = np.zeros_like(signed)
        for first in range(0, left.shape[1], PIECE):
            a = left[:, first : first + PIECE]
            b = right[:, first : first + PIECE]
            _add_lags(a, b, signed, size, weighted, upper=right is left)
        # what is left of the imaginary part of equal signals is rounding
        least = ROUNDING * np.outer(_norms(left), _norms(right)) if weighted else 0.0
        value = np.full_like(signed, np.nan)
        np.divide(np.abs(signed), size, out=value, where=size > least)
        value = np.minimum(value, 1.0)
        if right is left:
            value = np.triu(value, 1)
            out[rows, columns] = value + value.T
        else:
            out[rows, columns] = value
            out[columns, rows] = value.T
    np.fill_diagonal(out, 0.0)
    return out


def _norms(z: Complex) -> Array:
    """Return the root of the summed squares of each row, without a copy of all of them."""
    return np.sqrt([float(np.vdot(row, row).real) for row in z])


def _add_lags(
    a: Complex, b: Complex, signed: Array, size: Array, weighted: bool, *, upper: bool
) -> None:
    """Add the imaginary parts of a piece of the cross spectra, and what they are divided by."""
    real, imaginary = np.ascontiguousarray(b.real), np.ascontiguousarray(b.imag)
    for i, row in enumerate(a):
        first = i + 1 if upper else 0
        cross = real[first:] * row.imag
        cross -= imaginary[first:] * row.real
        if not weighted:
            np.sign(cross, out=cross)
        signed[i, first:] += cross.sum(axis=1)
        if weighted:
            np.abs(cross, out=cross)
            size[i, first:] += cross.sum(axis=1)
        else:
            size[i, first:] += cross.shape[1]


def coherence_matrix(
    data: Array, sfreq: float, fmin: float, fmax: float, segment_seconds: float = SEGMENT_SECONDS
) -> Array:
    """Return the magnitude-squared coherence of all pairs of channels in a band.

    ``|Sxy|² / (Sxx Syy)`` by Welch's method (Hann, 50 % overlap, mean removed), averaged over the
    bins with ``fmin <= f <= fmax``. :func:`scipy.signal.coherence`.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        The signal.
    sfreq : float
        Samples per second.
    fmin, fmax : float
        The band in Hz.
    segment_seconds : float
        Length of a segment.

    Returns
    -------
    array, shape (n_channels, n_channels)
        0 to 1; ones on the diagonal.

    Raises
    ------
    SignalError
        If there are fewer than five segments, or no bin lies in the band.
    """
    from scipy.signal import get_window

    n = round(segment_seconds * sfreq)
    step = n - n // 2
    count = (data.shape[1] - n // 2) // step if n > 1 else 0
    if count < LEAST_SEGMENTS:
        raise SignalError(
            f"{max(count, 0)} segments are too few: coherence of few segments is always high",
            hint=f"Pass a window of {(LEAST_SEGMENTS + 1) * segment_seconds / 2:g} s or more.",
        )
    freqs = np.fft.rfftfreq(n, 1 / sfreq)
    guard = GUARD_SAMPLES * float(freqs[1])
    keep = (freqs >= fmin - guard) & (freqs <= fmax + guard)
    if not keep.any() or fmax > freqs[-1] + guard:
        raise SignalError(
            f"no bin lies between {fmin:g} and {fmax:g} Hz",
            hint=f"Pass fmin below fmax, both between 0 and {freqs[-1]:g} Hz.",
        )
    taper = get_window("hann", n)
    spectra = np.empty((int(keep.sum()), len(data), count), complex)
    for channel, row in enumerate(data):
        pieces = np.lib.stride_tricks.sliding_window_view(row, n)[::step][:count]
        for number, piece in enumerate(pieces):
            spectra[:, channel, number] = np.fft.rfft((piece - piece.mean()) * taper)[keep]
    total = np.zeros((len(data), len(data)))
    for matrix in spectra:
        cross = matrix @ matrix.conj().T
        power = np.diag(cross).real
        total += np.abs(cross) ** 2 / np.outer(power, power)
    return total / len(spectra)


@operation("connectivity.matrix", version="1.0.0")
def connectivity(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    method: Method,
    fmin: float | None = None,
    fmax: float | None = None,
    trim: float = 0.0,
) -> dict[str, Any]:
    """Return how strongly each two channels are connected.

    ``pearson``: signed r of the samples. ``plv``: :func:`phase_locking`, ``wpli`` and ``pli``:
    :func:`phase_lag`, all over time, of a view that was band-passed before. ``coherence``:
    :func:`coherence_matrix` (segments of 2 s), of a view that was not.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels, two or more.
    method : {"pearson", "plv", "wpli", "pli", "coherence"}
        What is measured.
    fmin, fmax : float | None
        The band in Hz, for coherence only.
    trim : float
        Seconds cut off at both ends after Hilbert's transform, for phases only.

    Returns
    -------
    dict
        ``ch_names``, ``matrix``, ``mean`` over the pairs (no diagonal), ``pairs``: by
        ``"A-B"`` in the channels' order, and ``degree``: by channel, the sum to all others.

    Raises
    ------
    SignalError
        If a parameter is missing or does not belong to the method, a channel is flat, or two
        channels hold the same signal and the method is not defined for it.
    """
    _check(data, ch_names, method, fmin, fmax, trim, sfreq)
    cut = first_sample(trim, sfreq)
    if method == "pearson":
        matrix = pearson(data)
    elif method == "plv":
        matrix = phase_locking(data, cut)
    elif method == "coherence":
        matrix = coherence_matrix(data, sfreq, *_band(fmin, fmax))
    else:
        matrix = phase_lag(data, cut, weighted=method == "wpli")
    return summary(matrix, ch_names)


def _band(fmin: float | None, fmax: float | None) -> tuple[float, float]:
    if fmin is None or fmax is None:
        raise SignalError("coherence takes fmin and fmax", hint="Pass the band in Hz.")
    return fmin, fmax


def _check(
    data: Array,
    ch_names: Sequence[str],
    method: str,
    fmin: float | None,
    fmax: float | None,
    trim: float,
    sfreq: float,
) -> None:
    if method not in METHODS:
        raise SignalError(f"there is no method {method!r}", hint=f"Pass {', '.join(METHODS)}.")
    if data.ndim != 2 or len(data) < 2:
        raise SignalError(
            "two channels or more of a continuous view are needed", hint="Pass more channels."
        )
    if method != "coherence" and (fmin, fmax) != (None, None):
        raise SignalError(
            f"{method} takes no fmin and fmax", hint="Filter the view to the band first."
        )
    if trim < 0 or 2 * first_sample(trim, sfreq) > data.shape[1] - 2:
        raise SignalError(f"{trim:g} s cannot be cut off at both ends", hint="Pass a smaller trim.")
    check_varying(ch_names, np.array([float(np.ptp(row)) > 0 for row in data]))


def summary(matrix: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return what :func:`connectivity` returns, from a symmetric matrix."""
    rows, columns = np.triu_indices(len(ch_names), 1)
    values = matrix[rows, columns]
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        first, second = ch_names[int(rows[at])], ch_names[int(columns[at])]
        raise SignalError(
            f"{first} and {second} hold the same signal up to a factor",
            hint="Leave out one of them.",
        )
    degree = matrix.sum(axis=1) - np.diag(matrix)
    return {
        "ch_names": list(ch_names),
        "matrix": matrix.tolist(),
        "mean": float(values.mean()),
        "pairs": {
            pair_name(ch_names[i], ch_names[j]): float(value)
            for i, j, value in zip(rows.tolist(), columns.tolist(), values, strict=True)
        },
        "degree": by_channel(ch_names, degree),
    }


def pair_name(first: str, second: str) -> str:
    """Return what a pair of channels is called."""
    return f"{first}-{second}"
