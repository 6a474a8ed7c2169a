"""Reading of seizure events as an agent answered them, and their place on a grid of ticks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.scoring.corpus.model import Note, ScoreError
from braino_registry.scoring.units.canonical import number

#: Onset and offset by row, shape (n, 2).
Intervals = NDArray[np.float64]
#: Names under which answers give a bound; the first that is there counts, whatever its value.
ONSETS = ("onset_sec", "onset", "start_sec", "start")
OFFSETS = ("offset_sec", "offset", "end_sec", "end")
_LONGEST_S = 1e9  # thirty years; a longer recording is a fault of the truth


@dataclass(frozen=True)
class EventRule:
    """How events are joined, cut and matched; defaults of SzCORE (Dan et al. 2024).

    Parameters
    ----------
    tolerance_start, tolerance_end : float
        By how many seconds a reference event is widened before its onset and after its offset.
    min_gap : float
        Events closer than this, in seconds, are one.
    max_duration : float
        Longer events are cut into pieces of so many seconds.
    rate : int
        Ticks per second of the grid on which events are placed.
    """

    tolerance_start: float = 30.0
    tolerance_end: float = 60.0
    min_gap: float = 90.0
    max_duration: float = 300.0
    rate: int = 10

    def __post_init__(self) -> None:
        """Refuse a rule that cannot be followed."""
        sizes = (self.tolerance_start, self.tolerance_end, self.min_gap)
        if not all(math.isfinite(size) and size >= 0 for size in sizes):
            raise ScoreError("Tolerances and gaps are finite and not negative.", where=str(self))
        if self.rate < 1 or not math.isfinite(self.max_duration):
            raise ScoreError("An event rule needs a rate and a longest event.", where=str(self))
        if round(self.max_duration * self.rate) < 1:
            raise ScoreError("The longest event is at least one tick.", where=str(self))

    def in_ticks(self) -> EventRule:
        """Return the rule with whole ticks in place of seconds, so that ties are exact."""
        return EventRule(
            tolerance_start=round(self.tolerance_start * self.rate),
            tolerance_end=round(self.tolerance_end * self.rate),
            min_gap=round(self.min_gap * self.rate),
            max_duration=round(self.max_duration * self.rate),
            rate=1,
        )


SZCORE = EventRule()


@dataclass(frozen=True, eq=False)
class EventReading:
    """Events as they are scored.

    Parameters
    ----------
    grid : array, shape (n, 2)
        Onset and offset on the grid, sorted: whole ticks in ``strict``, snapped seconds in
        ``published``. None is empty and none leaves the recording.
    seconds : array, shape (m, 2)
        Onset and offset in seconds, for what is measured without a grid.
    unclipped : array, shape (k, 2)
        The same before they were clipped to the recording.
    notes : tuple of Note
        What was dropped or changed.
    """

    grid: Intervals
    seconds: Intervals
    unclipped: Intervals
    notes: tuple[Note, ...]

    @property
    def n_warnings(self) -> int:
        """How many notes are about something that was not as asked for."""
        return sum(note.changed_score for note in self.notes)


def checked_duration(duration: Any) -> float:
    """Return a recording's duration in seconds.

    Raises
    ------
    ScoreError
        If it is not a positive, finite number of at most thirty years.
    """
    found = number(duration) if not isinstance(duration, str) else None
    if found is None or not 0 < found <= _LONGEST_S:
        raise ScoreError(
            f"A recording of {duration!r} s cannot be scored.",
            hint="Give its duration as a positive number of seconds.",
        )
    return found


def intervals(pairs: Intervals | Sequence[Sequence[float]]) -> Intervals:
    """Return pairs of onset and offset as an array, sorted by onset."""
    found = np.asarray(pairs, dtype=float).reshape(-1, 2)
    return found[found[:, 0].argsort(kind="stable")]


def bounds(item: Any) -> tuple[Any, Any] | None:
    """Return onset and offset as they stand in an answered event; None where it has no place.

    Places are the names of an object, and the first two of a list.
    """
    if isinstance(item, Mapping):
        return _first(item, ONSETS), _first(item, OFFSETS)
    if isinstance(item, list | tuple) and len(item) >= 2:
        return item[0], item[1]
    return None


def _first(item: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((item[name] for name in names if name in item), None)


def read_events(raw: Any, duration: float, rule: EventRule = SZCORE) -> EventReading:
    """Read events under ``strict``: defined for every JSON value, on whole ticks.

    Parameters
    ----------
    raw : JSON value
        A list of events, each an object or a list of two numbers in seconds. Nothing and what is
        empty mean no events; anything else is no list, and no event either.
    duration : float
        Of the recording, in seconds; see `checked_duration`.
    rule : EventRule
        Its rate gives the grid: a bound is rounded once, to the nearest tick, half to even.

    Returns
    -------
    EventReading
        An event with a bound that is no finite number is dropped, a reversed one turned round,
        all are clipped to the recording, and those shorter than the grid tells are dropped from it.
    """
    items, notes = _as_list(raw)
    pairs = _plain(items)
    if pairs is not None and _inside(pairs, duration):
        ticks = np.rint(pairs * rule.rate)
        if np.count_nonzero(ticks[:, 1] > ticks[:, 0]) == len(ticks):
            return EventReading(intervals(ticks), pairs, pairs, tuple(notes))
    return _read_each(items, notes, duration, rule)


def _inside(pairs: Intervals, duration: float) -> bool:
    """Return whether all bounds lie in a recording; NaN does not."""
    return bool(np.count_nonzero((pairs >= 0) & (pairs <= duration)) == pairs.size)


def _read_each(
    items: Sequence[Any], notes: list[Note], duration: float, rule: EventRule
) -> EventReading:
    """Read events one by one, and note what became of each."""
    grid: list[tuple[float, float]] = []
    seconds: list[tuple[float, float]] = []
    unclipped: list[tuple[float, float]] = []
    for place, item in enumerate(items):
        pair = _numbers(item)
        if isinstance(pair, str):
            notes.append(Note(pair, place))
            continue
        onset, offset = min(pair), max(pair)
        if pair[1] < pair[0]:
            notes.append(Note("swapped", place))
        inside = min(max(onset, 0.0), duration), min(max(offset, 0.0), duration)
        unclipped += [(onset, offset)] if offset > onset else []
        seconds += [inside] if inside[1] > inside[0] else []
        ticks = round(inside[0] * rule.rate), round(inside[1] * rule.rate)
        if ticks[1] <= ticks[0]:
            notes.append(Note("empty after clipping/quantising, dropped", place))
            continue
        if inside != (onset, offset):
            notes.append(Note("clipped", place, changed_score=False))
        grid.append(ticks)
    return EventReading(intervals(grid), intervals(seconds), intervals(unclipped), tuple(notes))


def _as_list(raw: Any) -> tuple[Sequence[Any], list[Note]]:
    if isinstance(raw, list | tuple):
        return raw, []
    return (), [Note("not a list of events")] if raw else []


def _plain(items: Sequence[Any]) -> Intervals | None:
    """Return items that are pairs of numbers and nothing else, all at once; else None."""
    if not items:
        return np.empty((0, 2))
    try:
        onsets, offsets = zip(*items, strict=True)
        if set(map(type, onsets + offsets)) <= {int, float}:
            return np.array((onsets, offsets), dtype=float).T
    except (TypeError, ValueError, OverflowError):
        return None
    return None


def _numbers(item: Any) -> tuple[float, float] | str:
    """Return both bounds as finite numbers, or what is wrong with them."""
    pair = bounds(item)
    if pair is None:
        return "not an event"
    onset, offset = number(pair[0]), number(pair[1])
    if onset is not None and offset is not None:
        return onset, offset
    if any(isinstance(bound, float) and not math.isfinite(bound) for bound in pair):
        return "non-finite"
    return "not numeric"
