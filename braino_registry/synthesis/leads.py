"""Bipolar montages: channels that are the difference of two electrodes.

A recording with such a montage is made and stored in pieces, so it may be as long as one likes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Lead(NamedTuple):
    """One bipolar channel.

    Attributes
    ----------
    name : str
        As the file spells it.
    anode, cathode : str
        Its electrodes by their names in the 10-10 system; M1 and M2 are the mastoids.
    """

    name: str
    anode: str
    cathode: str


def _pairs(text: str, prefix: str = "") -> tuple[Lead, ...]:
    return tuple(Lead(f"{prefix}{pair}", *pair.split("-")) for pair in text.split())


_BANANA = _pairs(
    "Fp1-F7 F7-T7 T7-P7 P7-O1 Fp1-F3 F3-C3 C3-P3 P3-O1 "
    "Fp2-F4 F4-C4 C4-P4 P4-O2 Fp2-F8 F8-T8 T8-P8 P8-O2 "
    "Fz-Cz Cz-Pz P7-T7 T7-FT9 FT9-FT10 FT10-T8"
)

LEADS: Mapping[str, tuple[Lead, ...]] = MappingProxyType(
    {
        # The last pair of long-term scalp recordings is often there twice; files number the two.
        "double-banana-23": (
            *(lead._replace(name="T8-P8-0") if lead.name == "T8-P8" else lead for lead in _BANANA),
            Lead("T8-P8-1", "T8", "P8"),
        ),
        "double-banana-18": _BANANA[:18],
        "sleep-cassette": _pairs("Fpz-Cz Pz-Oz", prefix="EEG "),
        "polysomnography": _pairs("F4-M1 C4-M1 O2-M1"),
    }
)
"""Montage to its channels, in recording order."""

MASTOIDS: Mapping[str, str] = MappingProxyType({"M1": "TP9", "M2": "TP10"})
"""Mastoid to the site of the 10-10 system beside it."""
