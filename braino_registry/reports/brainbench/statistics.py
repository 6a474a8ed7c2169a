"""The few statistics that the analyses need; scipy computes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Draws of the bootstrap, and its seed: the same reports give the same interval.
RESAMPLES = 2000
SEED = 20260804
LEVEL = 0.95


def median_interval(values: Sequence[float]) -> dict[str, Any]:
    """Return the median with its percentile bootstrap interval over tasks.

    Parameters
    ----------
    values : sequence of float
        One per task.

    Returns
    -------
    dict
        ``median``, ``low``, ``high``; the bounds are None for fewer than two values.
    """
    import numpy as np
    from scipy import stats

    if not values:
        return {"median": None, "low": None, "high": None}
    median = float(np.median(values))
    if len(values) < 2:
        return {"median": median, "low": None, "high": None}
    found = stats.bootstrap(
        (np.asarray(values),), np.median, n_resamples=RESAMPLES, confidence_level=LEVEL,
        method="percentile", rng=np.random.default_rng(SEED),
    ).confidence_interval  # fmt: skip
    return {"median": median, "low": float(found.low), "high": float(found.high)}


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Return mean, median, quartiles, and the 5th and 95th percentile; of at least one value."""
    import numpy as np

    names = {"p5": 5, "q1": 25, "median": 50, "q3": 75, "p95": 95}
    found = np.percentile(values, list(names.values()))
    return {"mean": float(np.mean(values)), **dict(zip(names, map(float, found), strict=True))}


def summary(values: Sequence[float]) -> dict[str, float | None]:
    """Return mean, quartiles, 10th and 90th percentile; None where nothing is known."""
    import numpy as np

    names = {"p10": 10, "q1": 25, "median": 50, "q3": 75, "p90": 90}
    if not values:
        return {"mean": None, **dict.fromkeys(names)}
    found = np.percentile(values, list(names.values()))
    return {"mean": float(np.mean(values)), **dict(zip(names, map(float, found), strict=True))}


def agreement(x: Sequence[float], y: Sequence[float]) -> dict[str, Any]:
    """Return Pearson's and Spearman's correlation with their p values, and the line of y on x.

    All are None for fewer than three points, or where one side does not vary.
    """
    from scipy import stats

    nothing: dict[str, Any] = {"pearson": None, "spearman": None, "ols": None}
    if len(x) < 3 or len(set(x)) < 2 or len(set(y)) < 2:
        return nothing
    pearson, spearman = stats.pearsonr(x, y), stats.spearmanr(x, y)
    line = stats.linregress(x, y)
    return {
        "pearson": {"r": float(pearson.statistic), "p": float(pearson.pvalue)},
        "spearman": {"rho": float(spearman.statistic), "p": float(spearman.pvalue)},
        "ols": {"slope": float(line.slope), "intercept": float(line.intercept)},
    }
