"""The BIDS tree around the signals: every sidecar in full, in neutral words.

The text files are written here rather than by a converter, because each of their bytes is part
of the dataset's identity and nothing in them may depend on the version of a library, on the
time, or on what is planted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis import bids_ieeg, brainvision
from braino_registry.synthesis.canvas import Canvas, Event
from braino_registry.synthesis.dense import BETWEEN
from braino_registry.synthesis.montage import HEAD_RADIUS, LANDMARKS, POSITIONS
from braino_registry.synthesis.planning import Plan, RecordingPlan

BIDS_VERSION = "1.11.1"
HED_VERSION = "8.4.0"
ENGINE_VERSION = "1.0.0"
"""Version of what the engine writes; it changes when the bytes of a dataset would."""

SPACE = "CapTrak"
README_FIRST_LINE = "SYNTHETIC: these signals were computed, nobody was recorded."

_AXES = (
    "RAS: x to the right, y to the front, z up. Template positions of the 10-10 system on a sphere."
)

CHANNEL_COLUMNS = (
    "name",
    "type",
    "units",
    "description",
    "sampling_frequency",
    "reference",
    "low_cutoff",
    "high_cutoff",
    "notch",
    "status",
    "status_description",
)

_ELECTRODES = {"EEG": "scalp electrode", "SEEG": "depth electrode"}

_COLUMN_NOTES = {
    "onset": {
        "LongName": "Onset",
        "Description": "Time from the start of the recording.",
        "Units": "s",
    },
    "duration": {"LongName": "Duration", "Description": "Length of the event.", "Units": "s"},
    "sample": {
        "LongName": "Sample",
        "Description": "Onset in samples from the start of the recording, counted from 0.",
    },
    "value": {"LongName": "Trigger code", "Description": "Code in the marker file."},
}


def write_json(path: Path, doc: Mapping[str, Any]) -> None:
    """Write a JSON file."""
    path.write_text(
        json.dumps(doc, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
    )


def write_tsv(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a table."""
    lines = ["\t".join(header), *("\t".join(str(cell) for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _seconds(samples: int, sfreq: float) -> str:
    """Return a time with the digits that name its sample without doubt."""
    return f"{samples / sfreq:.7f}".rstrip("0").rstrip(".")


def plain(value: float) -> float | int:
    """Return a number as JSON and tables spell it: whole ones without a point."""
    return int(value) if float(value).is_integer() else value


def write_dataset(root: Path, plan: Plan) -> None:
    """Write the files that concern the dataset as a whole."""
    recipe = plan.recipe
    about = recipe["dataset"]
    write_json(
        root / "dataset_description.json",
        {
            "Name": about["name"],
            "BIDSVersion": BIDS_VERSION,
            "HEDVersion": HED_VERSION,
            "DatasetType": "raw",
            "License": about.get("license", "CC0"),
            "Authors": ["braino-registry contributors", "braino-registry synthesis engine"],
            "SourceDatasets": [],
            "Keywords": ["EEG", "synthetic"],
            "GeneratedBy": [
                {
                    "Name": "braino-registry",
                    "Version": ENGINE_VERSION,
                    "Description": "Computed EEG for testing analyses; no person was recorded.",
                }
            ],
        },
    )
    text = f"{README_FIRST_LINE}\n\n{about['name']}\n\n{about['readme'].strip()}\n"
    (root / "README").write_text(text, encoding="utf-8", newline="\n")
    columns = recipe["participants"].get("columns", {})
    write_tsv(
        root / "participants.tsv",
        ["participant_id", *columns],
        [[f"sub-{label}", *row.values()] for label, row in plan.participants.items()],
    )
    notes: dict[str, Any] = {"participant_id": {"Description": "Label of the participant."}}
    for name, column in columns.items():
        notes[name] = {"Description": column["description"]}
        if "levels" in column:
            notes[name]["Levels"] = column["levels"]
        if "units" in column:
            notes[name]["Units"] = column["units"]
    write_json(root / "participants.json", notes)


def write_event_notes(root: Path, task: str, notes: Mapping[str, Mapping[str, str]]) -> None:
    """Write what the columns and names of a task's events mean, with HED tags."""
    trial_type = {
        "LongName": "Event",
        "Description": "What happened.",
        "Levels": {name: note["description"] for name, note in sorted(notes.items())},
        "HED": {name: note["hed"] for name, note in sorted(notes.items())},
    }
    presented = {
        "OperatingSystem": "n/a",
        "SoftwareName": "n/a",
        "SoftwareVersion": "n/a",
        "ScreenDistance": "n/a",
        "ScreenResolution": "n/a",
        "ScreenSize": "n/a",
    }
    write_json(
        root / f"task-{task}_events.json",
        {**_COLUMN_NOTES, "trial_type": trial_type, "StimulusPresentation": presented},
    )


def write_recording(
    root: Path,
    recording: RecordingPlan,
    task: Mapping[str, Any],
    canvas: Canvas,
    grid: NDArray[np.int16],
) -> None:
    """Write the signals and sidecars of one recording."""
    folder = folder_of(root, recording)
    names, stem = tuple(canvas.ch_types), f"{recording.id}_{recording.datatype}"
    brainvision.write(grid, recording.sfreq, names, canvas.events, folder, stem)
    scheme = "10-05" if BETWEEN.keys() & set(recording.ch_names) else "10-10"
    said = sidecar(recording, task, list(canvas.ch_types.values()), scheme) | canvas.sidecar
    if recording.datatype == "ieeg":
        said = bids_ieeg.sidecar(said, len(canvas.ch_names))
    write_json(folder / f"{stem}.json", said)
    if "channels" not in canvas.missing:
        _write_channels(folder, recording, canvas)
    if canvas.events and "events" not in canvas.missing:
        write_events(folder, recording, canvas.events)
    if recording.datatype == "ieeg":
        bids_ieeg.write_no_positions(folder, _prefix(recording), canvas.ch_names)
    else:
        _write_positions(folder, recording, canvas.ch_names)


def folder_of(root: Path, recording: RecordingPlan) -> Path:
    """Return the folder of a recording, after making it."""
    folder = root / f"sub-{recording.entities['bids_subject']}"
    if "bids_session" in recording.entities:
        folder = folder / f"ses-{recording.entities['bids_session']}"
    folder = folder / recording.datatype
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sidecar(
    recording: RecordingPlan, task: Mapping[str, Any], kinds: Sequence[str], scheme: str
) -> dict[str, Any]:
    """Return the EEG sidecar of a recording.

    Parameters
    ----------
    recording : RecordingPlan
    task : mapping
        Its task, as the recipe describes it.
    kinds : sequence of str
        BIDS type of each channel.
    scheme : str
        How the electrodes were placed.
    """
    return {
        "TaskName": recording.entities["bids_task"],
        "TaskDescription": task["description"],
        "Instructions": task["instructions"],
        "CogAtlasID": "n/a",
        "CogPOID": "n/a",
        "InstitutionName": "n/a",
        "InstitutionAddress": "n/a",
        "InstitutionalDepartmentName": "n/a",
        "Manufacturer": "n/a",
        "ManufacturersModelName": "n/a",
        "DeviceSerialNumber": "n/a",
        "SoftwareVersions": "n/a",
        "CapManufacturer": "n/a",
        "CapManufacturersModelName": "n/a",
        "SamplingFrequency": plain(recording.sfreq),
        "PowerLineFrequency": plain(recording.line_frequency),
        "EEGReference": recording.reference,
        "EEGGround": recording.ground,
        "EEGPlacementScheme": scheme,
        "EEGChannelCount": kinds.count("EEG"),
        "ECGChannelCount": kinds.count("ECG"),
        "EMGChannelCount": kinds.count("EMG"),
        "EOGChannelCount": kinds.count("EOG"),
        "MISCChannelCount": kinds.count("MISC"),
        "TriggerChannelCount": 0,
        "RecordingType": "continuous",
        "RecordingDuration": plain(recording.n_times / recording.sfreq),
        "HeadCircumference": 56,
        "HardwareFilters": "n/a",
        "SoftwareFilters": "n/a",
        "SubjectArtefactDescription": "n/a",
    }


def _write_channels(folder: Path, recording: RecordingPlan, canvas: Canvas) -> None:
    table, sfreq = canvas.table, plain(recording.sfreq)
    high = "n/a" if table.high_cutoff_hz is None else plain(table.high_cutoff_hz)
    rows = []
    for name, kind in canvas.ch_types.items():
        if name in table.left_out:
            continue
        beside = name in canvas.body
        described = canvas.body[name].description if beside else _ELECTRODES[kind]
        reference = "n/a" if beside else recording.reference
        what = [table.renamed.get(name, name), kind, table.units, described, sfreq, reference]
        # Nobody has looked at the channels yet, so none is called bad.
        rows.append([*what, "n/a", high, "n/a", "good", "n/a"])
    header: Sequence[str] = CHANNEL_COLUMNS
    if recording.datatype == "ieeg":
        header, rows = bids_ieeg.in_order(header, rows)
    write_tsv(folder / f"{recording.id}_channels.tsv", header, rows)


def write_events(folder: Path, recording: RecordingPlan, events: Sequence[Event]) -> None:
    """Write the table of events of one recording."""
    rows = [
        [
            _seconds(event.sample, recording.sfreq),
            _seconds(event.duration, recording.sfreq),
            event.sample,
            event.trial_type,
            event.value,
        ]
        for event in events
    ]
    header = ["onset", "duration", "sample", "trial_type", "value"]
    write_tsv(folder / f"{recording.id}_events.tsv", header, rows)


def _prefix(recording: RecordingPlan) -> str:
    """Return what the names of files that concern all runs begin with."""
    keys = {"bids_subject": "sub", "bids_session": "ses"}
    return "_".join(
        f"{short}-{recording.entities[name]}"
        for name, short in keys.items()
        if name in recording.entities
    )


def _write_positions(folder: Path, recording: RecordingPlan, ch_names: Sequence[str]) -> None:
    prefix = _prefix(recording)
    rows = [[name, *(f"{HEAD_RADIUS * axis:.5f}" for axis in POSITIONS[name])] for name in ch_names]
    write_tsv(folder / f"{prefix}_space-{SPACE}_electrodes.tsv", ["name", "x", "y", "z"], rows)
    landmarks = {
        name: [round(HEAD_RADIUS * axis, 5) for axis in place] for name, place in LANDMARKS.items()
    }
    write_json(
        folder / f"{prefix}_space-{SPACE}_coordsystem.json",
        {
            "EEGCoordinateSystem": SPACE,
            "EEGCoordinateUnits": "m",
            "EEGCoordinateSystemDescription": _AXES,
            # Landmarks are the points of the head, fiducials what marks them: here the same.
            "AnatomicalLandmarkCoordinates": landmarks,
            "AnatomicalLandmarkCoordinateSystem": SPACE,
            "AnatomicalLandmarkCoordinateUnits": "m",
            "AnatomicalLandmarkCoordinateSystemDescription": _AXES,
            "FiducialsCoordinates": landmarks,
            "FiducialsCoordinateSystem": SPACE,
            "FiducialsCoordinateUnits": "m",
            "FiducialsCoordinateSystemDescription": _AXES,
        },
    )
