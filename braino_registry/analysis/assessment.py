"""What is wrong with the samples of a channel as it was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import first_sample

Array = NDArray[np.float64]
UV = 1e6
FLAT_UV = 0.5

MEASURED = (
    "flat_percent", "excessive_percent", "largest_uv", "sd_uv", "drift_uv", "slope_uv_per_s",
)  # fmt: skip
#: What counts as one of the faults: share of the samples or pieces, in percent.
FLAT_PERCENT, EXCESSIVE_PERCENT = 50.0, 1.0


def assess_channel(row: Array, sfreq: float, amplitude_uv: float) -> dict[str, float | None]:
    """Return what :func:`assess` measures of one channel in V, of three seconds or more."""
    known = row[np.isfinite(row)] * UV
    n = max(first_sample(1.0, sfreq), 2)
    count = row.size // n
    pieces = row[: count * n].reshape(count, n) * UV
    whole = pieces[np.isfinite(pieces).all(axis=1)]
    if known.size == 0 or len(whole) == 0:
        nothing = dict.fromkeys(
            (
                "flat_percent",
                "excessive_percent",
                "largest_uv",
                "sd_uv",
                "drift_uv",
                "slope_uv_per_s",
            )
        )
        return {"missing_percent": 100.0 * (1 - known.size / row.size), **nothing}
    deviation = np.abs(known - np.median(known))
    times = np.flatnonzero(np.isfinite(row)) / sfreq
    centred = times - times.mean()
    return {
        "missing_percent": 100.0 * (1 - known.size / row.size),
        "flat_percent": 100.0 * float((whole.std(axis=1) < FLAT_UV).mean()),
        "excessive_percent": 100.0 * float((deviation > amplitude_uv).mean()),
        "largest_uv": float(deviation.max()),
        "sd_uv": float(known.std()),
        "drift_uv": float(whole.mean(axis=1).std()),
        "slope_uv_per_s": float(centred @ known / (centred @ centred)),
    }


@operation("quality.assess", version="1.0.0")
def assess(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    amplitude_uv: float = 150.0,
    drift_limit_uv: float = 20.0,
) -> dict[str, Any]:
    """Return missing samples, flat stretches, excessive amplitude and drift of every channel.

    Meant for a view as it was recorded: a high-pass removes drift.

    - ``missing_percent``: samples that are not finite. They are left out of all that follows.
    - ``flat_percent``: complete pieces of one second, without missing samples, whose standard
      deviation is below 0.5 µV. *Flat* from 50 % on.
    - ``excessive_percent``: samples further than ``amplitude_uv`` from the channel's median.
      *Excessive* from 1 % on. ``largest_uv``: the largest such distance.
    - ``drift_uv``: standard deviation (``ddof=0``) of the means of those pieces. *Drifting* above
      ``drift_limit_uv``. ``slope_uv_per_s``: least-squares line.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, three seconds or more, its rate and channels.
    amplitude_uv, drift_limit_uv : float
        Limits in µV.

    Returns
    -------
    dict
        ``missing``, ``flat``, ``excessive``, ``drifting``: channels in the order given;
        ``mean_drift_uv`` and ``median_drift_uv`` over channels (None if none has any); ``rows``.
    """
    if data.ndim != 2 or data.shape[1] < 3 * sfreq:
        raise SignalError(
            "three seconds of a continuous view are needed", hint="Pass a longer view."
        )
    if not (amplitude_uv > 0 and drift_limit_uv > 0):
        raise SignalError("a limit is not above 0", hint="Pass limits in µV.")
    rows = [
        {"channel": name, **assess_channel(row, sfreq, amplitude_uv)}
        for name, row in zip(ch_names, data, strict=True)
    ]
    return assessed(rows, drift_limit_uv)


def assessed(rows: Sequence[dict[str, Any]], drift_limit_uv: float) -> dict[str, Any]:
    """Return what :func:`assess` returns, from the rows of the channels."""

    def having(key: str, limit: float) -> list[str]:
        return [row["channel"] for row in rows if row[key] is not None and row[key] >= limit]

    drifts = [row["drift_uv"] for row in rows if row["drift_uv"] is not None]
    return {
        "missing": [row["channel"] for row in rows if row["missing_percent"] > 0],
        "flat": having("flat_percent", FLAT_PERCENT),
        "excessive": having("excessive_percent", EXCESSIVE_PERCENT),
        "drifting": having("drift_uv", drift_limit_uv),
        "mean_drift_uv": float(np.mean(drifts)) if drifts else None,
        "median_drift_uv": float(np.median(drifts)) if drifts else None,
        "rows": list(rows),
    }
