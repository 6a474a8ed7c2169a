"""From units to an instance, a subset, the whole (equation 2), and the spread of a task (MPAD)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from braino_registry.scoring.units.canonical import Profile


def instance_score(units: Sequence[tuple[float, float]]) -> float | None:
    """Return the weighted mean of an instance's units, times 100.

    Parameters
    ----------
    units : sequence of (float, float)
        Weight and score from 0 to 1 of each.

    Returns
    -------
    float | None
        From 0 to 100; None without weights.
    """
    total = math.fsum(weight for weight, _ in units)
    if total <= 0:
        return None
    return 100 * math.fsum(weight * score for weight, score in units) / total


def subset_score(
    instances: Sequence[tuple[float, float, float]], profile: Profile = "strict"
) -> float | None:
    """Return the score of a subset, weighted by difficulty (equation 2).

    Parameters
    ----------
    instances : sequence of (float, float, float)
        Difficulty (1.0, 1.5 or 2.0), weighted score, and sum of the weights of each instance.
    profile : {"strict", "published"}
        ``strict`` makes every instance a share of its own weights first, as the equation does;
        ``published`` divides two sums, so that an instance with larger weights counts more.

    Returns
    -------
    float | None
        From 0 to 100; None without instances.
    """
    usable = [(d, score, whole) for d, score, whole in instances if whole > 0 and d > 0]
    if not usable:
        return None
    if profile == "published":
        most = math.fsum(d * whole for d, _, whole in usable)
        return 100 * math.fsum(d * score for d, score, _ in usable) / most
    difficulty = math.fsum(d for d, _, _ in usable)
    return 100 * math.fsum(d * score / whole for d, score, whole in usable) / difficulty


def overall_score(subsets: Sequence[float | None]) -> float | None:
    """Return the mean of the subsets' scores; None unless every subset has one."""
    scores = [score for score in subsets if score is not None]
    if not scores or len(scores) < len(subsets):
        return None
    return math.fsum(scores) / len(scores)


def mpad(scores: Sequence[float]) -> float | None:
    """Return the mean absolute difference over all pairs of a task's instance scores.

    Parameters
    ----------
    scores : sequence of float
        From 0 to 100.

    Returns
    -------
    float | None
        From 0 to `largest_mpad`; None for fewer than two.
    """
    n = len(scores)
    if n < 2:
        return None
    # In sorted order the i-th score is subtracted n - 1 - i times and added i times.
    ordered = sorted(scores)
    total = math.fsum((2 * place - n + 1) * score for place, score in enumerate(ordered))
    return total / (n * (n - 1) / 2)


def largest_mpad(n: int) -> float | None:
    """Return the largest MPAD that ``n`` scores from 0 to 100 can have: half of them 0, half 100.

    Dividing by it gives the bounded-adjusted form, which compares tasks with different numbers of
    instances.
    """
    if n < 2:
        return None
    return 100 * (n // 2) * (n - n // 2) / (n * (n - 1) / 2)
