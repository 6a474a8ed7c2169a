"""How regular a signal is: entropies, fractal dimensions, compressibility, fluctuation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.embedding import close_pairs, ordinal_patterns
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.tables import Table, check_varying

Array = NDArray[np.float64]

# pairs of samples grow with the square of the length
MAX_SAMPLES = 30_000
LEAST = 100


def _table(
    data: Array, ch_names: Sequence[str], measure: Callable[[Array], float]
) -> dict[str, Any]:
    if data.ndim != 2:
        raise SignalError(
            "a continuous view is needed, not epochs", hint="Pass the view before epoching."
        )
    n = data.shape[1]
    if not LEAST <= n <= MAX_SAMPLES:
        raise SignalError(
            f"complexity of {n} samples is not measured",
            hint=f"Pass a window of {LEAST} to {MAX_SAMPLES} samples.",
        )
    check_varying(ch_names, np.ptp(data, axis=1) > 0)
    return Table.of(ch_names, [measure(row) for row in data]).shown()


def sample_entropy_of(x: Array, m: int = 2, r: float = 0.2) -> float:
    """Return what :func:`sample_entropy` defines, of one channel; infinity without any match."""
    shorter, longer = close_pairs(x, m, r * float(x.std()))
    if longer == 0:
        return math.inf
    return math.log(shorter / longer)


@operation("complexity.sample_entropy", version="1.0.0")
def sample_entropy(
    data: Array, ch_names: Sequence[str], *, m: int = 2, r: float = 0.2
) -> dict[str, Any]:
    """Return the sample entropy of every channel.

    ``-ln(A / B)``: of the ``N - m`` templates, B pairs are alike over ``m`` samples and A pairs
    over ``m + 1``; alike: the largest difference of samples is at most ``r`` times the standard
    deviation (``ddof=0``) of the signal. No template is compared with itself. Richman and Moorman
    (2000). It depends on the rate, the filter and the length.

    Parameters
    ----------
    data, ch_names
        The signal in V and its channels, 100 to 30,000 samples.
    m : int
        Length of the templates.
    r : float
        Tolerance as a share of the standard deviation.

    Returns
    -------
    dict
        ``values`` in nat by channel and their ``mean``.

    Raises
    ------
    SignalError
        If no templates of a channel are alike over ``m + 1`` samples.
    """
    _check_template(m, r)
    found = _table(data, ch_names, lambda x: sample_entropy_of(x, m, r))
    infinite = [name for name, value in found["values"].items() if math.isinf(value)]
    if infinite:
        raise SignalError(
            f"no templates of {m + 1} samples are alike in {', '.join(infinite[:10])}",
            hint="Pass a longer window, or a larger r.",
        )
    return found


def _check_template(m: int, r: float) -> None:
    if not 1 <= m <= 10 or not r > 0:
        raise SignalError(
            f"m={m} and r={r:g} do not describe templates", hint="Pass m of 1 to 10 and r above 0."
        )


def approximate_entropy_of(x: Array, m: int = 2, r: float = 0.2) -> float:
    """Return what :func:`approximate_entropy` defines, of one channel."""
    from braino_registry.analysis.embedding import matches_per_template

    limit = r * float(x.std())
    means = []
    for length in (m, m + 1):
        counts = matches_per_template(x, length, limit)
        means.append(float(np.log(counts / counts.size).mean()))
    return means[0] - means[1]


@operation("complexity.approximate_entropy", version="1.0.0")
def approximate_entropy(
    data: Array, ch_names: Sequence[str], *, m: int = 2, r: float = 0.2
) -> dict[str, Any]:
    """Return the approximate entropy of every channel.

    ``phi(m) - phi(m + 1)``, where ``phi(m)`` is the mean over the ``N - m + 1`` templates of the
    logarithm of the share of templates that are alike, itself among them; alike as in
    :func:`sample_entropy`. Pincus (1991).

    Returns
    -------
    dict
        ``values`` in nat by channel and their ``mean``.
    """
    _check_template(m, r)
    return _table(data, ch_names, lambda x: approximate_entropy_of(x, m, r))


def permutation_entropy_of(x: Array, order: int = 3, delay: int = 1) -> float:
    """Return what :func:`permutation_entropy` defines, of one channel."""
    counts = np.unique(ordinal_patterns(x, order, delay), return_counts=True)[1]
    share = counts / counts.sum()
    return float(-(share * np.log2(share)).sum() / math.log2(math.factorial(order)))


@operation("complexity.permutation_entropy", version="1.0.0")
def permutation_entropy(
    data: Array, ch_names: Sequence[str], *, order: int = 3, delay: int = 1
) -> dict[str, Any]:
    """Return the permutation entropy of every channel.

    Shannon's entropy (log2) of the orders in which ``order`` samples, ``delay`` apart, follow each
    other, divided by ``log2(order!)``; of equal samples the earlier one counts as smaller. Bandt
    and Pompe (2002).

    Returns
    -------
    dict
        ``values`` (0 to 1) by channel and their ``mean``.
    """
    if not 2 <= order <= 8 or delay < 1 or (order - 1) * delay >= data.shape[-1]:
        raise SignalError(
            f"order {order} and delay {delay} do not fit", hint="Pass order 2 to 8 and delay 1."
        )
    return _table(data, ch_names, lambda x: permutation_entropy_of(x, order, delay))


def lempel_ziv_of(x: Array) -> float:
    """Return what :func:`lempel_ziv` defines, of one channel."""
    from braino_registry.analysis.embedding import lz76

    text = "".join("1" if high else "0" for high in x > np.median(x))
    return lz76(text) * math.log2(len(text)) / len(text)


@operation("complexity.lempel_ziv", version="1.0.0")
def lempel_ziv(data: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return the Lempel-Ziv complexity of every channel.

    The number of phrases of Lempel and Ziv's parsing of 1976 (Kaspar and Schuster 1987) of the
    signal, 1 above its median and 0 elsewhere, over ``N / log2 N``.

    Returns
    -------
    dict
        ``values`` by channel and their ``mean``.
    """
    return _table(data, ch_names, lempel_ziv_of)


