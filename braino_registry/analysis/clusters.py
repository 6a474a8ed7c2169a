"""Where two conditions differ in time: the cluster permutation test of one waveform."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError

Array = NDArray[np.float64]
SEED = 20_260_101
ALPHA = 0.05
MAX_SAMPLES = 10_000


def cluster_permutation(
    a: Array, b: Array, times: Array, *, paired: bool = False, n_permutations: int = 1000
) -> dict[str, Any]:
    """Return the clusters of time points at which two sets of waveforms differ.

    Maris and Oostenveld (2007): t at every sample (Student's, or paired), neighbouring samples with
    p < 0.05 two-sided and the same sign make a cluster, whose mass is the sum of its t. Its p value
    is the share of permutations, the data as they are included, whose largest absolute mass is not
    smaller. Permutations exchange labels of waveforms, or flip signs of differences; their seed is
    fixed.

    Parameters
    ----------
    a, b : array, shape (n_a, n_times) and (n_b, n_times)
        Waveforms of trials or people.
    times : array, shape (n_times,)
        Seconds.
    paired : bool
        Whether rows belong together.
    n_permutations : int
        How many.

    Returns
    -------
    dict
        ``clusters`` rows ``onset, offset`` (first and last sample, s), ``t_sum, p_value`` in the
        order of time, ``n_clusters``, ``n_significant``, ``n_a``, ``n_b``.

    Raises
    ------
    SignalError
        If there are fewer than four waveforms on a side, paired numbers differ, or the waveforms
        are longer than 10 000 samples.
    """
    from scipy import stats

    n_a, n_b = len(a), len(b)
    if a.shape[1] > MAX_SAMPLES:
        raise SignalError(
            f"{a.shape[1]} samples are too many to permute",
            hint=f"Pass a window of at most {MAX_SAMPLES} samples, or resample first.",
        )
    if min(n_a, n_b) < 4 or (paired and n_a != n_b):
        raise SignalError(
            f"{n_a} and {n_b} waveforms cannot be compared",
            hint="Pass four or more on each side, and equally many if paired.",
        )
    rng = np.random.Generator(np.random.PCG64(SEED))
    df = n_a - 1 if paired else n_a + n_b - 2
    limit = float(stats.t.ppf(1 - ALPHA / 2, df))
    if paired:
        difference = a - b
        observed = _one_sample(difference, np.ones((1, n_a)))[0]
        signs = rng.choice([-1.0, 1.0], (n_permutations, n_a))
        permuted = (_one_sample(difference, part) for part in _parts(signs))
    else:
        both = np.concatenate([a, b])
        first = np.concatenate([np.ones(n_a), np.zeros(n_b)])
        observed = _two_sample(both, first[None])[0]
        labels = np.stack([rng.permutation(first) for _ in range(n_permutations)])
        permuted = (_two_sample(both, part) for part in _parts(labels))
    largest = np.array(
        [
            max((abs(m) for _, _, m in _clusters(t, limit)), default=0.0)
            for part in permuted
            for t in part
        ]
    )
    rows = [
        {
            "onset": float(times[start]),
            "offset": float(times[stop - 1]),
            "t_sum": mass,
            "p_value": float((1 + (largest >= abs(mass) - 1e-9).sum()) / (1 + n_permutations)),
        }
        for start, stop, mass in _clusters(observed, limit)
    ]
    return {
        "clusters": rows,
        "n_clusters": len(rows),
        "n_significant": sum(row["p_value"] <= ALPHA for row in rows),
        "n_a": n_a,
        "n_b": n_b,
    }


def _parts(rows: Array) -> Iterator[Array]:
    """Yield permutations a hundred at a time: all at once would take much memory."""
    for first in range(0, len(rows), 100):
        yield rows[first : first + 100]


def _one_sample(difference: Array, signs: Array) -> Array:
    """Return t of sign-flipped differences, shape (n_permutations, n_times)."""
    n = len(difference)
    mean = signs @ difference / n
    variance = ((difference**2).sum(axis=0) - n * mean**2) / (n - 1)
    return _ratio(mean, np.sqrt(np.maximum(variance, 0) / n))


def _two_sample(both: Array, labels: Array) -> Array:
    """Return Student's t for labels of the first group, shape (n_permutations, n_times)."""
    n_a = float(labels[0].sum())
    n_b = len(both) - n_a
    centred = both - both.mean(axis=0)
    total = centred.sum(axis=0)
    squares = (centred**2).sum(axis=0)
    mean_a = labels @ centred / n_a
    mean_b = (total - labels @ centred) / n_b
    within = squares - n_a * mean_a**2 - n_b * mean_b**2
    pooled = np.maximum(within, 0) / (n_a + n_b - 2)
    return _ratio(mean_a - mean_b, np.sqrt(pooled * (1 / n_a + 1 / n_b)))


def _ratio(mean: Array, error: Array) -> Array:
    """Return t, and 0 where nothing varies (a baseline that was subtracted to zero)."""
    out: Array = np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)
    return out


def _clusters(t: Array, limit: float) -> list[tuple[int, int, float]]:
    """Return first sample, the one after the last, and mass of each cluster."""
    kind = np.where(t > limit, 1, np.where(t < -limit, -1, 0))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], kind, [0]])))
    return [(i, j, float(t[i:j].sum())) for i, j in pairwise(edges.tolist()) if kind[i] != 0]
