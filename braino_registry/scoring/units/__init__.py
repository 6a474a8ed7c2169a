"""Validation units: how one reported item is compared with its reference.

The six units, their equations and the aggregates are those of the BrainBench paper
(arXiv:2608.04156, appendix C.2, equations 2 to 10, and section 4.4). Where the paper and the
published scorer differ, a profile decides: ``strict`` computes the equations as printed and is
defined for every input; ``published`` is the released scorer with its rough edges.
"""

from __future__ import annotations

from braino_registry.scoring.units.canonical import PROFILES, Profile
from braino_registry.scoring.units.collections import score_sequence, score_set
from braino_registry.scoring.units.judged import score_artifact, score_semantic
from braino_registry.scoring.units.scalars import score_categorical, score_numerical
from braino_registry.scoring.units.totals import (
    instance_score,
    largest_mpad,
    mpad,
    overall_score,
    subset_score,
)

__all__ = [
    "PROFILES",
    "Profile",
    "instance_score",
    "largest_mpad",
    "mpad",
    "overall_score",
    "score_artifact",
    "score_categorical",
    "score_numerical",
    "score_semantic",
    "score_sequence",
    "score_set",
    "subset_score",
]
