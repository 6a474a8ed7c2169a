"""Files that come with a case of another benchmark, as they are.

EDF and BDF files, which BIDS keeps unchanged, become recordings besides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from braino_registry.datasets.bids_root import FACTS_SCHEMA, write_root
from braino_registry.datasets.bids_tree import Channel, Description, folder_of, write_sidecars
from braino_registry.datasets.clones import clone
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.values import SourceRecording
from braino_registry.registry.entries import recording_id

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"bids": FACTS_SCHEMA},
    "required": ["bids"],
    "additionalProperties": False,
}
_OPENED = (".edf", ".bdf")
_TYPES = {"EOG": "EOG", "ECG": "ECG", "EKG": "ECG", "EMG": "EMG", "RESP": "RESP"}


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return one recording per EDF or BDF file, numbered as runs where there are several."""
    files = [path for path in sorted(paths) if PurePosixPath(path).suffix.lower() in _OPENED]
    found = []
    for number, path in enumerate(files, start=1):
        entities = {"bids_subject": "01", "bids_task": "case"}
        if len(files) > 1:
            entities["bids_run"] = str(number)
        found.append(SourceRecording(str(recording_id(entities)), entities, (path,)))
    return found


@conversion("case-files", version="1.0.0", parameters=PARAMETERS, recordings=recordings)
def case_files(work: Work) -> None:
    """Lay every file out under ``sourcedata/``, and EDF and BDF files as recordings besides.

    The bytes of a recording stay those of its file; what its header states of rates and units goes
    into the sidecars, and what it does not state is ``n/a``.
    """
    facts = work.parameters["bids"]
    subjects = [recording.entities["bids_subject"] for recording in work.recordings]
    write_root(work.out, work.doc, facts, subjects)
    for path, source in work.sources.items():
        target = work.out / "sourcedata" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        clone(Path(source), target)
    for recording in work.recordings:
        source = Path(work.sources[recording.files[0]])
        suffix = PurePosixPath(recording.files[0]).suffix.lower()
        folder = folder_of(work.out, recording.entities, "eeg")
        folder.mkdir(parents=True, exist_ok=True)
        clone(source, folder / f"{recording.id}_eeg{suffix}")
        write_sidecars(folder, _described(source, recording), facts)


def _described(source: Path, recording: SourceRecording) -> Description:
    import edfio

    read = edfio.read_bdf if source.suffix.lower() == ".bdf" else edfio.read_edf
    signals = read(source).signals
    seen: dict[str, int] = {}
    channels = []
    for signal in signals:
        # readers number labels that occur twice in this way
        name = signal.label
        seen[name] = seen.get(name, -1) + 1
        shown = f"{name}-{seen[name]}" if seen[name] else name
        unit = signal.physical_dimension.strip()
        channels.append(
            Channel(
                shown,
                _type(name),
                float(signal.sampling_frequency),
                {"uV": "µV"}.get(unit, unit) or "n/a",
            )
        )
    sfreq = max(channel.sfreq for channel in channels)
    seconds = max(len(signal.data) / signal.sampling_frequency for signal in signals)
    return Description(recording.entities, channels, sfreq, float(seconds), None)


def _type(label: str) -> str:
    upper = label.upper()
    for part, kind in _TYPES.items():
        if re.search(rf"\b{part}", upper):
            return kind
    return "EEG"
