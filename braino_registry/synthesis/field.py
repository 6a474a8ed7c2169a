"""Spatially smooth noise: independent sources mixed by a Cholesky factor.

The factor is unique, unlike eigenvectors, and the mixing is an explicit ordered sum instead of
a matrix product, so that no linear-algebra library has a say in the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.montage import POSITIONS, angle

Array = NDArray[np.float64]
_CHUNK = 4096


@lru_cache(maxsize=16)
def mixing(
    ch_names: tuple[str, ...], width_deg: float, common: float, own: float
) -> tuple[tuple[float, ...], ...]:
    """Return the lower Cholesky factor of the covariance between channels.

    The covariance is ``common + (1 - common - own) * exp(-angle**2 / (2 * width**2))`` between
    two channels and 1 on the diagonal.

    Parameters
    ----------
    ch_names : tuple of str
        Channels of the montage.
    width_deg : float
        Spatial standard deviation in degrees of arc.
    common : float
        Share of the variance that all channels have in common (the reference).
    own : float
        Share that each channel has alone, above 0.
    """
    width = math.radians(width_deg)
    n = len(ch_names)
    factor: list[list[float]] = []
    for row in range(n):
        values: list[float] = []
        for column in range(row + 1):
            if row == column:
                covariance = 1.0
            else:
                arc = angle(POSITIONS[ch_names[row]], POSITIONS[ch_names[column]])
                covariance = common + (1 - common - own) * math.exp(-arc * arc / (2 * width**2))
            other = values if row == column else factor[column]
            rest = covariance - math.fsum(
                a * b for a, b in zip(values, other[: len(values)], strict=True)
            )
            values.append(math.sqrt(rest) if row == column else rest / factor[column][column])
        factor.append(values)
    return tuple(tuple(row) for row in factor)


def add_mixed(
    out: Array,
    factor: Sequence[Sequence[float]],
    source: Callable[[int], Array],
    gain: Array | None,
) -> None:
    """Add mixed sources to ``out``.

    Parameters
    ----------
    out : ndarray, shape (n_channels, n_times)
        Changed in place.
    factor : sequence of sequences of float
        Lower triangle: row c holds the weights of sources 0 to c.
    source : callable
        Returns source k, shape (n_times,).
    gain : ndarray, shape (n_times,) | None
        Common gain over time.
    """
    n_channels, n_times = out.shape
    sources = np.empty((n_channels, n_times))
    for k in range(n_channels):
        sources[k] = source(k)
        if gain is not None:
            sources[k] *= gain
    scratch = np.empty(_CHUNK)
    for start in range(0, n_times, _CHUNK):
        stop = min(n_times, start + _CHUNK)
        piece = scratch[: stop - start]
        # Copies of a chunk lie close together in memory, which makes the loop twice as fast.
        block = sources[:, start:stop].copy()
        mixed = np.zeros_like(block)
        for c in range(n_channels):
            row = mixed[c]
            for k, weight in enumerate(factor[c]):
                np.multiply(block[k], weight, out=piece)
                row += piece
        out[:, start:stop] += mixed
