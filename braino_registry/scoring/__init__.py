"""Checks on what an agent did and answered. Pure: same inputs, same score, offline."""

from braino_registry.scoring.answers import Reading, read
from braino_registry.scoring.kinds import CheckKind, check, check_kinds, kind_versions
from braino_registry.scoring.model import Answer, CheckResult, Evidence, Scored, Verdict
from braino_registry.scoring.rules import scoring_rules
from braino_registry.scoring.scorer import FAULT, score
from braino_registry.scoring.units.canonical import Profile

__all__ = [
    "FAULT",
    "Answer",
    "CheckKind",
    "CheckResult",
    "Evidence",
    "Profile",
    "Reading",
    "Scored",
    "Verdict",
    "check",
    "check_kinds",
    "kind_versions",
    "read",
    "score",
    "scoring_rules",
]
