"""The rule of suite ``brainbench``: weighted validation units behind a gate of evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring.gate import shut
from braino_registry.scoring.model import CheckResult, Evidence, Ruling
from braino_registry.scoring.rules import scoring_rules
from braino_registry.scoring.units import instance_score


@scoring_rules.register("brainbench")
def brainbench(
    results: Sequence[CheckResult], checks: Sequence[Mapping[str, Any]], evidence: Evidence
) -> Ruling:
    """Score the weighted mean of the validation units; pass at a score of 1.

    Checks without a weight stand beside the score. A session that never worked on its data scores
    0, whatever it answered; what it would have scored is kept beside.
    """
    weighted = [result for result in results if result.weight is not None]
    whole = instance_score([(result.weight or 0.0, result.score) for result in weighted])
    ungated = 0.0 if whole is None else whole / 100
    why = shut(evidence)
    score = 0.0 if why else ungated
    passed = bool(weighted) and not why and all(result.score == 1 for result in weighted)
    gated = evidence.dataset is not None
    return Ruling(1.0 if passed else score, passed, ungated if gated else None, why)
