"""When seizures come, and when something that resembles them does."""

from __future__ import annotations

from dataclasses import dataclass

from braino_registry.synthesis.waves import Sizes

MARGIN = 90
"""Seconds at both ends of a recording in which no seizure begins or ends."""
GAP = 240
"""Seconds between the end of a seizure and the next one, at least."""
LONGEST, SHORTEST = 180, 12
"""Limits of a seizure's duration in s."""


@dataclass(frozen=True)
class Difficulty:
    """What makes seizures hard to find.

    Attributes
    ----------
    size : float
        Ictal amplitude relative to the background of a channel.
    median_duration : float
        In s.
    final_width : float
        How far a seizure spreads, in degrees of arc.
    mimics_per_hour : float
        How often something resembles a seizure.
    """

    size: float
    median_duration: float
    final_width: float
    mimics_per_hour: float

    @classmethod
    def of(cls, amount: float) -> Difficulty:
        """Return the difficulty for a number from 0, easy, to 1, hard."""
        return cls(4.4 * 0.58**amount, 60 * 0.5**amount, 50 - 25 * amount, 4 + 11 * amount)


def seconds_needed(count: int) -> int:
    """Return how long a recording must be for some seizures."""
    return 2 * MARGIN + count * (LONGEST + GAP) if count else 0


def seizure_times(
    count: int, seconds: int, difficulty: Difficulty, sizes: Sizes
) -> list[tuple[int, int]]:
    """Return onset and duration of each seizure in whole seconds, in order.

    Parameters
    ----------
    count : int
        How many.
    seconds : int
        Length of the recording in s, `seconds_needed` at least.
    difficulty : Difficulty
    sizes : Sizes
    """
    lengths = []
    for _ in range(count):
        drawn = sizes.lognormal(difficulty.median_duration, 0.4)
        lengths.append(round(min(LONGEST, max(SHORTEST, drawn))))
    free = seconds - 2 * MARGIN - sum(lengths) - GAP * max(0, count - 1)
    # Cuts of what is free, in order, put every arrangement of the seizures on an equal footing.
    cuts = sorted(int(sizes.uniform(0, free)) for _ in range(count))
    times, before = [], MARGIN
    for cut, length in zip(cuts, lengths, strict=True):
        times.append((before + cut, length))
        before += length + GAP
    return times


def free_times(
    per_hour: float, seconds: int, taken: list[tuple[float, float]], sizes: Sizes
) -> list[tuple[float, float]]:
    """Return onset and end of stretches of 8 to 40 s that keep away from what is taken.

    Parameters
    ----------
    per_hour : float
        How many to try in an hour.
    seconds : int
        Length of the recording in s.
    taken : list of (float, float)
        First and last second of what is there.
    sizes : Sizes
    """
    found: list[tuple[float, float]] = []
    for _ in range(round(per_hour * seconds / 3600)):
        onset = sizes.uniform(5, seconds - 50)
        end = onset + sizes.uniform(8, 40)
        if all(end + 20 < first or onset > last + 20 for first, last in [*taken, *found]):
            found.append((onset, end))
    return sorted(found)
