"""From seconds to samples, without the off-by-one that floating point invites."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError

# A time that is within a millionth of a sample of a sample means that sample:
# 0.29 s at 100 Hz is 28.999999999999996 samples, and is sample 29.
GUARD_SAMPLES = 1e-6
MAX_SAMPLES = 2**53


def first_sample(time: float, sfreq: float) -> int:
    """Return the first sample at or after a time.

    Parameters
    ----------
    time : float
        Seconds; may be negative.
    sfreq : float
        Samples per second.

    Raises
    ------
    SignalError
        If the time is further away than any recording reaches.
    """
    exact = time * sfreq
    if abs(exact) > MAX_SAMPLES:
        raise SignalError(f"{time:g} s is out of reach", hint="Pass times in seconds.")
    nearest = round(exact)
    return nearest if abs(exact - nearest) <= GUARD_SAMPLES else math.ceil(exact)


def window_to_samples(tmin: float, tmax: float, sfreq: float) -> tuple[int, int]:
    """Return ``(start, stop)`` of the half-open window ``[tmin, tmax)``.

    All samples ``n`` with ``tmin <= n / sfreq < tmax`` belong to it, up to a guard of a millionth
    of a sample.

    Parameters
    ----------
    tmin, tmax : float
        Seconds.
    sfreq : float
        Samples per second.

    Raises
    ------
    SignalError
        If the window holds no sample.
    """
    start, stop = first_sample(tmin, sfreq), first_sample(tmax, sfreq)
    if stop <= start:
        raise SignalError(
            f"the window from {tmin:g} to {tmax:g} s holds no sample at {sfreq:g} Hz",
            hint=f"Pass tmax greater than tmin by at least {1 / sfreq:.4g} s.",
        )
    return start, stop


def inside(times: NDArray[np.float64], tmin: float, tmax: float) -> NDArray[np.bool_]:
    """Return which times lie in the closed window ``[tmin, tmax]``.

    Parameters
    ----------
    times : array, shape (n_times,)
        Seconds, evenly spaced and ascending.
    tmin, tmax : float
        Seconds; both ends belong to the window.

    Raises
    ------
    SignalError
        If no time lies in it.
    """
    step = float(times[1] - times[0]) if times.size > 1 else 1.0
    guard = GUARD_SAMPLES * step
    mask: NDArray[np.bool_] = (times >= tmin - guard) & (times <= tmax + guard)
    if not mask.any():
        raise SignalError(
            f"the window from {tmin:g} to {tmax:g} s holds no sample",
            hint=f"Pass times between {times[0]:g} and {times[-1]:g} s, tmin before tmax.",
        )
    return mask


def complete_epochs(n_times: int, sfreq: float, duration: float) -> int:
    """Return how many complete back-to-back epochs fit; a partial last one does not count.

    Parameters
    ----------
    n_times : int
        Samples of the signal.
    sfreq : float
        Samples per second.
    duration : float
        Seconds of one epoch.
    """
    return n_times // first_sample(duration, sfreq)
