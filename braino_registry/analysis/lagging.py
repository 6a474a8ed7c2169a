"""Two series over time: which one follows the other, and a line through both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.relating import _columns, _pearson


@operation("stats.lagged_correlation", version="1.0.0")
def lagged_correlation(
    x: Sequence[float], y: Sequence[float], *, max_lag: int = 20
) -> dict[str, Any]:
    """Return the lag at which two series correlate most.

    For each lag ``k`` from ``-max_lag`` to ``max_lag``: Pearson's r of ``x[n]`` and ``y[n + k]``
    over the samples where both are there; nothing is wrapped around. A positive lag: y is later.
    The largest signed r; of equals the smallest lag.

    Parameters
    ----------
    x, y : sequence of float
        Equally long, at least ``max_lag + 4`` samples.
    max_lag : int
        Samples.

    Returns
    -------
    dict
        ``lag_samples``, ``r``, and ``rows`` of ``lag_samples`` and ``r``.
    """
    a, b = _columns({"x": x, "y": y}, max_lag + 4)
    if max_lag < 0:
        raise SignalError(f"{max_lag} is no lag", hint="Pass max_lag of 0 or more.")
    rows = []
    for lag in range(-max_lag, max_lag + 1):
        left = a[: a.size - lag] if lag >= 0 else a[-lag:]
        right = b[lag:] if lag >= 0 else b[: b.size + lag]
        if not (np.ptp(left) > 0 and np.ptp(right) > 0):
            raise SignalError(f"a series does not vary at lag {lag}", hint="Pass a smaller lag.")
        rows.append({"lag_samples": lag, "r": _pearson(left, right)})
    best = max(rows, key=lambda row: row["r"])
    return {**best, "rows": rows}


@operation("stats.regression", version="1.0.0")
def regression(x: Sequence[float], y: Sequence[float]) -> dict[str, Any]:
    """Return the least-squares line ``y = intercept + slope x``.

    Parameters
    ----------
    x, y : sequence of float
        Three values or more, in the same order.

    Returns
    -------
    dict
        ``intercept``, ``slope``, ``r_squared`` (of the line), ``n``.
    """
    a, b = _columns({"x": x, "y": y}, 3)
    centred = a - a.mean()
    slope = float(centred @ (b - b.mean()) / (centred @ centred))
    return {
        "intercept": float(b.mean() - slope * a.mean()),
        "slope": slope,
        "r_squared": _pearson(a, b) ** 2,
        "n": int(a.size),
    }
