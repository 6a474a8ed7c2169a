"""What the tools of one session share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from braino_registry.recordings.recording import Recording
    from braino_registry.recordings.results import ResultStore
    from braino_registry.recordings.tree import BidsTree
    from braino_registry.recordings.view_store import ViewStore
    from braino_registry.recordings.views import View


class Grounds(Protocol):
    """Knows which numbers were stated in the session; :class:`braino_registry.numbers.Ledger`."""

    def grounds_value(self, value: float, unit: str | None = None) -> bool:
        """Tell whether a number was stated by a tool, the user or the request."""

    def times(self, value: float) -> int:
        """Return how often it was stated."""


@dataclass(frozen=True)
class ToolState:
    """The trusted side's state of one session.

    Parameters
    ----------
    tree : BidsTree
        The trial's copy of the dataset.
    views : ViewStore
        Its views.
    results : ResultStore
        Kept results.
    ledger : Grounds
        Numbers stated so far.
    workspace : Path
        Where artifacts go.
    calculated : dict of float to int
        Results of arithmetic, and how many calculations each rests on.
    records : mapping of str to str
        Recordings by an id that tells nothing of them, where a suite shows no others.
    """

    tree: BidsTree
    views: ViewStore
    results: ResultStore
    ledger: Grounds
    workspace: Path
    calculated: dict[float, int] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        inputs: Path,
        workspace: Path,
        ledger: Grounds,
        records: Mapping[str, str] | None = None,
    ) -> ToolState:
        """Return the state of a session that begins.

        Parameters
        ----------
        inputs : Path
            The dataset.
        workspace : Path
            Folder for artifacts.
        ledger : Grounds
            Fed by the session after each call.
        records : mapping of str to str | None
            Recordings by an id that tells nothing of them.
        """
        from braino_registry.recordings.results import ResultStore
        from braino_registry.recordings.tree import BidsTree
        from braino_registry.recordings.view_store import ViewStore

        tree = BidsTree(inputs)
        return cls(
            tree, ViewStore(tree), ResultStore(), ledger, workspace, records=dict(records or {})
        )

    def view(self, identifier: str) -> View:
        """Return a view by its id, or by a recording's."""
        return self.views.get(identifier)

    def record(self, identifier: str) -> Recording:
        """Return a recording by its id, or by the one drawn for it where a suite draws one.

        Raises
        ------
        ToolError
            If there is none.
        """
        from braino_registry.tools.errors import ToolError

        known = self.records or {name: name for name in self.tree.recordings()}
        if identifier not in known:
            shown = ", ".join(list(known)[:5])
            raise ToolError(f"there is no record {identifier[:60]!r}", f"Pass one of: {shown}.")
        return self.tree.open(known[identifier])
