"""The rule of suite ``eegagentbench``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring.model import CheckResult, Evidence, Ruling
from braino_registry.scoring.rules import scoring_rules

#: The tasks whose answer is one label, right or wrong; the others have no pass rule.
LABELLED = frozenset({"T1", "T2", "T3", "T4"})


@scoring_rules.register("eegagentbench")
def eegagentbench(
    results: Sequence[CheckResult], checks: Sequence[Mapping[str, Any]], evidence: Evidence
) -> Ruling:
    """Score a trial by its check of the kind ``corpus``; T1 to T4 pass when the label is right.

    T5 and T6 neither pass nor fail. Other checks stand beside the score.
    """
    pairs = zip(results, checks, strict=True)
    found = [(result, spec) for result, spec in pairs if result.kind == "corpus"]
    if not found:
        return Ruling(0.0, False)
    score = min(result.score for result, _ in found)
    if all(spec["task"] in LABELLED for _, spec in found):
        return Ruling(score, all(result.passed for result, _ in found))
    return Ruling(score, None)
