"""What can be wrong with the events of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Event = Mapping[str, Any]
Array = NDArray[np.float64]

# two events of one name this close are one event that was written twice
DUPLICATE = 0.02
# so that 20 ms are 20 ms whatever binary fractions make of them
GUARD = 1e-9
# a switch is on above this share of its range and off below that one
ON, OFF = 0.6, 0.4
# and hardly ever between
MOST_BETWEEN = 0.1
# an interval of this many typical ones holds a missing event
GAP = 1.5


def name_of(event: Event) -> str:
    """Return what an event is counted under: its trial_type, else its value, else ``n/a``."""
    return str(event.get("trial_type") or event.get("value") or "n/a")


@operation("events.audit", version="1.0.0")
def audit(
    events: Sequence[Event],
    duration: float,
    *,
    event: str | Sequence[str] | None = None,
    paired_with: str | None = None,
    max_latency: float = 2.0,
    late_ms: float = 20.0,
    partners: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Return counts, duplicates, gaps, events outside the recording, and latencies of pairs.

    Duplicate: an event at most 20 ms after another of its name. Outside: onset below 0 or at
    ``duration`` or later. Gaps and pairs look at the events chosen by ``event``, duplicates and
    those outside left out. Gap: an interval of more than 1.5 times the median interval;
    ``n_missed`` is the interval over the median, rounded, minus 1. Pair: the first event called
    ``paired_with`` from the chosen event on, at most ``max_latency`` later and before the next
    chosen event. Late: its latency is more than ``late_ms`` above the median latency.

    Parameters
    ----------
    events : sequence of mapping
        With ``onset`` in s.
    duration : float
        Of the recording in s.
    event : str | sequence of str | None
        Names of the events to examine; None for all but ``paired_with``.
    paired_with : str | None
        Name of the events that follow them: a response, a photodiode.
    max_latency : float
        Seconds.
    late_ms : float
        Milliseconds.
    partners : sequence of float | None
        Onsets in s of what follows them, instead of ``paired_with``: edges of a channel.

    Returns
    -------
    dict
        ``counts``, ``n_events``, ``n_duplicates``, ``duplicates``, ``n_outside``, ``outside``; of
        intervals ``median_interval_s``, ``min_interval_s``, ``max_interval_s`` (None with fewer
        than three events), ``n_gaps``, ``n_missed``, ``gaps``; of pairs ``n_paired``,
        ``n_unpaired``, ``n_extra``, ``median_latency_ms``, ``mean_latency_ms``,
        ``min_latency_ms``, ``max_latency_ms``, ``n_late``, ``late``, ``unpaired`` (zero, None and
        empty without ``paired_with`` or ``partners``).

    Raises
    ------
    SignalError
        If both are given.
    """
    if partners is not None and paired_with is not None:
        raise SignalError("events have partners of one kind", hint="Pass paired_with or partners.")
    ordered = sorted(events, key=lambda e: float(e["onset"]))
    last: dict[str, float] = {}
    duplicates, outside, clean = [], [], []
    for one in ordered:
        name, onset = name_of(one), float(one["onset"])
        row: Mapping[str, Any] = {"trial_type": name, "onset": onset}
        if name in last and onset - last[name] <= DUPLICATE + GUARD:
            duplicates.append(row)
        elif not 0 <= onset < duration:
            outside.append(row)
        else:
            clean.append(row)
        last[name] = onset
    chosen = {event} if isinstance(event, str) else None if event is None else set(event)
    first = [
        row
        for row in clean
        if row["trial_type"] != paired_with and (chosen is None or row["trial_type"] in chosen)
    ]
    others = [float(row["onset"]) for row in clean if row["trial_type"] == paired_with]
    others = others if partners is None else sorted(float(onset) for onset in partners)
    paired = paired_with is not None or partners is not None
    return {
        "counts": dict(Counter(name_of(one) for one in ordered)),
        "n_events": len(ordered),
        "n_duplicates": len(duplicates),
        "duplicates": duplicates,
        "n_outside": len(outside),
        "outside": outside,
        **_intervals([float(row["onset"]) for row in first]),
        **_pairs(first if paired else [], others, max_latency, late_ms),
    }


