"""From electrodes to bipolar channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.leads import MASTOIDS, Lead
from braino_registry.synthesis.montage import Vector, direction, topography
from braino_registry.synthesis.reel import Piece, add_at

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Electrodes:
    """The electrodes of a bipolar montage.

    Attributes
    ----------
    sites : tuple of str
        Each once, in the order in which the channels name them.
    matrix : ndarray, shape (n_leads, n_sites)
        Turns what the electrodes see into what the channels do.
    """

    sites: tuple[str, ...]
    matrix: Array

    @classmethod
    def of(cls, leads: tuple[Lead, ...]) -> Electrodes:
        """Return the electrodes of some channels."""
        pairs = [tuple(MASTOIDS.get(name, name) for name in lead[1:]) for lead in leads]
        sites = tuple(dict.fromkeys(name for pair in pairs for name in pair))
        matrix = np.zeros((len(leads), len(sites)))
        for row, (anode, cathode) in zip(matrix, pairs, strict=True):
            row[sites.index(anode)] += 1
            row[sites.index(cathode)] -= 1
        return cls(sites, matrix)

    def seen(self, places: list[str], width_deg: float) -> Array:
        """Return what the channels see of a source under some sites, shape (n_leads,)."""
        return np.asarray(self.matrix @ self.at_sites(direction(places), width_deg))

    def at_sites(self, centre: Vector, width_deg: float) -> Array:
        """Return what the electrodes see of a source, shape (n_sites,)."""
        return np.array(topography(self.sites, centre, width_deg))


@dataclass(frozen=True)
class Episode:
    """Something that lasts.

    Attributes
    ----------
    onset : float
        In s.
    duration : float
        In s.
    render : callable
        Returns it as the channels see it, shape (n_leads, n_times), in µV.
    """

    onset: float
    duration: float
    render: Callable[[], Array]


@dataclass
class EpisodePainter:
    """Adds episodes to the EEG; each is made when it begins and forgotten when it is over.

    Attributes
    ----------
    episodes : list of Episode
    """

    episodes: list[Episode]
    _made: dict[int, Array] = field(default_factory=dict)

    def __call__(self, piece: Piece) -> None:
        """Add what falls into the piece."""
        end = piece.start + piece.seconds
        for number, episode in enumerate(self.episodes):
            if episode.onset >= end or episode.onset + episode.duration + 1 <= piece.start:
                continue
            wave = self._made.pop(number, None)
            wave = episode.render() if wave is None else wave
            first = round((episode.onset - piece.start) * piece.sfreq)
            add_at(piece.leads_uv, wave, first)
            if first + wave.shape[1] > piece.n_times:
                self._made[number] = wave
