"""Noise with a spectrum that changes over time.

White noise is cut into overlapping frames, each is shaped in the frequency domain, and they are
added up again. The square root of a Hann window before and after makes the sum exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.streams import Stream

Array = NDArray[np.float64]

HOP = 2
"""Time between two frames in s; a frame is twice as long."""


def frequencies(sfreq: int) -> Array:
    """Return the frequencies of a frame, shape (n_bins,), in Hz."""
    return np.asarray(np.fft.rfftfreq(2 * HOP * sfreq, 1 / sfreq), dtype=np.float64)


class ShapedNoise:
    """Several independent noises of one changing spectrum, made piece by piece.

    Parameters
    ----------
    streams : list of Stream
        One per noise.
    sfreq : int
        In Hz.
    """

    def __init__(self, streams: list[Stream], sfreq: int) -> None:
        self._streams = streams
        self._hop = HOP * sfreq
        self._sfreq = sfreq
        phase = (np.arange(2 * self._hop) + 0.5) * np.pi / (2 * self._hop)
        self._window = np.sin(phase)
        self._white = [stream.gaussian(self._hop) for stream in streams]
        self._tails = [np.zeros(self._hop) for _ in streams]
        self._started = False

    def __call__(self, n_times: int, first: Array, power: Array) -> Array:
        """Return the next samples.

        Parameters
        ----------
        n_times : int
            How many; only the last piece may be no multiple of a hop.
        first : ndarray, shape (n_bins,)
            Power spectral density at the beginning of the piece, in µV²/Hz, one-sided.
        power : ndarray, shape (n_frames, n_bins)
            The same at the end of each hop of the piece.

        Returns
        -------
        ndarray, shape (n_noises, n_times)
        """
        gains = np.sqrt(power * (self._sfreq / 2))
        out = np.empty((len(self._streams), len(power) * self._hop))
        for number, stream in enumerate(self._streams):
            if not self._started:
                white = np.concatenate([self._white[number], stream.gaussian(self._hop)])
                opening = self._frames(white, np.sqrt(first * (self._sfreq / 2))[None])
                self._tails[number] = opening[0, self._hop :]
                self._white[number] = white[self._hop :]
            fresh = stream.gaussian(len(power) * self._hop)
            white = np.concatenate([self._white[number], fresh])
            frames = self._frames(white, gains)
            tails = np.concatenate([self._tails[number][None], frames[:-1, self._hop :]])
            out[number] = (tails + frames[:, : self._hop]).reshape(-1)
            self._tails[number] = frames[-1, self._hop :]
            self._white[number] = white[-self._hop :]
        self._started = True
        return out[:, :n_times]

    def _frames(self, white: Array, gains: Array) -> Array:
        from scipy.fft import irfft, rfft

        halves = white.reshape(-1, self._hop)
        frames = np.concatenate([halves[:-1], halves[1:]], axis=1)
        frames *= self._window
        spectrum = rfft(frames, axis=1)
        spectrum *= gains
        frames = irfft(spectrum, n=2 * self._hop, axis=1)
        frames *= self._window
        return np.asarray(frames)
