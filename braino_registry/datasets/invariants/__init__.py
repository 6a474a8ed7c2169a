"""Semantic invariants: facts about a dataset that hold in its sidecars, checked without signals.

Hashes prove that the bytes are the right ones; they do not prove that events and labels survived
a conversion. An invariant kind is one function; an entry states which hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from braino_registry.registry.plugins import PluginGroup

Invariant = Callable[[Path, Mapping[str, Any]], "list[str]"]
"""Takes the BIDS root and the entry's row; returns what does not hold, empty when all does."""

INVARIANTS: PluginGroup[Invariant] = PluginGroup(
    "braino_registry.datasets.invariants", "invariant", "braino.invariants"
)


def broken_invariants(bids: Path, rows: list[Mapping[str, Any]]) -> list[str]:
    """Return which invariants of an entry do not hold in a BIDS tree, in words.

    Parameters
    ----------
    bids : Path
        The BIDS root.
    rows : list of Mapping
        The entry's ``invariants``.
    """
    return [text for row in rows for text in INVARIANTS.get(row["kind"])(bids, row)]
