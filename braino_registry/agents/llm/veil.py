"""Keeping a model's key out of everything that is printed, sent or recorded."""

from __future__ import annotations

from typing import Any

SHOWN = "[key]"
#: A shorter text is no key, and would be found by chance.
_SHORTEST = 6


class Veil:
    """Replaces a key wherever it occurs.

    Parameters
    ----------
    key : str | None
        The key.
    """

    def __init__(self, key: str | None) -> None:
        self._key = key if key and len(key) >= _SHORTEST else None

    def __repr__(self) -> str:
        return "Veil()"

    def over(self, text: str) -> str:
        """Return a text without the key."""
        return text if self._key is None else text.replace(self._key, SHOWN)

    def short(self, error: Any, most: int = 300) -> str:
        """Return what an error says, in one line, bounded and without the key."""
        return " ".join(self.over(str(error)).split())[:most]
