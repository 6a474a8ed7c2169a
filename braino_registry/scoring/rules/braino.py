"""The rule of suite ``braino``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring.gate import shut
from braino_registry.scoring.model import CheckResult, Evidence, Ruling
from braino_registry.scoring.rules import scoring_rules


@scoring_rules.register("braino")
def braino(
    results: Sequence[CheckResult], checks: Sequence[Mapping[str, Any]], evidence: Evidence
) -> Ruling:
    """Pass when all required checks pass; the score is the unweighted share of the checks.

    A trial without checks, or without a required one, cannot pass. Where code takes the place of
    tools, the checks of calls are not asked; one that never reached for its data then scores 0.
    """
    required = [result.passed for result in results if result.required]
    total = sum(result.score for result in results) / len(results) if results else 0.0
    passed = bool(required) and all(required)
    if evidence.paradigm == "code" and (why := shut(evidence)):
        return Ruling(0.0, False, total, why)
    return Ruling(total, passed)
