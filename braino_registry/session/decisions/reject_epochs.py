"""``reject-epochs``: writes the rejected stretches as events of a derivative."""

from __future__ import annotations

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
    Proposal,
    decision_kind,
)

if TYPE_CHECKING:
    from braino_registry.recordings.recording import Recording


class Epoch(Proposal):
    """One stretch of a recording."""

    onset: Annotated[
        float,
        msgspec.Meta(
            ge=-1e7, le=1e7, description="Its start in s from the start of the recording."
        ),
    ]
    duration: Annotated[float, msgspec.Meta(gt=0, le=1e7, description="Its length in s, above 0.")]
    epoch: Annotated[
        Annotated[int, msgspec.Meta(ge=0)] | None,
        msgspec.Meta(description="Its number in the view that it comes from, counted from 0."),
    ] = None
    reason: Annotated[
        Annotated[str, msgspec.Meta(max_length=500)] | None,
        msgspec.Meta(description="Why it is rejected."),
    ] = None


class RejectEpochs(AboutRecording, kw_only=True):
    """Epochs that are to be left out of all averages, beside those rejected before."""

    epochs: Annotated[
        list[Epoch], msgspec.Meta(max_length=20_000, description="The stretches to leave out.")
    ]


@decision_kind
class RejectEpochsKind(DecisionKind):
    """Reject epochs."""

    name = "reject-epochs"
    version = "1.0.0"
    description = (
        "Rejects epochs, given by onset and duration in s: "
        "derivatives/braino/…_desc-rejected_events.tsv."
    )
    proposal = RejectEpochs
    example: ClassVar[Mapping[str, Any]] = {
        "epochs": [{"onset": 12.5, "duration": 1.0, "reason": "blink"}]
    }

    def examine(self, proposal: RejectEpochs, recording: Recording) -> None:
        """Refuse epochs that do not touch the recording."""
        length = recording.duration
        for epoch in proposal.epochs:
            if epoch.onset >= length or epoch.onset + epoch.duration <= 0:
                raise DecisionError(
                    f"the epoch at {epoch.onset:g} s lies outside {recording.id}",
                    f"Pass onset in seconds from the start; the recording is {length:g} s long.",
                )

    def apply(self, proposal: RejectEpochs, place: Place) -> list[Path]:
        """Add the epochs to the table of rejected epochs."""
        recording = place.recording_of(proposal.recording)
        path = derivative(place.root, recording, "desc-rejected_events.tsv")
        rows = {(row["onset"], row["duration"]): row for row in read_table(path)}
        for epoch in proposal.epochs:
            row = {
                "onset": one_line(epoch.onset),
                "duration": one_line(epoch.duration),
                "trial_type": "rejected",
                "epoch": one_line(epoch.epoch),
                "reason": one_line(epoch.reason),
            }
            rows[row["onset"], row["duration"]] = row
        columns = ["onset", "duration", "trial_type", "epoch", "reason"]
        ordered = sorted(rows.values(), key=lambda row: float(row["onset"]))
        return write_derivative(place.root, path, table(columns, ordered))
