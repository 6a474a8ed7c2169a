"""From a file to volts: mne-bids for what has one rate, edfio for what has several.

MNE brings every channel of a file to the fastest rate, which invents samples; a file with several
rates is therefore read by edfio, each channel at its own.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.lockless import without_lock_files
from braino_registry.recordings.sidecars import inside
from braino_registry.recordings.tsv import Table

Array = NDArray[np.float64]

# what BIDS calls a channel type -> what MNE calls it; others are "misc"
CHANNEL_TYPES: Mapping[str, str] = {
    "EEG": "eeg", "EOG": "eog", "VEOG": "eog", "HEOG": "eog", "ECG": "ecg", "EMG": "emg",
    "TRIG": "stim", "RESP": "resp", "GSR": "gsr", "TEMP": "temperature", "ECOG": "ecog",
    "SEEG": "seeg", "DBS": "dbs", "MISC": "misc",
}  # fmt: skip
_PREFIXES = {"EEG": "eeg", "EOG": "eog", "ECG": "ecg", "EKG": "ecg", "EMG": "emg", "RESP": "resp"}
_VOLTS = {"v": 1.0, "mv": 1e-3, "uv": 1e-6, "µv": 1e-6, "μv": 1e-6, "nv": 1e-9}
VOLTAGE_TYPES = frozenset({"eeg", "eog", "ecg", "emg", "ecog", "seeg", "dbs"})
# what mne-bids says of sidecars that are missing (reported elsewhere) or of no use to it, and of
# electrodes whose places nobody knows: they are not used here
_ROUTINE = re.compile(
    r"Did not find any|HED annotations|Unable to map the following column"
    r"|participants\.tsv file not found|\S+ is not an MNE-Python coordinate frame"
    r'|Coordinate unit is "n/a"|There are channels without locations'
)
# a pointer of git-annex or Git LFS is a short text in place of the data
_POINTERS = (b"/annex/objects", b"version https://git-lfs", b"../.git/annex")


class Reader(Protocol):
    """An open file; samples are read when asked for."""

    ch_names: tuple[str, ...]
    ch_types: tuple[str, ...]
    sfreqs: tuple[float, ...]
    lengths: tuple[int, ...]
    notes: tuple[str, ...]
    units: tuple[str | None, ...]  # as the file itself states them

    def read(self, channels: Sequence[int], start: int, stop: int) -> Array:
        """Return samples of channels of one rate, in V (or the channel's own unit)."""

    def header_events(self) -> list[dict[str, Any]]:
        """Return the events that the file itself holds."""


def open_reader(root: Path, path: Path, channels: Table | None) -> Reader:
    """Return a reader of a recording's file.

    Parameters
    ----------
    root : Path
        The dataset.
    path : Path
        The data file, below ``root``.
    channels : Table | None
        Its channels.tsv.

    Raises
    ------
    RecordingError
        If the file is missing, empty, a pointer to data that were not fetched, or unreadable.
    """
    _check_file(root, path)
    if path.suffix.lower() in (".edf", ".bdf"):
        edf = _EdfReader.open(path, channels)
        if edf is not None and len(set(edf.sfreqs)) > 1:
            return edf
    return _MneReader(root, path, channels)


def _check_file(root: Path, path: Path) -> None:
    hint = "Fetch the data of this recording, or choose another."
    if not inside(root, path):
        raise RecordingError("the data file is missing or lies outside", where=path.name, hint=hint)
    size = path.stat().st_size
    if size == 0:
        raise RecordingError("the data file is empty", where=path.name, hint=hint)
    if size < 1024:
        head = path.read_bytes()
        if any(mark in head for mark in _POINTERS):
            raise RecordingError(
                "the file is a pointer to data that were not fetched", where=path.name, hint=hint
            )


def types_from(
    names: Sequence[str], channels: Table | None, guesses: Sequence[str]
) -> tuple[str, ...]:
    """Return MNE channel types: from channels.tsv where it names the channel, else the guess."""
    stated: dict[str, str] = {}
    if channels is not None and "type" in channels.columns:
        for row in channels.rows:
            if row.get("name") and row.get("type"):
                bids_type = str(row["type"]).upper()
                stated[str(row["name"])] = CHANNEL_TYPES.get(bids_type, "misc")
    return tuple(stated.get(name, guess) for name, guess in zip(names, guesses, strict=True))


def guess_type(name: str, *, voltage: bool = True) -> str:
    """Return the type that a channel's label tells, ``"eeg"`` for any other voltage."""
    upper = name.upper()
    for prefix, kind in _PREFIXES.items():
        if upper.startswith(prefix) or (kind in ("eog", "ecg", "emg") and prefix in upper):
            return kind
    if upper in ("STATUS", "STI", "TRIGGER") or upper.startswith("STI "):
        return "stim"
    return "eeg" if voltage else "misc"


class _MneReader:
    """A file with one rate."""

    def __init__(self, root: Path, path: Path, channels: Table | None) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self._raw, problem = _open_raw(root, path)
        if not self._raw.ch_names:
            raise RecordingError(
                "the data file holds no signal", where=path.name, hint="Choose another recording."
            )
        said = [_first_line(w.message) for w in caught]
        told = [text for text in dict.fromkeys(said) if not _ROUTINE.match(text)]
        # where the dataset lies is nobody's business
        self.notes = tuple(text.replace(f"{root}/", "") for text in (*problem, *told))
        self.ch_names = tuple(self._raw.ch_names)
        guesses = [
            guess_type(name) if kind == "eeg" else kind
            for name, kind in zip(self.ch_names, self._raw.get_channel_types(), strict=True)
        ]
        self.ch_types = types_from(self.ch_names, channels, guesses)
        # MNE writes "n/a" for what a file does not state
        stated = {n: str(u) for n, u in self._raw._orig_units.items() if u and str(u) != "n/a"}
        self.units = tuple(stated.get(name) for name in self.ch_names)
        self.sfreqs = (float(self._raw.info["sfreq"]),) * len(self.ch_names)
        self.lengths = (int(self._raw.n_times),) * len(self.ch_names)

    def read(self, channels: Sequence[int], start: int, stop: int) -> Array:
        """Return samples in V; only this piece is read from disk."""
        data, _ = self._raw[list(channels), start:stop]
        return np.asarray(data, dtype=np.float64)

    def header_events(self) -> list[dict[str, Any]]:
        """Return annotations, onsets in seconds from the first sample."""
        first = self._raw.first_time
        return [
            {"onset": float(a["onset"]) - first, "duration": float(a["duration"]),
             "trial_type": str(a["description"])}
            for a in self._raw.annotations
            if not str(a["description"]).startswith("New Segment")
        ]  # fmt: skip


def _open_raw(root: Path, path: Path) -> tuple[Any, tuple[str, ...]]:
    """Open by mne-bids; where sidecars make that fail, by MNE, and say so."""
    import mne
    import mne_bids

    try:
        bids_path = mne_bids.get_bids_path_from_fname(path, check=False)
        bids_path.update(root=root)
        with without_lock_files():
            return mne_bids.read_raw_bids(bids_path, verbose="warning"), ()
    except Exception as error:  # whatever mne-bids stumbles over, the data file may be fine
        problem = f"read without its sidecars, which mne-bids refuses: {_first_line(error)}"
    try:
        return mne.io.read_raw(path, verbose="warning"), (problem,)
    except Exception as error:
        raise RecordingError(
            f"the data file cannot be read: {_first_line(error).replace(f'{root}/', '')}",
            where=path.name,
            hint="Choose another recording.",
        ) from error


def _first_line(error: Exception | Warning | str) -> str:
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


class _EdfReader:
    """An EDF or BDF file at native rates."""

    def __init__(self, edf: Any, channels: Table | None) -> None:
        self._signals = list(edf.signals)
        self._annotations = list(edf.annotations)
        names = [signal.label for signal in self._signals]
        self.units = tuple(signal.physical_dimension.strip() or None for signal in self._signals)
        self.ch_names = tuple(_unique(names))
        stated = _stated_units(channels)
        self._scales: list[float] = []
        guesses: list[str] = []
        notes: list[str] = []
        for name, signal in zip(self.ch_names, self._signals, strict=True):
            unit = (signal.physical_dimension or stated.get(name) or "").strip()
            scale = _VOLTS.get(unit.lower())
            self._scales.append(1.0 if scale is None else scale)
            guesses.append(guess_type(name, voltage=scale is not None))
        self.ch_types = types_from(self.ch_names, channels, guesses)
        for name, kind, signal in zip(self.ch_names, self.ch_types, self._signals, strict=True):
            unit = (signal.physical_dimension or stated.get(name) or "").strip()
            if kind in VOLTAGE_TYPES and unit.lower() not in _VOLTS:
                notes.append(f"{name}: unit {unit!r} is not a voltage, values are as in the file")
        if len(set(names)) != len(names):
            notes.append("labels that occur twice were numbered")
        if not edf.is_continuous:
            notes.append("the file is discontinuous (EDF+D); gaps are not shown")
        self.notes = tuple(notes)
        self.sfreqs = tuple(float(signal.sampling_frequency) for signal in self._signals)
        self.lengths = tuple(
            int(edf.num_data_records) * int(signal.samples_per_data_record)
            for signal in self._signals
        )

    @classmethod
    def open(cls, path: Path, channels: Table | None) -> _EdfReader | None:
        """Return a reader, or None if edfio does not accept the file."""
        import edfio

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if path.suffix.lower() == ".bdf":
                    return cls(edfio.read_bdf(path, header_encoding="utf-8"), channels)
                return cls(
                    edfio.read_edf(path, lazy_load_data=True, header_encoding="utf-8"), channels
                )
        except (ValueError, KeyError, IndexError, OverflowError):
            return None

    def read(self, channels: Sequence[int], start: int, stop: int) -> Array:
        """Return samples of channels of one rate; only these records are read."""
        out = np.empty((len(channels), stop - start))
        for row, index in enumerate(channels):
            signal, rate = self._signals[index], self.sfreqs[index]
            if stop > start:
                out[row] = signal.get_data_slice(start / rate, stop / rate)
            out[row] *= self._scales[index]
        return out

    def header_events(self) -> list[dict[str, Any]]:
        """Return the annotations of the file."""
        return [
            {"onset": float(a.onset), "duration": float(a.duration or 0.0), "trial_type": a.text}
            for a in self._annotations
        ]


def _stated_units(channels: Table | None) -> dict[str, str]:
    if channels is None:
        return {}
    return {
        str(r["name"]): str(r["units"]) for r in channels.rows if r.get("name") and r.get("units")
    }


def _unique(names: Sequence[str]) -> list[str]:
    """Return names with a number added to those that were there before."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        count = seen.get(name, 0)
        seen[name] = count + 1
        out.append(f"{name}-{count}" if count else name)
    return out
