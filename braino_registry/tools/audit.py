"""What contradicts itself in a dataset: sidecars and events."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.quality import _require_continuous
from braino_registry.tools.recording import View
from braino_registry.tools.state import ToolState

MAX_FIELDS = 60
MAX_FIELD = 500


class ProblemRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One problem of one recording."""

    recording: str
    kind: str
    text: str
    header: str | UnsetType = UNSET
    stated: str | UnsetType = UNSET
    file: str | UnsetType = UNSET


class Audit(Result, frozen=True, kw_only=True):
    """What contradicts itself or is missing."""

    n_recordings: Annotated[int, Meta(description="How many were looked at.")]
    n_problems: int
    recordings: Annotated[list[str], Meta(description="Those with a problem.")]
    kinds: Annotated[dict[str, list[str]], Meta(description="Recordings by kind of problem.")]
    problems: Annotated[
        list[ProblemRow],
        Meta(description="header: the data file or its signal; stated: what the sidecar says."),
    ]


@tool("dataset.audit", version="1.0.0")
def dataset_audit(
    state: ToolState,
    *,
    recordings: Annotated[
        list[str] | None, Meta(description="Ids of recordings; all if left out.")
    ] = None,
) -> Audit:
    """Hold the sidecars of recordings against the header of their data file and their signal.

    Looks at a few seconds of each signal. What a sidecar does not state contradicts nothing.

    Definition: sampling_frequency: SamplingFrequency (or the column in channels.tsv) is not the
    header's rate. duration: RecordingDuration is off by more than 0.1 %. channel_count:
    EEGChannelCount (EOG, ECG, EMG) is not the number of such channels. channel_names: channels.tsv
    names other channels. units: the unit in channels.tsv is not the header's. scale: median SD of
    EEG channels below 0.5 or above 1000 µV. power_line: stated mains are neither 50 nor 60 Hz, or
    not those of most recordings. other_rate: not the rate of most recordings of the task.
    missing_file, unreadable.

    Example: {"recordings": ["sub-01_task-rest"]}
    """
    from braino_registry.recordings.audit import audit

    if recordings is not None and len(set(recordings)) != len(recordings):
        raise ToolError("a recording is named twice", "Name each once, or leave them out for all.")
    return msgspec.convert(audit(state.tree, recordings), Audit)


class Sidecar(Result, frozen=True, kw_only=True):
    """What eeg.json states."""

    recording: str
    software_filters: Annotated[
        str | None, Meta(description="Filters that were applied before the file was written.")
    ]
    hardware_filters: str | None
    power_line_hz: Annotated[float | None, Meta(description="As stated, or null.")]
    reference: str | None
    fields: Annotated[dict[str, str], Meta(description="Everything in the JSON sidecar, as text.")]
    sidecars_missing: list[str]


@tool("recording.sidecar", version="1.0.0")
def sidecar(state: ToolState, *, view: View) -> Sidecar:
    """Show what the JSON sidecar of a recording states: filters, reference, device, instructions.

    It says what was done before the file was written, true or not: a low-pass in software_filters
    has removed everything above it.

    Definition: The eeg.json files that apply, merged, the most specific last; n/a is null.

    Example: {"view": "sub-01_task-rest"}
    """
    recording = state.view(view).recording
    stated = recording.sidecar
    return Sidecar(
        recording=recording.id,
        software_filters=_text(stated.get("SoftwareFilters")),
        hardware_filters=_text(stated.get("HardwareFilters")),
        power_line_hz=recording.line_freq,
        reference=recording.reference,
        fields={
            str(key)[:MAX_FIELD]: text
            for key, value in list(stated.items())[:MAX_FIELDS]
            if (text := _text(value)) is not None
        },
        sidecars_missing=list(recording.sidecars_missing),
    )


def _text(value: Any) -> str | None:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return None if text.strip().lower() in ("", "n/a", "null") else text[:MAX_FIELD]


class EventList(Result, frozen=True, kw_only=True):
    """Rows of events.tsv."""

    n_events: int
    columns: list[str]
    events: Annotated[
        list[dict[str, str | float | None]], Meta(description="onset and duration in seconds.")
    ]
    events_source: Annotated[str, Meta(description="events.tsv, data file or none.")]


Names = Annotated[
    str | list[str] | None, Meta(description="Names that recording.info counts; all if left out.")
]


def _chosen(state: ToolState, view: str, event: str | list[str] | None) -> list[dict[str, Any]]:
    """Return the events of a view that have one of the names."""
    from braino_registry.recordings.errors import unknown
    from braino_registry.recordings.recording import event_name

    events = state.view(view).events
    if event is None:
        return events
    known = sorted({event_name(one) for one in events})
    wanted = [event] if isinstance(event, str) else event
    for name in wanted:
        if name not in known:
            raise unknown("event", name, known)
    return [one for one in events if event_name(one) in wanted]


