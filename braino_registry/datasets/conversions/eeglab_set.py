"""EEGLAB ``.set`` with its ``.fdt`` to BIDS, continuous recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from braino_registry.datasets.bids_tree import FACTS_SCHEMA, Signals, write_dataset
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "channel_types": {
            "type": "object",
            "description": "BIDS type of each channel that is not EEG.",
            "additionalProperties": {"enum": ["EOG", "ECG", "EMG", "MISC", "TRIG"]},
        },
        "event_columns": {
            "type": "array",
            "description": "Further EEGLAB event fields that become columns of events.tsv.",
            "items": {"type": "string", "not": {"enum": ["type", "latency", "duration"]}},
        },
        "bids": FACTS_SCHEMA,
    },
    "required": ["channel_types", "event_columns", "bids"],
    "additionalProperties": False,
}


@conversion("eeglab-set", version="1.0.0", parameters=PARAMETERS)
def eeglab_set(work: Work) -> None:
    """Write each ``.set`` as a BrainVision recording of 32-bit floats in µV.

    Sample values are those of the ``.fdt``, which EEGLAB keeps as 32-bit floats in µV. An event
    begins ``(latency - 1) / srate`` seconds after the first sample: EEGLAB counts samples from 1,
    in fractions of a sample. Positions are left out: EEGLAB's are idealised ones that the channel
    names imply, and BIDS keeps positions for electrodes that were located.
    """
    signals = [_read(work, recording) for recording in work.recordings]
    write_dataset(work.out, work.doc, work.parameters["bids"], signals)


def _read(work: Work, recording: SourceRecording) -> Signals:
    import mne

    path = work.sources[recording.files[0]]
    raw = mne.io.read_raw_eeglab(path, verbose="error")
    head = _header(path)
    types = work.parameters["channel_types"]
    absent = sorted(set(types) - set(raw.ch_names))
    if absent:
        raise EntryError(
            f"{recording.id} has no channel {absent[0]!r}",
            where="$.conversion.parameters.channel_types",
            hint=f"Channels: {', '.join(raw.ch_names)}.",
        )
    return Signals(
        entities=recording.entities,
        ch_names=raw.ch_names,
        ch_types=[types.get(name, "EEG") for name in raw.ch_names],
        data=raw.get_data(),
        sfreq=float(raw.info["sfreq"]),
        step_uv=None,
        events=_events(head, work.parameters["event_columns"]),
    )


def _header(path: Path) -> dict[str, Any]:
    """Return the EEG structure of a ``.set``, whose further event fields MNE does not keep."""
    from scipy.io import loadmat

    document = loadmat(path, simplify_cells=True)
    header: dict[str, Any] = document.get("EEG", document)
    return header


def _events(head: dict[str, Any], columns: list[str]) -> list[dict[str, Any]]:
    import numpy as np

    rows = []
    for event in head["event"]:
        row: dict[str, Any] = {
            "onset": (float(event["latency"]) - 1.0) / float(head["srate"]),
            "duration": float(event.get("duration", 0) or 0) / float(head["srate"]),
            "trial_type": str(event["type"]),
        }
        # EEGLAB writes an empty array where an event has no value for a field.
        row |= {name: event[name] for name in columns if np.size(event[name]) == 1}
        rows.append(row)
    return sorted(rows, key=lambda row: float(row["onset"]))
