"""One seizure: it starts in one place, slows down, grows, spreads, and leaves slowing behind.

The frequency falls from alpha or theta to slow waves, the wave gets spikier, and neighbouring
electrodes see it later. Durations and rates follow the usual description of focal seizures of
children on the scalp; sizes are relative to the background of a bipolar channel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.differences import Electrodes
from braino_registry.synthesis.montage import POSITIONS, Vector, angle
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes, remembering

Array = NDArray[np.float64]

FOCI = ("F7", "F8", "T7", "T8", "F3", "F4", "C3", "C4", "O1", "O2")
_LAG = 0.0005
"""Delay in s per degree of arc."""


@dataclass(frozen=True)
class Seizure:
    """What is drawn of a seizure.

    Attributes
    ----------
    onset, duration : int
        In s.
    focus : str
        Site where it begins.
    first_hz, last_hz : float
        Frequency at its beginning and end.
    size_uv : float
        RMS of the wave at the focus when it is largest.
    final_width : float
        How far it spreads, in degrees of arc.
    other_side : bool
        Whether the second half reaches the other hemisphere.
    slowing : int
        Length of the slowing behind it, in s.
    """

    onset: int
    duration: int
    focus: str
    first_hz: float
    last_hz: float
    size_uv: float
    final_width: float
    other_side: bool
    slowing: int

    @classmethod
    def drawn(
        cls, time: tuple[int, int], focus: str | None, size_uv: float, width: float, sizes: Sizes
    ) -> Seizure:
        """Return a seizure at some time (onset and duration in s), anywhere without a focus."""
        anywhere = FOCI[int(sizes.uniform(0, len(FOCI)))]
        return cls(
            *time,
            focus=anywhere if focus is None else focus,
            first_hz=sizes.uniform(6.5, 10.0),
            last_hz=sizes.uniform(2.2, 3.5),
            size_uv=size_uv * sizes.lognormal(1.0, 0.15),
            final_width=width,
            other_side=sizes.chance(0.4),
            slowing=round(sizes.uniform(30, 90)),
        )

    def discharge(self, electrodes: Electrodes, sfreq: int, stream: Stream) -> Array:
        """Return the seizure as the channels see it, shape (n_leads, n_times), in µV."""
        n = self.duration * sfreq
        t = np.arange(n) / sfreq
        x = t / self.duration
        grow = np.clip(0.25 + 0.75 * x / 0.35, 0, 1)
        ramp = np.minimum(1.0, (self.duration - t) / 1.5)
        sway = remembering(stream.child("sway"), 3.0, self.duration + 2)
        swayed = np.interp(t, np.arange(self.duration + 2), sway)
        source = self._wave(x, sfreq, stream.child("pace"))
        source *= self.size_uv * grow * ramp * np.exp(0.2 * swayed)
        width = 18 + (self.final_width - 18) * np.clip((x - 0.15) / 0.5, 0, 1)
        seen = _over_sites(electrodes, POSITIONS[self.focus], width, source, sfreq)
        if self.other_side:
            left, front, up = POSITIONS[self.focus]
            late = source * 0.7 * np.clip((x - 0.5) / 0.2, 0, 1)
            seen += _over_sites(electrodes, (-left, front, up), width, late, sfreq)
        return np.asarray(electrodes.matrix @ seen)

    def _wave(self, x: Array, sfreq: int, stream: Stream) -> Array:
        """Return a wave of RMS 1 that slows down and becomes spikier."""
        falling = self.last_hz + (self.first_hz - self.last_hz) * np.exp(-2.2 * x)
        jitter = remembering(stream, 1.5, self.duration + 2)
        pace = np.interp(x * self.duration, np.arange(self.duration + 2), jitter)
        phase = 2 * math.pi * np.cumsum(falling * (1 + 0.08 * pace)) / sfreq
        sharp = 1 + 2.5 * x
        wave = np.exp(sharp * (np.cos(phase) - 1))
        # The mean and RMS of such a wave change with its sharpness; a window of 1 s follows them.
        wave -= _mean(wave, sfreq)
        wave += 0.8 * x * np.sin(phase - 1.1)
        return np.asarray(wave / np.sqrt(_mean(wave * wave, sfreq) + 1e-6))

    def slow_phase(self, electrodes: Electrodes, sfreq: int, stream: Stream, unit: float) -> Array:
        """Return the slowing behind the seizure, shape (n_leads, n_times), in µV.

        Parameters
        ----------
        electrodes : Electrodes
        sfreq : int
        stream : Stream
        unit : float
            RMS of a channel's background in µV.
        """
        from braino_registry.synthesis.filters import resonator, shaped

        n = self.slowing * sfreq
        wave = shaped(stream, resonator(1.8, 0.9, sfreq), n, sfreq)
        wave *= 2.0 * unit * np.linspace(1, 0, n)
        # What the nearest channel sees, since a wide source is much the same at both electrodes.
        seen = electrodes.matrix @ electrodes.at_sites(
            POSITIONS[self.focus], 0.5 * (30 + self.final_width)
        )
        return np.asarray((seen / np.abs(seen).max())[:, None] * wave)


def _mean(wave: Array, window: int) -> Array:
    """Return the running mean over a window of samples."""
    from scipy.ndimage import uniform_filter1d

    return np.asarray(uniform_filter1d(wave, window, mode="nearest"))


def _over_sites(
    electrodes: Electrodes, centre: Vector, width: Array, source: Array, sfreq: int
) -> Array:
    """Return a widening source at every electrode, later the further away."""
    out = np.empty((len(electrodes.sites), len(source)))
    for row, site in zip(out, electrodes.sites, strict=True):
        arc = math.degrees(angle(POSITIONS[site], centre))
        late = round(min(arc, 120) * _LAG * sfreq)
        gain = np.exp(-0.5 * (arc / width) ** 2)
        row[:late] = 0
        row[late:] = source[: len(source) - late]
        row *= gain
    return out
