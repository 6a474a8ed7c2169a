"""Counts of recordings, subjects, channels and samples, and rates, from JSON and channels.tsv."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from braino_registry.datasets.invariants import fields, invariant
from braino_registry.datasets.invariants.reading import Found, Sidecars


@invariant("recording_count", {"equals": fields.COUNT}, {"recording": fields.PATTERN})
def recording_count(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Count the recordings; a total."""
    return _total(sidecars, "recordings", len(sidecars.recordings(row.get("recording", "*"))), row)


@invariant("subject_count", {"equals": fields.COUNT}, {"recording": fields.PATTERN})
def subject_count(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Count the subjects that have a recording; a total."""
    subjects = {one.subject for one in sidecars.recordings(row.get("recording", "*"))}
    return _total(sidecars, "subjects", len(subjects), row)


@invariant(
    "recordings_per_subject",
    {"recording": fields.PATTERN, "equals": fields.COUNT},
    {"except": {"type": "object", "additionalProperties": fields.COUNT}},
)
def recordings_per_subject(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Count the recordings of each subject: ``equals``, or what ``except`` says of a subject.

    A total over all subjects follows from it. Of a selection of tasks or runs nothing is said.
    """
    if not sidecars.whole:
        return []
    counts: dict[str, int] = {}
    for one in sidecars.recordings(row["recording"]):
        counts[one.subject] = counts.get(one.subject, 0) + 1
    special = row.get("except", {})
    return [
        f"{name}: {problem}"
        for name in sorted({*counts, *special})
        for problem in compare(
            "recordings", counts.get(name, 0), {"equals": special.get(name, row["equals"])}
        )
    ]


@invariant(
    "sampling_rate",
    {"recording": fields.PATTERN, "equals": fields.POSITIVE},
    {"within": fields.NOT_NEGATIVE},
)
def sampling_rate(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Compare ``SamplingFrequency`` (Hz) of each matching recording."""
    return each(sidecars, row, "Hz", lambda one: sidecars.number(one, "SamplingFrequency"))


@invariant(
    "duration",
    {"recording": fields.PATTERN, "equals": fields.POSITIVE},
    {"within": fields.NOT_NEGATIVE},
)
def duration(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Compare ``RecordingDuration`` (s) of each matching recording."""
    return each(sidecars, row, "s", lambda one: sidecars.number(one, "RecordingDuration"))


@invariant("sample_count", {"recording": fields.PATTERN, "equals": fields.COUNT})
def sample_count(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Compare the number of samples, ``RecordingDuration`` times ``SamplingFrequency``.

    The duration is rounded to microseconds, so the product is rounded to a hundredth of a sample.
    """

    def measure(one: Found) -> float:
        seconds = sidecars.number(one, "RecordingDuration")
        return round(seconds * sidecars.number(one, "SamplingFrequency"), 2)

    return each(sidecars, row, "samples", measure)


@invariant(
    "channel_count",
    {
        "recording": fields.PATTERN,
        "type": {"type": "string", "pattern": "^[A-Z]+$"},
        "equals": fields.COUNT,
    },
)
def channel_count(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Count the channels of one BIDS type in each matching recording."""
    kind = row["type"]
    return each(
        sidecars,
        row,
        f"{kind} channels",
        lambda one: sum(line.get("type") == kind for line in sidecars.table(one, "channels").rows),
    )


def each(
    sidecars: Sidecars, row: Mapping[str, Any], what: str, measure: Callable[[Found], float]
) -> list[str]:
    """Compare a measure of every matching recording with what the row states."""
    recordings = matching(sidecars, row)
    if isinstance(recordings, str):
        return [recordings]
    return [
        f"{one.id}: {problem}" for one in recordings for problem in compare(what, measure(one), row)
    ]


def matching(sidecars: Sidecars, row: Mapping[str, Any]) -> list[Found] | str:
    """Return the recordings that a row speaks of, or what is wrong when a whole tree has none."""
    recordings = sidecars.recordings(row["recording"])
    if not recordings and sidecars.whole:
        return f"no recording matches {row['recording']!r}"
    return recordings


def compare(what: str, value: float, row: Mapping[str, Any]) -> list[str]:
    """Compare a value with ``equals``, ``within`` a tolerance."""
    if abs(value - row["equals"]) <= row.get("within", 0):
        return []
    return [f"{value} {what} instead of {row['equals']}"]


def _total(sidecars: Sidecars, what: str, value: int, row: Mapping[str, Any]) -> list[str]:
    if not sidecars.whole:
        return []
    pattern = row.get("recording")
    named = what if pattern is None else f"{what} {pattern!r}"
    return compare(named, value, row)
