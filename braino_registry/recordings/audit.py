"""What the files of a dataset say about each recording, held against its header and its signal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.readers import VOLTAGE_TYPES
from braino_registry.recordings.recording import Recording
from braino_registry.recordings.tree import BidsTree
from braino_registry.recordings.tsv import Table, number

Problem = dict[str, Any]

# deviation of EEG in µV, median over channels, that nobody's head leaves
SMALLEST_UV, LARGEST_UV = 0.5, 1000.0
PIECES, PIECE_SECONDS = 3, 4.0
# stated values that differ by less are the same, rounded
RELATIVE = 1e-3
COUNTS = {
    "EEGChannelCount": ("eeg",),
    "EOGChannelCount": ("eog",),
    "ECGChannelCount": ("ecg",),
    "EMGChannelCount": ("emg",),
}
_SAME_UNIT = {"uv": "µV", "µv": "µV", "μv": "µV", "mv": "mV", "v": "V", "nv": "nV"}


def audit(tree: BidsTree, recordings: Sequence[str] | None = None) -> dict[str, Any]:
    """Return what contradicts itself or is missing, recording by recording.

    Header: what the data file itself states. Stated: what eeg.json and channels.tsv state; a value
    that is not stated contradicts nothing.

    - ``sampling_frequency``: SamplingFrequency, or the column sampling_frequency, is not the
      header's rate.
    - ``duration``: RecordingDuration differs from the header's by more than 0.1 % and a sample.
    - ``channel_count``: EEGChannelCount (EOG, ECG, EMG) is not the number of such channels.
    - ``channel_names``: channels.tsv names other channels than the header.
    - ``units``: the unit in channels.tsv is not the header's (µV and uV are the same).
    - ``scale``: the median standard deviation of EEG channels is below 0.5 or above 1000 µV.
    - ``power_line``: PowerLineFrequency is neither 50 nor 60 nor n/a, or not that of most
      recordings.
    - ``other_rate``: the header's rate is not that of most recordings of the same task.
    - ``missing_file``: a file that BIDS asks for is not there. ``unreadable``: the data file cannot
      be read.

    Parameters
    ----------
    tree : BidsTree
        The dataset.
    recordings : sequence of str | None
        Which; None for all.

    Returns
    -------
    dict
        ``n_recordings``, ``n_problems``, ``recordings`` with a problem, ``kinds`` (recordings by
        kind) and ``problems`` rows ``recording, kind, text`` and, where they differ, ``header,
        stated, file``.

    Raises
    ------
    RecordingError
        If a recording does not exist.
    """
    chosen = list(tree.recordings() if recordings is None else recordings)
    opened = [tree.open(identifier) for identifier in chosen]
    problems = [problem for recording in opened for problem in _of_one(recording)]
    problems += _compared(opened)
    order = {identifier: k for k, identifier in enumerate(chosen)}
    problems.sort(key=lambda problem: order[problem["recording"]])
    kinds: dict[str, list[str]] = {}
    for problem in problems:
        named = kinds.setdefault(problem["kind"], [])
        if problem["recording"] not in named:
            named.append(problem["recording"])
    touched = {problem["recording"] for problem in problems}
    return {
        "n_recordings": len(chosen),
        "n_problems": len(problems),
        "recordings": [identifier for identifier in chosen if identifier in touched],
        "kinds": kinds,
        "problems": problems,
    }


def _problem(
    recording: Recording, kind: str, text: str, *, header: Any = None, stated: Any = None,
    file: str | None = None,
) -> Problem:  # fmt: skip
    row = {"recording": recording.id, "kind": kind, "text": text}
    told = {"header": header, "stated": stated, "file": file}
    return row | {key: str(value) for key, value in told.items() if value is not None}


def _of_one(recording: Recording) -> Iterator[Problem]:
    """Yield the problems that a recording has by itself."""
    try:
        missing = recording.sidecars_missing
    except RecordingError as error:
        yield _problem(recording, "unreadable", error.problem)
        return
    for name in missing:
        yield _problem(recording, "missing_file", f"there is no {name}", file=name)
    try:
        names = recording.ch_names
    except RecordingError as error:
        yield _problem(recording, "unreadable", error.problem)
        return
    yield from _against_json(recording)
    table = recording.table("channels")
    if table is not None:
        yield from _against_table(recording, table, names)
    yield from _scale(recording)


def _against_json(recording: Recording) -> Iterator[Problem]:
    sidecar, file = recording.sidecar, f"{recording.name.suffix}.json"
    rate = _number(sidecar.get("SamplingFrequency"))
    if rate is not None and not _same(rate, recording.sfreq):
        yield _problem(
            recording, "sampling_frequency", "the sidecar states another sampling rate",
            header=f"{recording.sfreq:g} Hz", stated=f"{rate:g} Hz", file=file,
        )  # fmt: skip
    length = _number(sidecar.get("RecordingDuration"))
    slack = RELATIVE * recording.duration + 1 / recording.sfreq
    if length is not None and abs(length - recording.duration) > slack:
        yield _problem(
            recording, "duration", "the sidecar states another duration",
            header=f"{recording.duration:g} s", stated=f"{length:g} s", file=file,
        )  # fmt: skip
    found = Counter(recording.ch_types)
    for key, types in COUNTS.items():
        count, there = _number(sidecar.get(key)), sum(found[kind] for kind in types)
        if count is not None and count != there:
            yield _problem(
                recording, "channel_count", f"the sidecar states another {key}",
                header=there, stated=f"{count:g}", file=file,
            )  # fmt: skip
    line = _number(sidecar.get("PowerLineFrequency"))
    if line is not None and line not in (50.0, 60.0):
        yield _problem(
            recording, "power_line", "mains are at 50 or 60 Hz", stated=f"{line:g} Hz", file=file
        )


def _against_table(recording: Recording, table: Table, names: Sequence[str]) -> Iterator[Problem]:
    file = "channels.tsv"
    rows = {str(row["name"]): row for row in table.rows if row.get("name")}
    unknown = [name for name in rows if name not in names]
    absent = [name for name in names if name not in rows]
    if unknown or absent:
        yield _problem(
            recording, "channel_names", "channels.tsv and the header name different channels",
            header=f"only there: {', '.join(absent) or 'none'}",
            stated=f"only there: {', '.join(unknown) or 'none'}", file=file,
        )  # fmt: skip
    rates = dict(zip(names, recording.channel_sfreqs, strict=True))
    units = dict(zip(names, recording.header_units, strict=True))

    def wrong_rate(name: str) -> tuple[str, str] | None:
        rate = number(rows[name].get("sampling_frequency"))
        differs = rate is not None and not _same(rate, rates[name])
        return (f"{rates[name]:g} Hz", f"{rate:g} Hz") if differs else None

    def wrong_unit(name: str) -> tuple[str, str] | None:
        own, stated = units[name], rows[name].get("units")
        differs = own is not None and stated is not None and _unit(own) != _unit(stated)
        return (_unit(str(own)), _unit(str(stated))) if differs else None

    shared = [name for name in names if name in rows]
    yield from _grouped(recording, shared, wrong_rate, "sampling_frequency", "another rate")
    yield from _grouped(recording, shared, wrong_unit, "units", "another unit")


def _grouped(
    recording: Recording,
    names: Sequence[str],
    differs: Callable[[str], tuple[str, str] | None],
    kind: str,
    what: str,
) -> Iterator[Problem]:
    """Yield one problem for all channels that differ in the same way."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in names:
        pair = differs(name)
        if pair is not None:
            found.setdefault(pair, []).append(name)
    for (header, stated), channels in found.items():
        told = ", ".join(channels) if len(channels) <= 5 else "several channels"
        told = "every channel" if len(channels) == len(names) else told
        yield _problem(
            recording, kind, f"channels.tsv states {what} for {told}",
            header=header, stated=stated, file="channels.tsv",
        )  # fmt: skip


