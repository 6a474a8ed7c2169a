"""Write a BIDS tree from a source's signals and from what is known about it, and nothing else.

Sidecars are written here and not by mne-bids, for two reasons. A field that the source does not
state is ``n/a``: mne-bids fills filter edges from the Nyquist frequency and event values from a
counter, which a reader cannot tell from facts. And the bytes must be equal on every machine and
stay so when a library is upgraded, since their digest is recorded. Signals go through pybv;
reading the tree back with mne-bids is part of the tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.datasets.bids_files import plain, write_json, write_tsv
from braino_registry.datasets.bids_root import FACTS_SCHEMA, write_root
from braino_registry.errors import EntryError
from braino_registry.registry import documents
from braino_registry.registry.entries import ENTITIES, recording_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "FACTS_SCHEMA",
    "Channel",
    "Description",
    "Signals",
    "folder_of",
    "write_dataset",
    "write_no_positions",
    "write_recording",
    "write_scans",
    "write_sidecars",
]

_COUNTED = {
    "EEG": "EEG", "ECG": "ECG", "EMG": "EMG", "EOG": "EOG", "MISC": "MISC", "TRIG": "Trigger",
}  # fmt: skip
_COUNTED_INSIDE = {"SEEG": "SEEG", "ECOG": "ECOG"} | _COUNTED | {"MISC": "Misc"}
_UNSTATED_INSIDE = {
    key: "n/a"
    for key in ("ElectrodeManufacturer", "ElectrodeManufacturersModelName", "iEEGElectrodeGroups")
}
_COLUMNS = {
    "eeg": ["name", "type", "units", "description", "sampling_frequency", "reference",
            "low_cutoff", "high_cutoff", "notch", "status", "status_description"],
    "ieeg": ["name", "type", "units", "low_cutoff", "high_cutoff", "reference", "group",
             "sampling_frequency", "description", "notch", "status", "status_description"],
}  # fmt: skip


@dataclass(frozen=True)
class Channel:
    """One row of ``channels.tsv``.

    Parameters
    ----------
    name, type : str
        Unique name and BIDS type.
    sfreq : float
        Samples per second of this channel.
    units : str
        ``n/a`` where the source states none.
    said : Mapping
        Further columns, for example ``reference``; what is absent is ``n/a``.
    """

    name: str
    type: str
    sfreq: float
    units: str = "µV"
    said: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Description:
    """What the sidecars of one recording say.

    Parameters
    ----------
    entities : Mapping
        ``bids_subject``, ``bids_task`` and so on.
    channels : sequence of Channel
        In the order of the data file.
    sfreq : float
        Samples per second of the fastest channel.
    duration : float
        Seconds.
    events : sequence of Mapping or None
        Rows with ``onset`` and ``duration`` in seconds, ``trial_type``, and further columns. None
        or nothing writes no table: readers take one without rows for a mistake.
    datatype : str
        ``eeg`` or ``ieeg``.
    """

    entities: Mapping[str, str]
    channels: Sequence[Channel]
    sfreq: float
    duration: float
    events: Sequence[Mapping[str, Any]] | None
    datatype: str = "eeg"

    @property
    def id(self) -> str:
        """The recording's identifier."""
        return str(recording_id(self.entities))


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
    datatype : str
        ``eeg`` or ``ieeg``.
    source : str | None
        Upstream file it was made from, for ``scans.tsv``.
    """

    entities: Mapping[str, str]
    ch_names: Sequence[str]
    ch_types: Sequence[str]
    data: NDArray[np.float64]
    sfreq: float
    step_uv: float | None
    events: Sequence[Mapping[str, Any]] = ()
    datatype: str = "eeg"
    source: str | None = None

    @property
    def id(self) -> str:
        """The recording's identifier."""
        return str(recording_id(self.entities))

    @property
    def description(self) -> Description:
        """What its sidecars say."""
        channels = [Channel(name, kind, self.sfreq)
                    for name, kind in zip(self.ch_names, self.ch_types, strict=True)]  # fmt: skip
        seconds = self.data.shape[1] / self.sfreq
        return Description(self.entities, channels, self.sfreq, seconds, self.events, self.datatype)


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
    write_root(root, doc, facts, [one.entities["bids_subject"] for one in signals])
    for one in signals:
        write_recording(root, one, facts)
    sources = [(one.description, ".vhdr", one.source) for one in signals if one.source is not None]
    write_scans(root, sources)


