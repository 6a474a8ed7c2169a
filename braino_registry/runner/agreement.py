"""How far those who read and judge a run once more agree with what it recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def alike(one: Any, two: Any) -> bool:
    """Tell whether two readings of a field are one value; both may be null."""
    if isinstance(one, float) and isinstance(two, float):
        return abs(one - two) <= 1e-6 * max(abs(one), abs(two))
    return bool(one == two)


def agreement(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return how far each party agrees with what the run recorded.

    Parameters
    ----------
    rows : sequence of mapping
        The trials of an audit.

    Returns
    -------
    dict
        By party: ``decided`` (accepted decisions), ``agree``, ``disputed``, ``unresolved``, and
        ``share``, agreement over the decisions; None where there is none.
    """
    fields = [field for row in rows for field in row["fields"].values()]
    checks = [check for row in rows for check in row["checks"]]
    rubrics = [rubric for row in rows for rubric in row["rubrics"]]
    parties = {
        "checks by today's rules": [c["by_rule_agrees"] for c in checks],
        "fields by the model": [f["agrees"] for f in fields if "agrees" in f],
        "checks by the model": [c["by_model_agrees"] for c in checks if "by_model_agrees" in c],
        "extractions, audited": [row["faithful"]["verdict"] for row in rows if "faithful" in row],
        "rubrics by the judge": [r["judge_agrees"] for r in rubrics if "judge_agrees" in r],
        "rubrics, audited": [r["consistent"] for r in rubrics if "consistent" in r],
    }
    return {name: _counted(verdicts) for name, verdicts in parties.items() if verdicts}


def _counted(verdicts: Sequence[bool | None]) -> dict[str, Any]:
    agree, disputed = verdicts.count(True), verdicts.count(False)
    decided = agree + disputed
    return {
        "decided": decided,
        "agree": agree,
        "disputed": disputed,
        "unresolved": verdicts.count(None),
        "share": agree / decided if decided else None,
    }
