"""Spindles and slow waves, as YASA detects them.

These are defined as a library's calls (Vallat and Walker 2021), so they move with its releases:
for agents and for comparison, never an expected value. The extra ``sleep`` installs the library.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError

Array = NDArray[np.float64]
UV = 1e6


def spindles(row: Array, sfreq: float) -> list[dict[str, float]]:
    """Return what ``yasa.spindles_detect`` finds in one channel with its defaults.

    Parameters
    ----------
    row : array, shape (n_times,)
        EEG in V.
    sfreq : float
        Samples per second.

    Returns
    -------
    list of dict
        ``onset`` and ``duration`` in seconds, ``peak`` time in seconds, ``amplitude_uv``.
    """
    return _events(_yasa().spindles_detect, row, sfreq, "Peak", "Amplitude")


def slow_waves(row: Array, sfreq: float) -> list[dict[str, float]]:
    """Return what ``yasa.sw_detect`` finds in one channel with its defaults.

    Parameters and result as of :func:`spindles`; ``peak`` is the time of the negative peak, the
    amplitude is peak to peak.
    """
    return _events(_yasa().sw_detect, row, sfreq, "NegPeak", "PTP")


def _yasa() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what its dependencies say of each other
            import yasa
    except ImportError as error:
        raise SignalError(
            "the package yasa is not installed", hint='Run: pip install "braino-registry[sleep]".'
        ) from error
    return yasa


def _events(detect: Any, row: Array, sfreq: float, peak: str, size: str) -> list[dict[str, float]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = detect(np.asarray(row) * UV, sfreq, verbose=False)
    if found is None:
        return []
    return [
        {
            "onset": float(event["Start"]),
            "duration": float(event["Duration"]),
            "peak": float(event[peak]),
            "amplitude_uv": float(event[size]),
        }
        for _, event in found.summary().iterrows()
    ]
