"""``exclude-components``: writes the excluded components of a decomposition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from braino_registry.session.bids_files import (
    derivative,
    one_line,
    read_table,
    table,
    write_derivative,
)
from braino_registry.session.decision import (
    AboutRecording,
    DecisionError,
    DecisionKind,
    Place,
    decision_kind,
)

if TYPE_CHECKING:
    from braino_registry.recordings.recording import Recording


class ExcludeComponents(AboutRecording, kw_only=True):
    """Components that are to be removed, beside those excluded before."""

    components: Annotated[
        list[Annotated[int, msgspec.Meta(ge=0, le=100_000)]],
        msgspec.Meta(max_length=1000, description="Their numbers, counted from 0."),
    ]
    reasons: Annotated[
        dict[str, Annotated[str, msgspec.Meta(max_length=500)]],
        msgspec.Meta(description="Number of a component, as text, to what it is."),
    ] = msgspec.field(default_factory=dict)
    decomposition: Annotated[
        Annotated[str, msgspec.Meta(max_length=200)] | None,
        msgspec.Meta(description="Id of the result that holds the decomposition."),
    ] = None


@decision_kind
class ExcludeComponentsKind(DecisionKind):
    """Exclude components of a decomposition."""

    name = "exclude-components"
    version = "1.0.0"
    description = (
        "Excludes independent components, counted from 0: "
        "derivatives/braino/…_desc-ica_components.tsv."
    )
    proposal = ExcludeComponents
    example: ClassVar[Mapping[str, Any]] = {"components": [0, 3], "reasons": {"0": "blinks"}}

    def examine(self, proposal: ExcludeComponents, recording: Recording) -> None:
        """Refuse numbers that are too large or named twice, and reasons for other components."""
        channels = len(recording.ch_names)
        for component, times in Counter(proposal.components).items():
            if component >= channels:
                raise DecisionError(
                    f"{recording.id} cannot have a component {component}",
                    f"It has {channels} channels: components are 0 to {channels - 1} at most.",
                )
            if times > 1:
                problem = f"component {component} is named {times} times"
                raise DecisionError(problem, "Name each component once.")
        for number in proposal.reasons:
            if number not in map(str, proposal.components):
                raise DecisionError(
                    f"there is a reason for component {number!r}, which is not proposed",
                    "Give reasons only for the numbers in `components`.",
                )

    def tidy(self, edited: dict[str, Any]) -> dict[str, Any]:
        """Drop reasons for components that the user took out."""
        if "reasons" in edited:
            kept = set(map(str, edited["components"]))
            reasons = {key: text for key, text in edited["reasons"].items() if key in kept}
            edited = {**edited, "reasons": reasons}
            if not reasons:
                del edited["reasons"]
        return edited

    def apply(self, proposal: ExcludeComponents, place: Place) -> list[Path]:
        """Add the components to the table of excluded components."""
        recording = place.recording_of(proposal.recording)
        path = derivative(place.root, recording, "desc-ica_components.tsv")
        rows = {row["component"]: row for row in read_table(path)}
        for number in map(str, proposal.components):
            rows[number] = {
                "component": number,
                "type": "ica",
                "status": "bad",
                "status_description": one_line(proposal.reasons.get(number)),
            }
        columns = ["component", "type", "status", "status_description"]
        ordered = sorted(rows.values(), key=lambda row: int(row["component"]))
        return write_derivative(place.root, path, table(columns, ordered))
