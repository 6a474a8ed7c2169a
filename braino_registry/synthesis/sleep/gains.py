"""How much of each sign of sleep the usual derivations see, relative to C4-M1."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.leads import Lead

SIGNS = ("background", "alpha", "spindle", "k_complex", "slow_wave", "vertex", "sawtooth", "blink")

_SEEN: Mapping[tuple[str, str], tuple[float, ...]] = MappingProxyType(
    {
        ("F4", "M1"): (1.05, 0.50, 0.85, 1.15, 1.15, 0.7, 0.7, 0.25),
        ("C4", "M1"): (1.00, 1.00, 1.00, 1.00, 1.00, 1.0, 1.0, 0.10),
        ("O2", "M1"): (0.95, 1.60, 0.50, 0.60, 0.60, 0.4, 0.4, 0.03),
        ("Fpz", "Cz"): (1.00, 0.80, 0.95, 1.05, 1.05, -0.8, 0.8, 0.45),
        ("Pz", "Oz"): (0.75, 1.20, 0.70, 0.50, 0.50, 0.5, 0.4, 0.02),
    }
)
_FRONT = (1.0, 0.45, 0.70, 1.0, 1.05, 0.6, 0.6, 0.0)
"""The front of the head, which the electrodes beside the eyes see too; blinks come on their own."""


def is_known(lead: Lead) -> bool:
    """Tell whether sleep can be made in a derivation."""
    return (lead.anode, lead.cathode) in _SEEN


def known() -> list[str]:
    """Return the derivations in which sleep can be made."""
    return ["-".join(pair) for pair in _SEEN]


def gains(sign: str, leads: tuple[Lead, ...]) -> NDArray[np.float64]:
    """Return how much of a sign each derivation sees, and last the front of the head."""
    place = SIGNS.index(sign)
    rows = [_SEEN[lead.anode, lead.cathode][place] for lead in leads]
    return np.array([*rows, _FRONT[place]])
