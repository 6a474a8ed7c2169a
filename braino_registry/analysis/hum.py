"""How much mains hum each channel holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.operation import operation
from braino_registry.analysis.robust import robust_z
from braino_registry.analysis.spectra import UV2, line_ratios, welch_psd

Array = NDArray[np.float64]
Z_THRESHOLD = 5.0
LEAST_FACTOR = 2.0
LEAST_RATIO = 3.0


def hum_of(freqs: Array, psd: Array, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return what :func:`hum_by_channel` returns, from a spectrum in V²/Hz."""
    overall = line_ratios(freqs, psd.mean(axis=0))
    line = overall["frequency_hz"]
    if line is None:
        return {"frequency_hz": None, "channels": [], "median_uv": None, "rows": []}
    distance = np.abs(freqs - line)
    near, around = distance <= 0.5, (distance >= 2) & (distance <= 6)
    floor = np.median(psd[:, around], axis=1)
    step = float(freqs[1] - freqs[0])
    excess = np.maximum((psd[:, near] - floor[:, None]).sum(axis=1) * step * UV2, 0.0)
    hum = np.sqrt(excess)
    ratio = psd[:, near].max(axis=1) / np.maximum(floor, 1e-300)
    flat = floor <= 0
    z = robust_z(np.where(flat, np.nan, np.log(np.maximum(hum, 1e-6))), floor=0.1)
    middle = float(np.median(hum[~flat])) if (~flat).any() else 0.0
    loud = (z > Z_THRESHOLD) & (hum > LEAST_FACTOR * middle) & (ratio >= LEAST_RATIO)
    rows = [
        {
            "channel": name,
            "hum_uv": float(hum[i]),
            "ratio": None if flat[i] else float(ratio[i]),
        }
        for i, name in enumerate(ch_names)
    ]
    rows.sort(key=lambda row: -float(row["hum_uv"] or 0))
    return {
        "frequency_hz": line,
        "channels": [name for name, stands_out in zip(ch_names, loud, strict=True) if stands_out],
        "median_uv": middle,
        "rows": rows,
    }


@operation("spectra.hum_by_channel", version="1.0.0")
def hum_by_channel(data: Array, sfreq: float, ch_names: Sequence[str]) -> dict[str, Any]:
    """Return the mains hum of every channel.

    The frequency is that of :func:`braino_registry.analysis.spectra.line_noise`. ``hum_uv``: the
    RMS of the line, from the density (Welch, 4 s, Hann) within 0.5 Hz of it minus the median
    density 2 to 6 Hz away. ``ratio``: largest density there over that median. A channel stands out
    if the robust z (median, 1.4826 MAD over channels) of log hum exceeds 5, its hum is more than
    twice the median channel's and its ratio 3 or more.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, unfiltered, its rate and channels.

    Returns
    -------
    dict
        ``frequency_hz``, ``channels``, ``median_uv`` and ``rows``, largest first. Without a line
        frequency_hz and median_uv are None and the lists empty.
    """
    freqs, psd = welch_psd(data, sfreq, segment_seconds=4.0)
    return hum_of(freqs, psd, ch_names)
