"""Overlap of two sets of intervals in time, without grid, tolerance, joining or cutting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Interval = tuple[float, float]


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


def dice(
    reference: Iterable[Sequence[float]], predicted: Iterable[Sequence[float]]
) -> float | None:
    """Return twice the common time over the sum of both times.

    Parameters
    ----------
    reference, predicted : iterable of (float, float), or array of shape (n, 2)
        Onset and offset; time that is covered more than once counts once.

    Returns
    -------
    float | None
        From 0 to 1. None without any reference time: where there is no seizure, overlap tells
        nothing, and alarms are counted instead.
    """
    truth, found = union(reference), union(predicted)
    whole = time_in(truth) + time_in(found)
    if not time_in(truth) > 0:
        return None
    return 2.0 * time_in_both(truth, found) / whole
