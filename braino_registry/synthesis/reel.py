"""A long recording while it is made: in pieces, never whole in memory.

A layer for long recordings decides first, for the whole recording, what happens when; that is
little. Then it leaves a painter, which adds its part to one piece after the other and carries on
from piece to piece what a filter remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.canvas import Event
from braino_registry.synthesis.leads import Lead

Array = NDArray[np.float64]

PIECE = 300
"""Length of a piece in s; the last one may be shorter."""


@dataclass(frozen=True)
class Strip:
    """One channel of a long recording.

    Attributes
    ----------
    name : str
    kind : str
        Channel type as BIDS names it.
    unit : str
        As BIDS spells it.
    description : str
    sfreq : int
        Samples per second.
    step : float
        Grid on which samples are kept, in ``unit``.
    """

    name: str
    kind: str
    unit: str
    description: str
    sfreq: int
    step: float = 0.1


@dataclass
class Piece:
    """Some seconds of a long recording.

    Attributes
    ----------
    start, seconds : int
        Its first second and its length in s.
    sfreq : int
        Rate of the EEG in Hz.
    leads_uv : ndarray, shape (n_leads, n_times)
        EEG in µV, to add to.
    strips : dict
        Name to samples of the other channels, each at its own rate, to add to.
    shared : dict
        What a painter made that later ones need, at the rate of the EEG.
    """

    start: int
    seconds: int
    sfreq: int
    leads_uv: Array
    strips: dict[str, Array]
    shared: dict[str, Array] = field(default_factory=dict)

    @property
    def n_times(self) -> int:
        """Number of EEG samples."""
        return int(self.leads_uv.shape[1])


Painter = Callable[[Piece], None]


@dataclass
class Reel:
    """A long recording: what is known of it, and who paints it.

    Attributes
    ----------
    leads : tuple of Lead
        EEG channels.
    sfreq : int
        Rate of the EEG in Hz.
    seconds : int
        Length in s.
    line_frequency : float
        The mains frequency that the room really has, in Hz.
    strips : dict
        Name to channel, those beside the EEG, in recording order after it.
    painters : list of callable
        In the order of the layers; each is given every piece in turn.
    events : list of Event
        Samples count at the rate of the EEG.
    notes : dict
        Event name to its ``description`` and ``hed``.
    facts : dict
        What layers tell later ones, by name.
    """

    leads: tuple[Lead, ...]
    sfreq: int
    seconds: int
    line_frequency: float
    strips: dict[str, Strip] = field(default_factory=dict)
    painters: list[Painter] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def channels(self) -> tuple[Strip, ...]:
        """All channels in the order of the file."""
        scalp = (
            Strip(lead.name, "EEG", "µV", f"{lead.anode} minus {lead.cathode}", self.sfreq)
            for lead in self.leads
        )
        return (*scalp, *self.strips.values())

    @property
    def ch_types(self) -> Mapping[str, str]:
        """BIDS type of each channel, in the order of the file."""
        return {channel.name: channel.kind for channel in self.channels}

    def pieces(self) -> Iterator[list[Array]]:
        """Yield the finished pieces: one array per channel, each at its own rate.

        They can be made once only, because painters go on from where they were.
        """
        for start in range(0, self.seconds, PIECE):
            seconds = min(PIECE, self.seconds - start)
            piece = Piece(
                start,
                seconds,
                self.sfreq,
                np.zeros((len(self.leads), seconds * self.sfreq)),
                {name: np.zeros(seconds * strip.sfreq) for name, strip in self.strips.items()},
            )
            for paint in self.painters:
                paint(piece)
            yield [*piece.leads_uv, *piece.strips.values()]


def add_at(out: Array, wave: Array, first: int) -> None:
    """Add a wave to samples of a piece from ``first`` on; what lies outside is cut off.

    Parameters
    ----------
    out : ndarray, shape (..., n_times)
        Changed in place.
    wave : ndarray, shape (n,) or (..., n)
    first : int
        Sample of the piece at which the wave begins; may be negative.
    """
    begin, end = max(0, first), min(out.shape[-1], first + wave.shape[-1])
    if begin < end:
        out[..., begin:end] += wave[..., begin - first : end - first]
