"""Overlap of two sets of intervals in time, without grid, tolerance, joining or cutting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Interval = tuple[float, float]

_LARGE = 2.0**512  # halfway to the largest float


def union(intervals: Iterable[Sequence[float]]) -> list[Interval]:
    """Return the same time as intervals that do not meet, in order."""
    apart: list[Interval] = []
    for onset, offset in sorted((float(a), float(b)) for a, b in intervals):
        if apart and onset <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], offset))
        else:
            apart.append((onset, offset))
    return apart


def time_in(apart: Iterable[Interval]) -> float:
    """Return the length of intervals that do not meet, in their unit."""
    return sum(offset - onset for onset, offset in apart)


def time_in_both(first: list[Interval], second: list[Interval]) -> float:
    """Return the time that two lists of the kind `union` returns have in common."""
    total, i, j = 0.0, 0, 0
    while i < len(first) and j < len(second):
        common = min(first[i][1], second[j][1]) - max(first[i][0], second[j][0])
        total += max(0.0, common)
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return total


def _in_range(*sides: list[Interval]) -> list[list[Interval]]:
    """Return intervals so short that sums of their lengths stay finite.

    A share of time is the same in any unit, and a power of two changes no digit.
    """
    if all(abs(bound) < _LARGE for apart in sides for interval in apart for bound in interval):
        return list(sides)
    return [[(onset / _LARGE, offset / _LARGE) for onset, offset in apart] for apart in sides]


def dice(
    reference: Iterable[Sequence[float]], predicted: Iterable[Sequence[float]]
) -> float | None:
    """Return twice the common time over the sum of both times.

    Parameters
    ----------
    reference, predicted : iterable of (float, float), or array of shape (n, 2)
        Onset and offset, the onset first; time that is covered more than once counts once.

    Returns
    -------
    float | None
        From 0 to 1. None without any reference time: where there is no seizure, overlap tells
        nothing, and alarms are counted instead.
    """
    truth, found = _in_range(union(reference), union(predicted))
    whole = time_in(truth) + time_in(found)
    if not time_in(truth) > 0:
        return None
    return 2.0 * time_in_both(truth, found) / whole
