"""What is true of a night second by second: how much of each stage, how strong each sign of it.

Signs of a stage differ from bout to bout and wander within one; a share of the epochs holds some
seconds of a neighbouring stage. Both make a night hard, and neither makes its hypnogram false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.sleep.architecture import EPOCH, N1, N2, N3, R, Sleeper, W
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes, remembering

Array = NDArray[np.float64]

_NEIGHBOURS: Mapping[int, tuple[int, ...]] = {
    W: (N1,),
    N1: (W, N2, R),
    N2: (N1, N3, R),
    N3: (N2,),
    R: (N1, N2),
}
_SIGNS: Mapping[str, float] = {
    "level": 0.18,
    "slope": 0.10,
    "tone": 0.40,
    "spindles": 0.40,
    "slow_waves": 0.35,
    "eyes": 0.50,
}
"""Sign to how much it differs from bout to bout: the SD of its logarithm, for the slope its own."""


@dataclass(frozen=True)
class Difficulty:
    """What makes a night hard.

    Attributes
    ----------
    mixing : float
        How far each stage looks like the mean of all, 0 to 1.
    between_bouts : float
        How much bouts of one stage differ, 1 for the usual.
    intruded : float
        Share of the epochs that hold some seconds of a neighbouring stage.
    wander : float
        SD of the logarithm of the EEG's level over time.
    """

    mixing: float
    between_bouts: float
    intruded: float
    wander: float

    @classmethod
    def of(cls, amount: float) -> Difficulty:
        """Return the difficulty for a number: 0 easy, 0.5 usual, 1 hard."""
        steps = ([0.0, 0.0, 0.0, 0.2], [0.0, 0.8, 0.2, 0.3], [0.3, 1.5, 0.5, 0.5])
        values = [
            float(np.interp(amount, [0, 0.5, 1], column)) for column in zip(*steps, strict=False)
        ]
        return cls(*values)


@dataclass(frozen=True)
class Night:
    """A night on a grid of 1 s.

    Attributes
    ----------
    sleeper : Sleeper
    stages : tuple of int
        Of each epoch.
    weights : ndarray, shape (n_seconds, 5)
        How much of each stage there is; rows add up to 1.
    depth : ndarray, shape (n_seconds,)
        How deep within N3 sleep it is, 0 to 1, rising over minutes.
    signs : mapping of str to ndarray, shape (n_seconds,)
        How each sign differs from what is usual in its stage.
    mixing : float
        How far each stage looks like the mean of all.
    """

    sleeper: Sleeper
    stages: tuple[int, ...]
    weights: Array
    depth: Array
    signs: Mapping[str, Array]
    mixing: float

    @property
    def seconds(self) -> int:
        """Length in s."""
        return len(self.weights)

    def by_stage(self, values: Sequence[float]) -> Array:
        """Return a quantity over time, shape (n_seconds,), from its value in each stage."""
        own = np.asarray(values, dtype=np.float64)
        return np.asarray(self.weights @ ((1 - self.mixing) * own + self.mixing * own.mean()))


def night_of(
    stages: Sequence[int], sleeper: Sleeper, difficulty: Difficulty, stream: Stream
) -> Night:
    """Return a night with its signs drawn."""
    rendered = np.repeat(np.asarray(stages), EPOCH)
    deep = _smooth((rendered == N3).astype(np.float64), 180)
    _intrude(rendered, stages, difficulty.intruded, Sizes(stream.child("intruded")))
    n = len(rendered)
    weights = np.stack([_smooth((rendered == stage) * 1.0, 20) for stage in range(5)], axis=1)
    weights /= weights.sum(axis=1, keepdims=True)
    starts = np.flatnonzero(np.diff(np.asarray(stages), prepend=-1))
    lengths = np.diff([*starts, len(stages)]) * EPOCH
    signs = {}
    for name, spread in _SIGNS.items():
        each = stream.child(name).gaussian(len(starts)) * spread * difficulty.between_bouts
        signs[name] = _smooth(np.repeat(each, lengths), 20)
    signs["level"] += difficulty.wander * remembering(stream.child("wander"), 60.0, n)
    signs["slope"] += difficulty.wander / 4 * remembering(stream.child("turn"), 60.0, n)
    return Night(sleeper, tuple(stages), weights, deep, signs, difficulty.mixing)


def _intrude(rendered: NDArray[np.int_], stages: Sequence[int], share: float, sizes: Sizes) -> None:
    """Let a share of the epochs hold less than half of a neighbouring stage."""
    for number, stage in enumerate(stages):
        if not sizes.chance(share):
            continue
        length = int(sizes.uniform(5, 15))
        first = number * EPOCH + int(sizes.uniform(0, EPOCH - length))
        others = _NEIGHBOURS[stage]
        rendered[first : first + length] = others[int(sizes.uniform(0, len(others)))]


def _smooth(values: Array, reach: int) -> Array:
    """Return the values smoothed by a Hann window that reaches so many seconds to either side."""
    from scipy.signal import oaconvolve

    kernel = np.hanning(2 * reach + 3)[1:-1]
    padded = np.pad(values, reach, mode="edge")
    smooth = oaconvolve(padded, kernel / kernel.sum(), mode="valid")
    return np.asarray(smooth if values.min() < 0 else np.clip(smooth, 0.0, None))
