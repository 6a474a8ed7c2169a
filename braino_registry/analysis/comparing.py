"""More than two groups, how large a difference is, and whether a test could have found it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.stats import cohen_d

WANTED = 0.8
MAX_PEOPLE = 100_000
NODES, REACH = 200, 10.0


@operation("stats.anova", version="1.0.0")
def anova(groups: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return a one-way analysis of variance.

    F is the mean square between groups over that within; p from F with k - 1 and N - k degrees of
    freedom; eta squared the sum of squares between over the total.

    Parameters
    ----------
    groups : mapping of str to sequence of float
        Values by name of the group, two each or more.

    Returns
    -------
    dict
        ``f``, ``df_between``, ``df_within``, ``p_value``, ``eta_squared``, ``means``, ``n_total``.
    """
    arrays = {name: np.asarray(values, float) for name, values in groups.items()}
    if len(arrays) < 2 or min(array.size for array in arrays.values()) < 2:
        raise SignalError(
            "an analysis of variance needs two groups of two values or more",
            hint="Pass an object with a list of values for each group.",
        )
    from scipy import stats

    every = np.concatenate(list(arrays.values()))
    within = float(sum(((array - array.mean()) ** 2).sum() for array in arrays.values()))
    total = float(((every - every.mean()) ** 2).sum())
    if not within > 1e-18 * max(total, 1e-300):
        raise SignalError("the values do not vary within groups", hint="Check the values.")
    df_between, df_within = len(arrays) - 1, every.size - len(arrays)
    between = max(total - within, 0.0)
    f = (between / df_between) / (within / df_within)
    return {
        "f": f,
        "df_between": df_between,
        "df_within": int(df_within),
        "p_value": float(stats.f.sf(f, df_between, df_within)),
        "eta_squared": between / total,
        "means": {name: float(array.mean()) for name, array in arrays.items()},
        "n_total": int(every.size),
    }


@operation("stats.effect_size", version="1.0.0")
def effect_size(a: Sequence[float], b: Sequence[float], *, paired: bool = False) -> dict[str, Any]:
    """Return how large the difference of two means is, with a 95 % interval.

    Cohen's d is that of :func:`braino_registry.analysis.stats.cohen_d` (paired: d_z). Hedges' g is
    d times 1 - 3 / (4 df - 1). The interval inverts the noncentral t distribution (Steiger and
    Fouladi 1997).

    Parameters
    ----------
    a, b : sequence of float
        Two values each or more; equally many if paired.
    paired : bool
        Whether the values belong together by position.

    Returns
    -------
    dict
        ``cohen_d``, ``hedges_g``, ``ci_low``, ``ci_high`` (of d), ``n_a``, ``n_b``.
    """
    from braino_registry.analysis.stats import ttest

    test = ttest(a, b, paired=paired)
    d, df = cohen_d(a, b, paired=paired), test["df"]
    n_a, n_b = len(a), len(b)
    root = math.sqrt(n_a) if paired else math.sqrt(n_a * n_b / (n_a + n_b))
    low, high = (_noncentrality(test["t"], df, share) / root for share in (0.975, 0.025))
    return {
        "cohen_d": d,
        "hedges_g": d * (1 - 3 / (4 * df - 1)),
        "ci_low": low,
        "ci_high": high,
        "n_a": n_a,
        "n_b": n_b,
    }


def _noncentrality(t: float, df: float, share: float) -> float:
    """Return the noncentrality for which a t lies at a share of the distribution."""
    from scipy.optimize import brentq

    def miss(nc: float) -> float:
        return _below(t, df, nc) - share

    reach = 10.0 + abs(t)
    if not miss(t - reach) > 0 > miss(t + reach):
        raise SignalError("the difference is too large for an interval", hint="Check the values.")
    return float(brentq(miss, t - reach, t + reach, xtol=1e-9))


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights of Gauss and Legendre's rule from -1 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def _below(t: float, df: float, nc: float) -> float:
    """Return the noncentral t distribution at t.

    The normal distribution, averaged over that of the standard deviation; :data:`scipy.stats.nct`
    is not a number for some large noncentralities.
    """
    from scipy.special import gammaln, ndtr

    nodes, weights = _quadrature()
    reach = REACH / math.sqrt(2 * df)
    low, high = max(0.0, 1 - reach), 1 + reach
    spread = low + (high - low) * (nodes + 1) / 2
    # the density of √(χ² / df)
    log_density = (
        math.log(2) + df / 2 * math.log(df / 2) - gammaln(df / 2)
        + (df - 1) * np.log(spread) - df * spread**2 / 2
    )  # fmt: skip
    values = np.exp(log_density) * ndtr(t * spread - nc)
    return float((weights * values).sum() * (high - low) / 2)


def _power(d: float, n_a: float, n_b: float, paired: bool, alpha: float) -> float:
    """Return the power of a two-sided t-test of a true effect d."""
    from scipy import stats

    df = n_a - 1 if paired else n_a + n_b - 2
    nc = abs(d) * (math.sqrt(n_a) if paired else math.sqrt(n_a * n_b / (n_a + n_b)))
    limit = float(stats.t.ppf(1 - alpha / 2, df))
    return 1 - _below(limit, df, nc) + _below(-limit, df, nc)


@operation("stats.power", version="1.0.0")
def power(
    cohen_d: float,
    n_a: int,
    n_b: int | None = None,
    *,
    paired: bool = False,
    alpha_percent: float = 5,
) -> dict[str, Any]:
    """Return how likely a two-sided t-test finds a true effect of a given size.

    Power from the noncentral t distribution (Cohen 1988), noncentrality d √(n_a n_b / (n_a + n_b)),
    paired d √n. ``detectable_d``: the effect that is found with a probability of 80 %.
    ``n_needed``: people per group (paired: people) to find ``cohen_d`` with 80 %; None above
    100 000.

    Parameters
    ----------
    cohen_d : float
        The true effect, d or for paired tests d_z; its sign does not matter.
    n_a : int
        People in the first group, or in a paired test.
    n_b : int | None
        People in the second group; as many as in the first if None.
    paired : bool
        Whether both values come from the same people.
    alpha_percent : float
        Level of significance in percent.

    Returns
    -------
    dict
        ``achieved_power`` (0 to 1), ``detectable_d``, ``n_needed``.

    Raises
    ------
    SignalError
        If there are fewer than two people on a side.
    """
    second = n_a if n_b is None else n_b
    if min(n_a, second) < 2 or max(n_a, second) > MAX_PEOPLE:
        raise SignalError(
            "a t-test needs two people or more on each side", hint="Pass n_a and n_b of 2 or more."
        )
    if abs(cohen_d) > 100:
        raise SignalError(f"d = {cohen_d:g} is no effect size", hint="Pass the cohen_d of a test.")
    alpha = alpha_percent / 100
    detectable = _first(lambda d: _power(d, n_a, second, paired, alpha), 1e-4, 100.0)
    return {
        "achieved_power": _power(cohen_d, n_a, second, paired, alpha),
        "detectable_d": detectable,
        "n_needed": _needed(abs(cohen_d), paired, alpha),
    }


def _first(rise: Callable[[float], float], low: float, high: float) -> float:
    """Return where a rising function reaches 80 %, by halving."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rise(middle) >= WANTED else (middle, high)
    return high


def _needed(d: float, paired: bool, alpha: float) -> int | None:
    low, high = 1, 2
    while _power(d, high, high, paired, alpha) < WANTED:
        low, high = high, 2 * high
        if high > MAX_PEOPLE:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        enough = _power(d, middle, middle, paired, alpha) >= WANTED
        low, high = (low, middle) if enough else (middle, high)
    return high
