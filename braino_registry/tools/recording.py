"""What is known of a recording or view without looking at its signal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from braino_registry.recordings.recording import event_name
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.recordings.views import View as ViewObject

View = Annotated[str, Meta(description="A recording's id, or a view's (view-1, view-2, …).")]


class Info(Result, frozen=True, kw_only=True):
    """Facts about a view."""

    view: str
    recording: str
    description: Annotated[str, Meta(description="What was done to the recording for this view.")]
    ch_names: list[str]
    n_channels: int
    ch_types: Annotated[dict[str, int], Meta(description="Channels per type.")]
    sfreq: Annotated[float, Meta(description="Of the recording, Hz.")]
    duration: Annotated[float, Meta(description="Of the recording, seconds.")]
    events: Annotated[dict[str, int], Meta(description="Events per trial_type (else value).")]
    event_values: Annotated[
        dict[str, int] | UnsetType, Meta(description="Events per value, beside trial_type.")
    ] = UNSET
    n_events: int
    events_source: Annotated[str, Meta(description="events.tsv, data file or none.")]
    n_epochs: Annotated[int | None, Meta(description="Set if the view consists of epochs.")]
    bads: Annotated[list[str], Meta(description="Channels that channels.tsv marks bad.")]
    line_freq: Annotated[
        float | None, Meta(description="Mains frequency in Hz as the sidecar states it, or null.")
    ]
    reference: Annotated[str | None, Meta(description="As the sidecar states it, or null.")]
    slower_channels_hz: Annotated[
        dict[str, float] | UnsetType,
        Meta(description="Rate in Hz of channels recorded at another rate; see preprocess.pick."),
    ] = UNSET
    sidecars_missing: list[str]
    notes: list[str]


@tool("recording.info", version="1.0.0", aliases=("RecordingLoader",))
def info(state: ToolState, *, view: View) -> Info:
    """Describe a recording or view: channels and their types, rate, duration, events, bad channels.

    Channel types say what was recorded: without an ecg channel there is no heart rate, without an
    emg channel no muscle tone. line_freq and reference are what the sidecar states, true or not.

    Definition: sfreq (of the fastest channel) and duration are the recording's, whatever the view
    shows; the duration is the number of samples over the sampling rate. Events are the rows of
    events.tsv that have an onset inside the view, counted by trial_type, or by value where there is
    no trial_type; without events.tsv the markers in the data file.

    Example: {"view": "sub-01_task-rest"}
    """
    chosen = state.view(view)
    recording = chosen.recording
    events = chosen.events
    both = any(event.get("trial_type") and event.get("value") for event in events)
    slower: dict[str, float] = {}
    if not chosen.signal.steps:
        rates = zip(recording.ch_names, recording.channel_sfreqs, strict=True)
        slower = {name: rate for name, rate in rates if rate != recording.sfreq}
    return Info(
        view=chosen.id,
        recording=recording.id,
        description=shown(chosen),
        ch_names=list(chosen.ch_names),
        n_channels=len(chosen.ch_names),
        ch_types=dict(Counter(chosen.ch_types)),
        sfreq=recording.sfreq,
        duration=recording.duration,
        events=dict(Counter(event_name(event) for event in events)),
        event_values=_values(events) if both else UNSET,
        n_events=len(events),
        events_source=recording.events_source,
        n_epochs=None if chosen.epochs is None else len(chosen.epochs.samples),
        bads=[name for name in recording.bads if name in chosen.ch_names],
        line_freq=recording.line_freq,
        reference=recording.reference,
        slower_channels_hz=slower or UNSET,
        sidecars_missing=list(recording.sidecars_missing),
        notes=list(recording.notes),
    )


def _values(events: list[dict[str, Any]]) -> dict[str, int]:
    return dict(Counter(str(e["value"]) for e in events if e.get("value") is not None))


def shown(view: ViewObject) -> str:
    """Return in words what a view shows.

    Rates, windows and filter edges were chosen by whoever made the view. They are told in a text
    that explains and not in fields of their own, because a number that was only passed in must not
    come out as one that a tool reported.
    """
    steps = [_told(step) for step in view.history] or ["as recorded"]
    length = "per epoch" if view.epochs is not None else "of signal"
    steps.append(f"{view.n_times / view.sfreq:g} s {length} at {view.sfreq:g} Hz")
    return "; ".join(steps)


def _told(step: Mapping[str, Any]) -> str:
    given = [f"{key}={value}" for key, value in step.items() if key != "op" and value is not None]
    return " ".join([str(step["op"]), *given])
