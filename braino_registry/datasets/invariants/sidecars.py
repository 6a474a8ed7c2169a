"""Invariants read from ``*_eeg.json``, ``*_channels.tsv`` and ``*_events.tsv``."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from braino_registry.datasets.invariants import INVARIANTS


@INVARIANTS.register("recording_count")
def recording_count(bids: Path, row: Mapping[str, Any]) -> list[str]:
    """Count the recordings."""
    return _compare("recordings", len(_recordings(bids, "*")), row)


@INVARIANTS.register("subject_count")
def subject_count(bids: Path, row: Mapping[str, Any]) -> list[str]:
    """Count the subjects that have a recording."""
    subjects = {name.partition("_")[0] for name in _recordings(bids, "*")}
    return _compare("subjects", len(subjects), row)


@INVARIANTS.register("sampling_rate")
def sampling_rate(bids: Path, row: Mapping[str, Any]) -> list[str]:
    """Compare ``SamplingFrequency`` (Hz) of each matching recording."""
    return _each(bids, row, "Hz", lambda stem: _sidecar(stem)["SamplingFrequency"])


@INVARIANTS.register("duration")
def duration(bids: Path, row: Mapping[str, Any]) -> list[str]:
    """Compare ``RecordingDuration`` (s) of each matching recording."""
    return _each(bids, row, "s", lambda stem: _sidecar(stem)["RecordingDuration"])


@INVARIANTS.register("channel_count")
def channel_count(bids: Path, row: Mapping[str, Any]) -> list[str]:
    """Count the channels of one BIDS type in each matching recording."""
    kind = row["type"]
    return _each(
        bids,
        row,
        f"{kind} channels",
        lambda stem: sum(line["type"] == kind for line in _table(stem, "channels")),
    )


@INVARIANTS.register("event_count")
def event_count(bids: Path, row: Mapping[str, Any]) -> list[str]:
    """Count the events of one ``trial_type`` in each matching recording."""
    kind = row["trial_type"]
    return _each(
        bids,
        row,
        f"{kind!r} events",
        lambda stem: sum(line["trial_type"] == kind for line in _table(stem, "events")),
    )


def _recordings(bids: Path, pattern: str) -> dict[str, Path]:
    """Return the path stem by recording id, for the ids that match a shell pattern."""
    found = {}
    for path in sorted(bids.glob("sub-*/**/*_eeg.json")):
        name = path.name.removesuffix("_eeg.json")
        if fnmatchcase(name, pattern):
            found[name] = path.with_name(name)
    return found


def _each(
    bids: Path, row: Mapping[str, Any], what: str, measure: Callable[[Path], float]
) -> list[str]:
    recordings = _recordings(bids, row["recording"])
    if not recordings:
        return [f"no recording matches {row['recording']!r}"]
    return [
        f"{name}: {problem}"
        for name, stem in recordings.items()
        for problem in _compare(what, measure(stem), row)
    ]


def _compare(what: str, value: float, row: Mapping[str, Any]) -> list[str]:
    if abs(value - row["equals"]) <= row.get("within", 0):
        return []
    return [f"{value} {what} instead of {row['equals']}"]


def _sidecar(stem: Path) -> dict[str, Any]:
    text = stem.with_name(f"{stem.name}_eeg.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _table(stem: Path, suffix: str) -> list[dict[str, str]]:
    path = stem.with_name(f"{stem.name}_{suffix}.tsv")
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))