def _scale(recording: Recording) -> Iterator[Problem]:
    """Look at a few seconds of all EEG channels."""
    types = dict(zip(recording.ch_names, recording.ch_types, strict=True))
    top = recording.at_rate(recording.sfreq)
    names = [name for name in top if types[name] == "eeg"]
    names = names or [name for name in top if types[name] in VOLTAGE_TYPES]
    length = min(round(PIECE_SECONDS * recording.sfreq), recording.n_times)
    if not names or length < 2:
        return
    deviations = []
    for start in np.linspace(0, recording.n_times - length, PIECES).astype(int):
        deviations.append(recording.read(names, int(start), int(start) + length).std(axis=1))
    level = float(np.median(np.median(deviations, axis=0))) * 1e6
    if not SMALLEST_UV <= level <= LARGEST_UV:
        size = "small" if level < SMALLEST_UV else "large"
        yield _problem(
            recording, "scale", f"the signal is too {size} for EEG, as if scaled wrongly",
            header=f"{level:.4g} µV standard deviation, median of channels",
        )  # fmt: skip


def _compared(opened: Sequence[Recording]) -> Iterator[Problem]:
    """Yield recordings that differ from most others."""
    rates: dict[str, dict[str, float]] = {}
    lines: dict[str, float] = {}
    by_id = {recording.id: recording for recording in opened}
    for recording in opened:
        try:
            task = recording.name.entities.get("task", "")
            rates.setdefault(task, {})[recording.id] = recording.sfreq
            line = _number(recording.sidecar.get("PowerLineFrequency"))
        except RecordingError:
            continue  # told as unreadable
        if line in (50.0, 60.0):
            lines[recording.id] = float(line or 0)
    for of_task in rates.values():
        usual = _usual(list(of_task.values()))
        for identifier, rate in of_task.items():
            if usual is not None and rate != usual:
                yield _problem(
                    by_id[identifier], "other_rate",
                    f"most recordings of this task have {usual:g} Hz", header=f"{rate:g} Hz",
                )  # fmt: skip
    usual = _usual(list(lines.values()))
    for identifier, line in lines.items():
        if usual is not None and line != usual:
            yield _problem(
                by_id[identifier], "power_line", f"most recordings state {usual:g} Hz",
                stated=f"{line:g} Hz", file=f"{by_id[identifier].name.suffix}.json",
            )  # fmt: skip


def _usual(values: Sequence[float]) -> float | None:
    """Return the value that more than half have, or None."""
    if not values:
        return None
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if np.isfinite(value) else None


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= RELATIVE * max(abs(one), abs(other))


def _unit(text: str) -> str:
    return _SAME_UNIT.get(text.strip().lower(), text.strip())
