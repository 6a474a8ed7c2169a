"""The rule of suite ``braino``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring.model import CheckResult, Evidence, Ruling
from braino_registry.scoring.rules import scoring_rules


@scoring_rules.register("braino")
def braino(
    results: Sequence[CheckResult], checks: Sequence[Mapping[str, Any]], evidence: Evidence
) -> Ruling:
    """Pass when all required checks pass; the score is the unweighted share of the checks.

    A trial without checks, or without a required one, cannot pass.
    """
    required = [result.passed for result in results if result.required]
    total = sum(result.score for result in results) / len(results) if results else 0.0
    return Ruling(total, bool(required) and all(required))
