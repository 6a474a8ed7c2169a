"""What the folder of a build is called."""

from __future__ import annotations

from braino_registry.datasets.entries import is_synthetic
from braino_registry.datasets.selection import Selection
from braino_registry.datasets.values import SaltLike
from braino_registry.registry.digests import dataset_identity, digest
from braino_registry.registry.entries import Entry


class BuildNames:
    """Names of builds: they hold digests of all that a build depends on."""

    def __init__(self) -> None:
        # Entries by their place in memory, where they are kept: they hold mappings.
        self._identities: dict[int, tuple[Entry, str]] = {}

    def name(self, entry: Entry, salt: SaltLike | None, selection: Selection) -> str:
        """Return ``id-version-entry-salt[-selection]``, the last three as digests."""
        parts = [entry.id, entry.version]
        parts += [_short(self._identity(entry)), _short(salt_hash(entry, salt))]
        return "-".join([*parts, _short(selection.digest)] if selection else parts)

    def _identity(self, entry: Entry) -> str:
        """Return the digest of an entry and of what it names, which takes milliseconds: once."""
        if id(entry) not in self._identities:
            found = digest({"identity": dataset_identity(entry), "entry": entry.doc})
            self._identities[id(entry)] = (entry, found)
        return self._identities[id(entry)][1]


def salt_hash(entry: Entry, salt: SaltLike | None) -> str | None:
    """Return the hash of the salt where it changes a dataset."""
    return salt.hash if salt is not None and is_synthetic(entry) else None


def _short(value: str | None) -> str:
    return "plain" if value is None else value.removeprefix("sha256:")[:16]