def higuchi_of(x: Array, kmax: int = 10) -> float:
    """Return what :func:`higuchi` defines, of one channel."""
    n = x.size
    lengths = []
    for k in range(1, kmax + 1):
        parts = []
        for start in range(k):
            piece = x[start::k]
            steps = piece.size - 1
            parts.append(np.abs(np.diff(piece)).sum() * (n - 1) / (steps * k) / k)
        lengths.append(np.mean(parts))
    slope = np.polyfit(np.log(1 / np.arange(1, kmax + 1)), np.log(lengths), 1)[0]
    return float(slope)


@operation("complexity.higuchi", version="1.0.0")
def higuchi(data: Array, ch_names: Sequence[str], *, kmax: int = 10) -> dict[str, Any]:
    """Return Higuchi's fractal dimension of every channel.

    The slope of ``log L(k)`` on ``log(1 / k)`` for ``k`` from 1 to ``kmax``, where ``L(k)`` is the
    mean length of the curves of every k-th sample. Higuchi (1988).

    Returns
    -------
    dict
        ``values`` by channel and their ``mean``.
    """
    if not 2 <= kmax <= data.shape[-1] // 4:
        raise SignalError(f"kmax={kmax} does not fit", hint="Pass 2 to a quarter of the samples.")
    return _table(data, ch_names, lambda x: higuchi_of(x, kmax))


def petrosian_of(x: Array) -> float:
    """Return what :func:`petrosian` defines, of one channel."""
    steps = np.diff(x)
    changes = int((steps[1:] * steps[:-1] < 0).sum())
    n = x.size
    return math.log10(n) / (math.log10(n) + math.log10(n / (n + 0.4 * changes)))


@operation("complexity.petrosian", version="1.0.0")
def petrosian(data: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return Petrosian's fractal dimension of every channel.

    ``log10 N / (log10 N + log10(N / (N + 0.4 D)))`` with D the changes of sign between neighbouring
    differences. Petrosian (1995), variant C.

    Returns
    -------
    dict
        ``values`` by channel and their ``mean``.
    """
    return _table(data, ch_names, petrosian_of)


def fluctuation_of(x: Array) -> float:
    """Return what :func:`fluctuation` defines, of one channel."""
    n = x.size
    profile = np.cumsum(x - x.mean())
    # each length is 1.2 times the one before, from 4 to a tenth of the signal
    count = math.floor(math.log(0.1 * n / 4) / math.log(1.2)) + 1
    sizes = np.unique([math.floor(4 * 1.2**i) for i in range(count)])
    roots = []
    for size in sizes:
        pieces = profile[: n // size * size].reshape(-1, size)
        t = np.arange(size) - (size - 1) / 2
        centred = pieces - pieces.mean(axis=1, keepdims=True)
        slopes = centred @ t / (t @ t)
        left = centred - slopes[:, None] * t
        roots.append(np.sqrt((left**2).mean(axis=1).mean()))
    return float(np.polyfit(np.log(sizes), np.log(roots), 1)[0])


@operation("complexity.dfa", version="1.0.0")
def fluctuation(data: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return the exponent of detrended fluctuation of every channel.

    The slope of the log of the root mean square of what is left of the summed signal after a line
    is taken out of each window, on the log of the window's length. Windows do not overlap; their
    lengths are the whole parts of 4 × 1.2^i up to a tenth of the signal, each once. Peng et al.
    (1994). Other sets of windows give other exponents.

    Returns
    -------
    dict
        ``values`` by channel and their ``mean``.
    """
    return _table(data, ch_names, fluctuation_of)
