"""Single waves in a long recording: when they come, and who paints them."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.reel import Piece, add_at
from braino_registry.synthesis.streams import Stream

Array = NDArray[np.float64]


class Wave(NamedTuple):
    """One wave.

    Attributes
    ----------
    onset : float
        In s.
    samples : ndarray, shape (n,)
        In µV, at the rate of what it is added to.
    gains : ndarray, shape (n_rows,)
        How much of it each row sees.
    """

    onset: float
    samples: Array
    gains: Array


@dataclass(frozen=True)
class WavePainter:
    """Adds waves to the EEG, and to what the front of the head sees, if that is shared.

    Attributes
    ----------
    waves : tuple of Wave
        In order of onset; the last gain is that of the front of the head.
    longest : float
        Length in s of the longest one.
    """

    waves: tuple[Wave, ...]
    longest: float

    @classmethod
    def of(cls, waves: Iterable[Wave], sfreq: int) -> WavePainter:
        """Return the painter of some waves at a rate in Hz."""
        ordered = tuple(sorted(waves, key=lambda wave: wave.onset))
        longest = max((len(wave.samples) for wave in ordered), default=0) / sfreq
        return cls(ordered, longest)

    def __call__(self, piece: Piece) -> None:
        """Add what falls into the piece."""
        front = piece.shared.get("frontal")
        for wave in within(self.waves, piece, self.longest):
            first = round((wave.onset - piece.start) * piece.sfreq)
            add_at(piece.leads_uv, wave.gains[:-1, None] * wave.samples, first)
            if front is not None:
                add_at(front, wave.gains[-1] * wave.samples, first)


def within(waves: tuple[Wave, ...], piece: Piece, longest: float) -> tuple[Wave, ...]:
    """Return the waves that may reach into a piece."""
    onset = attrgetter("onset")
    begin = bisect_left(waves, piece.start - longest - 1, key=onset)
    end = bisect_left(waves, piece.start + piece.seconds, key=onset)
    return waves[begin:end]


def moments(stream: Stream, per_minute: Array, apart: float = 0.0) -> list[float]:
    """Return random times at a rate that changes, at most one within a second.

    Parameters
    ----------
    stream : Stream
    per_minute : ndarray, shape (n_seconds,)
        Rate in each second.
    apart : float
        Shortest time between two, in s.
    """
    n = len(per_minute)
    numbers = stream.uniforms(2 * n)
    (hits,) = np.nonzero(numbers[:n] < per_minute / 60)
    times: list[float] = []
    for hit in hits:
        time = float(hit + numbers[n + hit])
        if not times or time - times[-1] >= apart:
            times.append(time)
    return times


class Sizes:
    """Sizes that are drawn one after the other.

    Parameters
    ----------
    stream : Stream
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._normals: Iterator[float] = iter(())

    def normal(self, mean: float = 0.0, sd: float = 1.0) -> float:
        """Return a number with a normal distribution."""
        for number in self._normals:
            return mean + sd * number
        # One call for many numbers is a hundred times as fast as one for each.
        self._normals = iter(self._stream.gaussian(256).tolist())
        return self.normal(mean, sd)

    def lognormal(self, median: float, sd: float) -> float:
        """Return a number whose logarithm has a normal distribution."""
        return median * math.exp(self.normal(0.0, sd))

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number between two limits."""
        return low + (high - low) * self._stream.uniform()

    def chance(self, share: float) -> bool:
        """Tell whether something with this probability happens."""
        return self._stream.uniform() < share


def remembering(stream: Stream, tau: float, n: int, step: float = 1.0) -> Array:
    """Return a first-order autoregressive wander with mean 0 and SD 1.

    Parameters
    ----------
    stream : Stream
    tau : float
        Time after which the correlation has fallen to 1/e, in s.
    n : int
        Number of samples.
    step : float
        Time between samples, in s.
    """
    from scipy.signal import lfilter

    keep = math.exp(-step / tau)
    noise = stream.gaussian(n) * math.sqrt(1 - keep * keep)
    if n:
        noise[0] = stream.gaussian(1)[0]
    return np.asarray(lfilter([1.0], [1.0, -keep], noise))
