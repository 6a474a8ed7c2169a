"""How sure a corpus metric is: intervals and paired comparisons that resample whole clusters.

What belongs together – the recordings of a subject, the nights of a sleeper – is drawn together,
because errors within it are alike. Every metric here is a function of sums over clusters, so that
a draw is one row of a matrix product. Intervals are percentile intervals of the cluster bootstrap
(Efron and Tibshirani 1993, chapter 13); differences of two agents are tested by exchanging all
answers of a cluster between them at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from braino_registry.scoring.corpus.model import ScoreError

Floats = NDArray[np.float64]
_TIE = 1e-12  # differences that only rounding tells apart are equal


@dataclass(frozen=True, eq=False)
class Measure:
    """A metric of a corpus in a form that can be drawn again.

    Parameters
    ----------
    name : str
        Such as ``macro_f1``.
    clusters : tuple of str
        What is drawn.
    sums : array, shape (n_clusters, n_sums)
        What each cluster contributes.
    formula : callable
        From summed contributions, shape (..., n_sums), to values, shape (...); NaN where the
        metric is not defined.
    """

    name: str
    clusters: tuple[str, ...]
    sums: Floats
    formula: Callable[[Floats], Floats]

    def __post_init__(self) -> None:
        """Refuse sums that belong to other clusters."""
        if self.sums.ndim != 2 or len(self.sums) != len(self.clusters):
            raise ScoreError(
                f"{self.name} has {len(self.clusters)} clusters for sums of {self.sums.shape}."
            )
        if len(set(self.clusters)) != len(self.clusters):
            raise ScoreError(f"{self.name} has clusters of the same name.")

    @property
    def value(self) -> float | None:
        """The metric of the whole corpus; None where it is not defined."""
        return _defined(float(self.formula(self.sums.sum(axis=0))))


@dataclass(frozen=True)
class Interval:
    """A value and how far it would move in another sample of clusters.

    Parameters
    ----------
    value : float | None
        Of the whole corpus.
    low, high : float | None
        Ends of the interval; None where there are fewer than two clusters, or nothing is defined.
    level : float
        Share of the draws within.
    n_clusters : int
        Of the measure with the fewest.
    n_draws : int
        In which the metric was defined.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    n_clusters: int
    n_draws: int


@dataclass(frozen=True)
class Difference:
    """The first corpus minus the second, on the same clusters.

    Parameters
    ----------
    first, second : float | None
        Values of both.
    interval : Interval
        Of their difference, both drawn alike.
    p_value : float | None
        Share of random exchanges between the two that give a difference at least as large,
        the one observed included. None where there is no difference to speak of.
    """

    first: float | None
    second: float | None
    interval: Interval
    p_value: float | None


def interval(
    measures: Measure | Sequence[Measure],
    *,
    n_draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Return a bootstrap interval of a metric, or of the plain mean of several.

    Parameters
    ----------
    measures : Measure | sequence of Measure
        Several, such as the headlines of six tasks, are drawn independently and averaged.
    n_draws : int
        How often.
    level : float
        Between 0 and 1.
    seed : int
        The same seed gives the same interval.

    Returns
    -------
    Interval

    Raises
    ------
    ScoreError
        If there is nothing to draw, or the numbers make no sense.
    """
    group = _group(measures, n_draws, level)
    drawn = np.mean([_draws(m, _weights(m, n_draws, seed, i)) for i, m in enumerate(group)], axis=0)
    return _interval(_mean([m.value for m in group]), drawn, group, level)


def compare(
    first: Measure | Sequence[Measure],
    second: Measure | Sequence[Measure],
    *,
    n_draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Compare two corpora of answers to the same instances.

    Parameters
    ----------
    first, second : Measure | sequence of Measure
        The same metrics of the same clusters, in the same order.
    n_draws, level, seed
        See `interval`.

    Returns
    -------
    Difference

    Raises
    ------
    ScoreError
        If the two are not of the same metrics and clusters.
    """
    ours, theirs = _group(first, n_draws, level), _group(second, n_draws, level)
    if [(m.name, m.clusters) for m in ours] != [(m.name, m.clusters) for m in theirs]:
        raise ScoreError(
            "Two corpora of different metrics or clusters cannot be paired.",
            hint="Compare what both have, in the same order.",
        )
    drawn, swapped = np.zeros(n_draws), np.zeros(n_draws)
    for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        weights = _weights(a, n_draws, seed, place)
        drawn += (_draws(a, weights) - _draws(b, weights)) / len(ours)
        swapped += _exchanged(a, b, n_draws, seed, place) / len(ours)
    mine, yours = _mean([m.value for m in ours]), _mean([m.value for m in theirs])
    observed = None if mine is None or yours is None else mine - yours
    return Difference(
        mine, yours, _interval(observed, drawn, ours, level), _p_value(observed, swapped)
    )


def _group(measures: Measure | Sequence[Measure], n_draws: int, level: float) -> list[Measure]:
    group = [measures] if isinstance(measures, Measure) else list(measures)
    if not group or not all(measure.clusters for measure in group):
        raise ScoreError("There is nothing to draw from.")
    if n_draws < 1 or not 0 < level < 1:
        raise ScoreError(f"{n_draws} draws at a level of {level} make no interval.")
    return group


def _weights(measure: Measure, n_draws: int, seed: int, place: int) -> Floats:
    """Return how often each cluster is in each draw, shape (n_draws, n_clusters)."""
    k = len(measure.clusters)
    picks = np.random.default_rng([seed, place]).integers(k, size=(n_draws, k))
    picks += np.arange(n_draws)[:, np.newaxis] * k
    counts = np.bincount(picks.ravel(), minlength=n_draws * k)
    return counts.reshape(n_draws, k).astype(float)


def _draws(measure: Measure, weights: Floats) -> Floats:
    return np.asarray(measure.formula(weights @ measure.sums), dtype=float)


def _exchanged(a: Measure, b: Measure, n_draws: int, seed: int, place: int) -> Floats:
    """Return the difference after each cluster's answers were exchanged, or not, at random."""
    rng = np.random.default_rng([seed, place, 1])
    swap = rng.integers(2, size=(n_draws, len(a.clusters))).astype(float)
    apart = swap @ (b.sums - a.sums)
    return np.asarray(
        a.formula(a.sums.sum(axis=0) + apart) - b.formula(b.sums.sum(axis=0) - apart), dtype=float
    )


def _interval(
    value: float | None, drawn: Floats, group: Sequence[Measure], level: float
) -> Interval:
    defined = drawn[np.isfinite(drawn)]
    n_clusters = min(len(measure.clusters) for measure in group)
    low: float | None = None
    high: float | None = None
    if value is not None and n_clusters > 1 and defined.size:
        ends = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
        low, high = float(ends[0]), float(ends[1])
    return Interval(value, low, high, level, n_clusters, int(defined.size))


def _p_value(observed: float | None, swapped: Floats) -> float | None:
    defined = swapped[np.isfinite(swapped)]
    if observed is None or not defined.size:
        return None
    as_large = np.count_nonzero(np.abs(defined) >= abs(observed) - _TIE)
    return float((as_large + 1) / (defined.size + 1))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _defined(value: float) -> float | None:
    return value if np.isfinite(value) else None
