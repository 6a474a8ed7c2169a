"""What goes on from one piece of a long recording to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.filters import Sections
from braino_registry.synthesis.reel import Piece
from braino_registry.synthesis.streams import Stream

Array = NDArray[np.float64]


class Filtered:
    """Filtered noise that goes on from piece to piece.

    Parameters
    ----------
    stream : Stream
    sos : tuple of sections
        The filter. It has settled before the first sample is given out.
    settle : int
        Samples that takes.
    """

    def __init__(self, stream: Stream, sos: Sections, settle: int = 2048) -> None:
        self._stream = stream
        self._sos = np.array(sos)
        self._state = np.zeros((len(sos), 2))
        self(settle)

    def __call__(self, n: int) -> Array:
        """Return the next samples, shape (n,)."""
        from scipy.signal import sosfilt

        made, self._state = sosfilt(self._sos, self._stream.gaussian(n), zi=self._state)
        return np.asarray(made)


def by_second(values: Array, piece: Piece, rate: int | None = None) -> Array:
    """Return what is known once a second at every sample of a piece, joined by lines."""
    rate = piece.sfreq if rate is None else rate
    last = len(values) - 1
    knots = np.minimum(np.arange(piece.start, piece.start + piece.seconds + 1), last)
    at = values[knots]
    ramp = np.arange(rate) / rate
    return np.asarray((at[:-1, None] + (at[1:] - at[:-1])[:, None] * ramp).reshape(-1))
