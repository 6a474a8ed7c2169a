"""Channels that do not fit where they are said to be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Array = NDArray[np.float64]
Position = tuple[float, float, float]

FLAT_UV = 0.5
UV = 1e6
NEIGHBOURS = 4
BINS = 12
# older names of four sites
OLD_NAMES = {"T3": "T7", "T4": "T8", "T5": "P7", "T6": "P8"}


@cache
def standard_positions() -> Mapping[str, Position]:
    """Return the 10-05 sites of MNE's template head by name in capitals, in m."""
    from mne.channels import get_builtin_montages, make_standard_montage

    # releases of MNE differ in what they call it
    name = "colin27_1005" if "colin27_1005" in get_builtin_montages() else "standard_1005"
    found = make_standard_montage(name).get_positions()["ch_pos"]
    sites = {name.upper(): (float(x), float(y), float(z)) for name, (x, y, z) in found.items()}
    return {**{old: sites[new] for old, new in OLD_NAMES.items()}, **sites}


def label_of(name: str) -> str:
    """Return a channel's name in capitals without ``EEG`` before, dots around and a reference.

    ``"EEG Fp1-Ref"``, ``"Fp1."`` and ``"FP1"`` give ``"FP1"``.
    """
    plain = re.sub(r"^EEG[ _-]*", "", name.strip(". ").upper())
    return plain.split("-")[0].strip(". ")


def placed(
    ch_names: Sequence[str], positions: Mapping[str, Sequence[float]] | None
) -> dict[str, Position]:
    """Return the positions of those channels that have one.

    Parameters
    ----------
    ch_names : sequence of str
        Channels.
    positions : mapping | None
        Coordinates by channel in any unit; None for the 10-05 sites of the channels' names, where
        case, a prefix ``EEG``, dots and a reference after a hyphen are overlooked.
    """
    if positions is not None:
        return {
            name: (float(p[0]), float(p[1]), float(p[2]))
            for name in ch_names
            if (p := positions.get(name)) is not None
        }
    sites = standard_positions()
    return {name: sites[label] for name in ch_names if (label := label_of(name)) in sites}


def correlations(data: Array, sfreq: float) -> Array:
    """Return Pearson's r of all pairs of channels, the median over pieces of 2 s (1–30 Hz).

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        The signal in V.
    sfreq : float
        Samples per second.
    """
    from braino_registry.analysis.physio import band_limited

    n = round(2.0 * sfreq)
    count = data.shape[1] // n
    if count < 5:
        raise SignalError(
            f"{data.shape[1] / sfreq:.3g} s are too short to compare channels",
            hint="Pass a view of 10 s or more.",
        )
    band = band_limited(data, sfreq, 1.0, 30.0)
    pieces = np.empty((count, len(band), len(band)))
    for k in range(count):
        x = band[:, k * n : (k + 1) * n]
        x = x - x.mean(axis=1, keepdims=True)
        norm = np.sqrt((x**2).sum(axis=1, keepdims=True))
        x = np.divide(x, norm, out=np.zeros_like(x), where=norm > 0)
        pieces[k] = x @ x.T
    r: Array = np.median(pieces, axis=0)
    return r


