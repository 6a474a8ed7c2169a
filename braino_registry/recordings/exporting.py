"""Samples as files that other programs read: EDF, FIF, NPY, CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.readers import VOLTAGE_TYPES

if TYPE_CHECKING:
    from edfio import EdfSignal

Array = NDArray[np.float64]
UV = 1e6
# text takes twenty times the room of the samples' information
MAX_CSV_NUMBERS = 5_000_000
LABEL_LENGTH = 16


@dataclass(frozen=True)
class Samples:
    """What is to be written.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        V for voltages.
    sfreq : float
        Samples per second.
    ch_names, ch_types : tuple of str
        In MNE's words.
    tmin : float
        Seconds of the first sample from the recording's start.
    filters : str
        What was filtered, for the headers that can tell it.
    """

    data: Array
    sfreq: float
    ch_names: tuple[str, ...]
    ch_types: tuple[str, ...]
    tmin: float = 0.0
    filters: str = ""


def write_edf(path: Path, samples: Samples) -> None:
    """Write EDF with 16 bits per sample; voltages in µV, all else as it is.

    The duration is that of the samples: nothing is padded.

    Raises
    ------
    RecordingError
        If labels or duration do not fit into an EDF header.
    """
    import edfio

    signals = [
        edf_signal(name, kind, row, samples.sfreq, samples.filters)
        for name, kind, row in zip(samples.ch_names, samples.ch_types, samples.data, strict=True)
    ]
    duration = record_duration(samples.data.shape[1], samples.sfreq)
    edfio.Edf(signals, data_record_duration=duration).write(path)


def edf_signal(name: str, kind: str, row: Array, sfreq: float, filters: str = "") -> EdfSignal:
    """Return a channel as EDF holds it: 16 bits per sample, voltages in µV, all else as it is.

    Parameters
    ----------
    name, kind : str
        Label, and type in MNE's words.
    row : array, shape (n_times,)
        V for voltages.
    sfreq : float
        Samples per second.
    filters : str
        What was filtered; left out if it is not plain.

    Raises
    ------
    RecordingError
        If the label does not fit into an EDF header, or samples are not finite.
    """
    import edfio

    if len(name) > LABEL_LENGTH or not name.isascii() or not name.isprintable():
        raise RecordingError(
            f"{name!r} is no label for EDF, which takes {LABEL_LENGTH} plain characters",
            hint="Choose other channels, or another format.",
        )
    voltage = kind in VOLTAGE_TYPES
    values = row * UV if voltage else row
    if not np.isfinite(values).all():
        raise RecordingError(
            f"{name} has samples that are not finite", hint="Choose other channels."
        )
    flat = np.ptp(values) == 0
    return edfio.EdfSignal(
        values,
        sfreq,
        label=name,
        physical_dimension="uV" if voltage else "",
        physical_range=(float(values[0]) - 1, float(values[0]) + 1) if flat else None,
        prefiltering=filters[:80] if filters.isascii() else "",
    )


def record_duration(n_times: int, sfreq: float, *, exact: bool = True) -> float:
    """Return a record's duration near one second that divides the signal and fits its field.

    Parameters
    ----------
    n_times : int
        Samples of the signal.
    sfreq : float
        Samples per second.
    exact : bool
        Whether the rate that is read back has to be the very same one. Else it is the nearest.

    Raises
    ------
    RecordingError
        If it has to be the same, and no duration gives it.
    """
    divisors = {k for i in range(1, int(n_times**0.5) + 1) if n_times % i == 0
                for k in (i, n_times // i)}  # fmt: skip
    offs: dict[float, float] = {}
    for k in sorted(divisors, key=lambda k: abs(k / sfreq - 1)):
        text = _eight_characters(k / sfreq)
        if text is None:
            continue
        if k / float(text) == sfreq:
            return float(text)
        offs[float(text)] = abs(k / float(text) / sfreq - 1)
    if exact or not offs:
        raise RecordingError(
            f"{n_times} samples at {sfreq:g} Hz cannot be written as EDF without padding",
            hint="Choose a window of whole seconds.",
        )
    return min(offs, key=offs.__getitem__)


def _eight_characters(duration: float) -> str | None:
    """Return a duration as an EDF header writes it, None if it cannot."""
    for digits in range(12, 0, -1):
        text = f"{duration:.{digits}g}"
        if len(text) <= 8 and "e" not in text:
            return text
    return None


def write_fif(path: Path, samples: Samples) -> None:
    """Write MNE's own format, V in single precision."""
    import mne

    info = mne.create_info(list(samples.ch_names), samples.sfreq, list(samples.ch_types))
    raw = mne.io.RawArray(samples.data, info, verbose="error")
    raw.save(path, overwrite=True, verbose="error")


def write_npy(path: Path, samples: Samples) -> None:
    """Write an array of shape (n_channels, n_times), V in double precision."""
    with path.open("wb") as stream:
        np.save(stream, samples.data, allow_pickle=False)


def write_csv(path: Path, samples: Samples) -> None:
    """Write a row per sample: seconds from the recording's start, then each channel in V."""
    if samples.data.size > MAX_CSV_NUMBERS:
        raise RecordingError(
            "this is too much for a text file", hint="Choose a shorter window, or another format."
        )
    times = samples.tmin + np.arange(samples.data.shape[1]) / samples.sfreq
    write_table(path, ("time", *samples.ch_names), np.column_stack([times, samples.data.T]))


def write_table(path: Path, header: Sequence[str], rows: Array) -> None:
    """Write a table of numbers as CSV, with names in its first line."""
    import csv

    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows([f"{value:.10g}" for value in row] for row in rows)


#: Writers by the ending of the file.
WRITERS: Mapping[str, Callable[[Path, Samples], None]] = {
    "edf": write_edf,
    "fif": write_fif,
    "npy": write_npy,
    "csv": write_csv,
}
