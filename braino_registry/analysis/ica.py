"""Independent components of a recording, and what each of them looks like.

The separation is Picard-O (Ablin, Cardoso and Gramfort 2018, "Faster ICA under orthogonal
constraint") with the density of extended infomax: maximum likelihood over rotations of the whitened
signal, sub- and super-Gaussian sources told apart by their sign. It starts from the principal
components, so nothing in it is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError

Array = NDArray[np.float64]

# samples that a fit looks at: the mixing has no memory, so every k-th tells as much
MAX_SAMPLES = 10_000
SAMPLES_PER_SQUARE = 5
# principal components with less than this share of the largest variance are rounding
RANK_LIMIT = 1e-9
MAX_ITERATIONS = 200
TOLERANCE = 1e-4
MEMORY = 7
LEAST_CURVATURE = 0.01


@dataclass(frozen=True)
class Decomposition:
    """Independent components.

    Parameters
    ----------
    unmixing : array, shape (n_components, n_channels)
        Makes components of the signal; each has variance 1.
    mixing : array, shape (n_channels, n_components)
        Topographies in V per unit of the component, by descending variance, the largest entry of
        each positive.
    variance_percent : array, shape (n_components,)
        Share of the signal's variance that a component's projection has.
    converged : bool
        Whether the gradient became small.
    """

    unmixing: Array
    mixing: Array
    variance_percent: Array
    converged: bool


def rank_of(data: Array) -> int:
    """Return the number of directions in which a signal varies.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        The signal.
    """
    centred = data - data.mean(axis=-1, keepdims=True)
    values = np.linalg.eigvalsh(centred @ centred.T)
    return int((values > RANK_LIMIT * max(float(values[-1]), 0.0)).sum())


def thin(data: Array) -> Array:
    """Return every k-th sample, so that at most 10 000 are left."""
    step = -(-data.shape[-1] // MAX_SAMPLES)
    return data[:, ::step]


def decompose(data: Array, n_components: int) -> Decomposition:
    """Return independent components of a signal.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        The signal in V, high-passed.
    n_components : int
        How many: the principal components that are rotated.

    Raises
    ------
    SignalError
        If the signal has fewer directions, or too few samples for so many.
    """
    rank, least = rank_of(data), SAMPLES_PER_SQUARE * n_components**2
    if not 1 <= n_components <= rank:
        raise SignalError(
            f"the signal has {rank} independent directions, not {n_components}",
            hint=f"Pass n_components between 1 and {rank}.",
        )
    if data.shape[-1] < least:
        raise SignalError(
            f"{data.shape[-1]} samples are too few for {n_components} components",
            hint=f"Pass fewer components, or a view of {least} samples or more.",
        )
    centred = data - data.mean(axis=-1, keepdims=True)
    scale = float(centred.std()) or 1.0
    centred = centred / scale
    values, vectors = np.linalg.eigh(centred @ centred.T / centred.shape[1])
    keep = np.argsort(values)[::-1][:n_components]
    values, vectors = values[keep], vectors[:, keep]
    # eigenvectors have no sign of their own
    vectors = vectors * _largest_signs(vectors)
    whitener = vectors.T / np.sqrt(values)[:, None]
    rotation, converged = rotate(whitener @ centred)
    mixing = (vectors * np.sqrt(values)) @ rotation.T
    power = (mixing**2).sum(axis=0)
    order = np.argsort(-power, kind="stable")
    signs = _largest_signs(mixing)
    unmixing = (signs[:, None] * (rotation @ whitener))[order]
    total = float((centred**2).mean(axis=1).sum())
    return Decomposition(
        unmixing=unmixing / scale,
        mixing=(mixing * signs)[:, order] * scale,
        variance_percent=100 * power[order] / total,
        converged=converged,
    )


def _largest_signs(columns: Array) -> Array:
    """Return the sign of the largest entry of each column."""
    largest = columns[np.abs(columns).argmax(axis=0), range(columns.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)


def rotate(white: Array) -> tuple[Array, bool]:
    """Return the rotation that makes whitened signals most independent.

    Parameters
    ----------
    white : array, shape (n, n_times)
        Uncorrelated signals of variance 1 and mean 0.

    Returns
    -------
    rotation : array, shape (n, n)
        Orthogonal.
    converged : bool
        Whether the largest entry of the gradient fell below 1e-4.
    """
    from scipy.linalg import expm

    n = white.shape[0]
    rotation, sources = np.eye(n), white
    memory: list[tuple[Array, Array]] = []
    old: tuple[Array, Array] | None = None  # the last step and the gradient before it
    signs = np.zeros(n)
    for _ in range(MAX_ITERATIONS):
        gradient, curvature, found = _slopes(sources)
        if np.abs(gradient).max() < TOLERANCE:
            return rotation, True
        if not np.array_equal(found, signs):
            memory.clear()  # the likelihood is another one now
        elif old is not None:
            memory = [*memory, (old[0], gradient - old[1])][-MEMORY:]
        signs = found
        now = _loss(sources, signs)
        for direction in (_direction(gradient, curvature, memory), -gradient):
            step, turned = direction, None
            for _ in range(10):
                turn = expm(step)
                if _loss(turn @ sources, signs) < now:
                    turned = turn
                    break
                step = step / 2
            if turned is not None:
                break
            memory.clear()
        else:
            return rotation, bool(np.abs(gradient).max() < 100 * TOLERANCE)
        old = (step, gradient)
        rotation, sources = turned @ rotation, turned @ sources
    return rotation, False


def _slopes(sources: Array) -> tuple[Array, Array, Array]:
    """Return gradient, approximate curvature (both over pairs) and the signs of the sources."""
    count = sources.shape[1]
    score = np.tanh(sources)
    steepness = 1 - (score**2).mean(axis=1)
    moments = score @ sources.T / count
    signs = np.where(steepness >= np.diag(moments), 1.0, -1.0)
    moments = moments * signs[:, None]
    steepness = steepness * signs
    gain = steepness - np.diag(moments)
    curvature = np.maximum((gain[:, None] + gain[None, :]) / 2, LEAST_CURVATURE)
    return (moments - moments.T) / 2, curvature, signs


def _loss(sources: Array, signs: Array) -> float:
    size = np.abs(sources)
    return float((signs * (size + np.log1p(np.exp(-2 * size))).mean(axis=1)).sum())


def _direction(gradient: Array, curvature: Array, memory: Sequence[tuple[Array, Array]]) -> Array:
    """Return the step of L-BFGS (Nocedal and Wright 2006, algorithm 7.4)."""
    q, shares = gradient.copy(), []
    useful = [(s, y, float((s * y).sum())) for s, y in memory if float((s * y).sum()) > 0]
    for s, y, product in reversed(useful):
        share = float((s * q).sum()) / product
        q -= share * y
        shares.append(share)
    z = q / curvature
    for (s, y, product), share in zip(useful, reversed(shares), strict=True):
        z += (share - float((y * z).sum()) / product) * s
    out: Array = -z
    return out


def correlation(sources: Array, other: Array) -> Array:
    """Return the absolute Pearson correlation of each row with one signal.

    Parameters
    ----------
    sources : array, shape (n, n_times)
        Components.
    other : array, shape (n_times,)
        A recorded signal.
    """
    x = sources - sources.mean(axis=1, keepdims=True)
    y = other - other.mean()
    norms = np.sqrt((x**2).sum(axis=1) * (y**2).sum())
    r: Array = np.abs(np.divide(x @ y, norms, out=np.zeros(len(x)), where=norms > 0))
    return r


def slope(sources: Array, sfreq: float, fmin: float = 7.0, fmax: float = 45.0) -> Array:
    """Return the slope of the spectrum in double logarithms: near or above 0 for muscle.

    Least squares of log10 density on log10 frequency over the bins from ``fmin`` to ``fmax`` of
    Welch's method (1 s, Hann). The measure is that of Dharmaprani et al. (2016).

    Parameters
    ----------
    sources : array, shape (n, n_times)
        Components.
    sfreq : float
        Samples per second.
    fmin, fmax : float
        Range in Hz; the upper end is at most 0.45 of the rate.
    """
    from braino_registry.analysis.spectra import welch_psd

    freqs, psd = welch_psd(sources, sfreq, segment_seconds=1.0)
    mask = (freqs >= fmin) & (freqs <= min(fmax, 0.45 * sfreq))
    if mask.sum() < 3:
        raise SignalError(
            f"a rate of {sfreq:g} Hz is too low to see muscle",
            hint="Pass a view at 100 Hz or more.",
        )
    x = np.log10(freqs[mask])
    y = np.log10(np.maximum(psd[:, mask], 1e-300))
    centred = x - x.mean()
    found: Array = (y @ centred) / (centred @ centred)
    return found
