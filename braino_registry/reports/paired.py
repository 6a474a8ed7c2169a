"""Whether two agents differ: statistics of trials that both of them were given.

Trials of one task are alike, so tasks are the units that are drawn [1]_ [2]_. The *interval* of a
mean difference is an expanded percentile bootstrap: tasks are drawn with replacement, each with
all its pairs, and the tails are widened as far as Student's t exceeds the normal for so few
tasks, without which percentile intervals are too narrow [3]_.

*McNemar's exact test* [4]_ asks whether as many pairs were fixed as broken. It takes pairs as
independent, so it belongs to a suite whose tasks have one instance each; the interval does not.

References
----------
.. [1] Field, C. A., Welsh, A. H. (2007). Bootstrapping clustered data. Journal of the Royal
   Statistical Society B 69(3), 369–390.
.. [2] Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640, sections 2.2 and 4.2.
.. [3] Hesterberg, T. C. (2015). What teachers should know about the bootstrap. The American
   Statistician 69(4), 371–386, section 4.3.
.. [4] McNemar, Q. (1947). Note on the sampling error of the difference between correlated
   proportions or percentages. Psychometrika 12(2), 153–157.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

LEVEL = 0.95
DRAWS = 10_000
#: The same pairs give the same interval wherever they are compared.
SEED = 20240612
#: Power at which the smallest difference that could have been seen is stated.
POWER = 0.8
#: Draws at a time, so that memory stays small whatever the number of tasks.
_BLOCK = 500


@dataclass(frozen=True)
class Difference:
    """A mean difference over pairs, second minus first.

    Parameters
    ----------
    estimate : float
        Mean over all pairs, in the unit of the values.
    interval : tuple of float or None
        Lower and upper limit; None where one task leaves nothing to draw.
    standard_error : float or None
        Of the estimate, with tasks as units.
    detectable : float or None
        The smallest true difference that a suite of this size would have shown in 80 % of runs,
        at this variability: ``(t(1 − α/2) + t(0.8)) · SE``.
    p_value : float or None
        Two-sided, of no difference: the share of draws beyond zero, widened as the interval is.
    n_pairs, n_clusters : int
        Pairs, and tasks.
    """

    estimate: float
    interval: tuple[float, float] | None
    standard_error: float | None
    detectable: float | None
    p_value: float | None
    n_pairs: int
    n_clusters: int

    def document(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**vars(self), "interval": None if self.interval is None else list(self.interval),
                "level": LEVEL}  # fmt: skip


def difference(
    before: Sequence[float],
    after: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Difference:
    """Return the mean of ``after − before`` with its interval, tasks being drawn.

    Parameters
    ----------
    before, after : sequence of float, shape (n_pairs,)
        Scores, or 0 and 1 for passes, of the same trials.
    clusters : sequence of hashable, shape (n_pairs,)
        The task of each pair.
    level : float
        Coverage of the interval, in (0, 1).
    draws : int
        Bootstrap draws.
    seed : int
        Seed of the draws.

    Raises
    ------
    ValueError
        If there are no pairs, the lengths differ, a value is not finite or the level is no
        probability.
    """
    values = np.asarray(after, float) - np.asarray(before, float)
    if values.size == 0 or values.size != len(clusters) or not np.isfinite(values).all():
        raise ValueError("pairs need as many finite values before and after as clusters, and one")
    if not 0 < level < 1:
        raise ValueError(f"the level is {level}; it has to lie between 0 and 1")
    sums, sizes = _by_cluster(values, clusters)
    estimate, n = float(values.mean()), sums.size
    if n < 2:
        return Difference(estimate, None, None, None, None, values.size, n)
    error = float(np.sqrt(n / (n - 1) * np.sum((sums - estimate * sizes) ** 2)) / values.size)
    means = _drawn(sums, sizes, draws, seed)
    tail = _widened((1 - level) / 2, n)
    low, high = np.quantile(means, [tail, 1 - tail])
    seen = special.stdtrit(n - 1, 1 - (1 - level) / 2) + special.stdtrit(n - 1, POWER)
    return Difference(
        estimate=estimate,
        interval=(float(low), float(high)),
        standard_error=error,
        detectable=float(seen * error),
        p_value=_p_value(means, n),
        n_pairs=values.size,
        n_clusters=n,
    )


def mcnemar(fixed: int, broken: int) -> float:
    """Return the two-sided exact p-value that pairs are as often fixed as broken.

    Parameters
    ----------
    fixed, broken : int
        Pairs that pass only after, and only before; 1.0 if there are none.
    """
    if fixed + broken == 0:
        return 1.0
    # Twice the smaller tail, for the two are alike; scipy.stats takes a second to import.
    return float(min(1.0, 2 * special.bdtr(min(fixed, broken), fixed + broken, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for several comparisons by Holm's step-down rule.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
    Journal of Statistics 6(2), 65–70.
    """
    order = np.argsort(p_values, kind="stable")
    n, adjusted, highest = len(p_values), [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (n - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _by_cluster(
    values: NDArray[np.float64], clusters: Sequence[Hashable]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sum and number of the values of each cluster, in the order of first appearance."""
    index: dict[Hashable, int] = {}
    members = np.array([index.setdefault(cluster, len(index)) for cluster in clusters])
    return np.bincount(members, values).astype(np.float64), np.bincount(members).astype(np.float64)


def _drawn(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], draws: int, seed: int
) -> NDArray[np.float64]:
    """Return the means of samples of clusters drawn with replacement."""
    rng, n = np.random.default_rng(seed), sums.size
    means = np.empty(draws)
    for start in range(0, draws, _BLOCK):
        block = means[start : start + _BLOCK]
        chosen = rng.integers(n, size=(block.size, n))
        block[:] = sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
    return means


def _widened(tail: float, n: int) -> float:
    """Return the tail of the expanded percentile interval for ``n`` units."""
    return float(special.ndtr(np.sqrt(n / (n - 1)) * special.stdtrit(n - 1, tail)))


def _p_value(means: NDArray[np.float64], n: int) -> float:
    """Return the smallest two-sided level at which the interval leaves out zero."""
    beyond = float(min(np.mean(means <= 0), np.mean(means >= 0)))
    if beyond == 0:
        beyond = 0.5 / means.size  # no draw is beyond zero: smaller than the draws can tell
    return float(min(1.0, 2 * special.stdtr(n - 1, special.ndtri(beyond) / np.sqrt(n / (n - 1)))))