@tool("events.list", version="1.0.0")
def events_list(state: ToolState, *, view: View, event: Names = None) -> EventList:
    """List the events of a recording, row by row, with all columns of events.tsv.

    Definition: Onset in seconds from the first sample, by onset; of a cropped view the events
    inside it.

    Example: {"view": "sub-01_task-rest", "event": "target"}
    """
    rows = _chosen(state, view, event)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return EventList(
        n_events=len(rows),
        columns=columns,
        events=[{name: row.get(name) for name in columns} for row in rows],
        events_source=state.view(view).recording.events_source,
    )


class EventRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event."""

    trial_type: str
    onset: Annotated[float, Meta(description="Seconds.")]


class LateRow(EventRow, frozen=True, kw_only=True):
    """One event whose partner came late."""

    latency_ms: float


class Gap(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An interval that holds a missing event."""

    onset: Annotated[float, Meta(description="Of the event before the gap, seconds.")]
    interval_s: float
    n_missed: int


class EventAudit(Result, frozen=True, kw_only=True):
    """What is wrong with events."""

    counts: Annotated[dict[str, int], Meta(description="Events per name, duplicates included.")]
    n_events: int
    n_duplicates: int
    duplicates: list[EventRow]
    n_outside: int
    outside: list[EventRow]
    median_interval_s: Annotated[float | None, Meta(description="Null with fewer than three.")]
    min_interval_s: float | None
    max_interval_s: float | None
    n_gaps: int
    n_missed: Annotated[int, Meta(description="Events that the gaps have room for.")]
    gaps: list[Gap]
    n_paired: int
    n_unpaired: int
    n_extra: Annotated[int, Meta(description="Partners without an event before.")]
    median_latency_ms: float | None
    mean_latency_ms: float | None
    min_latency_ms: float | None
    max_latency_ms: float | None
    n_late: int
    late: list[LateRow]
    unpaired: list[EventRow]


@tool("events.audit", version="1.0.0")
def events_audit(
    state: ToolState,
    *,
    view: View,
    event: Names = None,
    paired_with: Annotated[
        str | None, Meta(description="Events that follow each: a response, a photodiode.")
    ] = None,
    paired_channel: Annotated[
        str | None,
        Meta(description="Instead: a channel that goes up after each, such as a photodiode's."),
    ] = None,
    max_latency_s: Annotated[
        Literal[1, 2, 3, 5], Meta(description="Longest time from an event to its partner.")
    ] = 2,
    late_ms: Annotated[
        float, Meta(description="Late if this much slower than the median latency.", gt=0)
    ] = 20.0,
) -> EventAudit:
    """Look for trouble with triggers: duplicates, gaps, events outside, late or missing partners.

    Gaps and partners are looked for among the events named in event, all others than paired_with
    if left out.

    Definition: Duplicate: at most 20 ms after another event of its name. Outside: onset below 0 or
    after the end. Gap: an interval of more than 1.5 times the median interval; n_missed is interval
    / median, rounded, minus 1. Partner: the first event paired_with from the event on, before the
    next event and within max_latency_s. Late: latency more than late_ms above the median latency.
    Duplicates and events outside are left out of gaps, partners and latencies. A channel goes up at
    the first sample above 60 % of the way from its 0.1st to its 99.9th percentile, after it was
    below 40 %.

    Example: {"view": "sub-01_task-rest", "event": "stimulus", "paired_with": "response"}
    """
    from braino_registry.analysis.events import audit

    chosen = state.view(view)
    if event is not None:
        _chosen(state, view, event)
    if paired_with is not None:
        _chosen(state, view, paired_with)
        if paired_with in ([event] if isinstance(event, str) else event or []):
            raise ToolError(
                f"{paired_with!r} cannot be its own partner", "Pass another event or paired_with."
            )
    partners = None
    if paired_channel is not None:
        from braino_registry.recordings.operations import analyse

        if paired_with is not None:
            raise ToolError("events have partners of one kind", "Pass one of the two.")
        _require_continuous(chosen)
        partners = analyse("events.edges", chosen, [paired_channel])["onsets"]
    if not chosen.events:
        raise ToolError(f"{view} has no events", "Choose another recording.")
    found = audit(
        chosen.events,
        chosen.recording.duration,
        event=event,
        paired_with=paired_with,
        max_latency=float(max_latency_s),
        late_ms=late_ms,
        partners=partners,
    )
    return msgspec.convert(found, EventAudit)
