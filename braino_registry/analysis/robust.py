"""Robust statistics over channels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# makes the median absolute deviation of a normal distribution its standard deviation
MAD_TO_SD = 1.4826


def robust_z(values: NDArray[np.float64], *, floor: float = 0.0) -> NDArray[np.float64]:
    """Return ``(x - median) / (1.4826 * MAD)``.

    Parameters
    ----------
    values : array, shape (n,)
        NaN entries are left out of median and MAD and stay NaN.
    floor : float
        Smallest scale, in the unit of ``values``, so that channels that are nearly equal are not
        told apart by rounding.

    Returns
    -------
    array, shape (n,)
        All zero where fewer than three values are finite or the scale is zero.
    """
    known = np.isfinite(values)
    z = np.where(known, 0.0, np.nan)
    if known.sum() < 3:
        return z
    median = float(np.median(values[known]))
    scale = max(MAD_TO_SD * float(np.median(np.abs(values[known] - median))), floor)
    if scale > 0:
        z[known] = (values[known] - median) / scale
    return z
