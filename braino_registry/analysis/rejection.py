"""Epochs that an artefact has spoiled, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Array = NDArray[np.float64]
UV = 1e6


@operation("epochs.rejection", version="1.0.0")
def rejection(
    data: Array,
    ch_names: Sequence[str],
    *,
    peak_to_peak_uv: float = 100.0,
    flat_uv: float = 0.5,
) -> dict[str, Any]:
    """Return the fate of every epoch.

    An epoch is spoiled if the range (largest minus smallest sample) of some channel exceeds
    ``peak_to_peak_uv`` (reason ``peak_to_peak``), or else falls below ``flat_uv`` (``flat``).

    Parameters
    ----------
    data : array, shape (n_epochs, n_channels, n_times)
        Epochs in V.
    ch_names : sequence of str
        Channels.
    peak_to_peak_uv, flat_uv : float
        Limits in µV.

    Returns
    -------
    dict
        ``n_epochs``, ``n_exceeding``, ``n_keep``, ``exceeding`` (numbers from 0), ``by_channel``
        (epochs that each channel alone would spoil) and ``fate`` rows ``epoch, peak_to_peak_uv``
        (of the worst channel), ``channel, reason``.

    Raises
    ------
    SignalError
        If the view does not consist of epochs.
    """
    if data.ndim != 3:
        raise SignalError("the view does not consist of epochs", hint="Call epochs.make first.")
    spans = np.ptp(data, axis=-1) * UV
    return fates(spans, ch_names, peak_to_peak_uv=peak_to_peak_uv, flat_uv=flat_uv)


def fates(
    spans: Array, ch_names: Sequence[str], *, peak_to_peak_uv: float, flat_uv: float
) -> dict[str, Any]:
    """Return what :func:`rejection` returns, from ranges in µV, shape (n_epochs, n_channels)."""
    large, small = spans > peak_to_peak_uv, spans < flat_uv
    rows: list[dict[str, Any]] = []
    for k, row in enumerate(spans):
        # the channel that decides: the flattest where only flatness spoils the epoch
        worst = int(row.argmin() if small[k].any() and not large[k].any() else row.argmax())
        reason = "peak_to_peak" if large[k].any() else "flat" if small[k].any() else None
        rows.append(
            {
                "epoch": k,
                "peak_to_peak_uv": float(row[worst]),
                "channel": ch_names[worst],
                "reason": reason,
            }
        )
    exceeding = [row["epoch"] for row in rows if row["reason"] is not None]
    spoiled = (large | small).sum(axis=0)
    return {
        "n_epochs": len(rows),
        "n_exceeding": len(exceeding),
        "n_keep": len(rows) - len(exceeding),
        "exceeding": exceeding,
        "by_channel": {
            name: int(count) for name, count in zip(ch_names, spoiled, strict=True) if count
        },
        "fate": rows,
    }
