"""Electrodes that gel has joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Array = NDArray[np.float64]
UV2 = 1e12
PIECE = 2.0
BAND = (0.5, 30.0)
# a bridge also has next to none of the two channels' own variance
SHARE = 0.05
FLAT_UV2 = 0.25


@operation("quality.bridging", version="1.0.0")
def bridging(
    data: Array, sfreq: float, ch_names: Sequence[str], *, limit_uv2: float = 3.0
) -> dict[str, Any]:
    """Return pairs of channels that record the same.

    The electrical distance of two channels is the variance of their difference (intrinsic Hjorth:
    Tenke and Kayser 2001; Alschuler et al. 2014), here the median over pieces of 2 s of the
    0.5–30 Hz band, in µV². Bridged: the distance is at most ``limit_uv2`` and at most 5 % of the
    mean variance of the two. Flat channels (variance below 0.25 µV²) are left out. Channels that
    are joined by bridges make a group.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels, EEG only.
    limit_uv2 : float
        Largest distance of a bridge in µV².

    Returns
    -------
    dict
        ``n_pairs``, ``pairs``, ``groups``, ``channels`` (in the recording's order),
        ``median_distance_uv2`` over all pairs, ``closest`` five pairs.

    Raises
    ------
    SignalError
        If the signal is shorter than five pieces, or has fewer than two channels.
    """
    from braino_registry.analysis.physio import band_limited

    n = round(PIECE * sfreq)
    count = data.shape[1] // n
    if count < 5 or data.shape[0] < 2:
        raise SignalError(
            f"{data.shape[0]} channels of {data.shape[1] / sfreq:.3g} s are too little to compare",
            hint="Pass two channels or more, and 10 s or more.",
        )
    band = band_limited(data, sfreq, *BAND)
    variances, distances = np.empty((count, len(band))), np.empty((count, len(band), len(band)))
    for k in range(count):
        piece = band[:, k * n : (k + 1) * n]
        piece = piece - piece.mean(axis=1, keepdims=True)
        products = piece @ piece.T / n * UV2
        own = np.diag(products)
        variances[k] = own
        distances[k] = own[:, None] + own[None, :] - 2 * products
    variance, distance = np.median(variances, axis=0), np.median(distances, axis=0)
    usable = variance >= FLAT_UV2
    first, second = np.triu_indices(len(band), 1)
    known = usable[first] & usable[second]
    first, second = first[known], second[known]
    values = np.maximum(distance[first, second], 0.0)
    limits = np.minimum(limit_uv2, SHARE * (variance[first] + variance[second]) / 2)
    order = np.argsort(values, kind="stable")
    rows: list[dict[str, Any]] = [
        {
            "channels": [ch_names[first[i]], ch_names[second[i]]],
            "distance_uv2": float(values[i]),
        }
        for i in order
    ]
    pairs = [row for row, i in zip(rows, order, strict=True) if values[i] <= limits[i]]
    groups = _groups(ch_names, [row["channels"] for row in pairs])
    joined = {name for group in groups for name in group}
    return {
        "n_pairs": len(pairs),
        "pairs": pairs,
        "groups": groups,
        "channels": [name for name in ch_names if name in joined],
        "median_distance_uv2": float(np.median(values)) if values.size else None,
        "closest": rows[:5],
    }


def _groups(names: Sequence[str], pairs: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return sets of channels that pairs connect, in the order of the channels."""
    groups: list[set[str]] = []
    for a, b in pairs:
        touched = [group for group in groups if a in group or b in group]
        merged = {a, b}.union(*touched)
        groups = [group for group in groups if group not in touched] + [merged]
    ordered = [[name for name in names if name in group] for group in groups]
    return sorted(ordered, key=lambda group: list(names).index(group[0]))
