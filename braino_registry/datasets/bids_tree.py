"""Write a BIDS tree from a source's signals and from what is known about it, and nothing else.

Sidecars are written here and not by mne-bids, for two reasons. A field that the source does not
state is ``n/a``: mne-bids fills filter edges from the Nyquist frequency and event values from a
counter, which a reader cannot tell from facts. And the bytes must be equal on every machine and
stay so when a library is upgraded, since their digest is recorded. Signals go through pybv;
reading the tree back with mne-bids is part of the tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import EntryError
from braino_registry.registry.entries import ENTITIES, recording_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BIDS_VERSION = "1.11.1"
_COUNTED = {
    "EEG": "EEG", "ECG": "ECG", "EMG": "EMG", "EOG": "EOG", "MISC": "MISC", "TRIG": "Trigger",
}  # fmt: skip


@dataclass(frozen=True)
class Signals:
    """What one recording holds.

    Parameters
    ----------
    entities : Mapping
        ``bids_subject``, ``bids_task`` and so on.
    ch_names : sequence of str
        Unique names.
    ch_types : sequence of str
        BIDS channel types, for example ``"EEG"`` and ``"EOG"``.
    data : array, shape (n_channels, n_times)
        In volts.
    sfreq : float
        Samples per second.
    step_uv : float | None
        Store 16-bit integers of this many µV, which must hold the data exactly; None stores 32-bit
        floats.
    events : sequence of Mapping
        Rows with ``onset`` and ``duration`` in seconds, ``trial_type``, and further columns.
    """

    entities: Mapping[str, str]
    ch_names: Sequence[str]
    ch_types: Sequence[str]
    data: NDArray[np.float64]
    sfreq: float
    step_uv: float | None
    events: Sequence[Mapping[str, Any]] = ()

    @property
    def id(self) -> str:
        """The recording's identifier."""
        return str(recording_id(self.entities))


def write_dataset(
    root: Path, doc: Mapping[str, Any], facts: Mapping[str, Any], signals: Sequence[Signals]
) -> None:
    """Write a whole BIDS dataset.

    Parameters
    ----------
    root : Path
        An empty folder.
    doc : Mapping
        The dataset entry: title, upstream, licence, citation, conversion.
    facts : Mapping
        The conversion's parameter ``bids``: see `FACTS_SCHEMA`.
    signals : sequence of Signals
        The recordings.
    """
    _write_json(root / "dataset_description.json", _description(doc, facts))
    (root / "README.md").write_text(_readme(doc, facts), encoding="utf-8", newline="\n")
    _write_participants(root, signals)
    for one in signals:
        write_recording(root, one, facts)


def write_recording(root: Path, signals: Signals, facts: Mapping[str, Any]) -> None:
    """Write one recording with its sidecars below ``root``."""
    parts = [f"{ENTITIES[key]}-{signals.entities[key]}" for key in ("bids_subject", "bids_session")
             if key in signals.entities]  # fmt: skip
    folder = root.joinpath(*parts, "eeg")
    folder.mkdir(parents=True, exist_ok=True)
    _write_signal(folder, f"{signals.id}_eeg", signals)
    _write_json(folder / f"{signals.id}_eeg.json", _sidecar(signals, facts))
    _write_channels(folder / f"{signals.id}_channels.tsv", signals)
    if signals.events:
        columns = ["onset", "duration", "trial_type"]
        columns += sorted({key for row in signals.events for key in row} - set(columns))
        rows = [{**row, **{key: _plain(round(row[key], 6)) for key in columns[:2]}}
                for row in signals.events]  # fmt: skip
        _write_tsv(folder / f"{signals.id}_events.tsv", columns, rows)
        _write_json(folder / f"{signals.id}_events.json", facts["events"])


def _write_signal(folder: Path, stem: str, signals: Signals) -> None:
    """Write the BrainVision triplet; markers repeat the events for readers without BIDS."""
    import numpy as np
    from pybv import write_brainvision

    data = signals.data
    if signals.step_uv is not None:
        steps = data * (1e6 / signals.step_uv)
        whole = np.rint(steps)
        if np.abs(steps - whole).max() > 1e-3 or np.abs(whole).max() > 32767:
            raise EntryError(
                f"{signals.id} holds values that are no 16-bit steps of {signals.step_uv} µV",
                where="$.conversion",
                hint="Use a conversion that stores 32-bit floats.",
            )
        # pybv cuts fractions off, so 56.999… would become 56: a quarter step more does not.
        data = (whole + np.copysign(0.25, whole)) * (signals.step_uv * 1e-6)
    n_times = data.shape[1]
    markers = []
    for row in signals.events:
        onset = min(round(row["onset"] * signals.sfreq), n_times - 1)
        duration = min(max(1, round(row["duration"] * signals.sfreq)), n_times - onset)
        note = {"type": "Comment", "description": row["trial_type"]}
        markers.append({"onset": onset, "duration": duration, **note})
    write_brainvision(
        data=data,
        sfreq=signals.sfreq,
        ch_names=list(signals.ch_names),
        fname_base=stem,
        folder_out=str(folder),
        events=markers or None,
        resolution=signals.step_uv or 1.0,
        unit="µV",
        fmt="binary_float32" if signals.step_uv is None else "binary_int16",
    )
    for suffix in (".vhdr", ".vmrk"):  # the header names the version of the writer
        path = folder / f"{stem}{suffix}"
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"pybv \d[\w.+-]*", "pybv", text), encoding="utf-8", newline="\n")


