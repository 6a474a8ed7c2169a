"""The recording that layers work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """Something that happened, at an integer sample.

    Attributes
    ----------
    sample : int
        Onset, from 0.
    duration : int
        Length in samples.
    trial_type : str
        Name of the event.
    value : int
        Trigger code.
    role : str
        ``"stimulus"``, ``"response"`` or ``"segment"``.
    """

    sample: int
    duration: int
    trial_type: str
    value: int
    role: str


@dataclass
class Canvas:
    """A recording while layers are added to it.

    Attributes
    ----------
    ch_names : tuple of str
    sfreq : float
        In Hz.
    line_frequency : float
        The mains frequency that the room really has, in Hz.
    signal_uv : ndarray, shape (n_channels, n_times)
        Everything that the amplifier saw, in µV.
    evoked_uv : ndarray, shape (n_channels, n_times) | None
        The part of it that events evoked, in µV; None while nothing did.
    events : list of Event
        In order of onset.
    notes : dict
        Event name to its ``description`` and ``hed``.
    sidecar : dict
        Keys of the EEG sidecar that say something else than they should.
    missing : set of str
        Suffixes of sidecars that are left out.
    """

    ch_names: tuple[str, ...]
    sfreq: float
    line_frequency: float
    signal_uv: Array
    evoked_uv: Array | None = None
    events: list[Event] = field(default_factory=list)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    sidecar: dict[str, Any] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    @property
    def n_times(self) -> int:
        """Number of samples."""
        return int(self.signal_uv.shape[1])

    def channel(self, name: str) -> Array:
        """Return the samples of one channel, shape (n_times,), to change in place."""
        row: Array = self.signal_uv[self.ch_names.index(name)]
        return row

    def add(self, gains: list[float], source_uv: Array, start: int = 0) -> None:
        """Add one source to all channels.

        Parameters
        ----------
        gains : list of float
            One per channel.
        source_uv : ndarray, shape (n,)
            Time course in µV.
        start : int
            Sample of the recording where it begins; what lies outside is cut off.
        """
        spread(self.signal_uv, gains, source_uv, start)

    def evoke(self, gains: list[float], source_uv: Array, start: int) -> None:
        """Add a source that an event evoked, and remember it free of noise."""
        if self.evoked_uv is None:
            self.evoked_uv = np.zeros_like(self.signal_uv)
        spread(self.evoked_uv, gains, source_uv, start)
        spread(self.signal_uv, gains, source_uv, start)


def spread(out: Array, gains: list[float], source_uv: Array, start: int) -> None:
    """Add ``gain * source`` to each channel of ``out`` from sample ``start``, cut to fit."""
    first, last = max(0, start), min(out.shape[1], start + source_uv.shape[0])
    if first >= last:
        return
    piece = source_uv[first - start : last - start]
    for row, gain in zip(out, gains, strict=True):
        if abs(gain) > 1e-4:
            row[first:last] += gain * piece
