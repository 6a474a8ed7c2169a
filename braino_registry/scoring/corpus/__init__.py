"""Corpus metrics of EEGAgentBench: six tasks, their means, and how sure they are.

Definitions are those of the paper (EEGAgentBench, table 2) and of its METRICS document. Where the
released scorer differs or breaks off, a profile decides: ``strict`` gives a score for every answer
that JSON can carry; ``published`` is the released scorer with its rough edges.
"""

from __future__ import annotations

from braino_registry.scoring.corpus.classes import Confusion, confuse
from braino_registry.scoring.corpus.completeness import (
    RELEASED_COUNTS,
    RowReview,
    complete_rows,
    overall,
    review_rows,
)
from braino_registry.scoring.corpus.events import SZCORE, EventRule, read_events
from braino_registry.scoring.corpus.hypnogram import (
    STAGES,
    as_segments,
    cover_problems,
    expand,
    runs,
)
from braino_registry.scoring.corpus.labels import LabelItem, read_label, score_labels
from braino_registry.scoring.corpus.measures import headlines, measures, measures_of
from braino_registry.scoring.corpus.model import (
    CLASSES,
    FIELDS,
    PRIMARY,
    TASKS,
    Note,
    ScoreError,
    answered,
)
from braino_registry.scoring.corpus.outcomes import Item, Outcome, outcome_of
from braino_registry.scoring.corpus.overlap import dice
from braino_registry.scoring.corpus.resampling import (
    Difference,
    Interval,
    Measure,
    compare,
    interval,
)
from braino_registry.scoring.corpus.seizures import (
    SeizureCorpus,
    SeizureScore,
    score_seizure_corpus,
    score_seizures,
    subject_of,
)
from braino_registry.scoring.corpus.staging import (
    StagingCorpus,
    StagingScore,
    score_staging,
    score_staging_corpus,
)
from braino_registry.scoring.corpus.szcore import (
    RATES,
    EventCounts,
    mean_over_subjects,
    score_recording,
    sum_by_subject,
)

__all__ = [
    "CLASSES",
    "FIELDS",
    "PRIMARY",
    "RATES",
    "RELEASED_COUNTS",
    "STAGES",
    "SZCORE",
    "TASKS",
    "Confusion",
    "Difference",
    "EventCounts",
    "EventRule",
    "Interval",
    "Item",
    "LabelItem",
    "Measure",
    "Note",
    "Outcome",
    "RowReview",
    "ScoreError",
    "SeizureCorpus",
    "SeizureScore",
    "StagingCorpus",
    "StagingScore",
    "answered",
    "as_segments",
    "compare",
    "complete_rows",
    "confuse",
    "cover_problems",
    "dice",
    "expand",
    "headlines",
    "interval",
    "mean_over_subjects",
    "measures",
    "measures_of",
    "outcome_of",
    "overall",
    "read_events",
    "read_label",
    "review_rows",
    "runs",
    "score_labels",
    "score_recording",
    "score_seizure_corpus",
    "score_seizures",
    "score_staging",
    "score_staging_corpus",
    "subject_of",
    "sum_by_subject",
]
