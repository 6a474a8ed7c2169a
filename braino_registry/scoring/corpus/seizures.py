"""Seizure detection over a corpus of recordings: events, overlap, misses and alarms.

Event F1 is the SzCORE F1 of each subject's summed counts, averaged over subjects. Dice@seizure is
the mean overlap in time over the recordings that have a seizure; the miss rate is the share of
them in which no prediction overlaps any seizure, the over-alarm rate the share of the others with
a prediction. Under ``strict`` these three take events clipped to the recording, and touching is no
overlap; under ``published`` they take what the released scorer takes (`published_events`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from braino_registry.scoring.corpus.events import SZCORE, Intervals, checked_duration, read_events
from braino_registry.scoring.corpus.model import ScoreError
from braino_registry.scoring.corpus.overlap import dice, time_in_both, union
from braino_registry.scoring.corpus.published_events import read_published, touches
from braino_registry.scoring.corpus.szcore import (
    EventCounts,
    Matched,
    match_events,
    mean_over_subjects,
    sum_by_subject,
)
from braino_registry.scoring.units.canonical import Profile

_CASE = re.compile(r"(?<![^/_])(chb\d+)[a-z]?(?![^/_])", re.IGNORECASE)


@dataclass(frozen=True)
class SeizureScore:
    """One recording.

    Parameters
    ----------
    matched : Matched
        Counts after joining and cutting.
    n_gold, n_pred : int
        Events as they were read.
    n_warnings : int
        How many remarks the reading of the answer made.
    dice : float | None
        Overlap; None without a seizure.
    missed : bool | None
        Whether every seizure was missed; None without a seizure.
    over_alarm : bool | None
        Whether there was an alarm; None with a seizure.
    """

    matched: Matched
    n_gold: int
    n_pred: int
    n_warnings: int
    dice: float | None
    missed: bool | None
    over_alarm: bool | None

    @property
    def positive(self) -> bool:
        """Whether the recording has a seizure."""
        return self.over_alarm is None

    @property
    def counts(self) -> EventCounts:
        """The counts alone."""
        return self.matched.counts


def score_seizures(
    gold: Any, predicted: Any, duration: Any, profile: Profile = "strict"
) -> SeizureScore:
    """Score one recording.

    Parameters
    ----------
    gold : list
        The true events, each with onset and offset in seconds.
    predicted : JSON value
        The answered events.
    duration : float
        Of the recording, in seconds.
    profile : {"strict", "published"}
        How the answer is read and where overlap begins.

    Returns
    -------
    SeizureScore

    Raises
    ------
    ScoreError
        If the duration is not positive, or the truth holds what is no event of the recording.
    TypeError, OverflowError
        Under ``published``, where the released scorer raises them.
    """
    seconds = checked_duration(duration)
    read = read_events if profile == "strict" else read_published
    truth, found = read(gold, seconds), read(predicted, seconds)
    if truth.n_warnings:
        raise ScoreError(
            "The truth holds what is no event of its recording.",
            where="; ".join(map(str, truth.notes)),
            hint="Onsets lie before offsets, and both in the recording.",
        )
    strict = profile == "strict"
    matched = match_events(
        truth.grid,
        found.grid,
        end=round(seconds * SZCORE.rate) if strict else seconds,
        duration=seconds,
        rule=SZCORE.in_ticks() if strict else SZCORE,
    )
    positive = len(truth.seconds) > 0
    return SeizureScore(
        matched=matched,
        n_gold=len(truth.grid),
        n_pred=len(found.grid),
        n_warnings=found.n_warnings,
        dice=dice(truth.seconds.tolist(), found.seconds.tolist()) if positive else None,
        missed=not _met(truth.seconds, found.seconds, profile) if positive else None,
        over_alarm=None if positive else len(found.seconds) > 0,
    )


def _met(truth: Intervals, found: Intervals, profile: Profile) -> bool:
    if profile == "published":
        return any(touches(event, alarm) for event in truth.tolist() for alarm in found.tolist())
    return time_in_both(union(truth.tolist()), union(found.tolist())) > 0


def subject_of(name: str) -> str:
    """Return the CHB-MIT case in an identifier, such as ``chb17`` in ``c1_seizure_chb17b_63``.

    Raises
    ------
    ScoreError
        If there is none.
    """
    found = _CASE.search(name)
    if found is None:
        raise ScoreError(
            f"There is no CHB-MIT case in {name!r}.", hint="Identifiers hold one, such as chb01."
        )
    return found[1].lower()


@dataclass(frozen=True)
class SeizureCorpus:
    """All recordings of a corpus together.

    Parameters
    ----------
    records : tuple of SeizureScore
        In the order in which they were given.
    subjects : dict of str to EventCounts
        Summed counts of each subject.
    """

    records: tuple[SeizureScore, ...]
    subjects: dict[str, EventCounts]

    @property
    def pooled(self) -> EventCounts:
        """The counts of all recordings together."""
        return sum(self.subjects.values(), EventCounts())

    @property
    def event_f1(self) -> float:
        """Mean F1 over the subjects that have one; 0 if none has."""
        return self.mean("f1") or 0.0

    @property
    def dice_s(self) -> float | None:
        """Mean overlap over recordings with a seizure; None without any."""
        return _mean([record.dice for record in self.records if record.dice is not None])

    @property
    def miss_rate(self) -> float | None:
        """Share of the recordings with a seizure in which none was found."""
        return _mean([record.missed for record in self.records if record.missed is not None])

    @property
    def over_alarm_rate(self) -> float | None:
        """Share of the recordings without a seizure in which one was reported."""
        return _mean([r.over_alarm for r in self.records if r.over_alarm is not None])

    @property
    def n_warnings(self) -> int:
        """How many remarks the reading of the answers made."""
        return sum(record.n_warnings for record in self.records)

    def mean(self, rate: str) -> float | None:
        """Return the mean of a rate over the subjects in which it is defined."""
        return mean_over_subjects(self.subjects)[rate][0]

    def n_defined(self, rate: str) -> int:
        """Return in how many subjects a rate is defined."""
        return mean_over_subjects(self.subjects)[rate][1]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def score_seizure_corpus(records: Sequence[tuple[str, SeizureScore]]) -> SeizureCorpus:
    """Put recordings together.

    Parameters
    ----------
    records : sequence of (str, SeizureScore)
        Subject and score of each recording.

    Returns
    -------
    SeizureCorpus

    Raises
    ------
    ScoreError
        If there are none.
    """
    if not records:
        raise ScoreError("There are no recordings to score.")
    subjects = sum_by_subject((subject, score.counts) for subject, score in records)
    return SeizureCorpus(tuple(score for _, score in records), subjects)
