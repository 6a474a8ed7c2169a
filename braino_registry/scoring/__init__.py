"""Checks on what an agent did and answered. Pure: same inputs, same score, offline."""

from braino_registry.scoring.answers import Reading, read
from braino_registry.scoring.kinds import CheckKind, check, checks, kind_versions
from braino_registry.scoring.model import Answer, CheckResult, Evidence, Scored, Verdict
from braino_registry.scoring.rules import rules
from braino_registry.scoring.scorer import score

__all__ = [
    "Answer",
    "CheckKind",
    "CheckResult",
    "Evidence",
    "Reading",
    "Scored",
    "Verdict",
    "check",
    "checks",
    "kind_versions",
    "read",
    "rules",
    "score",
]
