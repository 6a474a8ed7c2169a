"""The two ways in which the released scorer reads seizure events, with their rough edges.

They are kept to score an original run as its authors did, and for nothing else: one reads for the
event counts, in seconds snapped to a grid by floats, the other for overlap, misses and alarms; and
each raises where the released one does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from braino_registry.scoring.corpus.events import (
    SZCORE,
    EventReading,
    EventRule,
    Intervals,
    bounds,
    intervals,
)
from braino_registry.scoring.corpus.model import Note

_NAMES = (("onset_sec", "onset", "start"), ("offset_sec", "offset", "end"))


def read_published(raw: Any, duration: float, rule: EventRule = SZCORE) -> EventReading:
    """Read events for the counts as the released scorer does.

    Parameters
    ----------
    raw : JSON value
        What is empty means no events; whatever can be walked through is, be it a text.
    duration : float
        Of the recording, in seconds.
    rule : EventRule
        Its rate gives the grid.

    Returns
    -------
    EventReading
        Its ``grid`` in seconds.

    Raises
    ------
    TypeError
        If the answer is neither empty nor can be walked through.
    OverflowError
        If a bound is a whole number beyond the range of floats.
    """
    tick = 1.0 / rule.rate
    end = round(duration / tick) * tick
    grid: list[tuple[float, float]] = []
    notes: list[Note] = []
    for place, item in enumerate(raw or ()):
        pair = _floats(item)
        if pair is None or not all(map(math.isfinite, pair)):
            notes.append(Note("dropped", place))
            continue
        if pair[1] < pair[0]:
            notes.append(Note("swapped", place))
        onset, offset = (
            min(round(min(max(bound, 0.0), duration) / tick) * tick, end) for bound in sorted(pair)
        )
        if offset <= onset:
            notes.append(Note("empty, dropped", place))
            continue
        grid.append((onset, offset))
    seconds = _seconds(raw)
    return EventReading(intervals(grid), seconds, seconds, tuple(notes))


def _floats(item: Any) -> tuple[float, float] | None:
    pair = bounds(item)
    if pair is None:
        return None
    try:
        return float(pair[0]), float(pair[1])
    except (TypeError, ValueError, OverflowError):
        return None


def _seconds(raw: Any) -> Intervals:
    """Return what the second reader keeps: unclipped, empty ones and NaN too, of fewer names."""
    kept: list[tuple[float, float]] = []
    for item in raw if isinstance(raw, list) else ():
        if isinstance(item, dict):
            item = [next((item[n] for n in names if n in item), None) for names in _NAMES]
        if not isinstance(item, list | tuple) or len(item) < 2:
            continue
        try:
            onset, offset = float(item[0]), float(item[1])
        except (TypeError, ValueError):
            continue
        # Written so that a NaN is turned round, which decides what later meets it.
        kept.append((onset, offset) if onset <= offset else (offset, onset))
    return np.array(kept, dtype=float).reshape(-1, 2)


def touches(first: Sequence[float], second: Sequence[float]) -> bool:
    """Return whether two intervals have a point in common, their ends included."""
    return first[0] <= second[1] and second[0] <= first[1]
