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
class BodyChannel:
    """A channel that is not on the scalp: beside the eyes, on the chest, on the screen.

    Attributes
    ----------
    kind : str
        Channel type as BIDS names it, for example ``"EOG"``.
    description : str
    signal_uv : ndarray, shape (n_times,)
        In µV.
    gains : dict
        What it picks up of a source of the body: ``"blink"`` and ``"saccade"`` to a factor.
    """

    kind: str
    description: str
    signal_uv: Array
    gains: dict[str, float] = field(default_factory=dict)


@dataclass
class ChannelTable:
    """What the table of channels says otherwise than the recording is.

    Attributes
    ----------
    units : str
    high_cutoff_hz : float | None
        Low-pass of the amplifier; None where none is known.
    renamed : dict
        Channel to the name under which the table lists it.
    left_out : set of str
        Channels that the table does not list.
    """

    units: str = "µV"
    high_cutoff_hz: float | None = None
    renamed: dict[str, str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)


@dataclass
class Canvas:
    """A recording while layers are added to it.

    Attributes
    ----------
    ch_names : tuple of str
        Scalp channels.
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
    body : dict
        Name to channel, those that are not on the scalp, in recording order after the scalp.
    table : ChannelTable
        What channels.tsv says.
    kind : str
        BIDS type of the channels of the montage: ``"EEG"``, or ``"SEEG"`` within the skull.
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
    body: dict[str, BodyChannel] = field(default_factory=dict)
    table: ChannelTable = field(default_factory=ChannelTable)
    kind: str = "EEG"

    @property
    def ch_types(self) -> dict[str, str]:
        """BIDS type of each channel, in the order of the file."""
        return {
            **dict.fromkeys(self.ch_names, self.kind),
            **{name: channel.kind for name, channel in self.body.items()},
        }

    @property
    def recorded_uv(self) -> Array:
        """All channels in the order of the file, shape (n_channels, n_times), in µV."""
        if not self.body:
            return self.signal_uv
        return np.vstack([self.signal_uv, *(channel.signal_uv for channel in self.body.values())])

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

    def pick_up(self, source: str, source_uv: Array, start: int) -> None:
        """Add a source of the body to the channels beside the scalp that pick it up."""
        for channel in self.body.values():
            if source in channel.gains:
                spread(channel.signal_uv[None], [channel.gains[source]], source_uv, start)

    def drop(self, name: str) -> None:
        """Take a scalp channel out of the recording."""
        keep = [row for row, other in enumerate(self.ch_names) if other != name]
        self.ch_names = tuple(self.ch_names[row] for row in keep)
        self.signal_uv = self.signal_uv[keep]
        if self.evoked_uv is not None:
            self.evoked_uv = self.evoked_uv[keep]

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
