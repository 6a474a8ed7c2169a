"""SzCORE event scoring: joined, cut and widened events, counts, and means over subjects.

The rule is that of Dan et al. 2024 (SzCORE) as timescoring 0.0.7 computes it on events that do
not overlap, on whole ticks, so that a gap of exactly 90 s or an event of exactly 300 s is never
decided by the last bit of a float. Intervals are half open: events that only touch do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from braino_registry.scoring.corpus.events import (
    SZCORE,
    EventReading,
    EventRule,
    Intervals,
    checked_duration,
    read_events,
)

_DAY_S = 86400.0
RATES = ("sensitivity", "precision", "f1", "fp_per_24h")


@dataclass(frozen=True)
class EventCounts:
    """Matched and unmatched events, and the time in which they were looked for.

    Parameters
    ----------
    tp : int
        Reference pieces that a prediction meets.
    fp : int
        Predicted pieces that meet no reference.
    fn : int
        Reference pieces that no prediction meets.
    duration : float
        Seconds.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    duration: float = 0.0

    def __add__(self, other: EventCounts) -> EventCounts:
        """Return both together."""
        return EventCounts(
            self.tp + other.tp,
            self.fp + other.fp,
            self.fn + other.fn,
            self.duration + other.duration,
        )

    @property
    def sensitivity(self) -> float | None:
        """Share of reference pieces that were found; None without any."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def precision(self) -> float | None:
        """TP over TP + FP; None if nothing was predicted. TP are counted on the reference side."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN); None if there is no event on either side."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def fp_per_24h(self) -> float | None:
        """False alarms per day of recording; None without any recording."""
        return _share(self.fp * _DAY_S, self.duration)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


@dataclass(frozen=True)
class Matched:
    """Counts of one recording, and how many pieces there were to match."""

    counts: EventCounts
    n_reference: int
    n_predicted: int


def match_events(
    reference: Intervals,
    predicted: Intervals,
    *,
    end: float,
    duration: float,
    rule: EventRule,
) -> Matched:
    """Join, cut, widen and match the events of one recording.

    Parameters
    ----------
    reference, predicted : array, shape (n, 2)
        Onset and offset, sorted, not empty and within the recording.
    end : float
        Of the recording, in the unit of the events.
    duration : float
        Of the recording, in seconds.
    rule : EventRule
        In the unit of the events: `EventRule.in_ticks` for ticks.

    Returns
    -------
    Matched
        One prediction may meet several references, and several one: both are matched.
    """
    pieces = _pieces(reference, rule)
    found = _pieces(predicted, rule)
    tolerance = np.array((-rule.tolerance_start, rule.tolerance_end))
    widened = np.minimum(np.maximum(pieces + tolerance, 0.0), end)
    tp = _n_meeting(widened, found)
    fp = len(found) - _n_meeting(found, widened)
    counts = EventCounts(tp=tp, fp=fp, fn=len(pieces) - tp, duration=duration)
    return Matched(counts, len(pieces), len(found))


def _pieces(events: Intervals, rule: EventRule) -> Intervals:
    """Return events with near ones joined and long ones cut."""
    if not len(events):
        return events
    until = np.maximum.accumulate(events[:, 1])
    # An event begins a new one where it is apart from all before, and ends where the next begins.
    begins = np.ones(len(events) + 1, dtype=bool)
    begins[1:-1] = events[1:, 0] - until[:-1] >= rule.min_gap
    joined = np.array((events[begins[:-1], 0], until[begins[1:]])).T
    if not np.count_nonzero(joined[:, 1] - joined[:, 0] > rule.max_duration):
        return joined
    return np.array(_cut(joined.tolist(), rule.max_duration)).reshape(-1, 2)


def _cut(events: Iterable[Sequence[float]], longest: float) -> list[float]:
    """Return onset and offset of every piece in turn."""
    bounds: list[float] = []
    for onset, offset in events:
        start = onset
        while offset - start > longest:
            bounds += (start, start + longest)
            start += longest
        if offset > start:
            bounds += (start, offset)
    return bounds


def _n_meeting(events: Intervals, others: Intervals) -> int:
    """Return how many of the events overlap one of the others.

    Onsets and offsets of the others must both ascend, as they do once events are joined and cut,
    and still do once all are widened alike: then the first that ends later also starts first.
    """
    if not len(others):
        return 0
    firsts = others[:, 1].searchsorted(events[:, 0], side="right")
    onsets = others[np.minimum(firsts, len(others) - 1), 0]
    return int(np.count_nonzero((firsts < len(others)) & (onsets < events[:, 1])))


@dataclass(frozen=True, eq=False)
class RecordingScore:
    """SzCORE counts of one recording and what was read."""

    matched: Matched
    reference: EventReading
    predicted: EventReading

    @property
    def counts(self) -> EventCounts:
        """The counts alone."""
        return self.matched.counts


def score_recording(
    reference: Any, predicted: Any, duration: Any, rule: EventRule = SZCORE
) -> RecordingScore:
    """Score the events of one recording, whatever stands on either side.

    Parameters
    ----------
    reference, predicted : JSON value
        See `read_events`.
    duration : float
        Of the recording, in seconds.
    rule : EventRule
        In seconds.

    Returns
    -------
    RecordingScore
        On the grid of the rule.

    Raises
    ------
    ScoreError
        If the duration is not finite and positive.
    """
    seconds = checked_duration(duration)
    truth, found = (read_events(raw, seconds, rule) for raw in (reference, predicted))
    matched = match_events(
        truth.grid,
        found.grid,
        end=round(seconds * rule.rate),
        duration=seconds,
        rule=rule.in_ticks(),
    )
    return RecordingScore(matched, truth, found)


def sum_by_subject(records: Iterable[tuple[str, EventCounts]]) -> dict[str, EventCounts]:
    """Return the counts of each subject, in the order of their names."""
    subjects: dict[str, EventCounts] = {}
    for subject, counts in records:
        subjects[subject] = subjects.get(subject, EventCounts()) + counts
    return dict(sorted(subjects.items()))


def mean_over_subjects(
    subjects: Mapping[str, EventCounts],
) -> dict[str, tuple[float | None, int]]:
    """Return the plain mean of each rate, and over how many subjects it is defined.

    A subject without any event has no F1 and is left out of its mean, one without predictions has
    no precision. The mean of none is None.
    """
    means: dict[str, tuple[float | None, int]] = {}
    for rate in RATES:
        values = [getattr(counts, rate) for counts in subjects.values()]
        defined = [value for value in values if value is not None]
        means[rate] = (sum(defined) / len(defined) if defined else None, len(defined))
    return means