@operation("events.edges", version="1.0.0")
def edges(data: Array, times: Array) -> dict[str, Any]:
    """Return when a channel that switches between two levels goes up: a photodiode, a trigger line.

    The levels are the 0.1st and the 99.9th percentile. It goes up at the first sample above 60 % of
    the way between them, after it was below 40 %.

    Parameters
    ----------
    data : array, shape (1, n_times)
        One channel.
    times : array, shape (n_times,)
        Seconds.

    Returns
    -------
    dict
        ``onsets`` in s and ``n_edges``.

    Raises
    ------
    SignalError
        If it is not one channel, or a tenth of its samples or more lie between the levels.
    """
    if data.ndim != 2 or data.shape[0] != 1:
        raise SignalError("edges are those of one channel of a continuous view", hint="Pass one.")
    low, high = np.quantile(data[0], [0.001, 0.999])
    share = (data[0] - low) / (high - low) if high > low else np.full(data.shape[1], 0.5)
    state = np.where(share >= ON, 1, np.where(share <= OFF, -1, 0))
    if (state == 0).mean() >= MOST_BETWEEN:
        raise SignalError(
            "the channel does not switch between two levels",
            hint="Pass a channel of a photodiode or a trigger line.",
        )
    known = np.flatnonzero(state)
    rises = known[1:][(state[known[1:]] == 1) & (state[known[:-1]] == -1)]
    return {"onsets": times[rises].tolist(), "n_edges": int(rises.size)}


def _intervals(onsets: Sequence[float]) -> dict[str, Any]:
    steps = np.diff(onsets) if len(onsets) >= 3 else np.empty(0)
    median = float(np.median(steps)) if steps.size else None
    gaps = [
        {
            "onset": onsets[i],
            "interval_s": float(step),
            "n_missed": max(round(step / median) - 1, 1),
        }
        for i, step in enumerate(steps)
        if median and step > GAP * median
    ]
    return {
        "median_interval_s": median,
        "min_interval_s": float(steps.min()) if steps.size else None,
        "max_interval_s": float(steps.max()) if steps.size else None,
        "n_gaps": len(gaps),
        "n_missed": sum(gap["n_missed"] for gap in gaps),
        "gaps": gaps,
    }


def _pairs(
    first: Sequence[Mapping[str, Any]], others: Sequence[float], reach: float, late_ms: float
) -> dict[str, Any]:
    starts = [float(row["onset"]) for row in first]
    following = [*starts[1:], float("inf")][: len(starts)]
    paired: list[tuple[Mapping[str, Any], float]] = []
    unpaired: list[Mapping[str, Any]] = []
    at = 0
    for row, start, following_start in zip(first, starts, following, strict=True):
        while at < len(others) and others[at] < start:
            at += 1
        if at < len(others) and others[at] <= start + reach and others[at] < following_start:
            paired.append((row, others[at] - start))
            at += 1
        else:
            unpaired.append(row)
    delays = np.array([latency for _, latency in paired]) * 1000
    median = float(np.median(delays)) if delays.size else None
    slow = [
        {**row, "latency_ms": float(1000 * latency)}
        for row, latency in paired
        if median is not None and 1000 * latency > median + late_ms
    ]
    return {
        "n_paired": len(paired),
        "n_unpaired": len(unpaired),
        "n_extra": len(others) - len(paired),
        "median_latency_ms": median,
        "mean_latency_ms": float(delays.mean()) if delays.size else None,
        "min_latency_ms": float(delays.min()) if delays.size else None,
        "max_latency_ms": float(delays.max()) if delays.size else None,
        "n_late": len(slow),
        "late": slow,
        "unpaired": list(unpaired),
    }
