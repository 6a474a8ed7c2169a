"""Decisions: the only way in which data change, and what a kind of decision has to say.

A kind is one file in :mod:`braino_registry.session.decisions`: a proposal (a msgspec Struct, from
which its JSON Schema follows) and a class that examines and applies it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from braino_registry.errors import close_matches
from braino_registry.registry.plugins import PluginGroup

if TYPE_CHECKING:
    from braino_registry.recordings.recording import Recording
    from braino_registry.recordings.tree import BidsTree


class DecisionError(Exception):
    """A proposal that cannot be put to the user.

    Parameters
    ----------
    problem : str
        What is wrong with it.
    instead : str
        What to pass instead.
    """

    def __init__(self, problem: str, instead: str) -> None:
        super().__init__(f"{problem}\n{instead}")
        self.problem = problem
        self.instead = instead


@dataclass(frozen=True)
class Place:
    """Where decisions take effect: the trial's BIDS copy.

    Parameters
    ----------
    root : Path
        The copy that is changed.
    tree : BidsTree
        The same copy, as the tools read it.
    recording_id : str | None
        The trial's recording; None if the task is about the whole dataset.
    """

    root: Path
    tree: BidsTree
    recording_id: str | None = None

    def recording_of(self, named: str | None) -> Recording:
        """Return the recording that a proposal is about.

        Raises
        ------
        DecisionError
            If it names an unknown one, or none where there are several.
        """
        known = list(self.tree.recordings())
        named = named or self.recording_id
        if named is None and len(known) == 1:
            named = known[0]
        if named is None:
            raise DecisionError(
                "the proposal does not say which recording it is about",
                f"Pass recording, one of: {', '.join(known)}.",
            )
        if named not in known:
            raise DecisionError(
                f"there is no recording called {named!r}",
                "Pass recording as an id, not a view. " + close_matches(named, known),
            )
        return self.tree.open(named)


class Proposal(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of the proposals, whose fields become the JSON Schema that agents are given.

    That schema has the docstring for its description, so a proposal has one line of it, and each
    field says what it is by itself.
    """


class AboutRecording(Proposal):
    """Base of the proposals about one recording: the trial's own, unless it is named."""

    recording: Annotated[
        str | None,
        msgspec.Meta(description="Id of the recording; the one that the task is about if null."),
    ] = None


class DecisionKind(ABC):
    """One kind of decision."""

    name: ClassVar[str]
    version: ClassVar[str]
    description: ClassVar[str]
    proposal: ClassVar[type[Proposal]]
    example: ClassVar[Mapping[str, Any]]

    @cached_property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the proposal."""
        _, parts = msgspec.json.schema_components([self.proposal], ref_template="#/$defs/{name}")
        own: dict[str, Any] = parts.pop(self.proposal.__name__)
        return {**own, "$defs": parts} if parts else own

    def read(self, proposal: Mapping[str, Any], place: Place) -> Any:
        """Return a proposal as its typed value, examined against the data.

        Raises
        ------
        DecisionError
            If it has the wrong form, or names what is not there.
        """
        try:
            value = msgspec.convert(proposal, self.proposal)
        except msgspec.ValidationError as error:
            example = msgspec.json.encode(self.example).decode()
            raise DecisionError(
                f"this is no proposal for {self.name}: {error}", f"Pass for example {example}."
            ) from None
        if isinstance(value, AboutRecording):
            self.examine(value, place.recording_of(value.recording))
        return value

    def examine(self, proposal: Any, recording: Recording) -> None:
        """Raise DecisionError if the proposal cannot be applied to the recording."""
        return None

    def tidy(self, edited: dict[str, Any]) -> dict[str, Any]:
        """Return a proposal that the user edited without what no longer belongs to it."""
        return edited

    @abstractmethod
    def apply(self, proposal: Any, place: Place) -> list[Path]:
        """Apply an approved proposal and return the files that were written."""


KINDS: PluginGroup[DecisionKind] = PluginGroup(
    "braino_registry.session.decisions", "kind of decision"
)


def decision_kind(kind: type[DecisionKind]) -> type[DecisionKind]:
    """Register a kind of decision (class decorator)."""
    KINDS.add(kind.name, kind(), kind.__module__)
    return kind


def specs() -> list[dict[str, Any]]:
    """Return ``kind, description, proposal`` of every kind, as agents are told them."""
    return [
        {"kind": name, "description": kind.description, "proposal": kind.schema}
        for name, kind in KINDS
    ]