def _expected(r: Array, distance: Array) -> Array:
    """Return the r that a distance makes typical: medians of bins, interpolated."""
    pairs = np.triu_indices(len(r), 1)
    x, y = distance[pairs], r[pairs]
    order = np.argsort(x, kind="stable")
    parts = [p for p in np.array_split(order, min(BINS, max(order.size // 8, 1))) if p.size]
    middles = np.array([np.median(x[part]) for part in parts])
    levels = np.array([np.median(y[part]) for part in parts])
    expected: Array = np.interp(distance, middles, levels)
    return expected


def _best_swap(r: Array, expected: Array) -> tuple[float, float, int, int]:
    """Return relative and absolute gain of the best exchange of two labels, and which."""
    n = len(r)
    best = (0.0, 0.0, 0, 0)
    for a in range(n):
        for b in range(a + 1, n):
            rest = np.ones(n, bool)
            rest[[a, b]] = False
            now = ((r[a] - expected[a])[rest] ** 2 + (r[b] - expected[b])[rest] ** 2).sum()
            then = ((r[a] - expected[b])[rest] ** 2 + (r[b] - expected[a])[rest] ** 2).sum()
            if now - then > best[1]:
                best = (float((now - then) / now), float(now - then), a, b)
    return best


# least share of the misfit that an exchange of two labels must take away
LEAST_GAIN = 0.4
LEAST_AGREEMENT = 0.3
MAX_SWAPS = 5
# channels whose deviation is this many times the median's are no part of the reference
LOUD = 4.0


@operation("quality.neighbours", version="1.0.0")
def neighbours(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    positions: Mapping[str, Sequence[float]] | None = None,
) -> dict[str, Any]:
    """Return channels whose likeness to the others does not fit their place on the head.

    r: Pearson, 1–30 Hz, median over pieces of 2 s, against the mean of all channels that are
    neither flat nor four times as large as the median channel. Expected r: the median r of pairs at
    about that distance (12 bins of equally many pairs, interpolated). ``agreement``: correlation of
    a channel's r with what is expected over all others. Swap: exchanging the two labels takes away
    40 % or more of the squared misfit of both; the best is made first, then the next is looked for,
    five at most. Suspicious: in a swap, or an agreement below 0.3. Flat channels and those without
    a position are left out.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels, EEG only.
    positions : mapping | None
        Coordinates by channel; None for the 10-05 sites of their names.

    Returns
    -------
    dict
        ``swaps`` (``channels``, ``gain_percent``), ``channels`` (suspicious), ``rows`` of all,
        worst first (``channel, neighbours`` (the four nearest), ``neighbour_r, expected_r,
        agreement``; of the labels as they are), ``n_examined``.

    Raises
    ------
    SignalError
        If fewer than eight channels have a position.
    """
    sites = placed(ch_names, positions)
    deviation = data.std(axis=1) * UV
    keep = [i for i, name in enumerate(ch_names) if name in sites and deviation[i] >= FLAT_UV]
    if len(keep) < 8:
        raise SignalError(
            f"{len(keep)} channels that are not flat have a known position",
            hint="Eight are needed; names of the 10-05 system or an electrodes.tsv give positions.",
        )
    names = [ch_names[i] for i in keep]
    loud = deviation[keep] > LOUD * np.median(deviation[keep])
    rows = data[keep]
    r = correlations(rows - rows[~loud].mean(axis=0), sfreq)
    xyz = np.array([sites[name] for name in names])
    distance = np.linalg.norm(xyz[:, None] - xyz[None], axis=-1)
    expected = _expected(r, distance)
    table = [_row(i, names, r, expected, distance) for i in range(len(names))]
    swaps = _swaps(names, r, distance)
    suspicious = {name for swap in swaps for name in swap["channels"]}
    suspicious |= {row["channel"] for row in table if row["agreement"] < LEAST_AGREEMENT}
    return {
        "swaps": swaps,
        "channels": [name for name in names if name in suspicious],
        "rows": sorted(table, key=lambda row: float(row["agreement"])),
        "n_examined": len(names),
    }


def _row(
    i: int, names: Sequence[str], r: Array, expected: Array, distance: Array
) -> dict[str, Any]:
    others = np.array([k for k in range(len(names)) if k != i])
    nearest = others[np.argsort(distance[i, others], kind="stable")[:NEIGHBOURS]]
    x, y = r[i, others], expected[i, others]
    x, y = x - x.mean(), y - y.mean()
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return {
        "channel": names[i],
        "neighbours": [names[k] for k in nearest],
        "neighbour_r": float(r[i, nearest].mean()),
        "expected_r": float(expected[i, nearest].mean()),
        "agreement": float(x @ y) / norm if norm > 0 else 0.0,
    }


def _swaps(names: Sequence[str], r: Array, distance: Array) -> list[dict[str, Any]]:
    """Return exchanges of labels that mend the misfit, the best first."""
    labels = list(range(len(names)))  # which site each signal is taken to be at
    swaps: list[dict[str, Any]] = []
    for _ in range(MAX_SWAPS):
        moved = distance[np.ix_(labels, labels)]
        gain, _, a, b = _best_swap(r, _expected(r, moved))
        if gain < LEAST_GAIN:
            break
        swaps.append({"channels": [names[a], names[b]], "gain_percent": 100 * gain})
        labels[a], labels[b] = labels[b], labels[a]
    return swaps