def _sidecar(signals: Signals, facts: Mapping[str, Any]) -> dict[str, Any]:
    counts = {
        f"{name}ChannelCount": sum(1 for given in signals.ch_types if given == kind)
        for kind, name in _COUNTED.items()
    }
    return {
        **facts["tasks"][signals.entities["bids_task"]],
        **facts["sidecar"],
        **counts,
        "SamplingFrequency": _plain(signals.sfreq),
        "RecordingDuration": _plain(round(signals.data.shape[1] / signals.sfreq, 6)),
    }


def _write_channels(path: Path, signals: Signals) -> None:
    columns = ["name", "type", "units", "description", "sampling_frequency", "reference"]
    columns += ["low_cutoff", "high_cutoff", "notch", "status", "status_description"]
    rows = [
        {
            "name": name,
            "type": kind,
            "units": "µV",
            "sampling_frequency": _plain(signals.sfreq),
        }
        for name, kind in zip(signals.ch_names, signals.ch_types, strict=True)
    ]
    _write_tsv(path, columns, rows)


def _write_participants(root: Path, signals: Sequence[Signals]) -> None:
    names = sorted({f"sub-{one.entities['bids_subject']}" for one in signals})
    _write_tsv(
        root / "participants.tsv", ["participant_id"], [{"participant_id": name} for name in names]
    )
    _write_json(
        root / "participants.json",
        {"participant_id": {"Description": "Label of the participant."}},
    )


def _description(doc: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    name, _, version = doc["conversion"]["use"].partition("@")
    upstream = doc["upstream"]
    source = {"URL": upstream["url"], "Version": upstream["version"]}
    if "doi" in upstream:
        source["DOI"] = f"doi:{upstream['doi']}"
    return {
        "Name": doc["title"],
        "BIDSVersion": BIDS_VERSION,
        "DatasetType": "raw",
        "License": doc["licence"]["spdx"],
        "Authors": list(upstream["authors"]),
        **facts["dataset"],
        "ReferencesAndLinks": [c["text"] for c in doc["citation"]] + [upstream["url"]],
        "GeneratedBy": [
            {
                "Name": f"braino-registry {name}",
                "Version": version,
                "Description": f"Made from the upstream files of {doc['id']}@{doc['version']}.",
            }
        ],
        "SourceDatasets": [source],
    }


def _readme(doc: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    upstream, licence = doc["upstream"], doc["licence"]
    lines = [f"# {doc['title']}", ""]
    for paragraph in facts["readme"]:
        lines += [paragraph, ""]
    lines += ["## Source", ""]
    lines += [f"{upstream['name']}, version {upstream['version']}: {upstream['url']}", ""]
    lines += [f"Converted to BIDS by braino-registry ({doc['conversion']['use']}).", ""]
    lines += ["## Licence", "", f"{licence['spdx']}. {licence['statement']}", ""]
    lines += [f"- {conflict['says']} ({conflict['source']})" for conflict in licence["conflicts"]]
    lines += [""] if licence["conflicts"] else []
    lines += ["## Please cite", ""]
    lines += [f"- {c['text']}" for c in doc["citation"]]
    if doc["defects"]:
        lines += ["", "## Known defects of the source", ""]
        lines += [f"- {defect['about']}" for defect in doc["defects"]]
    return "\n".join(lines) + "\n"


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_tsv(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table; a cell that a row lacks is ``n/a``."""
    lines = ["\t".join(columns)]
    lines += ["\t".join(str(row.get(name, "n/a")) for name in columns) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _plain(value: float) -> float | int:
    """Return a whole number as int, so that JSON and TSV show ``128`` and not ``128.0``."""
    return int(value) if float(value).is_integer() else float(value)


FACTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What is known about the source; what is not known is 'n/a' or absent.",
    "properties": {
        "dataset": {
            "type": "object",
            "description": "Further fields of dataset_description.json.",
        },
        "sidecar": {"type": "object", "description": "Fields of every *_eeg.json."},
        "tasks": {
            "type": "object",
            "description": "TaskName and further fields of *_eeg.json by bids_task.",
            "additionalProperties": {"type": "object", "required": ["TaskName"]},
        },
        "events": {
            "type": "object",
            "description": "The *_events.json: a description of each column and level.",
        },
        "readme": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    },
    "required": ["dataset", "sidecar", "tasks", "events", "readme"],
    "additionalProperties": False,
}