def write_recording(root: Path, signals: Signals, facts: Mapping[str, Any]) -> None:
    """Write one recording with its sidecars below ``root``."""
    folder = folder_of(root, signals.entities, signals.datatype)
    folder.mkdir(parents=True, exist_ok=True)
    _write_signal(folder, f"{signals.id}_{signals.datatype}", signals)
    write_sidecars(folder, signals.description, facts)


def folder_of(root: Path, entities: Mapping[str, str], datatype: str) -> Path:
    """Return the folder in which a recording lies."""
    parts = [f"{ENTITIES[key]}-{entities[key]}" for key in ("bids_subject", "bids_session")
             if key in entities]  # fmt: skip
    return root.joinpath(*parts, datatype)


def write_sidecars(folder: Path, said: Description, facts: Mapping[str, Any]) -> None:
    """Write the JSON, channels and events of one recording into its folder."""
    write_json(folder / f"{said.id}_{said.datatype}.json", _sidecar(said, facts))
    rows = [
        {**one.said, "name": one.name, "type": one.type, "units": one.units,
         "sampling_frequency": plain(one.sfreq)}
        for one in said.channels
    ]  # fmt: skip
    write_tsv(folder / f"{said.id}_channels.tsv", _COLUMNS[said.datatype], rows)
    if not said.events:
        return
    columns = ["onset", "duration", "trial_type"]
    columns += sorted({key for row in said.events for key in row} - set(columns))
    events = [{**row, **{key: plain(round(row[key], 6)) for key in columns[:2]}}
              for row in said.events]  # fmt: skip
    write_tsv(folder / f"{said.id}_events.tsv", columns, events)
    write_json(folder / f"{said.id}_events.json", facts["events"])


def write_scans(root: Path, sources: Sequence[tuple[Description, str, str]]) -> None:
    """Write which upstream file each recording was made from, one ``scans.tsv`` per folder.

    Parameters
    ----------
    root : Path
        The BIDS root.
    sources : sequence of (Description, str, str)
        Recording, extension of its data file, logical path of the upstream file.
    """
    tables: dict[Path, list[dict[str, str]]] = {}
    for said, extension, source in sources:
        folder = folder_of(root, said.entities, said.datatype)
        name = f"{said.datatype}/{said.id}_{said.datatype}{extension}"
        tables.setdefault(folder.parent, []).append({"filename": name, "source": source})
    for folder, rows in tables.items():
        stem = "_".join(folder.relative_to(root).parts)
        write_tsv(folder / f"{stem}_scans.tsv", ["filename", "source"], rows)
    if tables:
        write_json(
            root / "scans.json",
            {
                "filename": {"Description": "Recording."},
                "source": {"Description": "Upstream file that it was made from."},
            },
        )


def write_no_positions(folder: Path, stem: str, names: Sequence[str]) -> None:
    """Write the electrodes of intracranial recordings whose positions are not known.

    BIDS asks for the table wherever there are such recordings.

    Parameters
    ----------
    folder : Path
        The ``ieeg`` folder.
    stem : str
        What the names of the files begin with, for example ``sub-C``.
    names : sequence of str
        The electrodes.
    """
    rows = [{"name": name} for name in names]
    write_tsv(folder / f"{stem}_electrodes.tsv", ["name", "x", "y", "z", "size"], rows)
    write_json(
        folder / f"{stem}_coordsystem.json",
        {
            "iEEGCoordinateSystem": "Other",
            "iEEGCoordinateUnits": "n/a",
            "iEEGCoordinateSystemDescription": "Positions are not known.",
            "iEEGCoordinateProcessingDescription": "n/a",
            "iEEGCoordinateProcessingReference": "n/a",
        },
    )


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
        text = documents.read_text(path)
        path.write_text(re.sub(r"pybv \d[\w.+-]*", "pybv", text), encoding="utf-8", newline="\n")


def _sidecar(said: Description, facts: Mapping[str, Any]) -> dict[str, Any]:
    counted = _COUNTED if said.datatype == "eeg" else _COUNTED_INSIDE
    counts = {
        f"{name}ChannelCount": sum(1 for one in said.channels if one.type == kind)
        for kind, name in counted.items()
    }
    shared = facts["sidecar"]
    if said.datatype == "ieeg":  # the fields of intracranial recordings have names of their own
        shared = _UNSTATED_INSIDE | {
            f"i{key}" if key.startswith("EEG") else key: value
            for key, value in shared.items()
            if not key.startswith("Cap")
        }
    return {
        **facts["tasks"][said.entities["bids_task"]],
        **shared,
        **counts,
        "SamplingFrequency": plain(said.sfreq),
        "RecordingDuration": plain(round(said.duration, 6)),
    }
