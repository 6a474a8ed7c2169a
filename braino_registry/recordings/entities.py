"""File names of BIDS: entities, suffix, extension, and the recording id made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

# the entities that have a longer name of their own; others keep their key
LONG_NAMES: Mapping[str, str] = {
    "sub": "subject",
    "ses": "session",
    "acq": "acquisition",
}
_ENTITY = re.compile(r"([A-Za-z]+)-([A-Za-z0-9+]+)")


@dataclass(frozen=True)
class BidsName:
    """A file name taken apart.

    Parameters
    ----------
    entities : mapping
        Entity keys to values, in the order of the name.
    suffix : str
        For example ``"eeg"`` or ``"channels"``.
    extension : str
        With its dot, for example ``".vhdr"``.
    """

    entities: Mapping[str, str]
    suffix: str
    extension: str

    @property
    def recording_id(self) -> str:
        """The entities joined, for example ``sub-01_task-rest``."""
        return "_".join(f"{key}-{value}" for key, value in self.entities.items())

    @property
    def prefixed(self) -> dict[str, str]:
        """Entities under the names that entries use, for example ``bids_subject``."""
        return {f"bids_{LONG_NAMES.get(key, key)}": value for key, value in self.entities.items()}


def parse_name(name: str) -> BidsName | None:
    """Return the parts of a file name, or None if it does not follow BIDS.

    Parameters
    ----------
    name : str
        A name without folders.
    """
    stem, dot, extension = name.partition(".")
    *pairs, suffix = stem.split("_")
    entities: dict[str, str] = {}
    for pair in pairs:
        match = _ENTITY.fullmatch(pair)
        if match is None or match[1] in entities:
            return None
        entities[match[1]] = match[2]
    return BidsName(entities, suffix, dot + extension) if suffix and dot else None
