"""From verified sources, or a recipe, to a BIDS tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.datasets.entries import (
    is_synthetic,
    pins_of,
    problems_of,
    recordings_of,
)
from braino_registry.datasets.pins import Pin
from braino_registry.datasets.selection import ALL, Selection, needed
from braino_registry.datasets.sources import Found, SourceFinder, stage
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError, UsageError
from braino_registry.registry.entries import Entry


@dataclass(frozen=True)
class Portion:
    """A dataset, or the part of it that is wanted.

    Parameters
    ----------
    entry : Recipe or PublicDataset
        The dataset.
    selection : Selection
        Which part, spelled as the dataset spells it.
    recordings : tuple of SourceRecording
        The recordings of it; empty for a recipe.
    pins : tuple of Pin
        All pins of the dataset.
    wanted : frozenset of str
        Paths of the pins that the part is made from.
    """

    entry: Entry
    selection: Selection
    recordings: tuple[SourceRecording, ...]
    pins: tuple[Pin, ...]
    wanted: frozenset[str]

    @classmethod
    def of(cls, entry: Entry, selection: Selection = ALL) -> Portion:
        """Return what a selection means in a dataset.

        Raises
        ------
        UsageError
            If a label does not occur, or a recipe, which is built as a whole, is to be selected
            from.
        """
        if is_synthetic(entry):
            if selection:
                raise UsageError(
                    f"{entry.ref} is synthetic and built as a whole",
                    where=f"selection {selection.described()}",
                    hint="Leave the selection out.",
                )
            return cls(entry, ALL, (), (), frozenset())
        from braino_registry.datasets.conversions import conversion_of, used_paths

        pins, recordings = pins_of(entry), recordings_of(entry)
        later = "conversion" in entry.doc and conversion_of(entry.doc).known_later
        chosen = ALL
        if selection:
            # What only the sources tell is looked at when they are there.
            given = selection.plain()
            chosen = given if later else selection.resolved(recordings, entry.ref)
        if not pins:
            return cls(entry, chosen, (), (), frozenset())
        used = used_paths(entry.doc, [pin.path for pin in pins])
        if later:
            return cls(entry, chosen, (), pins, frozenset(used))
        rows, wanted = needed(used, recordings, chosen)
        return cls(entry, chosen, rows, pins, wanted)

    def found(self, finder: SourceFinder) -> Found:
        """Return where the files of this part are."""
        return finder.find(self.pins, self.wanted)

    @property
    def bytes(self) -> int:
        """Bytes of the files it is made from, as far as their sizes are known."""
        wrappings = {pin.archive for pin in self.pins}
        return sum(
            pin.size or 0
            for pin in self.pins
            if pin.path in self.wanted and pin.path not in wrappings
        )

    def members(self) -> dict[str, list[Pin]]:
        """Return the wanted members of archives by the path of their archive."""
        found: dict[str, list[Pin]] = {}
        for pin in self.pins:
            if pin.archive is not None and pin.path in self.wanted:
                found.setdefault(pin.archive, []).append(pin)
        return found


def synthesise(entry: Entry, material: bytes, folder: Path) -> None:
    """Build a recipe into ``folder``: the tree in ``bids``, what was planted in ``truth.json``."""
    from braino_registry.synthesis import build

    build(entry.doc, material, folder)


def convert(portion: Portion, found: Found, folder: Path, staging: Path) -> None:
    """Make the BIDS tree of a public dataset in ``folder/bids``.

    Raises
    ------
    EntryError
        If the entry contradicts itself, or what was made breaks one of its invariants.
    """
    from braino_registry.datasets.conversions import conversion_of
    from braino_registry.datasets.conversions import convert as run

    for problem in problems_of(portion.entry):
        raise problem
    tree = folder / "bids"
    tree.mkdir()
    as_found = not (conversion_of(portion.entry.doc).by_name or found.zipped or found.missing)
    sources = found.paths if as_found else stage(found, staging)
    run(portion.entry.doc, sources, portion.recordings, tree, portion.selection)
    for text in broken(portion, tree):
        raise EntryError(
            f"the converted {portion.entry.ref} breaks an invariant: {text}",
            where="$.invariants",
            hint="The conversion lost something, or the invariant is wrong.",
        )


def broken(portion: Portion, tree: Path) -> list[str]:
    """Return which invariants do not hold; totals are those of whole datasets."""
    from braino_registry.datasets.invariants import broken_invariants

    rows: list[Mapping[str, Any]] = list(portion.entry.doc.get("invariants", ()))
    return broken_invariants(tree, rows, whole=not portion.selection)
