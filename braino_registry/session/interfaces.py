"""What a session needs of the tools and of what they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from braino_registry.recordings.tree import BidsTree


class StateLike(Protocol):
    """What a session needs of the tools' state."""

    @property
    def tree(self) -> BidsTree:
        """The trial's recordings."""

    @property
    def ledger(self) -> Any:
        """The ledger that ``calc`` reads; the session feeds it after every event."""


class ToolsetLike(Protocol):
    """What a session needs of a toolset."""

    def specs(self) -> Sequence[Any]:
        """Return name, version, description, arguments and result of each tool."""

    def resolve(self, name: str) -> str:
        """Return the tool's own name of a name that other systems use for it, or the name."""

    def run(self, name: str, args: dict[str, Any], state: Any) -> Mapping[str, Any]:
        """Run a tool; raises an error with `problem` and `instead` for what can be mended."""
