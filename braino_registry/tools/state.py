"""What the tools of one session share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from braino_registry.recordings.results import ResultStore
    from braino_registry.recordings.tree import BidsTree
    from braino_registry.recordings.views import View, ViewStore


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
    """

    tree: BidsTree
    views: ViewStore
    results: ResultStore
    ledger: Grounds
    workspace: Path
    calculated: dict[float, int] = field(default_factory=dict)

    @classmethod
    def open(cls, inputs: Path, workspace: Path, ledger: Grounds) -> ToolState:
        """Return the state of a session that begins.

        Parameters
        ----------
        inputs : Path
            The dataset.
        workspace : Path
            Folder for artifacts.
        ledger : Grounds
            Fed by the session after each call.
        """
        from braino_registry.recordings.results import ResultStore
        from braino_registry.recordings.tree import BidsTree
        from braino_registry.recordings.views import ViewStore

        tree = BidsTree(inputs)
        return cls(tree, ViewStore(tree), ResultStore(), ledger, workspace)

    def view(self, identifier: str) -> View:
        """Return a view by its id, or by a recording's."""
        return self.views.get(identifier)
