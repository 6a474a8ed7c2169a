"""Sleep staging: one hypnogram against another, and the mean over a corpus of recordings.

Macro-F1 is over the five stages, whether a night has them or not; a stage that neither side has
scores 0. Recordings weigh alike, however long they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from braino_registry.scoring.corpus.classes import Confusion, confuse
from braino_registry.scoring.corpus.hypnogram import FILL, STAGES, Fractions, Hypnogram, expand
from braino_registry.scoring.corpus.model import ScoreError, answered
from braino_registry.scoring.units.canonical import Profile


@dataclass(frozen=True, eq=False)
class StagingScore:
    """One recording.

    Parameters
    ----------
    confusion : Confusion
        Of its epochs.
    hypnogram : Hypnogram
        What was read.
    empty : bool
        Whether the answer had no hypnogram at all.
    """

    confusion: Confusion
    hypnogram: Hypnogram
    empty: bool

    @property
    def macro_f1(self) -> float:
        """Mean F1 over the five stages."""
        return self.confusion.macro_f1

    @property
    def kappa(self) -> float:
        """Cohen's kappa."""
        return self.confusion.kappa


def score_staging(
    gold: Sequence[str],
    prediction: Any,
    profile: Profile = "strict",
    *,
    n_epochs: int | None = None,
    fractions: Fractions | None = None,
) -> StagingScore:
    """Score one answer.

    Parameters
    ----------
    gold : sequence of str
        The true stage of each epoch, of `STAGES`.
    prediction : JSON value
        An object with ``hypnogram_rle``; anything else is a night of W.
    profile, fractions
        See `expand`.
    n_epochs : int | None
        Epochs that the answer was asked for; by default those of the truth. If they differ, the
        answer is cut, or filled with W, to the length of the truth.

    Returns
    -------
    StagingScore

    Raises
    ------
    ScoreError
        If the truth is no list, or a true stage is none.
    OverflowError
        Under ``published``; see `expand`.
    """
    if isinstance(gold, str) or not isinstance(gold, Sequence):
        raise ScoreError("True stages are a list, one for each epoch.")
    if not all(isinstance(stage, str) for stage in gold):
        raise ScoreError("A true stage is a text.", hint=f"Stages are {', '.join(STAGES)}.")
    asked = n_epochs if n_epochs is not None and n_epochs > 0 else len(gold)
    raw = answered(prediction, "T6", [])
    hypnogram = expand(raw, asked, profile, fractions)
    stages = [*hypnogram.stages, *[FILL] * len(gold)][: len(gold)]
    return StagingScore(confuse(gold, stages, STAGES), hypnogram, empty=not raw)


@dataclass(frozen=True)
class StagingCorpus:
    """All recordings of a corpus.

    Parameters
    ----------
    n : int
        How many.
    macro_f1, kappa : float
        Means over recordings.
    n_empty : int
        Answers without a hypnogram.
    """

    n: int
    macro_f1: float
    kappa: float
    n_empty: int


def score_staging_corpus(records: Sequence[StagingScore]) -> StagingCorpus:
    """Return the means over recordings.

    Raises
    ------
    ScoreError
        If there are none.
    """
    if not records:
        raise ScoreError("There are no recordings to score.")
    n = len(records)
    return StagingCorpus(
        n=n,
        macro_f1=sum(record.macro_f1 for record in records) / n,
        kappa=sum(record.kappa for record in records) / n,
        n_empty=sum(record.empty for record in records),
    )
