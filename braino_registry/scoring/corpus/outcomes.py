"""What one answer contributes to the metrics of its task, as a value that JSON can carry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.scoring.corpus.classes import confuse
from braino_registry.scoring.corpus.labels import read_label
from braino_registry.scoring.corpus.model import CLASSES, answered, known_task
from braino_registry.scoring.corpus.seizures import SeizureScore, score_seizures
from braino_registry.scoring.corpus.staging import StagingScore, score_staging
from braino_registry.scoring.corpus.szcore import EventCounts
from braino_registry.scoring.units.canonical import Profile


@dataclass(frozen=True, kw_only=True)
class Item:
    """One instance with its answer.

    Parameters
    ----------
    truth : str | list
        The true label; true events, each with onset and offset in seconds; or the true stage of
        each epoch.
    prediction : JSON value
        The answer: an object with the task's field, or whatever came instead.
    cluster : str
        What is drawn together: a question, a recording, a subject, a sleeper.
    subject : str | None
        Over whom Event-F1 is averaged; by default the cluster. A subject lies in one cluster.
    duration : float | None
        Of a recording with events, in seconds.
    options : mapping of str to str | None
        Text of each option of a question.
    """

    truth: Any
    prediction: Any
    cluster: str
    subject: str | None = None
    duration: float | None = None
    options: Any = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one answer contributes; of the three kinds of values one is set, by the task.

    Parameters
    ----------
    cluster : str
        See `Item`.
    subject : str | None
        See `Item`.
    truth, label : str
        The true label, and the one that was read; empty if none was.
    macro_f1, kappa : float | None
        Of a night.
    counts : EventCounts | None
        Of a recording with seizures or without.
    dice : float | None
        Overlap; None without a seizure.
    missed : bool | None
        Whether every seizure was missed; None without a seizure.
    over_alarm : bool | None
        Whether there was an alarm; None with a seizure.
    """

    cluster: str
    subject: str | None = None
    truth: str = ""
    label: str = ""
    macro_f1: float | None = None
    kappa: float | None = None
    counts: EventCounts | None = None
    dice: float | None = None
    missed: bool | None = None
    over_alarm: bool | None = None

    @property
    def who(self) -> str:
        """Over whom Event-F1 is averaged."""
        return self.cluster if self.subject is None else self.subject

    @classmethod
    def of_label(cls, truth: str, label: str, cluster: str) -> Outcome:
        """Return the outcome of a label."""
        return cls(cluster=cluster, truth=truth, label=label)

    @classmethod
    def of_night(cls, score: StagingScore, cluster: str) -> Outcome:
        """Return the outcome of a hypnogram."""
        return cls(cluster=cluster, macro_f1=score.macro_f1, kappa=score.kappa)

    @classmethod
    def of_seizures(cls, score: SeizureScore, cluster: str, subject: str | None) -> Outcome:
        """Return the outcome of a recording's events."""
        return cls(
            cluster=cluster,
            subject=subject,
            counts=score.counts,
            dice=score.dice,
            missed=score.missed,
            over_alarm=score.over_alarm,
        )

    def document(self) -> dict[str, Any]:
        """Return the outcome as JSON values, without what it has not."""
        found: dict[str, Any] = {"cluster": self.cluster}
        if self.subject is not None:
            found["subject"] = self.subject
        if self.counts is not None:
            counts = self.counts
            found["counts"] = [counts.tp, counts.fp, counts.fn, counts.duration]
            # The released scorer can come to a Dice of NaN, which JSON has not: none, then.
            dice = None if self.dice is None or math.isnan(self.dice) else self.dice
            found |= {"dice": dice, "missed": self.missed, "over_alarm": self.over_alarm}
        elif self.macro_f1 is not None:
            found |= {"macro_f1": self.macro_f1, "kappa": self.kappa}
        else:
            found |= {"truth": self.truth, "label": self.label}
        return found

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Outcome:
        """Return what `document` wrote."""
        known = {name: document[name] for name in cls.__dataclass_fields__ if name in document}
        if "counts" in known:
            known["counts"] = EventCounts(*known["counts"])
        return cls(**known)


def outcome_of(task: str, item: Item, profile: Profile = "strict") -> Outcome:
    """Return what an answer contributes.

    Parameters
    ----------
    task : str
        One of the six.
    item : Item
        The instance with its answer.
    profile : {"strict", "published"}
        How the answer is read.

    Raises
    ------
    ScoreError
        If the truth is none.
    TypeError, OverflowError
        Under ``published``, where the released scorer raises them.
    """
    if known_task(task) == "T5":
        events = score_seizures(item.truth, answered(item.prediction, "T5"), item.duration, profile)
        return Outcome.of_seizures(events, item.cluster, item.subject)
    if task == "T6":
        return Outcome.of_night(score_staging(item.truth, item.prediction, profile), item.cluster)
    truth = read_label(task, item.truth, None, profile)
    confuse([truth], [""], CLASSES[task])  # refuses truth that is no class
    label = read_label(task, answered(item.prediction, task), item.options, profile)
    return Outcome.of_label(truth, label, item.cluster)
