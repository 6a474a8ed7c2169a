"""Hypnograms as run lengths: expansion to epochs, and what keeps one from covering a night."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from braino_registry.scoring.corpus.model import Note
from braino_registry.scoring.units.canonical import Profile

#: The stages of the AASM manual, in the order of every table.
STAGES = ("W", "N1", "N2", "N3", "REM")
FILL = "W"
_NAMES = {
    "W": ("W", "WAKE", "0"),
    "N1": ("N1", "1", "S1", "STAGE 1"),
    "N2": ("N2", "2", "S2", "STAGE 2"),
    "N3": ("N3", "3", "4", "S3", "S4", "STAGE 3", "STAGE 4"),
    "REM": ("REM", "R", "STAGE R"),
}
_STAGE_OF = {name: stage for stage, names in _NAMES.items() for name in names}
_WHOLE = re.compile(r"[+-]?\d{1,30}", re.ASCII)
Fractions = Literal["skip", "truncate"]


@dataclass(frozen=True)
class Hypnogram:
    """One stage per epoch, and what was read.

    Parameters
    ----------
    stages : tuple of str
        Of `STAGES`, one per epoch; where nothing was given, W.
    n_segments, n_valid : int
        Segments that were there, and that were used.
    covered : int
        Epochs that a used segment holds.
    notes : tuple of Note
        What was dropped, changed or filled.
    """

    stages: tuple[str, ...]
    n_segments: int
    n_valid: int
    covered: int
    notes: tuple[Note, ...]


def stage_of(raw: Any) -> str | None:
    """Return the stage that a name or a whole number stands for, or None.

    White space around it and case do not count; 3 and 4 are N3, and 0 is W. Five is no stage: what
    it means differs between schemes.
    """
    if isinstance(raw, bool) or not isinstance(raw, str | int):
        return None
    if isinstance(raw, int):
        return _STAGE_OF.get(str(raw)) if 0 <= raw <= 9 else None
    return _STAGE_OF.get(raw.strip().upper())


def expand(
    raw: Any, n_epochs: int, profile: Profile = "strict", fractions: Fractions | None = None
) -> Hypnogram:
    """Expand run lengths to one stage per epoch.

    Parameters
    ----------
    raw : JSON value
        A list of objects with ``start_epoch``, ``end_epoch`` (both from 0, both inclusive) and
        ``stage``. What is none of that is skipped; a later segment overwrites an earlier one.
    n_epochs : int
        Epochs of the recording; below 0 as 0.
    profile : {"strict", "published"}
        ``strict`` is defined for every JSON value, takes whole numbers only and drops a segment
        that lies wholly past the end. ``published`` takes whatever Python's ``int`` takes, and
        lets a segment past the end overwrite the last epoch.
    fractions : {"skip", "truncate"} | None
        What becomes of a segment with a fractional bound; by default ``strict`` skips it and
        ``published`` cuts the fraction off.

    Returns
    -------
    Hypnogram
        Of ``n_epochs`` stages.

    Raises
    ------
    OverflowError
        Under ``published``, for a bound that is infinite.
    """
    n = max(int(n_epochs), 0)
    truncate = (fractions or ("truncate" if profile == "published" else "skip")) == "truncate"
    labels: list[str | None] = [None] * n
    notes: list[Note] = [] if isinstance(raw, list | tuple) else [Note("not a list of segments")]
    segments = raw if isinstance(raw, list | tuple) else ()
    n_valid = 0
    for place, segment in enumerate(segments):
        read = _segment(segment, profile, truncate)
        if isinstance(read, str):
            notes.append(Note(read, place))
            continue
        start, end, stage = read
        if n == 0:
            continue
        if start >= n and profile == "strict":
            notes.append(Note("past the end, dropped", place))
            continue
        if end >= n:
            notes.append(Note("cut at the end", place))
        first, last = min(start, n - 1), min(end, n - 1)
        labels[first : last + 1] = [stage] * (last + 1 - first)
        n_valid += 1
    covered = sum(label is not None for label in labels)
    if covered < n:
        notes.append(Note(f"{n - covered} epochs without a stage count as {FILL}"))
    stages = tuple(label or FILL for label in labels)
    return Hypnogram(stages, len(segments), n_valid, covered, tuple(notes))


def _segment(segment: Any, profile: Profile, truncate: bool) -> tuple[int, int, str] | str:
    """Return start, end and stage of a segment, or why it is skipped."""
    if not isinstance(segment, Mapping):
        return "not a segment, skipped"
    whole = _published_whole if profile == "published" else _whole
    # One after the other: an end that would raise is not looked at behind a start that is none.
    start = whole(segment.get("start_epoch", -1), truncate)
    end = None if start is None else whole(segment.get("end_epoch", -1), truncate)
    if start is None or end is None:
        return "bounds that are no whole numbers, skipped"
    stage = stage_of(segment.get("stage"))
    if stage is None:
        return "unknown stage, skipped"
    if start < 0 or end < start:
        return "bounds before the start or in reverse, skipped"
    return start, end, stage


def _whole(raw: Any, truncate: bool) -> int | None:
    if isinstance(raw, str):
        return int(raw) if _WHOLE.fullmatch(raw.strip()) else None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    if isinstance(raw, float) and not (math.isfinite(raw) and (truncate or raw.is_integer())):
        return None
    return int(raw)


def _published_whole(raw: Any, truncate: bool) -> int | None:
    if isinstance(raw, float) and not truncate and not raw.is_integer():
        return None
    try:
        return int(raw)
    except (TypeError, ValueError):
        return None


def runs(stages: Iterable[str]) -> list[tuple[str, int]]:
    """Return stages as runs of equal ones: stage and number of epochs."""
    return [(stage, sum(1 for _ in same)) for stage, same in groupby(stages)]


def as_segments(stages: Iterable[str]) -> list[dict[str, Any]]:
    """Return stages as the segments in which they are answered: the inverse of `expand`."""
    segments, start = [], 0
    for stage, n in runs(stages):
        segments.append({"start_epoch": start, "end_epoch": start + n - 1, "stage": stage})
        start += n
    return segments


def cover_problems(raw: Any, n_epochs: int, most: int = 10) -> list[str]:
    """Return what keeps run lengths from covering a night exactly, each with what would mend it.

    Parameters
    ----------
    raw : JSON value
        As answered.
    n_epochs : int
        Epochs of the recording.
    most : int
        How many problems are told at most.

    Returns
    -------
    list of str
        Empty if each segment starts where the one before ended and the last ends the night.
    """
    if not isinstance(raw, list | tuple):
        return ["hypnogram_rle must be a list of segments"]
    problems: list[str] = []
    due = 0
    for place, segment in enumerate(raw):
        read = _segment(segment, "strict", truncate=False)
        if isinstance(read, str):
            problems.append(f"segment {place}: {read.removesuffix(', skipped')}")
            continue
        start, end, _ = read
        if start != due:
            kind = "overlaps the one before" if start < due else "leaves a gap"
            problems.append(f"segment {place} {kind}: it must start at epoch {due}, not {start}")
        due = end + 1
    if due != n_epochs:
        problems.append(f"the last segment must end at epoch {n_epochs - 1}, not {due - 1}")
    return _at_most(problems, most)


def _at_most(problems: Sequence[str], most: int) -> list[str]:
    kept = list(problems[:most])
    return kept if len(problems) <= most else [*kept, f"and {len(problems) - most} more"]
