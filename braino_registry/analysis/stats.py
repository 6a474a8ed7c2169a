"""Tests of group differences and corrections for several of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Method = Literal["holm", "bonferroni", "fdr_bh", "none"]


def cohen_d(a: Sequence[float], b: Sequence[float], *, paired: bool = False) -> float:
    """Return the standardised difference of means.

    Unpaired: ``(mean a - mean b) / pooled SD`` with ``ddof=1``. Paired: ``d_z``, the mean of the
    differences over their standard deviation (``ddof=1``). Cohen (1988); Lakens (2013).

    Parameters
    ----------
    a, b : sequence of float
        One value per subject.
    paired : bool
        Whether the values belong together by position.
    """
    x, y = np.asarray(a, float), np.asarray(b, float)
    if paired:
        difference = x - y
        return float(difference.mean() / difference.std(ddof=1))
    n, m = x.size, y.size
    pooled = ((n - 1) * x.var(ddof=1) + (m - 1) * y.var(ddof=1)) / (n + m - 2)
    return float((x.mean() - y.mean()) / math.sqrt(pooled))


@operation("stats.ttest", version="1.0.0")
def ttest(
    a: Sequence[float], b: Sequence[float], *, paired: bool = False, equal_variances: bool = True
) -> dict[str, Any]:
    """Return a two-sided t-test of two means.

    Unpaired: Student's test with pooled variance, or Welch's without equal variances. Paired: the
    one-sample test of the differences. p-values by :mod:`scipy.stats`.

    Parameters
    ----------
    a, b : sequence of float
        At least two values each; equally many if paired.
    paired : bool
        Whether the values belong together by position.
    equal_variances : bool
        False for Welch's test; ignored if paired.

    Returns
    -------
    dict
        ``t``, ``p_value``, ``df``, ``cohen_d``, ``mean_a``, ``mean_b``, ``mean_difference``,
        ``n_a``, ``n_b``.

    Raises
    ------
    SignalError
        If there are too few values or they do not vary.
    """
    x, y = np.asarray(a, float), np.asarray(b, float)
    if x.size < 2 or y.size < 2:
        raise SignalError(
            f"a t-test needs two values or more on both sides, a has {x.size} and b {y.size}",
            hint="Pass one value per subject.",
        )
    if paired and x.size != y.size:
        raise SignalError(
            f"a paired test needs as many values in a ({x.size}) as in b ({y.size})",
            hint="Pass values of the same subjects in the same order, or paired=false.",
        )
    constant = np.ptp(x - y) == 0 if paired else np.ptp(x) == 0 and np.ptp(y) == 0
    if constant:
        raise SignalError("the values do not vary, so t is not defined", hint="Check the values.")
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # one constant group is not a mistake
        found = (
            stats.ttest_rel(x, y) if paired else stats.ttest_ind(x, y, equal_var=equal_variances)
        )
    if not (math.isfinite(found.statistic) and math.isfinite(found.pvalue)):
        raise SignalError("the values hardly vary, so t is not defined", hint="Check the values.")
    return {
        "t": float(found.statistic),
        "p_value": float(found.pvalue),
        "df": float(found.df),
        "cohen_d": cohen_d(a, b, paired=paired),
        "mean_a": float(x.mean()),
        "mean_b": float(y.mean()),
        "mean_difference": float(x.mean() - y.mean()),
        "n_a": int(x.size),
        "n_b": int(y.size),
    }


@operation("stats.correct", version="1.0.0")
def correct(
    p_values: Sequence[float], *, method: Method = "holm", alpha: float = 0.05
) -> dict[str, Any]:
    """Return p-values adjusted for several tests.

    ``bonferroni``: p times the number of tests. ``holm``: step-down (Holm 1979). ``fdr_bh``:
    step-up false discovery rate (Benjamini and Hochberg 1995). All are cut at 1. Equal p-values get
    equal adjusted values.

    Parameters
    ----------
    p_values : sequence of float
        Between 0 and 1.
    method : {"holm", "bonferroni", "fdr_bh", "none"}
        The correction.
    alpha : float
        A test is significant if its adjusted p-value is at most alpha.

    Returns
    -------
    dict
        ``p_adjusted`` and ``significant``, in the order given, and ``n_significant``.

    Raises
    ------
    SignalError
        If a p-value is outside 0 to 1, or there is none.
    """
    p = np.asarray(p_values, float)
    if p.size == 0 or not np.all((p >= 0) & (p <= 1)):
        raise SignalError(
            "p-values must lie between 0 and 1, and there must be one at least",
            hint="Pass the p_value results of stats.ttest.",
        )
    n = p.size
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(n)
    if method == "holm":
        adjusted[order] = np.maximum.accumulate((n - np.arange(n)) * p[order])
    elif method == "fdr_bh":
        scaled = p[order] * n / np.arange(1, n + 1)
        adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    elif method == "bonferroni":
        adjusted = p * n
    else:
        adjusted = p.copy()
    adjusted = np.minimum(adjusted, 1.0)
    significant = adjusted <= alpha
    return {
        "p_adjusted": [float(value) for value in adjusted],
        "significant": [bool(value) for value in significant],
        "n_significant": int(significant.sum()),
    }
