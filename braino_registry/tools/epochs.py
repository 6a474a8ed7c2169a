"""Epochs around events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.recording import View, shown
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.recordings.views import Epochs
    from braino_registry.recordings.views import View as ViewObject


EpochView = Annotated[str, Meta(description="A view of epochs, from epochs.make.")]


Event = Annotated[
    str | list[str],
    Meta(description="A trial_type of recording.info, or else a value; or several as one kind."),
]
Delay = Annotated[
    float, Meta(description="Seconds from the event to its stimulus, added to every onset.")
]
Baseline = Annotated[
    tuple[float, float] | None,
    Meta(description="Interval in seconds whose mean is subtracted, end not included."),
]
LargestSpan = Annotated[
    Annotated[float, Meta(gt=0)] | None,
    Meta(description="Drop epochs with a larger peak-to-peak amplitude in µV."),
]


def epochs_of(state: ToolState, view: str) -> tuple[ViewObject, Epochs]:
    """Return a view that consists of epochs, and which they are.

    Raises
    ------
    ToolError
        If it does not.
    """
    chosen = state.view(view)
    if chosen.epochs is None:
        raise ToolError(
            f"{view} does not consist of epochs", "Make epochs of it first with epochs.make."
        )
    return chosen, chosen.epochs


class EpochsMade(Result, frozen=True, kw_only=True):
    """A view that consists of epochs."""

    view: Annotated[str, Meta(description="Its id, for erp.average and the spectrum tools.")]
    recording: str
    description: Annotated[str, Meta(description="What was done, and what the view shows.")]
    n_epochs: Annotated[int, Meta(description="Epochs kept.")]
    n_events: Annotated[int, Meta(description="Events of these names in the view.")]
    n_outside: Annotated[int, Meta(description="Without a complete epoch.")]
    n_rejected: Annotated[int, Meta(description="Rejected by amplitude.")]


@tool("epochs.make", version="1.0.0")
def make(
    state: ToolState,
    *,
    view: View,
    event: Event,
    delay: Delay = 0.0,
    tmin: Annotated[float, Meta(description="Seconds from the event.")] = -0.2,
    tmax: Annotated[float, Meta(description="Seconds from the event; not included.")] = 0.8,
    baseline: Baseline = (-0.2, 0.0),
    reject_uv: LargestSpan = None,
) -> EpochsMade:
    """Cut epochs around events, subtract the baseline, and drop those with a large artifact.

    Filter first: epochs cannot be filtered. baseline null leaves the baseline in. Several names,
    the trigger codes of all targets say, make one kind of event.

    Definition: Time 0 is the sample nearest to the event's onset plus delay; an epoch holds the
    samples with tmin <= t < tmax and must be complete. The baseline is the mean over b0 <= t < b1,
    per epoch and channel. Rejection looks at EEG channels that are not marked bad, after the
    baseline.

    Example: {"view": "view-1", "event": "target", "tmin": -0.2, "tmax": 0.8, "baseline": [-0.2,
    0]}
    """
    params = {
        "event": event,
        "delay": delay,
        "tmin": tmin,
        "tmax": tmax,
        "baseline": None if baseline is None else list(baseline),
        "reject_uv": reject_uv,
    }
    made = state.views.derive(state.view(view), "epochs", params)
    plan = made.epochs
    assert plan is not None
    return EpochsMade(
        view=made.id,
        recording=made.recording.id,
        description=shown(made),
        n_epochs=len(plan.samples),
        n_events=plan.n_found,
        n_outside=plan.n_outside,
        n_rejected=plan.n_rejected,
    )
