"""How two quantities go together, and what is left when a third is taken into account."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Array = NDArray[np.float64]
Z_95 = 1.959963984540054


def _columns(columns: Mapping[str, Sequence[float]], least: int) -> list[Array]:
    """Return columns of equal length that vary."""
    arrays = {name: np.asarray(values, float) for name, values in columns.items()}
    lengths = {name: array.size for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise SignalError(
            f"one value per person is needed in each: {told}",
            hint="Pass values of the same people in the same order.",
        )
    if min(lengths.values()) < least:
        raise SignalError(
            f"{min(lengths.values())} values are too few", hint=f"Pass {least} or more."
        )
    for name, array in arrays.items():
        if not np.ptp(array) > 0:
            raise SignalError(f"the values of {name} do not vary", hint="Check the values.")
    return list(arrays.values())


@operation("stats.correlation", version="1.0.0")
def correlation(
    x: Sequence[float],
    y: Sequence[float],
    *,
    method: Literal["pearson", "spearman"] = "pearson",
) -> dict[str, Any]:
    """Return the correlation of two quantities.

    ``pearson``: product-moment correlation; two-sided p from t with n - 2 degrees of freedom.
    ``spearman``: the same of mid-ranks. 95 % interval: Fisher's z ± 1.96 × standard error,
    1 / √(n - 3), for Spearman √((1 + r² / 2) / (n - 3)) (Bonett and Wright 2000).

    Parameters
    ----------
    x, y : sequence of float
        Four values or more, in the same order.
    method : {"pearson", "spearman"}
        Which correlation.

    Returns
    -------
    dict
        ``r``, ``p_value``, ``ci_low``, ``ci_high``, ``n``, ``df``.
    """
    a, b = _columns({"x": x, "y": y}, 4)
    if method == "spearman":
        from scipy.stats import rankdata

        a, b = rankdata(a), rankdata(b)
    r, n = _pearson(a, b), a.size
    z = math.atanh(max(min(r, 1 - 1e-15), -1 + 1e-15))
    error = math.sqrt((1 + r**2 / 2 if method == "spearman" else 1.0) / (n - 3))
    return {
        "r": r,
        "p_value": _p_of_r(r, n - 2),
        "ci_low": math.tanh(z - Z_95 * error),
        "ci_high": math.tanh(z + Z_95 * error),
        "n": int(n),
        "df": int(n - 2),
    }


def _pearson(a: Array, b: Array) -> float:
    x, y = a - a.mean(), b - b.mean()
    return float(np.clip((x @ y) / math.sqrt(float(x @ x) * float(y @ y)), -1.0, 1.0))


def _p_of_r(r: float, df: int) -> float:
    from scipy.stats import t

    if abs(r) >= 1:
        return 0.0
    return float(2 * t.sf(abs(r) * math.sqrt(df / (1 - r**2)), df))


@operation("stats.partial_correlation", version="1.0.0")
def partial_correlation(
    x: Sequence[float], y: Sequence[float], covariate: Sequence[float]
) -> dict[str, Any]:
    """Return the Pearson correlation of two quantities without what a third explains.

    Correlation of the residuals of both after linear regression on the covariate; p from t with
    n - 3 degrees of freedom.

    Parameters
    ----------
    x, y, covariate : sequence of float
        Five values or more, in the same order.

    Returns
    -------
    dict
        ``r``, ``p_value``, ``df``, ``r_unadjusted``, ``p_value_unadjusted``, ``n``.
    """
    a, b, c = _columns({"x": x, "y": y, "covariate": covariate}, 5)
    left, right = _residuals(a, c), _residuals(b, c)
    # what is left after a perfect fit is rounding
    if min(np.ptp(left) / np.ptp(a), np.ptp(right) / np.ptp(b)) < 1e-9:
        raise SignalError(
            "the covariate explains one of the quantities completely", hint="Check the values."
        )
    r, plain = _pearson(left, right), _pearson(a, b)
    return {
        "r": r,
        "p_value": _p_of_r(r, a.size - 3),
        "df": int(a.size - 3),
        "r_unadjusted": plain,
        "p_value_unadjusted": _p_of_r(plain, a.size - 2),
        "n": int(a.size),
    }


def _residuals(values: Array, covariate: Array) -> Array:
    c = covariate - covariate.mean()
    centred = values - values.mean()
    left: Array = centred - c * float(centred @ c) / float(c @ c)
    return left


@operation("stats.ancova", version="1.0.0")
def ancova(
    a: Sequence[float],
    b: Sequence[float],
    covariate_a: Sequence[float],
    covariate_b: Sequence[float],
) -> dict[str, Any]:
    """Return the difference of two groups at equal values of a covariate.

    Least squares of value = group + slope × covariate, one slope for both groups;
    ``adjusted_difference`` (a - b) with its t test, n_a + n_b - 3 degrees of freedom. Adjusted
    means are those at the mean covariate of all. ``p_value_slope`` tests the covariate,
    ``p_value_interaction`` whether the slopes differ. Unadjusted differences by Student's t test.

    Parameters
    ----------
    a, b : sequence of float
        One value per person.
    covariate_a, covariate_b : sequence of float
        The covariate of the same people, in the same order.

    Returns
    -------
    dict
        ``adjusted_difference``, ``t``, ``df``, ``p_value``, ``adjusted_mean_a``,
        ``adjusted_mean_b``, ``slope``, ``p_value_slope``, ``p_value_interaction``,
        ``unadjusted_difference``, ``p_value_unadjusted``, ``covariate_difference``,
        ``p_value_covariate``, ``n_a``, ``n_b``.

    Raises
    ------
    SignalError
        If values are missing, too few or do not vary, or the covariate tells the groups apart.
    """
    from scipy import stats

    y_a, c_a = _columns({"a": a, "covariate_a": covariate_a}, 3)
    y_b, c_b = _columns({"b": b, "covariate_b": covariate_b}, 3)
    y, c = np.concatenate([y_a, y_b]), np.concatenate([c_a, c_b])
    centred = c - c.mean()
    group = np.concatenate([np.ones(y_a.size), np.zeros(y_b.size)])
    design = np.stack([np.ones(y.size), group, centred], axis=1)
    beta, errors, df = _least_squares(design, y)
    wide, wide_errors, wide_df = _least_squares(np.column_stack([design, group * centred]), y)
    plain = stats.ttest_ind(y_a, y_b)
    ages = stats.ttest_ind(c_a, c_b)
    t = beta[1] / errors[1]
    return {
        "adjusted_difference": float(beta[1]),
        "t": float(t),
        "df": int(df),
        "p_value": float(2 * stats.t.sf(abs(t), df)),
        "adjusted_mean_a": float(beta[0] + beta[1]),
        "adjusted_mean_b": float(beta[0]),
        "slope": float(beta[2]),
        "p_value_slope": float(2 * stats.t.sf(abs(beta[2] / errors[2]), df)),
        "p_value_interaction": float(2 * stats.t.sf(abs(wide[3] / wide_errors[3]), wide_df)),
        "unadjusted_difference": float(y_a.mean() - y_b.mean()),
        "p_value_unadjusted": float(plain.pvalue),
        "covariate_difference": float(c_a.mean() - c_b.mean()),
        "p_value_covariate": float(ages.pvalue),
        "n_a": int(y_a.size),
        "n_b": int(y_b.size),
    }


def _least_squares(design: Array, y: Array) -> tuple[Array, Array, int]:
    """Return coefficients, their standard errors and the degrees of freedom."""
    df = y.size - design.shape[1]
    if df < 1 or np.linalg.cond(design / np.abs(design).max(axis=0)) > 1e8:
        raise SignalError(
            "group and covariate cannot be told apart", hint="Pass more people, or other values."
        )
    beta, _, _, _ = np.linalg.lstsq(design, y, rcond=None)
    variance = float(((y - design @ beta) ** 2).sum()) / df
    if not variance > 1e-20 * float(y.var()):
        raise SignalError("the values fit without any scatter", hint="Check the values.")
    errors: Array = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * variance)
    return np.asarray(beta, dtype=np.float64), errors, int(df)
