"""From checks and evidence to the score of a trial."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring.kinds import check_kinds
from braino_registry.scoring.model import CheckResult, Evidence, Scored, Verdict
from braino_registry.scoring.rules import scoring_rules

#: How the evidence of a check begins that failed through a fault of its own.
FAULT = "this check could not be evaluated, which is a fault of the harness:"


def score(checks: Sequence[Mapping[str, Any]], evidence: Evidence, rule: str) -> Scored:
    """Score one trial.

    Parameters
    ----------
    checks : sequence of mapping
        The task's checks with their expected values filled in.
    evidence : Evidence
        Transcript, answer and artifacts.
    rule : str
        The suite's rule, for example ``"braino"``.

    Returns
    -------
    scored : Scored
        The same for the same inputs, whatever an agent answered.

    Raises
    ------
    UsageError
        If a check kind or the rule does not exist.
    """
    combine = scoring_rules.get(rule)
    checks = [spec for spec in checks if asked_of(spec, evidence)]
    results = tuple(_run(spec, evidence) for spec in checks)
    ruling = combine(results, checks, evidence)
    return Scored(ruling.score, ruling.passed, results, ruling.ungated, ruling.why)


def asked_of(spec: Mapping[str, Any], evidence: Evidence) -> bool:
    """Tell whether a check is asked of a session: one about calls only where there are tools.

    Parameters
    ----------
    spec : mapping
        A check.
    evidence : Evidence
        The session.
    """
    return evidence.paradigm == "tools" or not check_kinds.get(spec["kind"]).about_calls


def _run(spec: Mapping[str, Any], evidence: Evidence) -> CheckResult:
    kind = check_kinds.get(spec["kind"])
    try:
        verdict = kind.run(spec, evidence)
    # What an agent answered must not leave its trial unscored, so a fault of a check fails that
    # check alone, and says so where everybody looks.
    except Exception as fault:
        verdict = Verdict(False, f"{FAULT} {type(fault).__name__}: {fault}"[:500])
    value = verdict.score if verdict.score is not None else float(verdict.passed)
    return CheckResult(
        id=spec["id"],
        kind=kind.name,
        version=kind.version,
        # what has a weight has to be right for a trial to pass
        required=bool(spec.get("required") or "weight" in spec),
        passed=verdict.passed,
        score=min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0,
        evidence=verdict.evidence,
        weight=spec.get("weight"),
        detail=verdict.detail,
    )
