"""What the dataset holds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from braino_registry.errors import close_matches
from braino_registry.recordings.errors import RecordingError
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

Entity = Annotated[str | list[str] | None, Meta(description="One value, or several.")]


class RecordingRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One recording of the dataset."""

    recording: Annotated[str, Meta(description="Its id, which every signal tool takes as view.")]
    bids_subject: str
    bids_session: str | UnsetType = UNSET
    bids_task: str | UnsetType = UNSET
    bids_acquisition: str | UnsetType = UNSET
    bids_run: str | UnsetType = UNSET
    n_channels: int | None
    sfreq: Annotated[float | None, Meta(description="Hz.")]
    duration: Annotated[float | None, Meta(description="Seconds.")]


class Inspection(Result, frozen=True, kw_only=True):
    """What a dataset holds."""

    name: str | None
    n_subjects: int
    subjects: list[str]
    n_recordings: int
    recordings: list[RecordingRow]
    tasks: list[str]
    sessions: list[str]
    participants_columns: list[str]
    missing: Annotated[list[str], Meta(description="Files that BIDS asks for and are not there.")]


@tool("dataset.inspect", version="1.0.0")
def inspect(state: ToolState) -> Inspection:
    """Say what the dataset holds: subjects, recordings, tasks, sessions, missing files.

    Begin here. The recordings' ids are what the other tools take as view. Columns of
    participants.tsv are named; dataset.participants shows them.

    Definition: Subjects are the sub-* folders and the rows of participants.tsv together. The
    duration is the number of samples over the sampling rate; sfreq is that of the fastest channel.

    Example: {}
    """
    tree = state.tree
    description = tree.description()
    table = tree.participants()
    missing = [] if description is not None else ["dataset_description.json"]
    missing += [] if table is not None else ["participants.tsv"]
    rows = []
    for identifier in tree.recordings():
        recording = tree.open(identifier)
        missing += [f"{identifier}_{name}" for name in recording.sidecars_missing]
        row: dict[str, Any] = {
            "recording": identifier,
            **{k: v for k, v in recording.entities.items() if k in RecordingRow.__struct_fields__},
            "n_channels": None,
            "sfreq": None,
            "duration": None,
        }
        try:
            row["n_channels"] = len(recording.ch_names)
            row["sfreq"], row["duration"] = recording.sfreq, recording.duration
        except RecordingError as error:
            missing.append(f"{identifier}: {error.problem}")
        rows.append(RecordingRow(**row))
    subjects = tree.subjects()
    return Inspection(
        name=str(description["Name"]) if description and description.get("Name") else None,
        n_subjects=len(subjects),
        subjects=list(subjects),
        n_recordings=len(rows),
        recordings=rows,
        tasks=_distinct(row.bids_task for row in rows),
        sessions=_distinct(row.bids_session for row in rows),
        participants_columns=[] if table is None else list(table.columns),
        missing=missing,
    )


def _distinct(labels: Iterable[str | UnsetType]) -> list[str]:
    return sorted({label for label in labels if not isinstance(label, UnsetType)})


class Found(Result, frozen=True, kw_only=True):
    """Files that a query found."""

    n_found: int
    files: Annotated[list[str], Meta(description="Paths within the dataset.")]
    recordings: Annotated[list[str], Meta(description="Ids of the recordings among them.")]


@tool("dataset.query", version="1.0.0")
def query(
    state: ToolState,
    *,
    bids_subject: Entity = None,
    bids_session: Entity = None,
    bids_task: Entity = None,
    bids_run: Entity = None,
    bids_acquisition: Entity = None,
    datatype: Annotated[str | None, Meta(description="For example eeg.")] = None,
    suffix: Annotated[str | None, Meta(description="For example eeg, events, channels.")] = None,
    extension: Annotated[str | None, Meta(description="For example .vhdr, .edf, .tsv.")] = None,
) -> Found:
    """Find files by BIDS entities; all conditions must hold, none gives every file.

    Values are labels without the entity's key: bids_subject "02", not "sub-02".

    Example: {"bids_subject": "01", "suffix": "eeg"}
    """
    given = {
        "bids_subject": bids_subject,
        "bids_session": bids_session,
        "bids_task": bids_task,
        "bids_run": bids_run,
        "bids_acquisition": bids_acquisition,
        "datatype": datatype,
        "suffix": suffix,
        "extension": extension,
    }
    layout = state.tree.layout
    filters = {
        name.removeprefix("bids_"): _labels(
            layout, name, [value] if isinstance(value, str) else value
        )
        for name, value in given.items()
        if value is not None
    }
    root = state.tree.root.resolve()
    found = (Path(path).resolve() for path in layout.get(return_type="filename", **filters))
    files = sorted(path.relative_to(root).as_posix() for path in found)
    known = {
        state.tree.open(identifier).path.resolve().relative_to(root).as_posix(): identifier
        for identifier in state.tree.recordings()
    }
    recordings = [known[name] for name in files if name in known]
    return Found(n_found=len(files), files=files, recordings=recordings)


def _labels(layout: Any, name: str, given: str | list[str]) -> list[Any]:
    """Return the values of an entity as the index knows them: runs are numbers, 1 is 01."""
    labels = [given] if isinstance(given, str) else given
    entities = layout.get_entities()
    entity = name.removeprefix("bids_")
    values = list(entities[entity].unique()) if entity in entities else []
    known = sorted(str(value) for value in values)
    chosen = []
    for label in labels:
        matches = [value for value in values if _same(str(value), label)]
        if not matches:
            raise ToolError(f"no file has {name} {label!r}", close_matches(label, known))
        chosen += matches
    return chosen


def _same(value: str, label: str) -> bool:
    return value == label or (value.isdecimal() and label.isdecimal() and int(value) == int(label))


class Participants(Result, frozen=True, kw_only=True):
    """Rows of participants.tsv."""

    columns: list[str]
    n_participants: int
    participants: Annotated[
        list[dict[str, str | None]],
        Meta(description="One row per subject: bids_subject and the columns asked for."),
    ]


@tool("dataset.participants", version="1.0.0")
def participants(
    state: ToolState,
    *,
    columns: Annotated[
        list[str] | None, Meta(description="Columns to show; all if left out.")
    ] = None,
) -> Participants:
    """Show participants.tsv: one row per subject, with group, age and whatever else is recorded.

    Example: {"columns": ["age", "sex"]}
    """
    table = state.tree.participants()
    if table is None:
        raise ToolError(
            "the dataset has no participants.tsv", "Use dataset.inspect for the list of subjects."
        )
    known = [name for name in table.columns if name != "participant_id"]
    chosen = known if columns is None else columns
    for name in chosen:
        if name not in known:
            raise ToolError(f"participants.tsv has no column {name!r}", close_matches(name, known))
    rows: list[dict[str, str | None]] = [
        {
            "bids_subject": (row.get("participant_id") or "").removeprefix("sub-"),
            **{name: row.get(name) for name in chosen},
        }
        for row in table.rows
    ]
    return Participants(columns=list(chosen), n_participants=len(rows), participants=rows)
