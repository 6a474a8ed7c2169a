"""Which epochs an artefact has spoiled, and views without some of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.epochs import EpochView, epochs_of
from braino_registry.tools.errors import ToolError
from braino_registry.tools.presenting import bounded, rounded
from braino_registry.tools.recording import shown
from braino_registry.tools.state import ToolState

MAX_PROPOSED = 500


class Fate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What becomes of one epoch."""

    epoch: Annotated[int, Meta(description="Its number in the view, from 0.")]
    onset: Annotated[float, Meta(description="Of its event, seconds from the recording's start.")]
    peak_to_peak_uv: Annotated[float, Meta(description="Of the channel that decides.")]
    channel: str
    reason: Annotated[
        Literal["peak_to_peak", "flat"] | None, Meta(description="Null if it is kept.")
    ]


class ProposedEpoch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of a proposal to reject epochs."""

    onset: Annotated[float, Meta(description="Begin of the epoch in s.")]
    duration: Annotated[float, Meta(description="Length of the epoch in s.")]
    epoch: int
    reason: str


class RejectProposal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the decision reject-epochs takes."""

    recording: str
    epochs: list[ProposedEpoch]


class Rejection(Result, frozen=True, kw_only=True):
    """The fate of every epoch."""

    n_epochs: int
    n_exceeding: int
    n_keep: int
    by_channel: Annotated[
        dict[str, int], Meta(description="Epochs that each channel alone would spoil.")
    ]
    fate: Annotated[
        list[Fate], Meta(description="Exceeding ones first; results.page with path fate shows all.")
    ]
    proposal: Annotated[
        RejectProposal, Meta(description="All of them, for the decision reject-epochs.")
    ]


@tool("epochs.reject", version="1.0.0", preview=False)
def reject(
    state: ToolState,
    *,
    view: EpochView,
    peak_to_peak_uv: Annotated[
        float, Meta(description="Largest range of a channel in an epoch in µV.", gt=0)
    ] = 100.0,
    flat_uv: Annotated[
        float, Meta(description="Least range of a channel in an epoch in µV.", ge=0)
    ] = 0.5,
    channels: Annotated[
        list[str] | None,
        Meta(description="Channels to look at; EEG channels not marked bad if left out."),
    ] = None,
) -> Rejection:
    """Say which epochs an artefact has spoiled, and why. It rejects nothing: that is a decision.

    proposal goes as it is into the decision reject-epochs; after the ruling epochs.drop leaves out
    the epochs that were approved. The numbers in the proposal do not count as reported; those in
    fate do.

    Definition: An epoch exceeds if the range (largest minus smallest sample) of some channel is
    above peak_to_peak_uv, or else below flat_uv. Epochs are numbered from 0 in the view. In the
    proposal the onset is the epoch's begin, not its event.

    Example: {"view": "view-2", "peak_to_peak_uv": 150}
    """
    from braino_registry.analysis.rejection import fates

    chosen, plan = epochs_of(state, view)
    bads = set(chosen.recording.bads)
    names = chosen.pick(channels)
    if channels is None:
        names = tuple(name for name in names if name not in bads)
    if not names:
        raise ToolError("every EEG channel is marked bad", "Pass channels.")
    found = fates(
        _ranges_uv(chosen, names), names, peak_to_peak_uv=peak_to_peak_uv, flat_uv=flat_uv
    )
    if found["n_exceeding"] > MAX_PROPOSED:
        raise ToolError(
            f"{found['n_exceeding']} epochs exceed the limits, too many to look at",
            "Filter first, leave out bad channels, or pass higher limits.",
        )
    # of the event and not of the stimulus: a delay that was passed must not come out as a time
    events = [(sample - plan.lag) / chosen.sfreq for sample in plan.samples]
    rows = [{**row, "onset": events[row["epoch"]]} for row in found["fate"]]
    rows.sort(key=lambda row: (row["reason"] is None, row["epoch"]))
    proposed = [
        {
            "onset": round((plan.samples[row["epoch"]] + plan.start) / chosen.sfreq, 6),
            "duration": round((plan.stop - plan.start) / chosen.sfreq, 6),
            "epoch": row["epoch"],
            "reason": f"{row['reason'].replace('_', ' ')} at {row['channel']}",
        }
        for row in rows
        if row["reason"] is not None
    ]
    result = state.results.put("epochs.reject", rounded({"fate": rows}))
    cut, left_out = bounded({"fate": rounded(rows)})
    return msgspec.convert(
        {
            **{key: found[key] for key in ("n_epochs", "n_exceeding", "n_keep", "by_channel")},
            "fate": cut["fate"],
            "proposal": {"recording": chosen.recording.id, "epochs": proposed},
            "result": result,
            **({"truncated": left_out} if left_out else {}),
        },
        Rejection,
    )


def _ranges_uv(view: Any, names: tuple[str, ...]) -> Any:
    """Return the range of every epoch and channel, shape (n_epochs, n_channels), in µV."""
    import numpy as np

    from braino_registry.analysis.epochs import peak_to_peak

    return np.concatenate([peak_to_peak(data) for _, data in view.batches(names)], axis=1) * 1e6


class Dropped(Result, frozen=True, kw_only=True):
    """A view without some epochs."""

    view: Annotated[str, Meta(description="Its id, for erp.average and the spectrum tools.")]
    recording: str
    description: Annotated[str, Meta(description="What was done, and what the view shows.")]


@tool("epochs.drop", version="1.0.0")
def drop(
    state: ToolState,
    *,
    view: EpochView,
    epochs: Annotated[
        list[int], Meta(description="Numbers of epochs as epochs.reject gives them, from 0.")
    ],
) -> Dropped:
    """Leave out epochs by their numbers. The epochs that are left are numbered anew, from 0.

    Pass what the user approved, not what was proposed. An empty list leaves all in.

    Example: {"view": "view-2", "epochs": [3, 17]}
    """
    made = state.views.derive(state.view(view), "drop", {"epochs": sorted(set(epochs))})
    return Dropped(view=made.id, recording=made.recording.id, description=shown(made))
