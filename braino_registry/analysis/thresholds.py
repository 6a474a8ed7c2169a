"""Selectors that compare every number of a table with a limit."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.margins import Values, numbers
from braino_registry.analysis.operation import operation


@operation("select.iqr_outliers", version="1.0.0")
def iqr_outliers(values: Values, *, k: float = 1.5, margin: float = 0.0) -> dict[str, Any]:
    """Return the names whose numbers lie outside of Tukey's fences.

    Below ``Q1 - k IQR`` or above ``Q3 + k IQR``; quartiles by linear interpolation (numpy's
    default). Where the lower fence is below zero, no variance is below it: a flat channel is not
    found in this way.

    Parameters
    ----------
    values : mapping of str to float
        Four numbers or more by name.
    k : float
        Reach of the fences in interquartile ranges.
    margin : float
        Least distance of any number from a fence, as a share of the distance between the fences.

    Returns
    -------
    dict
        ``outliers`` and ``kept`` in the order given, ``low`` and ``high``: the fences.

    Raises
    ------
    SignalError
        If a number is closer to a fence than the margin; naming it.
    """
    known = numbers(values, 4)
    first, third = np.percentile(list(known.values()), [25, 75])
    low, high = float(first - k * (third - first)), float(third + k * (third - first))
    for name, value in known.items():
        for fence in (low, high):
            if abs(value - fence) < margin * (high - low):
                raise SignalError(
                    f"{name} ({value:.6g}) is too close to the fence at {fence:.6g} to tell",
                    hint="Choose other data, or a smaller margin.",
                )
    outliers = [name for name, value in known.items() if value < low or value > high]
    kept = [name for name in known if name not in outliers]
    return {"outliers": outliers, "kept": kept, "low": low, "high": high}


@operation("select.above", version="1.0.0")
def above(
    values: Values, *, limit: float | Literal["mean", "median"], margin: float = 0.0
) -> dict[str, Any]:
    """Return the ``names`` whose numbers are above a ``limit``, in the order given.

    Parameters
    ----------
    values : mapping of str to float
        Numbers by name.
    limit : float | {"mean", "median"}
        A number, or that of all values.
    margin : float
        Least distance of any number from the limit, as a share of the limit.

    Raises
    ------
    SignalError
        If a number is closer to the limit than the margin; naming it.
    """
    known, level = numbers(values), _limit(values, limit, margin)
    return {"names": [name for name, value in known.items() if value > level], "limit": level}


@operation("select.below", version="1.0.0")
def below(
    values: Values, *, limit: float | Literal["mean", "median"], margin: float = 0.0
) -> dict[str, Any]:
    """Return what :func:`above` returns, for numbers below the limit."""
    known, level = numbers(values), _limit(values, limit, margin)
    return {"names": [name for name, value in known.items() if value < level], "limit": level}


def _limit(values: Values, limit: float | str, margin: float) -> float:
    known = numbers(values)
    given = list(known.values())
    if limit == "mean":
        level = float(np.mean(given))
    elif limit == "median":
        level = float(np.median(given))
    elif isinstance(limit, str):
        raise SignalError(f"there is no limit {limit!r}", hint="Pass a number, mean or median.")
    else:
        level = float(limit)
    for name, value in known.items():
        if abs(value - level) < margin * abs(level):
            raise SignalError(
                f"{name} ({value:.6g}) is too close to the limit of {level:.6g} to tell",
                hint="Choose other data, or a smaller margin.",
            )
    return level
