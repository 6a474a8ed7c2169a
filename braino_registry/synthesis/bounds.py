"""What a recording may be at all: rates, lengths and sizes that can be made and kept."""

from __future__ import annotations

import math
from typing import Any

from braino_registry.errors import EntryError

#: Sampling frequencies in Hz: slower than any EEG amplifier's, faster than any's.
SLOWEST, FASTEST = 50.0, 20_000.0
#: Lengths of a recording in s: the filters need two to settle, and nobody records for a week.
SHORTEST, LONGEST = 2.0, 172_800.0
#: Most bytes that one recording takes while it is made. Samples are float64, and at most three
#: arrays of all channels are alive at a time: the sum, what events evoked, and a copy of it.
MEMORY = 4 * 2**30
_BYTES_MADE = 3 * 8
#: Most bytes of a dataset on disk, at two for each sample.
DISK = 16 * 2**30
_BYTES_KEPT = 2
#: Most recordings of a dataset.
RECORDINGS = 10_000


def positive(value: Any, where: str) -> float:
    """Return a number above 0.

    Raises
    ------
    EntryError
        If it is none.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value < math.inf:
        raise EntryError(
            f"{value!r} is not a number above 0", where=where, hint="Give a number above 0."
        )
    return float(value)


def between(value: Any, low: float, high: float, unit: str, where: str) -> float:
    """Return a number between two limits, both included.

    Raises
    ------
    EntryError
        If it lies outside.
    """
    found = positive(value, where)
    if not low <= found <= high:
        raise EntryError(
            f"{found:g} {unit} is not possible", where=where, hint=f"{low:g} to {high:g} {unit}."
        )
    return found


def whole(value: float, unit: str, where: str) -> None:
    """Refuse a number that is not whole; files of long recordings hold whole seconds.

    Raises
    ------
    EntryError
        If it is none.
    """
    if not value.is_integer():
        raise EntryError(
            f"a long recording cannot have {value:g} {unit}",
            where=where,
            hint=f"Give a whole number, for example {round(value)}.",
        )


def mains(value: Any, sfreq: float, where: str) -> float:
    """Return a mains frequency in Hz.

    Raises
    ------
    EntryError
        If it is half the sampling frequency or more: nobody could see it in the data.
    """
    found = positive(value, where)
    if found >= sfreq / 2:
        raise EntryError(
            f"hum of {found:g} Hz cannot be recorded at {sfreq:g} samples per second",
            where=where,
            hint=f"Stay below {sfreq / 2:g} Hz, or sample faster.",
        )
    return found


def check_memory(n_channels: int, n_times: int, where: str) -> None:
    """Refuse a recording that takes more than `MEMORY` bytes while it is made."""
    needed = n_channels * n_times * _BYTES_MADE
    if needed > MEMORY:
        raise EntryError(
            f"{n_channels} channels of {n_times} samples take {needed / 2**30:.1f} GiB of memory",
            where=where,
            hint=f"At most {MEMORY / 2**30:g} GiB: shorten the recording, or sample slower.",
        )


def check_disk(n_samples: int, where: str) -> None:
    """Refuse a dataset of more than `DISK` bytes.

    Parameters
    ----------
    n_samples : int
        Samples of all channels of all recordings.
    where : str
        Place in the recipe.
    """
    needed = n_samples * _BYTES_KEPT
    if needed > DISK:
        raise EntryError(
            f"the dataset takes {needed / 2**30:.1f} GiB",
            where=where,
            hint=f"At most {DISK / 2**30:g} GiB: record fewer, or shorter.",
        )


def check_count(n_recordings: int, where: str) -> None:
    """Refuse a dataset of more than `RECORDINGS` recordings."""
    if n_recordings > RECORDINGS:
        raise EntryError(
            f"these are {n_recordings} recordings",
            where=where,
            hint=f"At most {RECORDINGS}: name fewer participants, sessions, tasks or runs.",
        )


def printable(value: Any, where: str) -> Any:
    """Return a value that becomes one cell of a table.

    Raises
    ------
    EntryError
        If it is a text that would break the table: with tabs, line ends or control characters.
    """
    if isinstance(value, str) and not value.isprintable():
        raise EntryError(
            f"{value!a} cannot stand in a table",
            where=where,
            hint="Leave out tabs, line ends and control characters.",
        )
    return value
