"""Pieces of a signal as points: which are alike, in which order they rise, how they repeat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def _alike(x: Array, m: int, limit: float) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield, shift by shift, which templates are alike over ``m`` and over ``m + 1`` samples.

    Templates are sorted by their first sample, so that those which can be alike are few places
    apart: the comparison with the one ``k`` places further on is that of two slices, and ends with
    the first ``k`` at which no first samples are close enough.
    """
    n = x.size - m
    order = np.argsort(x[:n], kind="stable")
    points = np.stack([x[order + lag] for lag in range(m + 1)])
    apart = np.empty_like(points)
    close = np.empty(points.shape, bool)
    for k in range(1, n):
        difference, holds = apart[:, : n - k], close[:, : n - k]
        np.subtract(points[:, k:], points[:, :-k], out=difference)
        np.abs(difference, out=difference)
        np.less_equal(difference, limit, out=holds)
        if not holds[0].any():
            return
        shorter = holds[0]
        for lag in range(1, m):
            shorter &= holds[lag]
        holds[m] &= shorter
        yield shorter, holds[m]


def close_pairs(x: Array, m: int, limit: float) -> tuple[int, int]:
    """Return how many pairs of templates are alike over ``m`` and over ``m + 1`` samples.

    Both counts are over the ``N - m`` templates that have ``m + 1`` samples; alike: no two samples
    differ by more than ``limit``.

    Parameters
    ----------
    x : array, shape (n_times,)
        The signal.
    m : int
        Length of the shorter templates.
    limit : float
        In the unit of the signal.
    """
    shorter = longer = 0
    for alike, still_alike in _alike(x, m, limit):
        shorter += int(np.count_nonzero(alike))
        longer += int(np.count_nonzero(still_alike))
    return shorter, longer


def matches_per_template(x: Array, length: int, limit: float) -> Array:
    """Return, for each template, how many are alike, itself among them.

    Parameters
    ----------
    x : array, shape (n_times,)
        The signal.
    length : int
        Of the templates, two or more; there are ``n_times - length + 1``.
    limit : float
        In the unit of the signal.

    Returns
    -------
    array, shape (n_times - length + 1,)
    """
    n = x.size - length + 1
    order = np.argsort(x[:n], kind="stable")
    counts = np.ones(n)
    for k, (_, alike) in enumerate(_alike(x, length - 1, limit), start=1):
        counts[: n - k] += alike
        counts[k:] += alike
    found = np.empty(n)
    found[order] = counts
    return found


def ordinal_patterns(x: Array, order: int, delay: int) -> NDArray[np.int64]:
    """Return a number for the order in which samples, ``delay`` apart, rise; ties as they come."""
    n = x.size - (order - 1) * delay
    pieces = np.stack([x[k * delay : k * delay + n] for k in range(order)], axis=1)
    ranks = np.argsort(pieces, axis=1, kind="stable")
    codes: NDArray[np.int64] = ranks @ order ** np.arange(order)
    return codes


def lz76(text: str) -> int:
    """Return the number of phrases in Lempel and Ziv's parsing of 1976.

    Each phrase is the shortest piece that has not occurred in what lies before its last character;
    the last one may be incomplete.

    Parameters
    ----------
    text : str
        Symbols, one character each.
    """
    phrases, start, n = 0, 0, len(text)
    while start < n:
        length = 1
        while start + length <= n and text[start : start + length] in text[: start + length - 1]:
            length += 1
        phrases += 1
        start += length
    return phrases
