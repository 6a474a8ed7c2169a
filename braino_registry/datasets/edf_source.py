"""EDF files of others: read without loading them, checked, and laid out as they are.

A conversion that keeps the EDF file keeps every channel at its own rate and every sample as it
was stored, and needs no more memory than a header. What a reader of the copy would get wrong
without a word is refused here: text in place of data, a truncated file, gaps that readers close,
labels that readers spell differently.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from braino_registry.datasets.bids_tree import Channel, Description, folder_of, write_sidecars
from braino_registry.datasets.clones import clone
from braino_registry.datasets.looking import LOOKED_AT, page_or_pointer
from braino_registry.errors import EntryError

VOLTAGES = {"V": "V", "mV": "mV", "uV": "µV", "µV": "µV", "nV": "nV"}
"""Units of voltage as EDF headers write them, and as BIDS does."""

_UNITS = VOLTAGES | {"DegC": "oC", "degC": "oC"}
_MAGIC = b"0       "
_FILTER = re.compile(r"\b(HP|LP):\s*([0-9.]+)\s*Hz")


@dataclass(frozen=True)
class EdfChannel:
    """One signal of an EDF file as its header states it.

    Parameters
    ----------
    label : str
        As in the header, without the spaces around it.
    name : str
        The label, numbered from 0 as MNE does where it occurs more than once.
    unit : str
        As in the header; may be empty.
    sfreq : float
        Samples per second.
    filters, sensor : str
        Prefiltering and transducer; may be empty.
    """

    label: str
    name: str
    unit: str
    sfreq: float
    filters: str
    sensor: str

    @property
    def is_voltage(self) -> bool:
        """Whether the header states a unit of voltage."""
        return self.unit in VOLTAGES

    def described(self, kind: str, said: Mapping[str, str] | None = None) -> Channel:
        """Return the row of ``channels.tsv``: filters and sensor as the header states them.

        Parameters
        ----------
        kind : str
            BIDS type.
        said : Mapping, optional
            Further columns.
        """
        edges = {mark: float(value) for mark, value in _FILTER.findall(self.filters)}
        columns = {"description": "; ".join(text for text in (self.sensor, self.filters) if text)}
        # a rectified and smoothed channel has a low-pass below its high-pass: no pass band
        if edges.get("HP", 0.0) < edges.get("LP", float("inf")):
            columns |= {name: f"{edges[mark]:g}"
                        for mark, name in (("HP", "low_cutoff"), ("LP", "high_cutoff"))
                        if mark in edges}  # fmt: skip
        columns = {key: value for key, value in columns.items() if value}
        units = _UNITS.get(self.unit, self.unit) or "n/a"
        return Channel(self.name, kind, self.sfreq, units, {**columns, **(said or {})})


@dataclass(frozen=True)
class EdfFile:
    """An EDF file whose header and size have been checked.

    Parameters
    ----------
    path : Path
        The file.
    channels : tuple of EdfChannel
        Signals in order, annotations left out.
    duration : float
        Seconds.
    start : datetime
        Of the recording; headers without personal data often state a surrogate.
    annotations : tuple of (float, float, str)
        Onset and duration in s, text; in order of onset.
    """

    path: Path
    channels: tuple[EdfChannel, ...]
    duration: float
    start: datetime
    annotations: tuple[tuple[float, float, str], ...]

    @property
    def sfreq(self) -> float:
        """Samples per second of the fastest channel."""
        return max(channel.sfreq for channel in self.channels)


def read_edf_source(path: Path, name: str, *, signals: bool = True) -> EdfFile:
    """Read the header and the annotations of an EDF file, and check what can be checked.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        What to call it in errors: its logical path.
    signals : bool
        Whether the file must hold signals; False for files of annotations.

    Raises
    ------
    EntryError
        If it is no EDF file, is cut off, has gaps (EDF+D), no signals, or labels outside ASCII.
    """
    _check_beginning(path, name)
    from edfio import read_edf

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a date out of range does not change the signals
            edf = read_edf(path, lazy_load_data=True, header_encoding="latin-1")
            found = EdfFile(path, _channels(edf), float(edf.duration), _start(edf), _notes(edf))
            continuous, expected = edf.is_continuous, _expected_size(path, edf)
    except Exception as error:  # a broken header makes the reader fail in any way
        raise _refused(name, f"cannot be read as EDF: {error}") from error
    if not continuous:
        raise _refused(name, "is discontinuous (EDF+D): readers close its gaps without a word")
    if (size := path.stat().st_size) != expected:
        raise _refused(name, f"has {size} bytes where its header states {expected}")
    if signals and not found.channels:
        raise _refused(name, "holds annotations and no signals")
    for channel in found.channels:
        if not channel.label.isascii():
            raise _refused(
                name, f"has the label {channel.label!r}, which readers spell differently"
            )
        if not 0 < channel.sfreq < float("inf"):
            raise _refused(name, f"has no sampling rate for {channel.label!r}")
    return found


def copy_edf(
    root: Path,
    entities: Mapping[str, str],
    edf: EdfFile,
    channels: Sequence[Channel],
    events: Sequence[Mapping[str, Any]] | None,
    facts: Mapping[str, Any],
) -> Description:
    """Lay an EDF file out in a BIDS tree, its bytes as they are, with its sidecars.

    Parameters
    ----------
    root : Path
        The BIDS root.
    entities : Mapping
        ``bids_subject``, ``bids_task`` and so on.
    edf : EdfFile
        The recording.
    channels : sequence of Channel
        In the order of the file.
    events : sequence of Mapping or None
        As in `Description`.
    facts : Mapping
        The conversion's parameter ``bids``.

    Returns
    -------
    Description
        What its sidecars say.
    """
    said = Description(entities, channels, edf.sfreq, edf.duration, events)
    folder = folder_of(root, entities, said.datatype)
    folder.mkdir(parents=True, exist_ok=True)
    clone(edf.path, folder / f"{said.id}_eeg.edf")
    write_sidecars(folder, said, facts)
    return said


def within(
    rows: Sequence[tuple[float, float, str]], duration: float
) -> list[tuple[float, float, str]]:
    """Return annotations cut to the recording; those that lie outside are left out.

    Parameters
    ----------
    rows : sequence of (float, float, str)
        Onset and duration in s, text.
    duration : float
        Of the recording, in s.
    """
    kept = []
    for onset, seconds, text in rows:
        begin, end = max(onset, 0.0), min(onset + seconds, duration)
        if begin < end or (seconds == 0 and 0 <= onset < duration):
            kept.append((begin, end - begin if seconds else 0.0, text))
    return kept


def unique_names(labels: Sequence[str]) -> list[str]:
    """Return labels with those that occur more than once numbered from 0, as MNE does."""
    total: dict[str, int] = {}
    for label in labels:
        total[label] = total.get(label, 0) + 1
    seen: dict[str, int] = {}
    names = []
    for label in labels:
        index = seen.get(label, 0)
        seen[label] = index + 1
        names.append(label if total[label] == 1 else f"{label}-{index}")
    return names


def _channels(edf: Any) -> tuple[EdfChannel, ...]:
    labels = [signal.label.strip() for signal in edf.signals]
    return tuple(
        EdfChannel(
            label,
            unique,
            signal.physical_dimension.strip(),
            float(signal.sampling_frequency),
            signal.prefiltering.strip(),
            signal.transducer_type.strip(),
        )
        for label, unique, signal in zip(labels, unique_names(labels), edf.signals, strict=True)
    )


def _notes(edf: Any) -> tuple[tuple[float, float, str], ...]:
    return tuple((float(a.onset), float(a.duration or 0.0), str(a.text)) for a in edf.annotations)


def _start(edf: Any) -> datetime:
    try:
        return datetime.combine(edf.startdate, edf.starttime)
    except (ValueError, AttributeError):  # anonymised: no date, and none is made up
        return datetime.combine(datetime.min.date(), edf.starttime)


def _check_beginning(path: Path, name: str) -> None:
    with path.open("rb") as file:
        head = file.read(LOOKED_AT)
    came = page_or_pointer(head)
    if came is not None:
        raise _refused(name, f"is {came}, not the data")
    if not head.startswith(_MAGIC):
        raise _refused(name, f"is no EDF file: it begins with {head[:16]!r}")


def _expected_size(path: Path, edf: Any) -> int:
    """Return the bytes that the header states: signals of annotations count like others."""
    with path.open("rb") as file:
        raw = file.read(edf.bytes_in_header_record)
    count = int(raw[252:256])
    offset = 256 + count * 216
    samples = sum(int(raw[offset + 8 * i : offset + 8 * i + 8]) for i in range(count))
    return int(edf.bytes_in_header_record + edf.num_data_records * samples * 2)


def _refused(name: str, problem: str) -> EntryError:
    return EntryError(
        f"{name} {problem}",
        where="$.pins",
        hint="Nothing was converted; the file has to be mended or left out of the entry.",
    )
